// In: what a test program computed and what it should be. Out: `ok` on stdout and exit 0, or the first
// differences on stderr and exit 1. The idea: every program of this folder judges itself, so that it runs
// anywhere without a referee.
#ifndef TMA_LAB_TESTS_SELF_CHECK_H
#define TMA_LAB_TESTS_SELF_CHECK_H

#include "cuda-check.h"
#include <cstdarg>
#include <cstdint>
#include <cstring>
#include <vector>

static int self_check_failures = 0;

__attribute__((format(printf, 2, 3))) static inline bool check_that(bool holds, const char *format, ...) {
  if (holds) return true;
  if (self_check_failures++ < 5) {
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
  }
  return false;
}

static inline int self_check_result() {
  if (self_check_failures > 0) {
    fprintf(stderr, "%d checks failed\n", self_check_failures);
    return 1;
  }
  puts("ok");
  return 0;
}

// A fixed sequence (xorshift), the same on every machine.
struct random_numbers {
  uint64_t state;
  uint32_t next() {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return static_cast<uint32_t>(state >> 32);
  }
};

// Device memory with a band of known bytes on either side, which nobody may touch.
template <class element> struct guarded {
  static constexpr size_t band = 256;
  static constexpr int poison = 0xa5;
  unsigned char *raw = nullptr;
  size_t count;

  explicit guarded(size_t elements) : count(elements) {
    CUDA_CHECK(cudaMalloc(reinterpret_cast<void **>(&raw), bytes() + 2 * band));
    CUDA_CHECK(cudaMemset(raw, poison, bytes() + 2 * band));
  }
  ~guarded() { cudaFree(raw); }
  guarded(const guarded &) = delete;
  guarded &operator=(const guarded &) = delete;

  size_t bytes() const { return count * sizeof(element); }
  element *data() const { return reinterpret_cast<element *>(raw + band); }

  void set(const std::vector<element> &values) {
    CUDA_CHECK(cudaMemcpy(data(), values.data(), bytes(), cudaMemcpyHostToDevice));
  }
  std::vector<element> get() const {
    std::vector<element> values(count);
    CUDA_CHECK(cudaMemcpy(values.data(), data(), bytes(), cudaMemcpyDeviceToHost));
    return values;
  }
  void check_bands(const char *name) const {
    unsigned char around[2 * band];
    CUDA_CHECK(cudaMemcpy(around, raw, band, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaMemcpy(around + band, raw + band + bytes(), band, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < 2 * band; i++)
      if (!check_that(around[i] == poison, "%s: a byte %s the array was written", name,
                      i < band ? "before" : "after"))
        return;
  }
};

#endif
