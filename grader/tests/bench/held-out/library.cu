// The library's own kernels, as people call them: cub's sum, prefix sum, selection, sort and more, of words
// of 32 bits; the wide prefix sum is of 64. The sorts go by the lowest p[0] bits; of pairs, a half of the
// array is keys, the other half values. The histogram has p[0] bins.
#include "library.h"
#include "start.cuh"
#include <cub/cub.cuh>

struct small {
  __device__ bool operator()(uint32_t v) const { return v % 4 == 0; }
};

template <typename CALL> static void with_room(CALL call) {
  static void *room;
  static size_t has;
  size_t needs = 0;
  CUDA_CHECK(call(nullptr, needs));
  if (needs > has) {
    CUDA_CHECK(cudaFree(room));
    CUDA_CHECK(cudaMalloc(&room, needs));
    has = needs;
  }
  CUDA_CHECK(call(room, needs));
}

struct plus_one {
  __device__ uint32_t operator()(uint32_t v) const { return v + 1; }
};

static void sort(const job &j, const uint32_t *in, uint32_t *out, int count) {
  with_room([&](void *room, size_t &size) {
    return cub::DeviceRadixSort::SortKeys(room, size, in, out, count, 0, static_cast<int>(j.p[0]));
  });
}

static void sort_pairs(const job &j, const uint32_t *in, uint32_t *out, int count) {
  const int half = count / 2, bits = static_cast<int>(j.p[0]);
  with_room([&](void *room, size_t &size) {
    return cub::DeviceRadixSort::SortPairs(room, size, in, out, in + half, out + half, half, 0, bits);
  });
}

static void count_bins(const job &j, const uint32_t *in, uint32_t *out, int count) {
  const uint32_t above = 1u << 29; // of all words
  const int levels = static_cast<int>(j.p[0]) + 1;
  with_room([&](void *room, size_t &size) {
    return cub::DeviceHistogram::HistogramEven(room, size, in, out, levels, 0u, above, count);
  });
}

static void scan_wide(const uint32_t *in, uint32_t *out, int count) {
  const uint64_t *from = reinterpret_cast<const uint64_t *>(in);
  uint64_t *to = reinterpret_cast<uint64_t *>(out);
  with_room([&](void *room, size_t &size) {
    return cub::DeviceScan::InclusiveSum(room, size, from, to, count / 2);
  });
}

static void run_more(const job &j, library_call what, const uint32_t *in, uint32_t *out, int count) {
  switch (what) {
  case CUB_SCAN_WIDE: return scan_wide(in, out, count);
  case CUB_PAIRS: return sort_pairs(j, in, out, count);
  case CUB_COUNTS: return count_bins(j, in, out, count);
  case CUB_ADD: CUDA_CHECK(cub::DeviceTransform::Transform(in, out, count, plus_one{})); return;
  case CUB_MIN:
    return with_room([&](void *room, size_t &size) {
      return cub::DeviceReduce::Min(room, size, reinterpret_cast<const float *>(in),
                                    reinterpret_cast<float *>(out), count);
    });
  case CUB_EXCLUSIVE:
    return with_room([&](void *room, size_t &size) {
      return cub::DeviceScan::ExclusiveSum(room, size, reinterpret_cast<const float *>(in),
                                           reinterpret_cast<float *>(out), count);
    });
  case CUB_FLAGGED:
    return with_room([&](void *room, size_t &size) {
      return cub::DeviceSelect::Flagged(room, size, in, reinterpret_cast<const unsigned char *>(in), out,
                                        j.counter, count);
    });
  case CUB_UNIQUE:
    return with_room([&](void *room, size_t &size) {
      return cub::DeviceSelect::Unique(room, size, in, out, j.counter, count);
    });
  case CUB_PART:
    return with_room([&](void *room, size_t &size) {
      return cub::DevicePartition::If(room, size, in, out, j.counter, count, small());
    });
  default:
    return with_room([&](void *room, size_t &size) {
      return cub::DeviceReduce::ArgMax(room, size, in, out, reinterpret_cast<int64_t *>(j.flags), count);
    });
  }
}

void run_cub(const job &j, library_call what) {
  const uint32_t *in = reinterpret_cast<const uint32_t *>(j.in);
  uint32_t *out = reinterpret_cast<uint32_t *>(j.out);
  const int count = static_cast<int>(j.quads * 4);
  switch (what) {
  case CUB_SUM:
    return with_room(
        [&](void *room, size_t &size) { return cub::DeviceReduce::Sum(room, size, in, out, count); });
  case CUB_SCAN:
    return with_room(
        [&](void *room, size_t &size) { return cub::DeviceScan::InclusiveSum(room, size, in, out, count); });
  case CUB_SELECT:
    return with_room([&](void *room, size_t &size) {
      return cub::DeviceSelect::If(room, size, in, out, j.counter, count, small());
    });
  case CUB_SORT: return sort(j, in, out, count);
  default: return run_more(j, what, in, out, count);
  }
}
