// Runs of pages that the program's process maps, too (pinned.h).
#include "virtual-hopper/memory/pinned.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "virtual-hopper/base/arena.h"

// Index of the first run that ends beyond the address.
static size_t first_beyond(const struct pinned *p, uint64_t address) {
  size_t low = 0, high = p->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (p->runs[middle].address + p->runs[middle].bytes <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

const struct pinned_run *pinned_find(const struct pinned *p, uint64_t address) {
  size_t at = first_beyond(p, address);
  return at < p->count && p->runs[at].address <= address ? &p->runs[at] : NULL;
}

uint64_t pinned_overlap(const struct pinned *p, uint64_t low, uint64_t high) {
  uint64_t end = 0;
  for (size_t at = first_beyond(p, low); at < p->count && p->runs[at].address < high; at++)
    end = p->runs[at].address + p->runs[at].bytes;
  return end;
}

int pinned_make_file(size_t bytes) {
  int file = memfd_create("page-locked", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (file < 0) return -1;
  if (ftruncate(file, (off_t)bytes) == 0 &&
      fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
    return file;
  close(file);
  return -1;
}

static void drop_runs(struct pinned *p, size_t first, size_t last) {
  for (size_t i = first; i < last; i++) {
    munmap(p->runs[i].host, p->runs[i].bytes);
    budget_give(p->budget, BUDGET_PINNED, p->runs[i].bytes);
  }
  if (first == last) return;
  memmove(p->runs + first, p->runs + last, (p->count - last) * sizeof *p->runs);
  p->count -= last - first;
}

static void insert_run(struct pinned *p, size_t at, const struct pinned_run *run) {
  if (p->count == p->room) {
    p->room = p->room ? p->room * 2 : 16;
    p->runs = realloc(p->runs, p->room * sizeof *p->runs);
    if (!p->runs) die("out of memory for the table of page-locked memory");
  }
  memmove(p->runs + at + 1, p->runs + at, (p->count - at) * sizeof *p->runs);
  p->runs[at] = *run;
  p->count++;
}

int pinned_map(struct pinned *p, uint64_t *address, size_t *bytes) {
  uint64_t low = *address, high = low + *bytes;
  const size_t first = first_beyond(p, low);
  size_t last = first;
  for (; last < p->count && p->runs[last].address < high; last++) {
    const struct pinned_run *run = &p->runs[last];
    if (run->address < low) low = run->address;
    if (run->address + run->bytes > high) high = run->address + run->bytes;
  }
  struct pinned_run joined = {.address = low, .bytes = high - low};
  // Until the old runs are gone, there are two copies of their pages.
  if (!budget_take(p->budget, BUDGET_PINNED, joined.bytes)) return -1;
  int file = pinned_make_file(joined.bytes);
  void *host = file < 0 ? MAP_FAILED : mmap(NULL, joined.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (host == MAP_FAILED) {
    if (file >= 0) close(file);
    budget_give(p->budget, BUDGET_PINNED, joined.bytes);
    return -1;
  }
  joined.host = host;
  drop_runs(p, first, last);
  insert_run(p, first, &joined);
  *address = joined.address;
  *bytes = joined.bytes;
  return file;
}

void pinned_unmap(struct pinned *p, const struct pinned_run *run) {
  size_t at = (size_t)(run - p->runs);
  drop_runs(p, at, at + 1);
}

void pinned_destroy(struct pinned *p) {
  drop_runs(p, 0, p->count);
  free(p->runs);
  *p = (struct pinned){.budget = p->budget};
}
