// attack: 1-bulk-copy-1d
// tries: nothing: an honest submission that goes through templates and lambdas
// honest: yes
// expect: exit 0
// expect: silent about made at run time
// expect: says The exercise passes
template <class F> static cudaError_t through(F f) {
  return f();
}
template <size_t N> static size_t same(size_t value) {
  return N ? value : same<1>(value);
}
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  return through([&] { return honest_launch(data, same<0>(count), stream); });
}
