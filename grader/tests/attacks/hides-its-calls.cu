// attack: 1-bulk-copy-1d
// tries: installs a system-call filter of its own, so that the grader's filter sees no forbidden call
// expect: exit 1
// expect: says tries to hide what it does
#include "lab9.h"
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  (void)data, (void)count, (void)stream;
  sock_filter steps[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                         BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 1),
                         BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 2),
                         BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  sock_fprog program = {4, steps};
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
  open("@ROOT@/grader/hidden", O_RDONLY);
  return cudaSuccess;
}
