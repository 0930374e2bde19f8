// nvcc: -Ilabs/lab9
// In: nothing, or the word `bandwidth`. Out: `ok` if the solution of lab9's fourth exercise is right. The
// idea: counts around one tile, one ring and several blocks; the input must stay as it was.
#include "../../../solutions/lab9/4-store-commit-groups.cu"
#include "lab9-bandwidth.h"
#include <cmath>

static void check_count(size_t count) {
  const float a = 1.5f, b = -2.25f;
  guarded<float> in(count), out(count);
  std::vector<float> before(count);
  random_numbers random = {count};
  for (float &value : before)
    value = static_cast<float>(static_cast<int32_t>(random.next()) >> 8) / 256;
  in.set(before);
  CUDA_CHECK(launch_store_commit_groups(out.data(), in.data(), count, a, b, nullptr));
  CUDA_CHECK(cudaDeviceSynchronize());
  const std::vector<float> after = out.get(), input_after = in.get();
  for (size_t i = 0; i < count; i++) {
    const float expected = std::fma(a, before[i], b);
    if (!check_that(std::fabs(after[i] - expected) <= 1e-6f * std::fabs(expected),
                    "count %zu: out[%zu] is %g, not %g", count, i, after[i], expected))
      break;
  }
  check_that(memcmp(before.data(), input_after.data(), in.bytes()) == 0, "count %zu: the input was changed",
             count);
  in.check_bands("in");
  out.check_bands("out");
}

int main(int argument_count, char **arguments) {
  if (asked_for_bandwidth(argument_count, arguments)) {
    const size_t bytes = size_t{4} << 30;
    guarded<float> in(bytes / 4), out(bytes / 4);
    print_bandwidth("4-store-commit-groups, 4 GiB", out.data(), in.data(), bytes, 2 * bytes, [&] {
      return launch_store_commit_groups(out.data(), in.data(), in.count, 1.5f, 2, nullptr);
    });
    return 0;
  }
  for (size_t count : {4u, 8u, 44u, 48u, 52u, 4096u, 49152u, 49156u, 100000u, 200004u})
    check_count(count);
  check_that(launch_store_commit_groups(nullptr, nullptr, 6, 1, 0, nullptr) == cudaErrorInvalidValue,
             "count 6 is accepted");
  return self_check_result();
}
