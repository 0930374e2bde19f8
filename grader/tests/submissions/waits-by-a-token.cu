// submission: 1-bulk-copy-1d
// after: solutions/lab9/1-bulk-copy-1d.cu
// change: s|__shared__ uint64_t loaded;|__shared__ uint64_t state, loaded;|
// change: s|expect_bytes_and_arrive(&loaded, bytes);|state = announce(\&loaded, bytes);|
// change: s|wait(&loaded, 0);|while (!is_over(\&loaded, state)) __nanosleep(20);|
// change: s|^__global__|__device__ uint64_t announce(uint64_t *bar, uint32_t bytes);\
// change: __device__ bool is_over(uint64_t *bar, uint64_t token);\
// change: &|
// expect: exit 0
// expect: says The exercise passes
// The phase's token goes from the thread that arrives to all others, which poll.
__device__ uint64_t announce(uint64_t *bar, uint32_t bytes) {
  uint64_t token;
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 %0, [%1], %2;"
               : "=l"(token)
               : "r"(tma_shared_address(bar)), "r"(bytes)
               : "memory");
  return token;
}

__device__ bool is_over(uint64_t *bar, uint64_t token) {
  uint32_t done;
  asm volatile("{ .reg .pred p; mbarrier.test_wait.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
               : "=r"(done)
               : "r"(tma_shared_address(bar)), "l"(token)
               : "memory");
  return done;
}
