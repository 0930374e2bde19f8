// In: requests for memory. Out: zeroed pieces of larger blocks. All pieces are freed together.
// The one idea: a module, a run or a launch has one owner and one end, so no piece is freed alone.
#include "virtual-hopper/base/arena.h"

#include "virtual-hopper/base/poison.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Under the address sanitizer, poisoned bytes follow each piece. So an access past a piece is caught, even
// when the access is inside the block.
enum { ARENA_ALIGNMENT = 16, ARENA_FIRST_BLOCK = 16 << 10, ARENA_LARGEST_BLOCK = 1 << 20 };

struct block {
  struct block *next;
  size_t capacity, used; // bytes of `data`
  _Alignas(ARENA_ALIGNMENT) unsigned char data[];
};

struct arena {
  struct block *blocks; // the first block is being filled; other blocks are full, or hold one large piece
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
    UNPOISON(block->data, block->capacity);
    free(block);
  }
  free(arena);
}

static struct block *new_block(size_t capacity) {
  struct block *block = calloc(1, sizeof *block + capacity);
  if (!block) die("out of memory (%zu bytes wanted)", capacity);
  block->capacity = capacity;
  POISON(block->data, capacity);
  return block;
}

// Returns a block with room for `bytes`: the block being filled, or a new block. A large piece gets its own
// block, and the present block continues to be filled.
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
  size_t rounded = (bytes + POISON_GAP + ARENA_ALIGNMENT - 1) & ~(size_t)(ARENA_ALIGNMENT - 1);
  struct block *block = block_with_room(arena, rounded);
  void *piece = block->data + block->used;
  block->used += rounded;
  arena->bytes_used += bytes;
  UNPOISON(piece, bytes);
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
  if (copy) memcpy(copy, text, length); // pieces are zeroed, so the copy ends in a zero byte
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
