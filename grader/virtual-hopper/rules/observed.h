// Counters of a run, per kernel, for the exercises' requirements and for curious students. observed.def lists
// them.
#ifndef VIRTUAL_HOPPER_RULES_OBSERVED_H
#define VIRTUAL_HOPPER_RULES_OBSERVED_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Levels for which copied bytes are tracked.
enum observed_level {
  LEVEL_LOADS,
  LEVEL_STORES,
  LEVEL_GROUPS,
  LEVEL_PHASES,
  LEVEL_LEAVING,      // it happened or not
  LEVEL_READ_LEAVING, // likewise
  LEVEL_REMOTE,       // likewise
  LEVEL_RING,         // so with a good part of the bytes that the cluster loaded, or not
  LEVEL_MULTICAST,    // likewise
  LEVEL_BESIDE,       // so with a good part of the bytes that it stored, or not
  LEVEL_KINDS,
  LEVEL_NOT_ASKED, // observed.def: a counter that no requirement may use
};
enum { LEVEL_MOST = 8 }; // a higher one counts as this
enum { MEAN_PARTS = 1024 };

// Accesses of threads that are kept, the worst of each kind: a requirement that is not met names it.
enum observed_access_kind { WORST_BANKS, WORST_HANDED_LOAD, WORST_HANDED_STORE, WORST_KINDS };

struct observed_access {
  uint64_t weight; // WORST_BANKS: cycles that it lost; else bytes of the whole warp; 0: there was none
  uint32_t line, ptx_line;
  uint32_t block[3], thread[3];      // the warp's first thread that takes part
  uint32_t words, bank, lane, other; // WORST_BANKS: so many words of this bank; two of the lanes
  uint32_t lanes_apart;              // bytes between what these two want
  char file[128], variable[64];      // as compiled; the shared variable; "" unknown
};

struct observed {
  char kernel[256];
  struct observed_access worst[WORST_KINDS];
#define OBSERVED(type, combine, name, asked, words) type name;
#include "virtual-hopper/rules/observed.def"
  // Sampled at each issue. Of several clusters: means over their bytes, from the sums that follow.
  double mean_loads_in_flight, mean_stores_in_flight;
  // Each cluster's mean times its bytes, in parts of MEAN_PARTS: sums of whole numbers are the same in
  // whatever order clusters end. Made by observed_merge.
  uint64_t load_parts, store_parts;
  // [level - 1]: bytes of all bulk and tensor copies of those clusters that reached the level. Made by
  // observed_merge.
  uint64_t bytes_at_level[LEVEL_KINDS][LEVEL_MOST];
};

enum observed_combine { OBSERVED_SUM, OBSERVED_MOST, OBSERVED_FEWEST };

struct observed_counter {
  const char *name, *words;
  size_t offset, size; // in struct observed; size 4 or 8
  enum observed_combine combine;
  enum observed_level asked;
};

// In the order of observed.def; NULL from the end on.
const struct observed_counter *observed_counter_at(size_t index);
uint64_t observed_value(const struct observed *observed, const struct observed_counter *counter);

// The bytes of all its bulk and tensor copies to and from global memory.
uint64_t observed_copied(const struct observed *observed);
// Whether `a` is kept rather than `b`: the worse one, or else the first in the kernel. So the one that is
// kept doesn't depend on the order in which clusters end.
bool observed_access_before(const struct observed_access *a, const struct observed_access *b);
// Notes which levels the record, of one cluster, has reached, and its means as whole numbers. Call once,
// before it is added.
void observed_note_levels(struct observed *observed);
void observed_add(struct observed *sum, const struct observed *part);
json_t *observed_json(const struct observed *observed); // new reference

#endif
