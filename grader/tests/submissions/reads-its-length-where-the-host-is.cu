// submission: 1-bulk-copy-1d
// after: solutions/lab9/1-bulk-copy-1d.cu
// change: s|add_one(uint32_t \*data, size_t count) {|add_one(uint32_t *data, const volatile size_t *told) {\
// change:   const size_t count = *told;|
// change: s|(reinterpret_cast<uint32_t \*>(data), count);|(reinterpret_cast<uint32_t *>(data), tell(count));|
// change: s|^__global__|static const size_t *tell(size_t count);\
// change: &|
// expect: exit 0
// expect: says The exercise passes
// Each launch has a word of mapped page-locked memory of its own.
static const size_t *tell(size_t count) {
  constexpr unsigned WORDS = 4096;
  static size_t *words, *there;
  static unsigned launches;
  if (!words && (cudaHostAlloc(&words, WORDS * sizeof *words, cudaHostAllocMapped) != cudaSuccess ||
                 cudaHostGetDevicePointer(&there, words, 0) != cudaSuccess))
    return nullptr;
  const unsigned word = launches++ % WORDS;
  words[word] = count;
  return there + word;
}
