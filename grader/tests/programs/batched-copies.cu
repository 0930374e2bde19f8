// Batches of copies, by the runtime and by the driver: host to device, device to device, back; what a batch
// must not be; a source on the stack.
// nvcc: -Xlinker build/lib/libcuda.so.1
#include "self-check.h"

#include <cuda.h>

constexpr size_t COUNT = 300, PIECES = 3;

static cudaError_t batch(void **to, void **from, size_t *sizes, size_t count, cudaMemcpySrcAccessOrder order,
                         cudaStream_t stream) {
  cudaMemcpyAttributes attributes = {};
  attributes.srcAccessOrder = order;
  size_t first = 0;
  return cudaMemcpyBatchAsync(to, from, sizes, count, &attributes, &first, 1, stream);
}

static void expect(cudaError_t got, cudaError_t wanted, const char *what) {
  check_that(got == wanted, "%s: %s, not %s", what, cudaGetErrorName(got), cudaGetErrorName(wanted));
  cudaGetLastError();
}

static void refusals(void **to, void **from, size_t *sizes, cudaStream_t stream) {
  cudaMemcpyAttributes attributes[2] = {};
  attributes[0].srcAccessOrder = attributes[1].srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  size_t from_one[] = {1}, twice[] = {0, 0}, beyond[] = {0, PIECES};
  const auto order = cudaMemcpySrcAccessOrderStream;
  expect(batch(to, from, sizes, PIECES, order, nullptr), cudaErrorInvalidValue, "the default stream");
  expect(batch(to, from, sizes, PIECES, cudaMemcpySrcAccessOrderInvalid, stream), cudaErrorInvalidValue,
         "no order");
  expect(cudaMemcpyBatchAsync(to, from, sizes, PIECES, attributes, from_one, 1, stream),
         cudaErrorInvalidValue, "no attributes for the first copy");
  expect(cudaMemcpyBatchAsync(to, from, sizes, PIECES, attributes, twice, 2, stream), cudaErrorInvalidValue,
         "two attributes for a copy");
  expect(cudaMemcpyBatchAsync(to, from, sizes, PIECES, attributes, beyond, 2, stream), cudaErrorInvalidValue,
         "attributes for no copy");
}

// Fills `to` from memory that is gone, or has changed, when the copies are done.
static void from_the_stack(int *to, cudaStream_t stream) {
  int numbers[2] = {77, 78};
  void *target = to, *source = numbers;
  size_t bytes = sizeof numbers;
  expect(batch(&target, &source, &bytes, 1, cudaMemcpySrcAccessOrderDuringApiCall, stream), cudaSuccess,
         "a source on the stack");
  numbers[0] = numbers[1] = 0;
}

static CUresult by_driver(void **to, void **from, size_t *sizes, size_t count, cudaStream_t stream) {
  CUmemcpyAttributes attributes[2] = {};
  attributes[0].srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
  attributes[1].srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_ANY;
  size_t first[] = {0, 1};
  return cuMemcpyBatchAsync(reinterpret_cast<CUdeviceptr *>(to), reinterpret_cast<CUdeviceptr *>(from), sizes,
                            count, attributes, first, 2, stream);
}

