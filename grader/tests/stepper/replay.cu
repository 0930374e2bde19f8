// In: a file of steps that the docs' steppers have taken, one program a line. Out: for each line what
// the device made of it. The idea: a kernel that does what it is told, step by step, so that a model on
// a page can be held against the device that judges kernels.
//
//   barrier: iN  init_barrier(&bar, N)    a  arrive    eN  expect_bytes(N)    bN  expect_bytes_and_arrive(N)
//            lN  N bytes land             after each step: may a wait for parity 0 and for parity 1 return?
//   proxies: wT  thread T writes          fT  its fence      m  __syncthreads()    s  thread 0 stores
//            L   thread 0 loads           WT  thread T waits                       rT  thread T reads
//   ring:    STAGES TILES PRODUCER CONSUMER COUNT RELEASE, as ring-model.js numbers them
//   swizzle: MODE, and for each element in order where it lies
#include "cuda-check.h"
#include "tensor-map.h"
#include "tma-interface.cuh"

#include <stdlib.h>
#include <string.h>

constexpr uint32_t STEPS = 64;

struct step {
  char what;
  uint32_t number;
};

struct program {
  uint32_t count;
  struct step step[STEPS];
};

// What no function of the interface does: bytes that land without a copy.
__device__ static void land(uint64_t *bar, uint32_t bytes) {
  asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], %1;"
               :
               : "r"(tma_shared_address(bar)), "r"(bytes)
               : "memory");
}

// One thread. answers[i]: bit 0, a wait for parity 0 returns after step i; bit 1, one for parity 1.
__global__ void barrier_steps(struct program p, bool ask, uint32_t *answers) {
  __shared__ uint64_t bar;
  for (uint32_t i = 0; i < p.count; i++) {
    const uint32_t number = p.step[i].number;
    switch (p.step[i].what) {
    case 'i': init_barrier(&bar, number); break;
    case 'a': arrive(&bar); break;
    case 'e': expect_bytes(&bar, number); break;
    case 'b': expect_bytes_and_arrive(&bar, number); break;
    case 'l': land(&bar, number); break;
    case 't': test_wait(&bar, number); break;
    case 'W': wait(&bar, number); break;
    default: break;
    }
    if (ask) answers[i] = (test_wait(&bar, 0) ? 1 : 0) | (test_wait(&bar, 1) ? 2 : 0);
  }
}

// Two warps of one active thread each, which share nothing but what the steps say.
__global__ void proxies_steps(struct program p, int *out, const int *in, int *seen) {
  __shared__ alignas(128) int tile[32];
  __shared__ uint64_t bar;
  const uint32_t thread = threadIdx.x / 32;
  const bool active = threadIdx.x % 32 == 0;
  if (threadIdx.x == 0) {
    init_barrier(&bar, 1);
    cp_async_bulk_global_to_shared(tile, in, sizeof tile, &bar);
    expect_bytes_and_arrive(&bar, sizeof tile);
  }
  __syncthreads();
  wait(&bar, 0); // everybody knows the tile before the first step
  for (uint32_t i = 0; i < p.count; i++) {
    const char what = p.step[i].what;
    const bool mine = active && p.step[i].number == thread;
    if (what == 'm') __syncthreads();
    if (what == 'w' && mine) tile[thread] = 1;
    if (what == 'f' && mine) async_proxy_fence();
    if (what == 's' && mine) {
      cp_async_bulk_shared_to_global(out, tile, sizeof tile);
      tma_commit_group();
    }
    if (what == 'L' && mine) {
      expect_bytes_and_arrive(&bar, sizeof tile);
      cp_async_bulk_global_to_shared(tile, in, sizeof tile, &bar);
    }
    if (what == 'W' && mine) wait(&bar, 1);
    if (what == 'r' && mine) seen[thread] = tile[0] + tile[1];
  }
  if (threadIdx.x == 0) tma_wait_until_pending<0>();
  __syncthreads();
}

struct ring {
  uint32_t stages, tiles;
  enum { OTHER, SAME, NONE } producer;
  enum { ROUND, TURN } consumer;
  uint32_t count;
  enum { AFTER, BEFORE, NEVER } release;
};

__global__ void ring_steps(struct ring how, const int *in, int *seen) {
  __shared__ alignas(128) int tile[4][32];
  __shared__ uint64_t full[4], empty[4];
  if (threadIdx.x == 0)
    for (uint32_t stage = 0; stage < how.stages; stage++) {
      init_barrier(&full[stage], 1);
      init_barrier(&empty[stage], how.count);
    }
  __syncthreads();
  const uint32_t warp = threadIdx.x / 32;
  if (threadIdx.x % 32 != 0) return;
  for (uint32_t turn = 0; turn < how.tiles; turn++) {
    const uint32_t stage = turn % how.stages, round = turn / how.stages;
    if (warp == 0) {
      if (how.producer != ring::NONE) wait(&empty[stage], (round + (how.producer == ring::OTHER)) % 2);
      expect_bytes_and_arrive(&full[stage], sizeof tile[0]);
      cp_async_bulk_global_to_shared(tile[stage], in + turn * 32, sizeof tile[0], &full[stage]);
      continue;
    }
    wait(&full[stage], (how.consumer == ring::TURN ? turn : round) % 2);
    if (how.release == ring::BEFORE) arrive(&empty[stage]);
    seen[(warp - 1) * how.tiles + turn] = tile[stage][0];
    if (how.release == ring::AFTER) arrive(&empty[stage]);
  }
  if (warp != 0 || how.release == ring::NEVER) return;
  // The block stays until its loads have landed.
  for (uint32_t stage = 0; stage < how.stages && stage < how.tiles; stage++)
    wait(&full[stage], ((how.tiles - 1 - stage) / how.stages) % 2);
}

