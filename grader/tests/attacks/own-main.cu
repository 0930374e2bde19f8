// attack: 1-bulk-copy-1d
// tries: defines a main of its own
// honest: yes
// expect: exit 1
// expect: says does not link: main is there twice
// expect: says The grader has a main() of its own
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  return honest_launch(data, count, stream);
}
int main() {
  return 0;
}
