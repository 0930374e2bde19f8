// What every sample shares. In: what a program found. Out: `ok` and status 0, or the first difference and
// status 1.
#ifndef DOCS_SAMPLE_H
#define DOCS_SAMPLE_H

#include "cuda-check.h"

#define EXPECT_EQUAL(got, expected, index)                                \
  do {                                                                    \
    const double got_value = static_cast<double>(got),                    \
                 expected_value = static_cast<double>(expected);          \
    if (!(got_value == expected_value)) {                                 \
      printf("%s:%d: at %lld: got %g, expected %g\n", __FILE__, __LINE__, \
             static_cast<long long>(index), got_value, expected_value);   \
      return 1;                                                           \
    }                                                                     \
  } while (0)

template <class T> static T *managed_array(size_t count) {
  T *array;
  CUDA_CHECK(cudaMallocManaged(&array, count * sizeof(T)));
  return array;
}

#endif
