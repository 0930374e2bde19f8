// In: nothing. Out: exit 0 when cub has sorted the keys. The idea: library code that nobody wrote for this
// kit, with scans, ranks by warp and atomics in shared memory.
#include "measured.h"
#include <cub/device/device_radix_sort.cuh>

int main() {
  constexpr uint32_t KEYS = 1 << 16;
  std::vector<uint32_t> keys(KEYS);
  for (uint32_t i = 0; i < KEYS; i++)
    keys[i] = (i * 2654435761u) ^ (i >> 3);
  const uint32_t *in = on_device(KEYS, keys.data());
  uint32_t *out = on_device<uint32_t>(KEYS);
  size_t bytes = 0;
  CUDA_CHECK(cub::DeviceRadixSort::SortKeys(nullptr, bytes, in, out, KEYS));
  unsigned char *temporary = on_device<unsigned char>(bytes);
  launch([&] { CUDA_CHECK(cub::DeviceRadixSort::SortKeys(temporary, bytes, in, out, KEYS)); });
  const std::vector<uint32_t> sorted = from_device(out, KEYS);
  for (uint32_t i = 1; i < KEYS; i++)
    if (sorted[i - 1] > sorted[i]) must_be("order of neighbours", sorted[i - 1], sorted[i]);
}
