// Words for what a program does against a conflict, in vain (enum culprit_kind). Private to the room.
#ifndef VIRTUAL_HOPPER_RULES_CULPRIT_WORDS_H
#define VIRTUAL_HOPPER_RULES_CULPRIT_WORDS_H

#include <stddef.h>

#include "virtual-hopper/rules/conflict.h"
#include "virtual-hopper/rules/fault.h"

// True when it is a proxy fence.
static inline bool culprit_is_fence(const struct conflict_facts *k) {
  return k->culprit.kind >= FENCE_TOO_EARLY && k->culprit.kind <= FENCE_OF_GLOBAL;
}
// What reads the bytes, or overwrites them, through the async proxy: a copy, or a product.
static inline const char *culprit_copy(const struct conflict_facts *k) {
  return k->later == DEED_PRODUCT ? "product" : "copy";
}
const char *culprit_role(const struct conflict_facts *k);
// What is there, and why it doesn't help.
void culprit_message(const struct conflict_facts *k, char *text, size_t size);
// For TOLD_BY_STRANGER. line: "line 46", of the access that tells.
void told_message(const struct conflict_facts *k, const char *line, char *text, size_t size);
void cluster_culprit_remedy(const struct conflict_facts *k, struct fault *fault); // its place added
void culprit_remedy_barrier(struct fault *fault); // for BARRIER_NOT_AWAITED, its place added
void relaxed_flag_remedy(const struct conflict_facts *k, struct fault *fault); // its place added
void early_arrival_remedy(struct fault *fault);
void giver_remedy(const struct conflict_facts *k, struct fault *fault); // for TILE_GIVEN_BACK
void arrival_of_warp_remedy(struct fault *fault);                       // its place added
void told_remedy(const struct conflict_facts *k, struct fault *fault);
void own_arrival_remedy(struct fault *fault);                                 // for ARRIVAL_IN_OWN_BLOCK
void not_awaited_remedy(const struct conflict_facts *k, struct fault *fault); // for ARRIVAL_NOT_AWAITED
// For a stage of another block that is loaded again.
void other_block_message(const struct conflict_facts *k, char *text, size_t size);
void other_block_remedy(struct fault *fault);
// For CONFLICT_COUNT_TOO_SMALL. line: "line 46", of the wait.
void crowd_message(const struct conflict_facts *k, const char *line, char *text, size_t size);
const char *crowd_remedy(const struct conflict_facts *k);
// For CONFLICT_RING_BEGUN_ANEW and CONFLICT_ARRIVES_UNAWAITED (ring-words.c).
void ring_message(const struct conflict_facts *k, char *text, size_t size);

// Which other faults come of the same mistake.
void culprit_note_cause(const struct conflict_facts *k, struct fault *fault);

#endif
