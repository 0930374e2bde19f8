// An arena: memory that is allocated piece by piece and freed all at once.
// Each module, run or launch has one arena. Threads must not share an arena while it grows.
#ifndef VIRTUAL_HOPPER_BASE_ARENA_H
#define VIRTUAL_HOPPER_BASE_ARENA_H

#include <stddef.h>

struct arena;

struct arena *arena_create(void);
void arena_destroy(struct arena *arena); // NULL is allowed
// Returns zeroed memory, 16-byte aligned. When memory runs out, this function ends the process. Returns NULL
// when the request would exceed the arena's limit.
void *arena_allocate(struct arena *arena, size_t bytes);
void *arena_allocate_array(struct arena *arena, size_t count, size_t size); // the product is checked
char *arena_copy_text(struct arena *arena, const char *text, size_t length);
size_t arena_used(const struct arena *arena);        // bytes allocated so far
void arena_limit(struct arena *arena, size_t bytes); // limits arena_used; 0: no limit (the default)
// Returns true after a request exceeded the limit. The caller reports that.
int arena_exhausted(const struct arena *arena);

// Our own broken invariants end the process: message on stderr, exit status 2.
_Noreturn void die(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
