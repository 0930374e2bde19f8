// Swizzled tiles that begin at 128-byte multiples inside the pattern: the pattern belongs to the address, not
// to the tile.
#include "conformance.cuh"

int main() {
  const CUtensorMapDataType u32 = CU_TENSOR_MAP_DATA_TYPE_UINT32;
  const CUtensorMapSwizzle swizzles[] = {CU_TENSOR_MAP_SWIZZLE_32B, CU_TENSOR_MAP_SWIZZLE_64B,
                                         CU_TENSOR_MAP_SWIZZLE_128B};
  for (uint32_t s = 0; s < 3; s++) {
    for (uint32_t offset = 128; offset < 1024; offset += 256) {
      tensor_case c = {"", u32, 4, 2, {64, 40}, {}, {8u << s, 10}, {}, {}, swizzles[s], {}, {4, 1}, offset};
      char name[64];
      snprintf(name, sizeof name, "%u-byte swizzle at offset %u", 32u << s, offset);
      c.name = name;
      load_case(c);
      printf("stored ");
      store_case(c);
    }
  }
}
