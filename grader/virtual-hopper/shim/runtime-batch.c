// Batches of copies in three dimensions. In: operands, pointers or arrays; out: CUDA errors. One idea: each
// copy of a batch is a copy in the stream, as in client-batch.c.
#include "virtual-hopper/shim/client-array.h"
#include "virtual-hopper/shim/runtime.h"

static size_t texel_bytes(const struct cudaMemcpy3DOperand *o) {
  const struct client_array *array =
      o->type == cudaMemcpyOperandTypeArray ? client_array(o->op.array.array) : NULL;
  return array ? client_array_texel_bytes(array) : 0;
}

// A pointer's rows and layers are as long as the copy's if they are 0. Lengths count elements of `bytes`.
static bool take_operand(const struct cudaMemcpy3DOperand *o, const struct cudaExtent *extent, size_t bytes,
                         struct cudaPitchedPtr *memory, struct cudaPos *at, cudaArray_t *array) {
  if (o->type == cudaMemcpyOperandTypeArray) {
    *array = o->op.array.array;
    *at = (struct cudaPos){o->op.array.offset.x, o->op.array.offset.y, o->op.array.offset.z};
    return *array != NULL;
  }
  const size_t row = o->op.ptr.rowLength ? o->op.ptr.rowLength : extent->width,
               rows = o->op.ptr.layerHeight ? o->op.ptr.layerHeight : extent->height;
  if (o->type != cudaMemcpyOperandTypePointer || !o->op.ptr.ptr) return false;
  if (row < extent->width || rows < extent->height || row > SIZE_MAX / bytes) return false;
  *memory = (struct cudaPitchedPtr){o->op.ptr.ptr, row * bytes, row * bytes, rows};
  return true;
}

static int make_box(const struct cudaMemcpy3DBatchOp *operation, struct client_box *box) {
  const size_t from = texel_bytes(&operation->src), to = texel_bytes(&operation->dst),
               bytes = from ? from
                       : to ? to
                            : 1;
  struct cudaMemcpy3DParms p = {.extent = operation->extent, .kind = cudaMemcpyDefault};
  if (!p.extent.width || !p.extent.height || !p.extent.depth) return cudaErrorInvalidValue;
  if (operation->srcAccessOrder < cudaMemcpySrcAccessOrderStream ||
      operation->srcAccessOrder > cudaMemcpySrcAccessOrderAny || (from && to && from != to) ||
      !take_operand(&operation->src, &p.extent, bytes, &p.srcPtr, &p.srcPos, &p.srcArray) ||
      !take_operand(&operation->dst, &p.extent, bytes, &p.dstPtr, &p.dstPos, &p.dstArray))
    return cudaErrorInvalidValue;
  return runtime_box_3d(&p, box);
}

// Nothing is copied unless all can be.
static int copy_all(size_t count, const struct cudaMemcpy3DBatchOp *operations, uint32_t in) {
  struct client_box box;
  int status = 0;
  for (size_t i = 0; i < count && !status; i++)
    status = make_box(&operations[i], &box);
  for (size_t i = 0; i < count && !status; i++) {
    status = make_box(&operations[i], &box);
    // the source may be gone after the call
    const bool now = operations[i].srcAccessOrder == cudaMemcpySrcAccessOrderDuringApiCall;
    if (!status) status = client_transfer(&box, now ? in | PROTOCOL_HOST_WAITS : in);
  }
  return status;
}

cudaError_t runtime_batch_3d(size_t count, const struct cudaMemcpy3DBatchOp *operations,
                             unsigned long long flags, cudaStream_t stream) {
  if (!count || !operations || flags || !stream || stream == cudaStreamLegacy)
    return runtime_result(cudaErrorInvalidValue);
  const cudaError_t status = runtime_stream_used(stream);
  return status ? runtime_result(status) : runtime_used(copy_all(count, operations, client_in(stream)));
}
