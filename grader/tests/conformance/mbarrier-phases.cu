// Phases: parity and state tokens over thousands of phases, counts, drops, pending counts, arrivals by many
// threads.
#include "conformance.cuh"

static __device__ uint64_t arrive_state(uint64_t *bar) {
  uint64_t state;
  asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1];"
               : "=l"(state)
               : "r"(shared_address(bar))
               : "memory");
  return state;
}
static __device__ uint64_t arrive_count(uint64_t *bar, uint32_t count) {
  uint64_t state;
  asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 %0, [%1], %2;"
               : "=l"(state)
               : "r"(shared_address(bar)), "r"(count)
               : "memory");
  return state;
}
static __device__ uint64_t arrive_no_complete(uint64_t *bar, uint32_t count) {
  uint64_t state;
  asm volatile("mbarrier.arrive.noComplete.shared::cta.b64 %0, [%1], %2;"
               : "=l"(state)
               : "r"(shared_address(bar)), "r"(count)
               : "memory");
  return state;
}
static __device__ void arrive_drop(uint64_t *bar) {
  asm volatile("mbarrier.arrive_drop.shared::cta.b64 _, [%0];" : : "r"(shared_address(bar)) : "memory");
}
static __device__ void inval(uint64_t *bar) {
  asm volatile("mbarrier.inval.shared::cta.b64 [%0];" : : "r"(shared_address(bar)) : "memory");
}
static __device__ uint32_t pending(uint64_t state) {
  uint32_t count;
  asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(count) : "l"(state));
  return count;
}
static __device__ uint32_t test_state(uint64_t *bar, uint64_t state) {
  uint32_t done;
  asm volatile("{ .reg .pred p; mbarrier.test_wait.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
               : "=r"(done)
               : "r"(shared_address(bar)), "l"(state)
               : "memory");
  return done;
}

static __global__ void one_thread(uint32_t *out) {
  __shared__ uint64_t bar;
  uint32_t n = 0;
  barrier_init(&bar, 1);
  out[n++] = barrier_test(&bar, 0); // phase 0 runs
  out[n++] = barrier_test(&bar, 1); // the phase before the first has completed
  uint64_t state = arrive_state(&bar);
  out[n++] = pending(state);
  out[n++] = test_state(&bar, state);
  out[n++] = barrier_test(&bar, 0);
  out[n++] = barrier_test(&bar, 1);
  inval(&bar);
  barrier_init(&bar, 10);
  state = arrive_no_complete(&bar, 3);
  out[n++] = pending(state);
  state = arrive_no_complete(&bar, 1);
  out[n++] = pending(state);
  out[n++] = test_state(&bar, state);
  state = arrive_count(&bar, 6);
  out[n++] = test_state(&bar, state);
  for (int i = 0; i < 3; i++) { // three phases of 9, 8, 7 more
    arrive_drop(&bar);
    arrive_count(&bar, 9 - i);
    out[n++] = barrier_test(&bar, (1 + i) & 1);
    out[n++] = barrier_test(&bar, i & 1);
  }
  state = arrive_no_complete(&bar, 1);
  out[n++] = pending(state);
  inval(&bar);
  barrier_init(&bar, 1048575);
  state = arrive_no_complete(&bar, 1048574);
  out[n++] = pending(state);
  state = arrive_state(&bar);
  out[n++] = test_state(&bar, state);
  out[n++] = 0x600d;
}

static __global__ void many_phases(uint32_t *out, uint32_t phases) {
  __shared__ uint64_t bar;
  __shared__ uint32_t sum;
  if (threadIdx.x == 0) barrier_init(&bar, blockDim.x), sum = 0;
  __syncthreads();
  uint32_t wrong = 0, late = 0;
  for (uint32_t i = 0; i < phases; i++) {
    if (i % 2) {
      uint64_t state = arrive_state(&bar);
      while (!test_state(&bar, state))
        continue;
      wrong += !test_state(&bar, state);
    } else {
      barrier_arrive(&bar);
      barrier_wait(&bar, i & 1);
    }
    if (threadIdx.x == i % blockDim.x) sum = sum * 31 + i;
    late += !barrier_test(&bar, i & 1);
  }
  atomicAdd(&out[1], wrong + late);
  __syncthreads();
  if (threadIdx.x == 0) out[0] = sum;
}

int main() {
  device_bytes memory(4096);
  std::vector<uint8_t> shown(128);
  MUST(cudaMemset(memory.at, 0, 4096));
  one_thread<<<1, 1>>>(reinterpret_cast<uint32_t *>(memory.at));
  MUST(cudaDeviceSynchronize());
  MUST(cudaMemcpy(shown.data(), memory.at, shown.size(), cudaMemcpyDeviceToHost));
  show("one thread", shown.data(), shown.size());
  const uint32_t counts[] = {1, 2, 3, 31, 32, 33, 255, 256, 257, 1000};
  for (uint32_t phases : counts) {
    MUST(cudaMemset(memory.at, 0, 4096));
    many_phases<<<1, 96>>>(reinterpret_cast<uint32_t *>(memory.at), phases);
    MUST(cudaDeviceSynchronize());
    MUST(cudaMemcpy(shown.data(), memory.at, 32, cudaMemcpyDeviceToHost));
    printf("%u phases: ", phases);
    show("96 threads", shown.data(), 32);
  }
}
