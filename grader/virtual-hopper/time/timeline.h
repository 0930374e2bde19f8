// One steady moment of a launch on one processor, as the model plays it: what each stage holds, what the
// warps wait for, how many bytes are in flight. Plain data without pointers, so that one process can hand it
// to another; whoever takes it from a process that it doesn't trust calls timeline_is_sound first.
#ifndef VIRTUAL_HOPPER_TIME_TIMELINE_H
#define VIRTUAL_HOPPER_TIME_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct launch;
struct range_mark;
struct time_launch;
struct time_prediction;

enum timeline_state {
#define STATE(name, of_stage, words, word, paint) TIMELINE_##name,
#include "virtual-hopper/time/timeline.def"
#undef STATE
  TIMELINE_STATES
};

enum {
  TIMELINE_LANES = 40,
  TIMELINE_SPANS = 6000,
  TIMELINE_NOTES = 40,
  TIMELINE_LEVELS = 240,
  TIMELINE_NO_NOTE = 255
};

struct timeline_note { // what a wait is for, and where it stands; or a named range, and where it begins
  char what[64];       // "barrier `full[1]`"; a range's name
  char file[96];       // "" unknown
  uint32_t line;
  uint8_t named; // 0: of a wait; else the range's number from 1 on
};

struct timeline_lane {
  char name[64];
  uint8_t is_stage, is_shown; // is_shown: in a picture
  uint8_t loads;              // of a warp: it starts loads
  uint8_t only_loads;         // and does nothing else
  uint8_t is_range;           // a row of named ranges, below their warp's lane
  uint32_t place, warp;       // place: of the blocks that are on the processor together
  uint32_t offset;            // of a stage's barrier or buffer
  float share[TIMELINE_STATES];
  float threads;         // of a warp: that an instruction is for, as a mean; 0: not known
  uint32_t copies;       // of a warp that does little but start bulk loads: their bytes, as a mean; else 0
  uint32_t instructions; // of a warp that starts bulk loads: for each of them, as a mean
  uint32_t load_bytes;   // and the bytes of each, as a mean
};

struct timeline_span {
  float begin, end; // nanoseconds after the window's begin
  uint16_t lane;
  uint8_t state, note;
  uint8_t whole; // of a named range: it begins and ends in the window
  uint32_t bytes;
};

struct timeline {
  char kernel[96], chip[8], bound_by[48];
  char device[96];      // "processor 5 of NVIDIA H100": measured there; "": predicted
  char unmatched[1000]; // what is wrong with the named ranges, in words; "" nothing
  uint64_t told;        // of which names; one bit more: that there are too many at a time
  float us, memory_busy, shared_busy;
  float conflicts;         // how many times as long accesses of shared memory take because of bank conflicts
  float begin, end;        // of the window: nanoseconds after the kernel's first instruction
  float in_flight, wanted; // bytes of loads for each processor: mean; by Little's law, at most of the rate
  float level[TIMELINE_LEVELS]; // bytes in flight, mean of each part of the window
  float read, missed;           // bytes of all loads; of these, through the memory, not from the L2 cache
  // Shares of the time in which the L2 cache is busy with stores of parts of sectors; with lines that threads
  // load a word or so of; with words that atomics change all over.
  float stored_in_parts, loaded_in_parts, changed;
  float room; // bytes that the stages of all blocks on a processor can be loaded with at once
  uint32_t processors, blocks; // of the chip; of the launch
  // Blocks on a processor that has work: that its registers and its shared memory have room for; that the
  // launch gives it at a time, at most; that were there in the window, as a mean.
  uint32_t blocks_fit, blocks_on_processor;
  float blocks_there;
  uint32_t threads; // of a block
  float works;      // share of the time that a warp of the block works, mean of all
  // Of stages that a barrier gives back: the share of the time in which their readers keep them; in which the
  // last of these waits for other loads; where it gives them back.
  float kept, kept_waiting;
  struct timeline_note back;
  uint32_t block, stages;
  uint32_t reader;      // the warp that waits for loads, and does so least
  float reader_waits;   // its share of the time in which it waits for loads
  uint8_t reader_state; // what it does most beside that; TIMELINE_STATES: there is no such warp
  float reader_share;
  uint32_t busiest; // the warp of the block that works most
  float busiest_works,
      busiest_threads; // its share of the time, and how many threads its instructions are for
  uint32_t lane_count, span_count, note_count;
  struct timeline_lane lanes[TIMELINE_LANES];
  struct timeline_note notes[TIMELINE_NOTES];
  struct timeline_span spans[TIMELINE_SPANS];
};

// Plays the launch once more. The caller frees the result. NULL: nothing was recorded that could be drawn.
struct timeline *timeline_make(const struct launch *l, const struct time_launch *t,
                               const struct time_prediction *p, uint64_t seed);
// The number of a range's note; TIMELINE_NO_NOTE: there are too many.
uint8_t timeline_name_range(struct timeline *t, const char *name, const char *file, uint32_t line);
// Rows of named ranges for the warp of lane `of`. `marks`: by time, in nanoseconds after the window's begin;
// their names are numbers of notes. `end`: of the warp.
void timeline_add_ranges(struct timeline *t, const struct timeline_lane *of, const struct range_mark *marks,
                         uint32_t count, double end);
// Keeps in words what is wrong with the marks of a warp: of each name what is found first. `who`:
// "warp 3 of block 7".
void timeline_check_ranges(struct timeline *t, const struct range_mark *marks, uint32_t count,
                           const char *who);
// Of words about a place in shared memory: `full[1]` of "barrier `full[1]`", "s + 8" of "barrier at `s` + 8",
// "at 0x8400" of "barrier at shared offset 0x8400"; of other words: all of them.
void timeline_short_name(const char *what, char *name, size_t size);
// The text, or what fits: two names often differ in their last letters alone, so these are kept.
void timeline_shorten(const char *text, char *to, size_t size);
// Numbers within their bounds, texts with an end.
bool timeline_is_sound(const struct timeline *t);

// SVG of itself, with a text alternative; light and dark.
void timeline_draw(const struct timeline *t, FILE *out);
// JSON for Perfetto and chrome://tracing.
void timeline_write_trace(const struct timeline *t, FILE *out);
// Whole sentences: what holds the kernel up.
void timeline_explain(const struct timeline *t, FILE *out);

#endif
