// In: a kernel's result. Out: exit 1 and a message when it is wrong. The idea: what is measured must also be
// right, so each program looks at its result once, at little cost.
#ifndef TMA_LAB_BENCH_MEASURED_H
#define TMA_LAB_BENCH_MEASURED_H

#include "cuda-check.h"
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

// Device memory that lives as long as the program; `values` may be NULL: zeros.
template <class element> static element *on_device(size_t count, const element *values = nullptr) {
  element *at;
  CUDA_CHECK(cudaMalloc(reinterpret_cast<void **>(&at), count * sizeof(element)));
  if (values)
    CUDA_CHECK(cudaMemcpy(at, values, count * sizeof(element), cudaMemcpyHostToDevice));
  else
    CUDA_CHECK(cudaMemset(at, 0, count * sizeof(element)));
  return at;
}

template <class element> static std::vector<element> from_device(const element *at, size_t count) {
  std::vector<element> values(count);
  CUDA_CHECK(cudaDeviceSynchronize());
  CUDA_CHECK(cudaMemcpy(values.data(), at, count * sizeof(element), cudaMemcpyDeviceToHost));
  return values;
}

// How often a program launches its kernel: what one launch takes is a difference of two runs.
static inline uint32_t launches() {
  const char *count = getenv("BENCH_LAUNCHES");
  return count ? static_cast<uint32_t>(strtoul(count, nullptr, 10)) : 1;
}

template <class function> static void launch(const function &once) {
  for (uint32_t i = 0; i < launches(); i++)
    once();
}

static inline void must_be(const char *what, double got, double expected) {
  if (got == expected) return;
  fprintf(stderr, "%s: got %g, expected %g\n", what, got, expected);
  exit(1);
}

#endif
