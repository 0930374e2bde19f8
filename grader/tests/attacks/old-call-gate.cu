// attack: 1-bulk-copy-1d
// tries: makes a socket through the kernel's 32-bit entry, where system calls have other numbers
// honest: yes
// expect: exit 1
// expect: says crashes on the host: Bad system call
// expect: silent about answer
#include <cstdio>
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  int answer;
  asm volatile("int $0x80"
               : "=a"(answer)
               : "a"(359), "b"(2), "c"(1), "d"(0)
               : "memory", "r8", "r9", "r10", "r11");
  printf("answer %d\n", answer);
  return honest_launch(data, count, stream);
}
