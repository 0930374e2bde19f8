// Stream memory operations: streams write values and wait for them. In: streams, addresses, values. Out:
// CUresult numbers. One idea: a batch is its operations one after the other; in a captured stream, and
// in a graph, it is a node.
#include <stdlib.h>

#include "virtual-hopper/base/stream-value.h"
#include "virtual-hopper/shim/client-graph.h"
#include "virtual-hopper/shim/driver.h"

enum { MOST_OPERATIONS = 255 };

static int check(CUstream stream, bool *captured) {
  struct client_stream copy;
  if (!client_stream_find(stream, &copy)) return CUDA_ERROR_INVALID_HANDLE;
  return client_captures(client_in(stream), captured);
}

static int capture(CUstream stream, const struct client_value *values, uint32_t count) {
  struct client_node node;
  const int status = client_values_node(&node, values, count);
  return status ? status : client_capture_node(&node, client_in(stream));
}

static int do_one(CUstream stream, const struct client_value *v, bool captured) {
  return captured ? capture(stream, v, 1) : client_value(v, client_in(stream));
}

// A flush of remote writes has nothing to do here: no other device writes.
static int make_wait(struct client_value *v, CUdeviceptr address, uint64_t value, unsigned flags, bool wide) {
  const unsigned how = flags & ~(unsigned)CU_STREAM_WAIT_VALUE_FLUSH;
  if (how >= STREAM_VALUE_WAYS) return CUDA_ERROR_INVALID_VALUE;
  *v = (struct client_value){
      .address = address, .value = value, .how = how | (wide ? STREAM_VALUE_WIDE : 0), .waits = true};
  return client_value_check(v);
}

static int make_write(struct client_value *v, CUdeviceptr address, uint64_t value, unsigned flags,
                      bool wide) {
  if (flags != CU_STREAM_WRITE_VALUE_DEFAULT) return CUDA_ERROR_INVALID_VALUE;
  *v = (struct client_value){.address = address, .value = value, .how = wide ? STREAM_VALUE_WIDE : 0};
  return client_value_check(v);
}

static CUresult wait_for(CUstream stream, CUdeviceptr address, uint64_t value, unsigned flags, bool wide) {
  struct client_value v;
  bool captured = false;
  int status = check(stream, &captured);
  if (!status) status = make_wait(&v, address, value, flags, wide);
  return driver_used(status ? status : do_one(stream, &v, captured));
}

static CUresult write_there(CUstream stream, CUdeviceptr address, uint64_t value, unsigned flags, bool wide) {
  struct client_value v;
  bool captured = false;
  int status = check(stream, &captured);
  if (!status) status = make_write(&v, address, value, flags, wide);
  return driver_used(status ? status : do_one(stream, &v, captured));
}

EXPORT CUresult cuStreamWaitValue32_v2(CUstream stream, CUdeviceptr address, cuuint32_t value,
                                       unsigned flags) {
  return wait_for(stream, address, value, flags, false);
}
PER_THREAD_STREAM(cuStreamWaitValue32_v2,
                  (CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned flags),
                  (stream, address, value, flags))

EXPORT CUresult cuStreamWaitValue64_v2(CUstream stream, CUdeviceptr address, cuuint64_t value,
                                       unsigned flags) {
  return wait_for(stream, address, value, flags, true);
}
PER_THREAD_STREAM(cuStreamWaitValue64_v2,
                  (CUstream stream, CUdeviceptr address, cuuint64_t value, unsigned flags),
                  (stream, address, value, flags))

EXPORT CUresult cuStreamWriteValue32_v2(CUstream stream, CUdeviceptr address, cuuint32_t value,
                                        unsigned flags) {
  return write_there(stream, address, value, flags, false);
}
PER_THREAD_STREAM(cuStreamWriteValue32_v2,
                  (CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned flags),
                  (stream, address, value, flags))

EXPORT CUresult cuStreamWriteValue64_v2(CUstream stream, CUdeviceptr address, cuuint64_t value,
                                        unsigned flags) {
  return write_there(stream, address, value, flags, true);
}
PER_THREAD_STREAM(cuStreamWriteValue64_v2,
                  (CUstream stream, CUdeviceptr address, cuuint64_t value, unsigned flags),
                  (stream, address, value, flags))

// A barrier orders a stream's operations, which are in order here.
static int make_one(struct client_value *v, const CUstreamBatchMemOpParams *one) {
  switch (one->operation) {
  case CU_STREAM_MEM_OP_WAIT_VALUE_32:
    return make_wait(v, one->waitValue.address, one->waitValue.value, one->waitValue.flags, false);
  case CU_STREAM_MEM_OP_WAIT_VALUE_64:
    return make_wait(v, one->waitValue.address, one->waitValue.value64, one->waitValue.flags, true);
  case CU_STREAM_MEM_OP_WRITE_VALUE_32:
    return make_write(v, one->writeValue.address, one->writeValue.value, one->writeValue.flags, false);
  case CU_STREAM_MEM_OP_WRITE_VALUE_64:
    return make_write(v, one->writeValue.address, one->writeValue.value64, one->writeValue.flags, true);
  case CU_STREAM_MEM_OP_BARRIER:
    *v = (struct client_value){.nothing = true, .how = one->memoryBarrier.flags};
    return one->memoryBarrier.flags > CU_STREAM_MEMORY_BARRIER_TYPE_GPU ? CUDA_ERROR_INVALID_VALUE : 0;
  default: return CUDA_ERROR_NOT_SUPPORTED; // as a chip that can't flush remote writes
  }
}

