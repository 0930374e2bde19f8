// In: requests for memory that all end together. Out: zeroed pieces of larger blocks, freed in one go.
// The one idea: a module, a run or a launch has one owner and one end, so nothing is freed piecemeal.
#include "virtual-hopper/arena.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ARENA_UNDER_ADDRESS_SANITIZER 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define ARENA_UNDER_ADDRESS_SANITIZER 1
#endif

// Under the address sanitizer each piece is followed by poisoned bytes, so that running past it is caught
// although the block goes on.
#ifdef ARENA_UNDER_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
enum { ARENA_GAP = 16 };
#define ARENA_POISON(address, bytes)   ASAN_POISON_MEMORY_REGION(address, bytes)
#define ARENA_UNPOISON(address, bytes) ASAN_UNPOISON_MEMORY_REGION(address, bytes)
#else
enum { ARENA_GAP = 0 };
#define ARENA_POISON(address, bytes)   ((void)(address), (void)(bytes))
#define ARENA_UNPOISON(address, bytes) ((void)(address), (void)(bytes))
#endif

enum { ARENA_ALIGNMENT = 16, ARENA_FIRST_BLOCK = 16 << 10, ARENA_LARGEST_BLOCK = 1 << 20 };

struct block {
  struct block *next;
  size_t capacity, used; // of `data`
  _Alignas(ARENA_ALIGNMENT) unsigned char data[];
};

struct arena {
  struct block *blocks; // the first one is being filled; the others are full, or hold one large piece
  size_t next_capacity;
  size_t bytes_used, limit;
  bool exhausted;
};

void die(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fputs("grader error: ", stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  exit(2);
}

struct arena *arena_create(void) {
  struct arena *arena = calloc(1, sizeof *arena);
  if (!arena) die("out of memory");
  arena->next_capacity = ARENA_FIRST_BLOCK;
  return arena;
}

void arena_destroy(struct arena *arena) {
  if (!arena) return;
  for (struct block *block = arena->blocks, *next; block; block = next) {
    next = block->next;
    ARENA_UNPOISON(block->data, block->capacity);
    free(block);
  }
  free(arena);
}

static struct block *new_block(size_t capacity) {
  struct block *block = calloc(1, sizeof *block + capacity);
  if (!block) die("out of memory (%zu bytes wanted)", capacity);
  block->capacity = capacity;
  ARENA_POISON(block->data, capacity);
  return block;
}

// Finds room for `bytes`: in the block being filled, in a new one, or, when large, in a block of its own that
// does not end the filling of the present one.
static struct block *block_with_room(struct arena *arena, size_t bytes) {
  struct block *current = arena->blocks;
  if (current && current->capacity - current->used >= bytes) return current;
  if (current && bytes > arena->next_capacity / 4) {
    struct block *own = new_block(bytes);
    own->next = current->next;
    current->next = own;
    return own;
  }
  struct block *block = new_block(bytes > arena->next_capacity ? bytes : arena->next_capacity);
  if (arena->next_capacity < ARENA_LARGEST_BLOCK) arena->next_capacity *= 2;
  block->next = current;
  arena->blocks = block;
  return block;
}

void *arena_allocate(struct arena *arena, size_t bytes) {
  if (arena->limit && (arena->exhausted || bytes > arena->limit - arena->bytes_used)) {
    arena->exhausted = true;
    return NULL;
  }
  if (bytes > SIZE_MAX / 2) die("out of memory (%zu bytes wanted)", bytes);
  size_t rounded = (bytes + ARENA_GAP + ARENA_ALIGNMENT - 1) & ~(size_t)(ARENA_ALIGNMENT - 1);
  struct block *block = block_with_room(arena, rounded);
  void *piece = block->data + block->used;
  block->used += rounded;
  arena->bytes_used += bytes;
  ARENA_UNPOISON(piece, bytes);
  return piece;
}

void *arena_allocate_array(struct arena *arena, size_t count, size_t size) {
  size_t bytes;
  if (!__builtin_mul_overflow(count, size, &bytes)) return arena_allocate(arena, bytes);
  if (!arena->limit) die("out of memory (%zu times %zu bytes wanted)", count, size);
  arena->exhausted = true;
  return NULL;
}

char *arena_copy_text(struct arena *arena, const char *text, size_t length) {
  if (length == SIZE_MAX) die("out of memory (%zu bytes wanted)", length);
  char *copy = arena_allocate(arena, length + 1);
  if (copy) memcpy(copy, text, length); // the terminating zero is there: pieces are zeroed
  return copy;
}

size_t arena_used(const struct arena *arena) {
  return arena->bytes_used;
}

void arena_limit(struct arena *arena, size_t bytes) {
  arena->limit = bytes;
  if (bytes && bytes < arena->bytes_used) arena->limit = arena->bytes_used;
}

int arena_exhausted(const struct arena *arena) {
  return arena->exhausted;
}
