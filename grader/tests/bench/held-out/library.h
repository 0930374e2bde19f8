// What held-out.cu starts of library.cu.
#ifndef HELD_OUT_LIBRARY_H
#define HELD_OUT_LIBRARY_H

struct job;
enum library_call {
  CUB_SUM,
  CUB_SCAN,
  CUB_SELECT,
  CUB_SORT,
  CUB_SCAN_WIDE,
  CUB_PAIRS,
  CUB_COUNTS,
  CUB_ADD,
  CUB_UNIQUE,
  CUB_PART,
  CUB_MAX_AT,
  CUB_MIN,
  CUB_EXCLUSIVE,
  CUB_FLAGGED
};
void run_cub(const job &j, library_call what);

#endif
