// In: lines of 128 bytes in the order in which a warp touches them. Out: for each, how many it has touched
// since the last time. One idea: a small table by hash, and a count of all touches; who comes back later than
// the table remembers is taken for new, as the caches' own account has it.
#include "virtual-hopper/time/reuse.h"

#include <math.h>
#include <stdlib.h>

#include "virtual-hopper/base/arena.h"

enum { LINES = 256, PLACE_SHIFT = 56 };

struct time_reuse {
  uint64_t touched[2]; // to be read, to be written
  struct {
    uint64_t line; // plus one; 0: none
    uint64_t when[2];
    uint32_t read, written; // sectors
    bool mine;
  } lines[LINES];
};

struct time_reuse *time_reuse_make(void) {
  struct time_reuse *r = calloc(1, sizeof *r);
  if (!r) die("out of memory for the time model");
  return r;
}

void time_reuse_free(struct time_reuse *r) {
  free(r);
}

struct time_again time_reuse_touch(struct time_reuse *r, uint64_t line, uint32_t sectors, bool write,
                                   bool fetched) {
  const uint64_t place = (line * 0x9e3779b97f4a7c15ull) >> PLACE_SHIFT, reads = r->touched[0] += !write;
  const uint64_t writes = r->touched[1] += write;
  struct time_again again = {.loaded = reads - !write};
  if (r->lines[place].line == line + 1 && r->lines[place].mine) {
    const uint32_t read = r->lines[place].read, lower = 0x5, halves = (read | read >> 1) & lower;
    again.there = true;
    again.reads = (uint32_t)(reads - r->lines[place].when[0]);
    again.writes = (uint32_t)(writes - r->lines[place].when[1]);
    again.same = sectors & (write ? r->lines[place].written : read);
    again.beside = write ? 0 : sectors & (halves | halves << 1) & ~read;
  } else {
    r->lines[place].line = line + 1;
    r->lines[place].mine = fetched;
    r->lines[place].read = r->lines[place].written = 0;
  }
  r->lines[place].when[0] = reads;
  r->lines[place].when[1] = writes;
  *(write ? &r->lines[place].written : &r->lines[place].read) |= sectors;
  return again;
}

double time_reuse_lost(double touched, double half, double spread) {
  const double least = 2.5, z = touched > 0 ? log(touched / half) / spread : -least;
  return z <= -least ? 0 : 0.5 * erfc(-z * 0.70710678);
}
