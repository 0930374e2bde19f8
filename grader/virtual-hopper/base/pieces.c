// Pieces of memory of a few sizes (pieces.h).
#include "virtual-hopper/base/pieces.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/base/arena.h"
#include "virtual-hopper/base/poison.h"

enum { ALIGNMENT = 16 };

struct chunk {
  struct chunk *next;
  size_t capacity; // bytes of `data`
  _Alignas(ALIGNMENT) unsigned char data[];
};

struct chunk_store {
  pthread_mutex_t lock;
  struct chunk *chunks; // of PIECES_CHUNK bytes each
  size_t kept;
};

struct chunk_store *chunk_store_create(void) {
  struct chunk_store *store = calloc(1, sizeof *store);
  if (!store) die("out of memory");
  pthread_mutex_init(&store->lock, NULL);
  return store;
}

static void free_chunk(struct chunk *c) {
  UNPOISON(c->data, c->capacity);
  free(c);
}

void chunk_store_destroy(struct chunk_store *store) {
  for (struct chunk *c = store ? store->chunks : NULL, *next; c; c = next) {
    next = c->next;
    free_chunk(c);
  }
  if (store) pthread_mutex_destroy(&store->lock);
  free(store);
}

size_t chunk_store_kept(struct chunk_store *store) {
  pthread_mutex_lock(&store->lock);
  const size_t kept = store->kept;
  pthread_mutex_unlock(&store->lock);
  return kept;
}

static struct chunk *chunk_from(struct chunk_store *store) {
  if (!store) return NULL;
  pthread_mutex_lock(&store->lock);
  struct chunk *c = store->chunks;
  if (c) {
    store->chunks = c->next;
    store->kept -= c->capacity;
  }
  pthread_mutex_unlock(&store->lock);
  return c;
}

static struct chunk *make_chunk(struct chunk **list, struct chunk_store *store, size_t capacity) {
  struct chunk *c = chunk_from(store);
  if (!c) {
    c = malloc(sizeof *c + capacity);
    if (!c) die("out of memory (%zu bytes wanted)", capacity);
    c->capacity = capacity;
    POISON(c->data, capacity);
  }
  c->next = *list;
  *list = c;
  return c;
}

static struct given *given_of(struct pieces *p, size_t bytes) {
  struct given *g = p->given;
  while (g < p->given + PIECES_SIZES && g->bytes && g->bytes != bytes)
    g++;
  return g < p->given + PIECES_SIZES ? g : NULL;
}

static void *fresh_piece(struct pieces *p, size_t bytes) {
  const size_t whole = bytes + POISON_GAP;
  if (whole > PIECES_CHUNK) return make_chunk(&p->large, NULL, whole)->data;
  if (p->left < whole) {
    p->next = make_chunk(&p->chunks, p->store, PIECES_CHUNK)->data;
    p->left = PIECES_CHUNK;
  }
  void *piece = p->next;
  p->next += whole;
  p->left -= whole;
  return piece;
}

static size_t rounded(size_t bytes) {
  if (bytes > SIZE_MAX / 2) die("out of memory (%zu bytes wanted)", bytes);
  return (bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
}

void *pieces_take_any(struct pieces *p, size_t asked) {
  const size_t bytes = rounded(asked);
  struct given *g = given_of(p, bytes);
  void *piece = g && g->bytes ? g->first : NULL;
  if (piece) {
    UNPOISON(piece, bytes);
    memcpy(&g->first, piece, sizeof g->first); // a piece that was given back begins with the next one
  } else {
    piece = fresh_piece(p, bytes);
    UNPOISON(piece, bytes);
  }
  return piece;
}

void *pieces_take(struct pieces *p, size_t bytes) {
  return memset(pieces_take_any(p, bytes), 0, bytes);
}

void pieces_give(struct pieces *p, void *piece, size_t asked) {
  const size_t bytes = rounded(asked);
  struct given *g = piece ? given_of(p, bytes) : NULL;
  if (!g) return; // too many sizes: it is free at the end
  memcpy(piece, &g->first, sizeof g->first);
  g->bytes = bytes;
  g->first = piece;
  POISON(piece, bytes);
}

void pieces_end(struct pieces *p) {
  struct chunk *rest = p->chunks;
  if (p->store && rest) {
    pthread_mutex_lock(&p->store->lock);
    for (struct chunk *c; (c = rest) && p->store->kept + c->capacity <= PIECES_KEPT;) {
      POISON(c->data, c->capacity);
      rest = c->next;
      c->next = p->store->chunks;
      p->store->chunks = c;
      p->store->kept += c->capacity;
    }
    pthread_mutex_unlock(&p->store->lock);
  }
  for (struct chunk *next; rest; rest = next) {
    next = rest->next;
    free_chunk(rest);
  }
  for (struct chunk *c = p->large, *next; c; c = next) {
    next = c->next;
    free_chunk(c);
  }
  *p = (struct pieces){.store = p->store};
}
