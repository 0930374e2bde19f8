// nvcc: -Ilabs/lab9
// In: nothing, or the word `bandwidth`. Out: `ok` if the solution of lab9's first exercise is right. The
// idea: lengths around the tile's and the block's, each between guard bands.
#include "../../../solutions/lab9/1-bulk-copy-1d.cu"
#include "lab9-bandwidth.h"

static void check_count(size_t count) {
  guarded<int32_t> data(count);
  std::vector<int32_t> before(count);
  random_numbers random = {count + 1};
  for (int32_t &value : before)
    value = static_cast<int32_t>(random.next());
  before[0] = INT32_MAX;
  data.set(before);
  CUDA_CHECK(launch_bulk_copy_1d(data.data(), count, nullptr));
  CUDA_CHECK(cudaDeviceSynchronize());
  const std::vector<int32_t> after = data.get();
  for (size_t i = 0; i < count; i++) {
    const int32_t expected = static_cast<int32_t>(static_cast<uint32_t>(before[i]) + 1);
    if (!check_that(after[i] == expected, "count %zu: [%zu] is %d, not %d", count, i, after[i], expected))
      break;
  }
  data.check_bands("data");
}

int main(int argument_count, char **arguments) {
  if (asked_for_bandwidth(argument_count, arguments)) {
    const size_t bytes = size_t{4} << 30;
    guarded<int32_t> data(bytes / 4), other(bytes / 4);
    print_bandwidth("1-bulk-copy-1d, 4 GiB", other.data(), data.data(), bytes, 2 * bytes,
                    [&] { return launch_bulk_copy_1d(data.data(), data.count, nullptr); });
    return 0;
  }
  for (size_t count : {4u, 8u, 508u, 1020u, 1024u, 1028u, 2048u, 4092u, 100000u})
    check_count(count);
  check_that(launch_bulk_copy_1d(nullptr, 0, nullptr) == cudaErrorInvalidValue, "count 0 is accepted");
  return self_check_result();
}
