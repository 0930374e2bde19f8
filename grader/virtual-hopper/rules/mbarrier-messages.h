// The message of a fault of an mbarrier. Private to the room; mbarrier-words.h has what others call.
#ifndef VIRTUAL_HOPPER_RULES_MBARRIER_MESSAGES_H
#define VIRTUAL_HOPPER_RULES_MBARRIER_MESSAGES_H

#include "virtual-hopper/rules/mbarrier-words.h"

// text: empty, or what to append to.
void mbarrier_message(const struct mbarrier_facts *facts, char *text, size_t size);

// With left_out_mask: whether the multicast goes to its own block and to no other.
static inline bool mbarrier_goes_to_itself(const struct mbarrier_facts *b) {
  return b->left_out_mask == 1u << b->block_rank;
}

#endif
