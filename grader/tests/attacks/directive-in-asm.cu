// attack: 1-bulk-copy-1d
// tries: numbers a source file anew in the middle of a kernel, by a directive in an asm statement
// honest: yes
// expect: exit 1
// expect: says does not compile
// expect: says the text of an asm statement is no
// expect: silent about give up
__global__ void renames_its_file() {
  asm volatile(".file 99 \"/etc/passwd\"");
}
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  renames_its_file<<<1, 1, 0, stream>>>();
  return honest_launch(data, count, stream);
}
