// attack: 1-bulk-copy-1d
// tries: starts copies for ever and waits for none, so that the device has to keep a record of each
// expect: exit 1
// expect: says breaks the rule
// expect: silent about grader error
#include "lab9.h"
#include "tma-interface.cuh"
__global__ void flood(int32_t *data) {
  __shared__ alignas(16) char tile[16384];
  if (threadIdx.x == 0)
    for (;;)
      cp_async_bulk_shared_to_global(data, tile, 16);
}
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  (void)count;
  flood<<<64, 32, 0, stream>>>(data);
  return cudaGetLastError();
}