__global__ void swizzle_places(const __grid_constant__ CUtensorMap map, uint32_t bytes, uint32_t *places) {
  __shared__ alignas(1024) uint32_t tile[8 * 32];
  __shared__ uint64_t bar;
  if (threadIdx.x == 0) {
    init_barrier(&bar, 1);
    expect_bytes_and_arrive(&bar, bytes);
    cp_async_bulk_tensor_2d_global_to_shared(tile, &map, 0, 0, &bar);
    wait(&bar, 0);
    for (uint32_t i = 0; i < bytes / 4; i++)
      places[tile[i]] = i * 4; // element n of the matrix holds n
  }
}

template <class T> static T *managed(size_t count) {
  T *array;
  CUDA_CHECK(cudaMallocManaged(&array, count * sizeof(T)));
  return array;
}

static struct program parse(char *words) {
  struct program p = {};
  for (char *word = strtok(words, " \n"); word && p.count < STEPS; word = strtok(NULL, " \n"))
    p.step[p.count++] = {word[0], static_cast<uint32_t>(strtoul(word + 1, NULL, 10))};
  return p;
}

static void replay_swizzle(const char *mode) {
  static const struct {
    const char *name;
    CUtensorMapSwizzle swizzle;
    uint32_t columns;
  } modes[] = {{"none", CU_TENSOR_MAP_SWIZZLE_NONE, 32},
               {"32B", CU_TENSOR_MAP_SWIZZLE_32B, 8},
               {"64B", CU_TENSOR_MAP_SWIZZLE_64B, 16},
               {"128B", CU_TENSOR_MAP_SWIZZLE_128B, 32}};
  for (const auto &m : modes) {
    if (strcmp(m.name, mode) != 0) continue;
    const uint32_t rows = 256 / m.columns;
    uint32_t *matrix = managed<uint32_t>(256), *places = managed<uint32_t>(256);
    for (uint32_t i = 0; i < 256; i++)
      matrix[i] = i;
    struct tensor_map_options options = TENSOR_MAP_NO_OPTIONS;
    options.data_type = CU_TENSOR_MAP_DATA_TYPE_INT32;
    options.rank = 2;
    options.global_address = matrix;
    options.global_dim[0] = options.box_dim[0] = m.columns;
    options.global_dim[1] = options.box_dim[1] = rows;
    options.global_strides[0] = m.columns * sizeof(uint32_t);
    options.swizzle = m.swizzle;
    CUtensorMap map;
    CUDA_CHECK(tensor_map_encode(&map, &options));
    swizzle_places<<<1, 32>>>(map, 1024, places);
    CUDA_CHECK(cudaDeviceSynchronize());
    for (uint32_t i = 0; i < 256; i++)
      printf(" %u", places[i]);
  }
}

static void replay_ring(const char *words) {
  unsigned stages, tiles, producer, consumer, count, release;
  if (sscanf(words, "%u %u %u %u %u %u", &stages, &tiles, &producer, &consumer, &count, &release) != 6)
    exit(2);
  const struct ring how = {stages,
                           tiles,
                           static_cast<decltype(how.producer)>(producer),
                           static_cast<decltype(how.consumer)>(consumer),
                           count,
                           static_cast<decltype(how.release)>(release)};
  ring_steps<<<1, 96>>>(how, managed<int>(32 * 64), managed<int>(2 * 64));
  CUDA_CHECK(cudaDeviceSynchronize());
}

static void replay(char *line) {
  char *words = strchr(line, ' ');
  if (!words) exit(2);
  *words++ = '\0';
  words[strcspn(words, "\n")] = '\0';
  printf("%s %s:", line, words);
  if (strcmp(line, "swizzle") == 0)
    replay_swizzle(words);
  else if (strcmp(line, "ring") == 0)
    replay_ring(words);
  else if (strcmp(line, "proxies") == 0) {
    proxies_steps<<<1, 64>>>(parse(words), managed<int>(32), managed<int>(32), managed<int>(2));
    CUDA_CHECK(cudaDeviceSynchronize());
  } else {
    const struct program p = parse(words);
    uint32_t *answers = managed<uint32_t>(STEPS);
    const bool ask = strcmp(line, "barrier") == 0; // else "unasked": only the steps' own waits
    barrier_steps<<<1, 1>>>(p, ask, answers);
    CUDA_CHECK(cudaDeviceSynchronize());
    for (uint32_t i = 0; ask && i < p.count; i++)
      printf(" %u", answers[i]);
  }
  putchar('\n');
}

int main(int argc, char **argv) {
  FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;
  if (!file) {
    fputs("usage: replay FILE\n", stderr);
    return 2;
  }
  static char line[4096];
  while (fgets(line, sizeof line, file))
    replay(line);
  fclose(file);
}
