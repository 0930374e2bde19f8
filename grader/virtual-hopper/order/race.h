// Ordinary races on global memory between clusters: a plain access in one, a plain write in another, and
// nothing that orders the two. In: accesses of threads, fences. Out: conflicts. One idea: as in
// between-clusters.c, one clock of the launch stands for all that other clusters have done. A cluster that
// reads what another one wrote in a strong access knows, from then on, of everything that had happened
// anywhere by then: also of what was not released properly. So a missing fence is told apart from an access
// that nothing orders at all, and nobody is accused of more than is certain.
#ifndef VIRTUAL_HOPPER_ORDER_RACE_H
#define VIRTUAL_HOPPER_ORDER_RACE_H

#include "virtual-hopper/order/order.h"

struct order_cluster;
struct race_shadow;

enum { RACE_PLACES = 1024, RACE_TEXTS = 4, RACE_KNOWN = 64, RACE_LOOKED = 8 };
// A loop that ends after a few rounds in any case is BOUNDED: what comes after it may do without what it
// waits for.
enum race_poll { RACE_POLL_NONE, RACE_POLL_BOUNDED, RACE_POLL_ENDLESS };
struct race_view {                  // of a cluster; times of the launch's clock
  uint64_t seen;                    // what was noted before this may have been seen
  uint64_t seen_fenced;             // the same, where a fence or a release stands behind it
  uint64_t fenced;                  // its last fence
  uint64_t glanced, glanced_fenced; // as seen, once it fences: by reads of flags that are plain memory
  struct { // the flag or counter of another cluster that it has looked at last; cluster 0: none
    uint64_t cluster, time, published, address;
  } flag;
  struct { // the same, where it has waited by plain loads alone, and learned nothing
    uint64_t cluster, time, address;
    bool bounded;
  } polled;
  struct race_text { // accesses that were looked at last: what race-source.c and race-poll.c say of them
    const struct op *op;
    bool only_data, accumulates;
    enum race_poll weak_poll;
  } texts[RACE_TEXTS];
  // Of race-late.c: what was noted before it may be known by any way at all; how many strong writes it has
  // made; and places at which strong reads have found something old.
  uint64_t heard, told;
  struct race_looked {
    uint64_t address;
    uint64_t time; // of the first write that was not seen
    uint64_t told; // as it was then
    uint32_t repeats;
  } looked[RACE_LOOKED];
  // Notes that it has made last, by instruction and warp; 0: none. They are of that round (race-notes.h).
  uint32_t known[RACE_KNOWN], known_round;
  bool any_strong;                   // some bit of the next is set
  uint64_t strong[RACE_PLACES / 64]; // bits: addresses that it knows by strong accesses; some share a bit
};

struct race_shadow *race_create(struct launch *launch); // NULL: there is one cluster, or very many
// True when some of the launch was not judged, because there was no more room for notes, or for so many
// clusters.
bool race_outgrown(const struct launch *launch, const struct race_shadow *s);
void race_destroy(struct race_shadow *s); // NULL is allowed
// An access by threads. store: NULL for anything but an ordinary store.
void race_access(struct warp *w, const struct op *op, uint32_t lanes, const uint64_t address[WARP_LANES],
                 uint32_t bytes, enum order_kind kind, enum order_strength strength,
                 const struct order_store *store);
void race_fence(struct order_cluster *c, bool narrow); // narrow: its scope leaves other clusters out
void race_total_fence(struct order_cluster *c);        // the same fence is a fence.sc (race-late.c)
// A strong read of global memory that finds what was there before other clusters' last writes: then it is
// noted, and *value set (race-late.c).
bool race_reads_old(struct warp *w, const struct op *op, uint32_t lanes, const uint64_t address[WARP_LANES],
                    uint32_t bytes, enum order_strength strength, uint64_t *value);
// A bulk load reads global memory; a store or a reduction writes it; a wait has shown that it is complete.
void race_copy_reads(struct actor by, const struct async_copy *copy);
void race_copy_writes(struct actor by, struct async_copy *copy);
void race_copy_reads_map(struct actor by, const struct async_copy *copy);
void race_copy_done(struct warp *w, uint32_t lane, const struct async_copy *copy);
// True when the last write there is a store of another cluster, of whose end this one knows nothing.
bool race_store_is_open(struct actor by, uint64_t address);
// A store lands. While plain writes may have met stores, each run of its bytes is compared before they are
// written.
bool race_has_rivals(const struct launch *launch);
void race_copy_compare(const struct async_copy *copy, uint64_t address, const uint8_t *fresh, uint32_t bytes);
void race_copy_landed(const struct async_copy *copy);

// race-source.c ---------------------------------------------------------------------------------------------
// An access by .cg, .cv or .wt, past the cache of its own processor: old code hands data over by them.
bool race_is_coherent(const struct op *op);
// A read whose value is only compared: of a flag, or ahead of an atomic, as in
// `if (best < value) atomicMax(&best, value)`. Whether it finds the old value or the new one, the program
// goes on rightly.
bool race_is_glance(const struct op *op);
// A read whose value is never compared with anything: it is data, and no flag, and no value that is tried.
bool race_is_only_data(const struct op *op);
// A plain load by which a loop waits (race-poll.c).
enum race_poll race_weak_poll(const struct op *op);
// An access whose scope, .cta or .cluster, leaves other clusters out: to them it releases and acquires
// nothing.
bool race_is_narrow(const struct op *op);
// An atomic that adds to what is there, or the like. One that adds 0, say, is none: old code reads a flag so.
bool race_accumulates(const struct op *op);
// Of a load whose value is only raised and then stored where it came from: the store. NULL: it is none.
const struct ptx_instruction *race_store_of_sum(const struct op *load);
// It reads and writes at once: atom or red.
bool race_is_atomic(const struct op *op);
// An atomic whose result nobody looks at: its thread learns nothing by it.
bool race_result_unused(const struct op *op);
// Both are atomics that change memory, of different sizes: where they overlap, the two are not atomic to each
// other. A packed one (f16x2) changes each of its elements by itself.
bool race_sizes_differ(const struct op *a, const struct op *b);

#endif
