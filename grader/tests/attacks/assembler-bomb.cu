// attack: 1-bulk-copy-1d
// tries: has the assembler write 2 GB
// honest: yes
// expect: exit 1
// expect: says makes the compiler give up without naming an error
asm(".data\n.rept 2000000000\n.byte 1\n.endr\n.text\n");
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  return honest_launch(data, count, stream);
}
