// Runs a kernel given as PTX text on a separate device, for unit tests. One call makes one launch. The result
// has the words that the kernel wrote.
#ifndef TESTS_UNIT_KERNEL_RUN_H
#define TESTS_UNIT_KERNEL_RUN_H

#include <stdint.h>

#include "virtual-hopper/device/vhopper.h"
#include "virtual-hopper/rules/fault.h"

enum { KERNEL_WORDS = 4096 };

// The entry `k` with parameters out (the address of KERNEL_WORDS zeroed words) and n. In the body: %rd0 =
// out, %rd1 = &out[thread of the grid], %r0 = thread in the block, %r1 = n, %r2 = thread of the grid; free:
// %r3.., %rd2.., %p, %f, %fd, %h.
#define PTX_HEADER ".version 8.5\n.target sm_90\n.address_size 64\n"
#define PTX_KERNEL(body)                                                                           \
  ".visible .entry k(.param .u64 out, .param .u32 n)\n{\n"                                         \
  ".reg .pred %p<16>;\n.reg .b16 %h<8>;\n.reg .b32 %r<64>;\n"                                      \
  ".reg .b64 %rd<32>;\n.reg .f32 %f<8>;\n.reg .f64 %fd<8>;\n"                                      \
  "ld.param.u64 %rd0, [out];\nld.param.u32 %r1, [n];\n"                                            \
  "mov.u32 %r0, %tid.x;\nmov.u32 %r60, %ctaid.x;\nmov.u32 %r61, %ntid.x;\n"                        \
  "mad.lo.u32 %r2, %r60, %r61, %r0;\nmul.wide.u32 %rd1, %r2, 4;\nadd.u64 %rd1, %rd0, %rd1;\n" body \
  "\nret;\n}\n"
#define PTX(body) PTX_HEADER PTX_KERNEL(body)

struct kernel_run {
  // In. Zero means: 1 block, 32 threads, no cluster, 1 worker, seed 0, unchecked, no deadline,
  // DEFAULT_BUDGET.
  const char *ptx;
  uint32_t grid, block, cluster, dynamic_shared, n;
  unsigned workers;
  uint64_t seed;
  bool check, cooperative, puts_off;
  double deadline;
  uint64_t budget;
  // Out:
  int status; // the status of loading; when loading succeeds, the status of the launch
  uint32_t words[KERNEL_WORDS];
  size_t faults, unsupported;
  // of the first fault; `what`: the first unsupported thing
  char rule[64], message[1024], file[128], what[256];
  uint32_t line, block_of_fault, blocks_with_fault;
  char output[8192], time_limit[400];
  struct observed observed;
};

// Fails the test when the text doesn't load and `status` isn't expected to report that.
void kernel_run(struct kernel_run *run);

#endif
