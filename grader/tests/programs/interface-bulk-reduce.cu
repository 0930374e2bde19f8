// In: nothing. Out: `ok` if every reducing bulk store combines as its name says. The idea: two operands of
// each type, chosen around the signs, the ends and the wrapping values; the expected result computed on the
// host.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "self-check.h"
#include "tma-interface.cuh"
#include <algorithm>

constexpr uint32_t COUNT = 64;

#define REDUCTION(name)                                                              \
  struct reduction_##name {                                                          \
    template <class element>                                                         \
    __device__ static void start(element *to, const element *from, uint32_t bytes) { \
      cp_reduce_async_bulk_shared_to_global_##name(to, from, bytes);                 \
    }                                                                                \
  };
REDUCTION(add)
REDUCTION(min)
REDUCTION(max)
REDUCTION(inc)
REDUCTION(dec)
REDUCTION(and)
REDUCTION(or)
REDUCTION(xor)

// destination[i] = destination[i] OP operand[i], twice, by two stores of one group.
template <class reduction, class element>
__global__ void reduce(element *destination, const element *operand) {
  __shared__ alignas(16) unsigned char room[COUNT * sizeof(element)];
  element *tile = reinterpret_cast<element *>(room);
  for (uint32_t i = threadIdx.x; i < COUNT; i += blockDim.x)
    tile[i] = operand[i];
  async_proxy_fence();
  __syncthreads();
  if (threadIdx.x == 0) {
    reduction::start(destination, tile, COUNT / 2 * sizeof(element));
    reduction::start(destination + COUNT / 2, tile + COUNT / 2, COUNT / 2 * sizeof(element));
    tma_commit_group();
    tma_wait_until_pending<0>();
  }
}

template <class reduction, class element, class combine_function>
static void check(const char *name, const std::vector<element> &before, const std::vector<element> &operand,
                  combine_function combine) {
  guarded<element> destination(COUNT), source(COUNT);
  destination.set(before);
  source.set(operand);
  reduce<reduction><<<1, 32>>>(destination.data(), source.data());
  CUDA_CHECK(cudaDeviceSynchronize());
  const std::vector<element> got = destination.get();
  for (uint32_t i = 0; i < COUNT; i++) {
    const element expected = combine(before[i], operand[i]);
    if (!check_that(memcmp(&got[i], &expected, sizeof expected) == 0, "%s: [%u]: %g and %g give %g, not %g",
                    name, i, static_cast<double>(before[i]), static_cast<double>(operand[i]),
                    static_cast<double>(got[i]), static_cast<double>(expected)))
      break;
  }
  destination.check_bands(name);
}

template <class element> static std::vector<element> integers(uint64_t seed) {
  const element ends[] = {0, 1, static_cast<element>(-1), std::numeric_limits<element>::max(),
                          std::numeric_limits<element>::min()};
  random_numbers random = {seed};
  std::vector<element> values(COUNT);
  for (uint32_t i = 0; i < COUNT; i++)
    values[i] = i < 25 ? ends[seed == 1 ? i % 5 : i / 5]
                       : static_cast<element>(uint64_t{random.next()} << 32 | random.next());
  return values;
}

// Small multiples of 1/4: every sum of two is exact in each of the floating types.
template <class element> static std::vector<element> fractions(uint64_t seed) {
  random_numbers random = {seed};
  std::vector<element> values(COUNT);
  for (element &value : values)
    value = static_cast<element>(static_cast<float>(static_cast<int>(random.next() % 128) - 64) / 4);
  return values;
}

template <class element>
static void check_min_and_max(const char *minimum, const char *maximum, const std::vector<element> &a,
                              const std::vector<element> &b) {
  const auto less = [](element x, element y) { return static_cast<double>(x) < static_cast<double>(y); };
  if constexpr (std::numeric_limits<element>::is_integer) {
    check<reduction_min>(minimum, a, b, [](element x, element y) { return x < y ? x : y; });
    check<reduction_max>(maximum, a, b, [](element x, element y) { return x > y ? x : y; });
  } else {
    check<reduction_min>(minimum, a, b, [&](element x, element y) { return less(x, y) ? x : y; });
    check<reduction_max>(maximum, a, b, [&](element x, element y) { return less(y, x) ? x : y; });
  }
}

template <class element>
static void check_bits(const char *name_and, const char *name_or, const char *name_xor) {
  const std::vector<element> a = integers<element>(1), b = integers<element>(2);
  check<reduction_and>(name_and, a, b, [](element x, element y) { return x & y; });
  check<reduction_or>(name_or, a, b, [](element x, element y) { return x | y; });
  check<reduction_xor>(name_xor, a, b, [](element x, element y) { return x ^ y; });
}

template <class element> static void check_integer_sum(const char *name) {
  check<reduction_add>(name, integers<element>(1), integers<element>(2), [](element x, element y) {
    return static_cast<element>(static_cast<uint64_t>(x) + static_cast<uint64_t>(y));
  });
}

template <class element> static void check_fraction_sum(const char *name) {
  check<reduction_add>(name, fractions<element>(1), fractions<element>(2), [](element x, element y) {
    return static_cast<element>(static_cast<float>(x) + static_cast<float>(y));
  });
}

int main() {
  check_integer_sum<int32_t>("add.s32");
  check_integer_sum<uint32_t>("add.u32");
  check_integer_sum<uint64_t>("add.u64");
  check_fraction_sum<float>("add.f32");
  check_fraction_sum<double>("add.f64");
  check_fraction_sum<__half>("add.f16");
  check_fraction_sum<__nv_bfloat16>("add.bf16");
  check_min_and_max("min.s32", "max.s32", integers<int32_t>(1), integers<int32_t>(2));
  check_min_and_max("min.u32", "max.u32", integers<uint32_t>(1), integers<uint32_t>(2));
  check_min_and_max("min.s64", "max.s64", integers<int64_t>(1), integers<int64_t>(2));
  check_min_and_max("min.u64", "max.u64", integers<uint64_t>(1), integers<uint64_t>(2));
  check_min_and_max("min.f16", "max.f16", fractions<__half>(1), fractions<__half>(2));
  check_min_and_max("min.bf16", "max.bf16", fractions<__nv_bfloat16>(1), fractions<__nv_bfloat16>(2));
  check_bits<uint32_t>("and.b32", "or.b32", "xor.b32");
  check_bits<uint64_t>("and.b64", "or.b64", "xor.b64");
  // As atomicInc and atomicDec: the operand is the largest value that the counter takes.
  check<reduction_inc>("inc.u32", integers<uint32_t>(1), integers<uint32_t>(2),
                       [](uint32_t x, uint32_t y) { return x >= y ? 0u : x + 1; });
  check<reduction_dec>("dec.u32", integers<uint32_t>(1), integers<uint32_t>(2),
                       [](uint32_t x, uint32_t y) { return x == 0 || x > y ? y : x - 1; });
  return self_check_result();
}
