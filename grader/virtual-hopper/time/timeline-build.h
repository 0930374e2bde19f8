// Private to time/timeline*.c: a timeline while it is built from the moments that the model has played.
#ifndef VIRTUAL_HOPPER_TIME_TIMELINE_BUILD_H
#define VIRTUAL_HOPPER_TIME_TIMELINE_BUILD_H

#include "virtual-hopper/time/predict.h"
#include "virtual-hopper/time/replay.h"
#include "virtual-hopper/time/timeline.h"

enum { TIMELINE_MOST_PLACES = 12 }; // lanes of blocks with one stage each

struct stage {  // what a lane of a stage holds now
  double since; // the state's begin; < 0: not known
  uint8_t state;
  bool is_given; // when empty: by a store or by arrivals; else nobody waits for it any more
  uint32_t cluster, phase, low, high; // [low, high) of shared memory
  double landed;
  uint32_t back_phase, back_count; // arrivals that give it back; 0: none so far
};

struct builder {
  const struct launch *l;
  const struct time_launch *launch;
  const struct chip *chip;
  struct time_moment *moments;
  uint32_t count;
  const struct time_moment *life; // of the chosen block
  double from, to;                // the window, cycles
  struct timeline *t;
  struct stage stages[TIMELINE_LANES];
  uint32_t last_span[TIMELINE_LANES]; // of each lane
  struct {
    uint32_t stage, back; // offsets of the barrier that its loads complete, and of the one that empties it
  } pairs[TIMELINE_LANES];
  uint32_t pair_count;
  struct {
    int lane; // of the stage that this warp reads; -1: none
    double since;
  } * reading; // [places][warps]
};

// Of the first block of its cluster.
bool timeline_of_first_block(const struct builder *b, const struct time_moment *m);
// A bulk load whose bytes come to the first block of its cluster, whichever block has started it.
bool timeline_comes_to_first_block(const struct time_moment *m);
// The file and the line of an instruction, where they are known.
void timeline_note_place(struct timeline_note *note, const struct op *op);
void timeline_add_span(struct builder *b, uint32_t lane, uint8_t state, double begin, double end,
                       uint8_t note, uint32_t bytes);
// The lane's number; -1: there are too many.
int timeline_add_lane(struct builder *b, struct timeline_lane lane);
// Adds and fills the lanes of stages, and of buffers that are only stored from.
void timeline_add_stages(struct builder *b);
// What the launch, the room of the stages and the cache say of the whole kernel.
void timeline_add_facts(struct builder *b, const struct time_prediction *p);

#endif
