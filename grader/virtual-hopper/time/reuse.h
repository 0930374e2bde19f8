// Lines that a warp touches again: how many lines it has touched in between. All other warps that run at the
// same time touch as many, so what is still in a cache by then is a matter of its size. The virtual machine
// runs one warp after another, and its cache never sees them together.
#ifndef VIRTUAL_HOPPER_TIME_REUSE_H
#define VIRTUAL_HOPPER_TIME_REUSE_H

#include <stdbool.h>
#include <stdint.h>

struct time_reuse; // of one warp

struct time_again {
  uint64_t loaded; // lines to read before this one
  bool there;      // the warp has touched this line before, and knows when
  uint32_t reads;  // lines that it has touched since to read, and to write
  uint32_t writes;
  uint32_t same;   // of the sectors, those that it has read before or, to be written, written before
  uint32_t beside; // and those that the memory gave along with what it read
};

struct time_reuse *time_reuse_make(void);
void time_reuse_free(struct time_reuse *r);
// fetched: the launch's cache has not all of it. A line that others have brought there is theirs, too, and
// the warps that share it together touch fewer lines than counted: it is never told as touched again.
struct time_again time_reuse_touch(struct time_reuse *r, uint64_t line, uint32_t sectors, bool write,
                                   bool fetched);

// The share of lines that have left a cache while others of so many bytes were touched: half of them after
// `half` bytes. Warps don't keep step, and not all parts of a cache are equally full: the edge is soft.
double time_reuse_lost(double touched, double half, double spread);

#endif
