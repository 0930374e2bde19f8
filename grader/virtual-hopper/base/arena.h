// An arena: memory that is taken piece by piece and given back all at once.
// One arena per module, run or launch (house style); never shared between threads while it grows.
#ifndef VIRTUAL_HOPPER_ARENA_H
#define VIRTUAL_HOPPER_ARENA_H

#include <stddef.h>

struct arena;

struct arena *arena_create(void);
void arena_destroy(struct arena *arena);                 // NULL is allowed
void *arena_allocate(struct arena *arena, size_t bytes); // zeroed, 16-byte aligned; dies when memory is out,
                                                         // NULL when a limit was set and would be passed
void *arena_allocate_array(struct arena *arena, size_t count, size_t size); // the product is checked
char *arena_copy_text(struct arena *arena, const char *text, size_t length);
size_t arena_used(const struct arena *arena);        // bytes handed out
void arena_limit(struct arena *arena, size_t bytes); // counts what arena_used counts; 0: none (the default)
int arena_exhausted(const struct arena *arena);      // true once the limit was passed: the caller reports it

// Our own broken invariants end the process: message on stderr, exit status 2.
_Noreturn void die(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
