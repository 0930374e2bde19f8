// In: a launch and the bytes that it moves. Out: one line with GB/s and the ratio to a copy by cudaMemcpy on
// the same GPU. The idea: a look at a solution's speed without the grader; only done when a program is given
// the word `bandwidth`.
#ifndef TMA_LAB_TESTS_LAB9_BANDWIDTH_H
#define TMA_LAB_TESTS_LAB9_BANDWIDTH_H

#include "self-check.h"
#include <algorithm>

// Median of 15 single launches after 3 for warming up, in milliseconds.
template <class launch_function> static float median_milliseconds(launch_function launch) {
  cudaEvent_t begin, end;
  std::vector<float> times;
  CUDA_CHECK(cudaEventCreate(&begin));
  CUDA_CHECK(cudaEventCreate(&end));
  for (int run = -3; run < 15; run++) {
    float milliseconds;
    CUDA_CHECK(cudaEventRecord(begin, nullptr));
    CUDA_CHECK(launch());
    CUDA_CHECK(cudaEventRecord(end, nullptr));
    CUDA_CHECK(cudaEventSynchronize(end));
    CUDA_CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
    if (run >= 0) times.push_back(milliseconds);
  }
  CUDA_CHECK(cudaEventDestroy(begin));
  CUDA_CHECK(cudaEventDestroy(end));
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

// `bytes` of one array are copied to another by cudaMemcpy, and `moved` bytes by the launch.
template <class launch_function>
static void print_bandwidth(const char *name, void *to, const void *from, size_t bytes, size_t moved,
                            launch_function launch) {
  const float copy = median_milliseconds(
      [&] { return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, nullptr); });
  const float own = median_milliseconds(launch);
  const double copied = 2e-6 * static_cast<double>(bytes) / copy,
               achieved = 1e-6 * static_cast<double>(moved) / own;
  printf("%-40s %8.1f GB/s   ratio %.3f   (cudaMemcpy %.1f GB/s)\n", name, achieved, achieved / copied,
         copied);
}

static bool asked_for_bandwidth(int argument_count, char **arguments) {
  return argument_count > 1 && strcmp(arguments[1], "bandwidth") == 0;
}

#endif
