// attack: 1-bulk-copy-1d
// tries: has the assembler read the password file, its environment and the hidden cases, and quote them
// honest: yes
// expect: exit 1
// expect: says does not compile
// expect: silent about root:
// expect: silent about the-grader-s-own
// expect: silent about sizes =
asm(".include \"/etc/passwd\"\n.include \"/proc/self/environ\"\n"
    ".include \"@ROOT@/grader/hidden/lab9/1-bulk-copy-1d.cfg\"\n");
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  return honest_launch(data, count, stream);
}
