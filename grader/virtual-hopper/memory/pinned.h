// Page-locked host memory: pages that the program's process and this one both map. In: page ranges of the
// program's address space. Out: a file in memory for each run of pages, mapped here, to be mapped there. One
// idea: the file is made here and sealed, so the program can change the bytes, and nothing else: no access to
// a mapped page can fail because the file became shorter.
#ifndef VIRTUAL_HOPPER_MEMORY_PINNED_H
#define VIRTUAL_HOPPER_MEMORY_PINNED_H

#include <stddef.h>
#include <stdint.h>

#include "virtual-hopper/base/budget.h"

enum { PINNED_PAGE = 4096 };

struct pinned_run {
  uint64_t address; // in the program's address space; a multiple of PINNED_PAGE, as are the bytes
  size_t bytes;
  uint8_t *host; // the same pages here
};

struct pinned {
  struct budget *budget;
  struct pinned_run *runs; // by address; they don't overlap
  size_t count, room;
};

// Makes one run of the pages and of all runs that share a page with them. Afterwards *address and *bytes are
// those of the new run. Its pages are zero: the program copies what its own pages hold. Returns the run's
// file, which the caller closes; -1: no memory.
int pinned_map(struct pinned *p, uint64_t *address, size_t *bytes);
// The run that contains the address; NULL: none.
const struct pinned_run *pinned_find(const struct pinned *p, uint64_t address);
// Returns the end of the last run that overlaps [low, high); 0: none does.
uint64_t pinned_overlap(const struct pinned *p, uint64_t low, uint64_t high);
// A file of so many zero bytes, whole pages, whose size nobody can change any more. -1: no memory.
int pinned_make_file(size_t bytes);
void pinned_unmap(struct pinned *p, const struct pinned_run *run);
void pinned_destroy(struct pinned *p);

#endif
