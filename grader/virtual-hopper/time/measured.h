// What timeline_write of interface/timeline.cuh has written: marks that kernels have left on a GPU. The
// file may hold anything: whatever doesn't belong there is named with its line.
#ifndef VIRTUAL_HOPPER_TIME_MEASURED_H
#define VIRTUAL_HOPPER_TIME_MEASURED_H

#include <stdio.h>

#include "virtual-hopper/time/ranges.h"
#include "virtual-hopper/time/timeline.h"

enum { MEASURED_NAME = 32, MEASURED_MOST_NAMES = TIMELINE_NOTES };

struct measured_mark {
  uint64_t clock;
  double when; // nanoseconds after the file's earliest mark
  uint32_t processor, launch, block, warp, lanes, cost;
  uint16_t name;
  bool begins;
};

struct measured_name {
  char text[MEASURED_NAME];
  uint64_t times;
  double sum, least, most; // nanoseconds
};

struct measured {
  char device[64];
  uint32_t room;
  uint64_t first_ns; // the earliest mark's clock
  struct measured_mark *marks;
  uint32_t count, capacity;
  uint64_t lost;
  struct measured_name names[MEASURED_MOST_NAMES];
  uint32_t name_count, launches, processors, chosen_launch, chosen_processor;
  double mean_cost;
};

// Returns false with a sentence in `wrong` where the file isn't what it should be.
bool measured_read(struct measured *m, FILE *in, char *wrong, size_t size);
void measured_free(struct measured *m);
// One moment, for a picture, of the processor and launch that have most marks. The caller frees it.
struct timeline *measured_timeline(struct measured *m);
// All ranges as JSON for Perfetto: a process for each processor, a thread for each warp.
void measured_write_trace(const struct measured *m, FILE *out);
// A table of the ranges, and what is missing or doesn't fit together, in sentences.
void measured_print(const struct measured *m, const struct timeline *t, FILE *out);

#endif
