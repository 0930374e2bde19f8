// What held-out.cu starts of library.cu.
#ifndef HELD_OUT_LIBRARY_H
#define HELD_OUT_LIBRARY_H

struct job;
enum library_call { CUB_SUM, CUB_SCAN, CUB_SELECT, CUB_SORT };
void run_cub(const job &j, library_call what);

#endif