// All of them are checked before the first is done.
static int make_all(struct client_value *values, const CUstreamBatchMemOpParams *all, unsigned count,
                    unsigned flags) {
  int status = count > MOST_OPERATIONS || (count && !all) || flags ? CUDA_ERROR_INVALID_VALUE : 0;
  for (unsigned i = 0; i < count && !status; i++)
    status = make_one(&values[i], &all[i]);
  return status;
}

EXPORT CUresult cuStreamBatchMemOp_v2(CUstream stream, unsigned count, CUstreamBatchMemOpParams *all,
                                      unsigned flags) {
  struct client_value values[MOST_OPERATIONS];
  bool captured = false;
  int status = check(stream, &captured);
  if (!status) status = make_all(values, all, count, flags);
  if (!status && captured) return driver_used(capture(stream, values, count));
  for (unsigned i = 0; i < count && !status; i++)
    if (!values[i].nothing) status = client_value(&values[i], client_in(stream));
  return driver_used(status);
}
PER_THREAD_STREAM(cuStreamBatchMemOp_v2,
                  (CUstream stream, unsigned count, CUstreamBatchMemOpParams *all, unsigned flags),
                  (stream, count, all, flags))

// ---- nodes ------------------------------------------------------------------------------------------------

// A node names its context, as a chip's driver demands.
static int make_node(struct client_node *node, const CUDA_BATCH_MEM_OP_NODE_PARAMS *p) {
  struct client_value values[MOST_OPERATIONS];
  CUcontext here = NULL;
  if (!p || !p->ctx) return CUDA_ERROR_INVALID_VALUE;
  if (cuCtxGetCurrent(&here) || p->ctx != here) return CUDA_ERROR_INVALID_CONTEXT;
  const int status = make_all(values, p->paramArray, p->count, p->flags);
  return status ? status : client_values_node(node, values, p->count);
}

EXPORT CUresult cuGraphAddBatchMemOpNode(CUgraphNode *made, CUgraph handle, const CUgraphNode *after,
                                         size_t count, const CUDA_BATCH_MEM_OP_NODE_PARAMS *p) {
  struct client_node node;
  struct client_graph *graph = client_graph_checked(handle, false);
  if (!graph || !made) return CUDA_ERROR_INVALID_VALUE;
  const int status = make_node(&node, p);
  if (status) return (CUresult)status;
  return (CUresult)client_node_add((struct client_node **)(void *)made, graph,
                                   (struct client_node *const *)(const void *)after, count, &node);
}

static CUresult set(struct client_node *known, const CUDA_BATCH_MEM_OP_NODE_PARAMS *p) {
  struct client_node node;
  if (!known) return CUDA_ERROR_INVALID_VALUE;
  const int status = make_node(&node, p);
  return (CUresult)(status ? status : client_node_set(known, &node));
}

EXPORT CUresult cuGraphBatchMemOpNodeSetParams(CUgraphNode handle, const CUDA_BATCH_MEM_OP_NODE_PARAMS *p) {
  return set(client_node_checked(handle), p);
}

EXPORT CUresult cuGraphExecBatchMemOpNodeSetParams(CUgraphExec executable, CUgraphNode node,
                                                   const CUDA_BATCH_MEM_OP_NODE_PARAMS *p) {
  const struct client_graph *known = client_graph_checked(executable, true);
  return set(known ? client_graph_copied(known, (struct client_node *)(void *)node) : NULL, p);
}

static CUstreamBatchMemOpParams tell(const struct client_value *v) {
  const bool wide = v->how & STREAM_VALUE_WIDE;
  CUstreamBatchMemOpParams one = {.operation = CU_STREAM_MEM_OP_BARRIER};
  if (v->nothing) {
    one.memoryBarrier.flags = v->how;
  } else if (v->waits) {
    one.operation = wide ? CU_STREAM_MEM_OP_WAIT_VALUE_64 : CU_STREAM_MEM_OP_WAIT_VALUE_32;
    one.waitValue.address = v->address;
    one.waitValue.value64 = v->value;
    one.waitValue.flags = v->how & ~(unsigned)STREAM_VALUE_WIDE;
  } else {
    one.operation = wide ? CU_STREAM_MEM_OP_WRITE_VALUE_64 : CU_STREAM_MEM_OP_WRITE_VALUE_32;
    one.writeValue.address = v->address;
    one.writeValue.value64 = v->value;
  }
  return one;
}

// The array is the node's: valid until the node changes.
EXPORT CUresult cuGraphBatchMemOpNodeGetParams(CUgraphNode handle, CUDA_BATCH_MEM_OP_NODE_PARAMS *p) {
  struct client_node *known = client_node_checked(handle);
  if (!known || known->kind != NODE_VALUES || !p) return CUDA_ERROR_INVALID_VALUE;
  CUstreamBatchMemOpParams *all = malloc(known->value_count * sizeof *all + 1);
  if (!all) return CUDA_ERROR_OUT_OF_MEMORY;
  for (uint32_t i = 0; i < known->value_count; i++)
    all[i] = tell(&known->values[i]);
  free(known->data);
  known->data = all;
  *p = (CUDA_BATCH_MEM_OP_NODE_PARAMS){.count = known->value_count, .paramArray = all};
  return cuCtxGetCurrent(&p->ctx);
}
