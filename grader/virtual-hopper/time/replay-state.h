// What a replay keeps while it plays. Private to the room: replay.c, and replay-compute.c, which plays what a
// processor computes.
#ifndef VIRTUAL_HOPPER_TIME_REPLAY_STATE_H
#define VIRTUAL_HOPPER_TIME_REPLAY_STATE_H

#include "virtual-hopper/time/event-queue.h"
#include "virtual-hopper/time/replay.h"
#include "virtual-hopper/time/turns.h"

enum { SCHEDULERS = 4, QUARTERS = 4, MOST_PROCESSORS = CLUSTER_MAX_BLOCKS };

struct processor {                                // each is free again from this cycle on
  double tensor[SCHEDULERS], special[SCHEDULERS]; // one tensor core for each scheduler, one part for
                                                  // special functions
  double issue[SCHEDULERS], shared, engine, port_in, port_out; // engine: copies, both ways
  double starts, launches; // of blocks: of the processor's share of the chip's; of one block after another
  double numbers;          // reads special registers
  double changes;          // sends words that atomics change in global memory
  double remote;           // to and from other blocks' shared memory
  double meetings;         // counts the warps that come to a block's barrier, whichever block's
  double settled; // when all that was asked for has landed, or is written: for which a wide fence waits
  double fences_begin, fences_end; // of the newest round of wide fences
};

struct player {       // a running cluster's warp
  uint32_t at;        // next event
  uint32_t scheduler; // of its processor
  double clock;
  double *loads;    // when each has come
  double *products; // when each has ended
  uint32_t product_count;
  double *read, *written; // when its first n bulk stores have read and written; prefix maxima
  uint32_t stores;
  struct {
    double sent, waits;
  } copy; // the newest bulk load: when its requests have left, and what they wait for their answers
  bool over;
};

struct running {
  const struct time_cluster *sample;
  uint32_t number; // in the order of starts
  struct player *players;
  uint32_t left; // players that are not over
  struct {
    uint32_t owed;
    double when;
    int32_t first_waiter;
  } * phases;
  int32_t *next_waiter; // by player
  double ends, begins;
  bool told;
  int32_t looks; // a warp that waits until all blocks before this one have told; -1: none
};

struct wave {    // as many clusters as run at a time, in the order of starts
  uint32_t owed; // that have not told others
  double when;   // the newest of those that have
};

enum { NO_WARP = UINT32_MAX };

struct replay {
  const struct replay_input *in;
  const struct chip *chip;
  struct processor processors[MOST_PROCESSORS];
  struct running *places; // [place_count]
  uint32_t place_count;
  uint64_t started, random, finished;
  uint64_t stored; // as random: for stores, which most kernels don't wait for
  struct event_queue queue;
  struct replay_result result;
  double total_bytes;    // that all clusters will move
  struct progress *ends; // [clusters]: at each cluster's end
  struct wave *waves;    // NULL: no cluster looks back
  double memory;         // until when the memory is busy with what has been asked for
};

// A part of a processor is taken for so many cycles, as soon as it is free. Returns when it is free again.
static inline double take(double *part, double from, double cycles) {
  if (from > *part) *part = from;
  *part += cycles;
  return *part;
}

// Events that need nothing but the warp's own processor.
void replay_run_of(struct replay *r, struct processor *on, struct player *p, const struct time_event *e);
void replay_product(struct replay *r, struct processor *on, struct player *p, const struct time_event *e);
// Cycles at which a sleep that begins at `from` ends.
double replay_sleep_ends(const struct chip *c, double from, uint32_t nanoseconds);

#endif