// Boxes: a padded one on the host into an array, from there tightly to the device, and back into the padding.
static void in_three_dimensions(cudaStream_t stream) {
  constexpr size_t W = 5, H = 3, D = 2, ROW = 8, ROWS = 4;
  static int host[D * ROWS * ROW], back[D * ROWS * ROW];
  guarded<int> tight(W * H * D);
  cudaArray_t array;
  const cudaChannelFormatDesc texel = cudaCreateChannelDesc<int>();
  CUDA_CHECK(cudaMalloc3DArray(&array, &texel, make_cudaExtent(16, 16, 4), 0));
  for (size_t i = 0; i < D * ROWS * ROW; i++)
    host[i] = static_cast<int>(1000 + i);
  cudaMemcpy3DBatchOp op[3] = {};
  for (cudaMemcpy3DBatchOp &each : op) {
    each.extent = make_cudaExtent(W, H, D);
    each.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  }
  op[0].src.type = op[1].dst.type = op[2].src.type = op[2].dst.type = cudaMemcpyOperandTypePointer;
  op[0].dst.type = op[1].src.type = cudaMemcpyOperandTypeArray;
  op[0].src.op.ptr.ptr = host;
  op[0].src.op.ptr.rowLength = ROW;
  op[0].src.op.ptr.layerHeight = ROWS;
  op[0].dst.op.array.array = op[1].src.op.array.array = array;
  op[0].dst.op.array.offset = op[1].src.op.array.offset = {7, 6, 1};
  op[1].dst.op.ptr.ptr = op[2].src.op.ptr.ptr = tight.data();
  op[2].extent.width *= sizeof(int); // elements of one byte
  op[2].dst.op.ptr.ptr = back;
  op[2].dst.op.ptr.rowLength = ROW * sizeof(int);
  op[2].dst.op.ptr.layerHeight = ROWS;
  for (cudaMemcpy3DBatchOp &each : op)
    expect(cudaMemcpy3DBatchAsync(1, &each, 0, stream), cudaSuccess, "a box");
  CUDA_CHECK(cudaStreamSynchronize(stream));
  for (size_t i = 0; i < D * ROWS * ROW; i++) {
    const bool inside = i % ROW < W && i / ROW % ROWS < H;
    check_that(back[i] == (inside ? host[i] : 0), "boxes: [%zu] is %d", i, back[i]);
  }
  tight.check_bands("the tight box");
  op[1].extent.width = 0;
  expect(cudaMemcpy3DBatchAsync(3, op, 0, stream), cudaErrorInvalidValue, "a box of width 0");
  op[1].extent.width = W;
  op[1].dst.op.ptr.rowLength = W - 1;
  expect(cudaMemcpy3DBatchAsync(3, op, 0, stream), cudaErrorInvalidValue, "rows that are too short");
  op[1].dst.op.ptr.rowLength = 0;
  op[1].srcAccessOrder = cudaMemcpySrcAccessOrderInvalid;
  expect(cudaMemcpy3DBatchAsync(3, op, 0, stream), cudaErrorInvalidValue, "a box without an order");
  CUDA_CHECK(cudaFreeArray(array));
}

int main() {
  cudaStream_t stream;
  CUDA_CHECK(cudaStreamCreate(&stream));
  guarded<int> a(PIECES * COUNT), b(PIECES * COUNT);
  int *host, *back;
  CUDA_CHECK(cudaMallocHost(&host, PIECES * COUNT * sizeof(int)));
  CUDA_CHECK(cudaMallocHost(&back, PIECES * COUNT * sizeof(int)));
  for (size_t i = 0; i < PIECES * COUNT; i++)
    host[i] = static_cast<int>(i * 3);
  void *on_host[PIECES], *in_a[PIECES], *in_b[PIECES], *in_back[PIECES];
  size_t sizes[PIECES];
  for (size_t i = 0; i < PIECES; i++) { // pieces of different lengths; b has them the other way round
    sizes[i] = (COUNT - 10 * i) * sizeof(int);
    on_host[i] = host + i * COUNT;
    in_a[i] = a.data() + i * COUNT;
    in_b[i] = b.data() + (PIECES - 1 - i) * COUNT;
    in_back[i] = back + i * COUNT;
  }
  expect(batch(in_a, on_host, sizes, PIECES, cudaMemcpySrcAccessOrderStream, stream), cudaSuccess, "to a");
  check_that(by_driver(in_b, in_a, sizes, PIECES, stream) == CUDA_SUCCESS, "a to b");
  expect(batch(in_back, in_b, sizes, PIECES, cudaMemcpySrcAccessOrderStream, stream), cudaSuccess, "from b");
  CUDA_CHECK(cudaStreamSynchronize(stream));
  for (size_t i = 0; i < PIECES; i++)
    for (size_t k = 0; k < sizes[i] / sizeof(int); k++)
      if (!check_that(back[i * COUNT + k] == host[i * COUNT + k], "piece %zu: [%zu] is %d", i, k,
                      back[i * COUNT + k]))
        return self_check_result();
  refusals(in_a, on_host, sizes, stream);
  from_the_stack(a.data(), stream);
  CUDA_CHECK(cudaMemcpyAsync(back, a.data(), 2 * sizeof(int), cudaMemcpyDeviceToHost, stream));
  CUDA_CHECK(cudaStreamSynchronize(stream));
  check_that(back[0] == 77 && back[1] == 78, "from the stack: %d, %d", back[0], back[1]);
  in_three_dimensions(stream);
  CUDA_CHECK(cudaFreeHost(host));
  CUDA_CHECK(cudaFreeHost(back));
  CUDA_CHECK(cudaStreamDestroy(stream));
  return self_check_result();
}
