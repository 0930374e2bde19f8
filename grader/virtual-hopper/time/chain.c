// In: stores and loads of words that blocks tell each other something by. Out: the longest chain of blocks of
// which each has waited for the one before. One idea: who polls a word may go on with the first value that
// another block stores there. So a block that tells the next one something before it waits itself, as cub's
// look-back does, makes no chain.
#include "virtual-hopper/time/chain.h"

#include <stdlib.h>

#include "virtual-hopper/base/arena.h"

enum { FIRST_ROOM = 1024 };

struct told {
  uint64_t word;  // plus one; 0: free
  uint64_t by;    // block
  uint64_t waits; // in the chain that ends with who reads it
};
struct time_chain {
  uint64_t blocks, longest;
  uint64_t *waits; // of each block, in the chain that ends with it
  struct told *words;
  uint64_t count, room; // room: a power of two
};

struct time_chain *time_chain_make(uint64_t blocks) {
  struct time_chain *c = calloc(1, sizeof *c);
  if (c) *c = (struct time_chain){.blocks = blocks, .room = FIRST_ROOM};
  if (c) c->waits = calloc(blocks, sizeof *c->waits);
  if (c) c->words = calloc(c->room, sizeof *c->words);
  if (!c || !c->waits || !c->words) die("out of memory for the time model");
  return c;
}

void time_chain_free(struct time_chain *c) {
  if (!c) return;
  free(c->waits);
  free(c->words);
  free(c);
}

static struct told *find(const struct time_chain *c, uint64_t word) {
  uint64_t at = (word * 0x9e3779b97f4a7c15ull) >> 20 & (c->room - 1);
  while (c->words[at].word && c->words[at].word != word)
    at = (at + 1) & (c->room - 1);
  return &c->words[at];
}

static void make_room(struct time_chain *c) {
  struct told *const old = c->words;
  const uint64_t count = c->room;
  c->room *= 2;
  c->words = calloc(c->room, sizeof *c->words);
  if (!c->words) die("out of memory for the time model");
  for (uint64_t i = 0; i < count; i++)
    if (old[i].word) *find(c, old[i].word) = old[i];
  free(old);
}

void time_chain_store(struct time_chain *c, uint64_t block, uint64_t address) {
  if (block >= c->blocks) return;
  if (2 * (c->count + 1) > c->room) make_room(c);
  struct told *t = find(c, address / 4 + 1);
  if (t->word) return;
  *t = (struct told){.word = address / 4 + 1, .by = block, .waits = c->waits[block] + 1};
  c->count++;
}

bool time_chain_load(struct time_chain *c, uint64_t block, uint64_t address) {
  if (block >= c->blocks) return false;
  const struct told *t = find(c, address / 4 + 1);
  if (!t->word || t->by == block) return false;
  if (t->waits > c->waits[block]) c->waits[block] = t->waits;
  if (t->waits > c->longest) c->longest = t->waits;
  return t->by < block;
}

uint64_t time_chain_length(const struct time_chain *c) {
  return c ? c->longest : 0;
}
