// Pieces of memory of a few sizes, taken and given back while a launch runs, and freed all at once. In:
// requests of whoever holds the lock of a set of pieces. Out: zeroed memory. One idea: to free a launch's
// notes one by one costs as much as to make them, and only one thread can do it; large chunks are few, and
// the next launch takes them over.
#ifndef VIRTUAL_HOPPER_BASE_PIECES_H
#define VIRTUAL_HOPPER_BASE_PIECES_H

#include <stddef.h>

enum { PIECES_SIZES = 16, PIECES_CHUNK = 64 << 10, PIECES_KEPT = 16 << 20 }; // bytes; bytes

struct chunk;
struct chunk_store; // of a device: chunks for the next launch. Any thread may use it
struct chunk_store *chunk_store_create(void);
void chunk_store_destroy(struct chunk_store *store); // NULL is allowed
size_t chunk_store_kept(struct chunk_store *store);  // bytes, PIECES_KEPT at most

struct pieces { // zeroed, and `store` set: nothing is taken. Threads must not share it without a lock
  struct chunk_store *store; // NULL: chunks come from malloc
  struct chunk *chunks, *large;
  unsigned char *next;
  size_t left; // bytes from `next` on
  struct given {
    size_t bytes;
    void *first; // pieces of that size that were given back
  } given[PIECES_SIZES];
};

// Memory, 16-byte aligned; take: zeroed, take_any: with any contents. When memory runs out, the process ends.
void *pieces_take(struct pieces *p, size_t bytes);
void *pieces_take_any(struct pieces *p, size_t bytes);
// A piece of that size may be taken again. NULL is allowed.
void pieces_give(struct pieces *p, void *piece, size_t bytes);
void pieces_end(struct pieces *p); // frees all of them

#endif
