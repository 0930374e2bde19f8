// Blocks that wait for words which other blocks store: how long the longest chain of such waits is. Prefix
// sums in which each block waits for the one before are one chain through all blocks.
#ifndef VIRTUAL_HOPPER_TIME_CHAIN_H
#define VIRTUAL_HOPPER_TIME_CHAIN_H

#include <stdbool.h>
#include <stdint.h>

struct time_chain;
struct time_chain *time_chain_make(uint64_t blocks);
void time_chain_free(struct time_chain *c); // c may be NULL
// A block has stored to a word for others, or read one that another block may have stored. Words are told
// apart by their address / 4.
void time_chain_store(struct time_chain *c, uint64_t block, uint64_t address);
// Returns true if a block before this one has stored it.
bool time_chain_load(struct time_chain *c, uint64_t block, uint64_t address);
// Waits in the longest chain.
uint64_t time_chain_length(const struct time_chain *c); // c may be NULL: 0

#endif
