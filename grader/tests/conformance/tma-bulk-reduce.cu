// cp.reduce.async.bulk to global memory: every operation of every type on special values and random bits.
#include "tma-reduce.cuh"

#define REDUCTIONS(each)                                                                                   \
  each("add.u32", 'w') each("add.s32", 'w') each("add.u64", 'l') each("add.f32", 'f') each("add.f64", 'd') \
      each("add.noftz.f16", 'h') each("add.noftz.bf16", 'b') each("min.u32", 'w') each("min.s32", 'w')     \
          each("min.u64", 'l') each("min.s64", 'l') each("min.f16", 'h') each("min.bf16", 'b')             \
              each("max.u32", 'w') each("max.s32", 'w') each("max.u64", 'l') each("max.s64", 'l')          \
                  each("max.f16", 'h') each("max.bf16", 'b') each("inc.u32", 'w') each("dec.u32", 'w')     \
                      each("and.b32", 'w') each("or.b32", 'w') each("xor.b32", 'w') each("and.b64", 'l')   \
                          each("or.b64", 'l') each("xor.b64", 'l')

static __device__ void reduce(int which, uint8_t *out, uint32_t tile, uint32_t bytes) {
  int n = 0;
#define EACH(operation, kind)                                                                       \
  if (n++ == which)                                                                                 \
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group." operation " [%0], [%1], %2;" \
                 :                                                                                  \
                 : "l"(out), "r"(tile), "r"(bytes)                                                  \
                 : "memory");
  REDUCTIONS(EACH)
#undef EACH
}

static __global__ void reduce_kernel(int which, uint8_t *out, const uint32_t *operand) {
  uint8_t *tile = tile_area();
  for (uint32_t i = threadIdx.x; i < REDUCE_BYTES / 4; i += blockDim.x)
    reinterpret_cast<uint32_t *>(tile)[i] = operand[i];
  fence_async();
  __syncthreads();
  if (threadIdx.x != 0) return;
  reduce(which, out, shared_address(tile), REDUCE_BYTES);
  commit_group();
  wait_all_groups();
}

static void run(int which, const char *name, char kind) {
  std::vector<uint8_t> a, b;
  operands_of(kind, a, b);
  device_bytes out(REDUCE_BYTES), operand(REDUCE_BYTES);
  MUST(cudaMemcpy(out.at, a.data(), a.size(), cudaMemcpyHostToDevice));
  MUST(cudaMemcpy(operand.at, b.data(), b.size(), cudaMemcpyHostToDevice));
  reduce_kernel<<<1, 64, 8192>>>(which, out.at, reinterpret_cast<uint32_t *>(operand.at));
  MUST(cudaDeviceSynchronize());
  MUST(cudaMemcpy(a.data(), out.at, a.size(), cudaMemcpyDeviceToHost));
  show(name, a.data(), a.size());
}

int main() {
  int which = 0;
#define RUN(operation, kind) run(which++, operation, kind);
  REDUCTIONS(RUN)
}
