// Stream memory operations: streams write values and wait for them. In: streams, addresses, values. Out:
// CUresult numbers. One idea: a batch is its operations one after the other.
#include "virtual-hopper/base/stream-value.h"
#include "virtual-hopper/shim/client-value.h"
#include "virtual-hopper/shim/driver.h"

enum { MOST_OPERATIONS = 255 };

static int check(CUstream stream, const char *what) {
  struct client_stream copy;
  bool captured = false;
  if (!client_stream_find(stream, &copy)) return CUDA_ERROR_INVALID_HANDLE;
  const int status = client_captures(client_in(stream), &captured);
  return status || !captured ? status : client_unsupported("%s in a stream that is captured", what);
}

// A flush of remote writes has nothing to do here: no other device writes.
static int make_wait(struct client_value *v, CUdeviceptr address, uint64_t value, unsigned flags, bool wide) {
  const unsigned how = flags & ~(unsigned)CU_STREAM_WAIT_VALUE_FLUSH;
  if (how >= STREAM_VALUE_WAYS) return CUDA_ERROR_INVALID_VALUE;
  *v = (struct client_value){address, value, how | (wide ? STREAM_VALUE_WIDE : 0), true};
  return client_value_check(v);
}

static int make_write(struct client_value *v, CUdeviceptr address, uint64_t value, unsigned flags,
                      bool wide) {
  if (flags != CU_STREAM_WRITE_VALUE_DEFAULT) return CUDA_ERROR_INVALID_VALUE;
  *v = (struct client_value){address, value, wide ? STREAM_VALUE_WIDE : 0, false};
  return client_value_check(v);
}

static CUresult wait_for(CUstream stream, CUdeviceptr address, uint64_t value, unsigned flags, bool wide,
                         const char *what) {
  struct client_value v;
  int status = check(stream, what);
  if (!status) status = make_wait(&v, address, value, flags, wide);
  return driver_used(status ? status : client_value(&v, client_in(stream)));
}

static CUresult write_there(CUstream stream, CUdeviceptr address, uint64_t value, unsigned flags, bool wide,
                            const char *what) {
  struct client_value v;
  int status = check(stream, what);
  if (!status) status = make_write(&v, address, value, flags, wide);
  return driver_used(status ? status : client_value(&v, client_in(stream)));
}

EXPORT CUresult cuStreamWaitValue32_v2(CUstream stream, CUdeviceptr address, cuuint32_t value,
                                       unsigned flags) {
  return wait_for(stream, address, value, flags, false, "cuStreamWaitValue32");
}
PER_THREAD_STREAM(cuStreamWaitValue32_v2,
                  (CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned flags),
                  (stream, address, value, flags))

EXPORT CUresult cuStreamWaitValue64_v2(CUstream stream, CUdeviceptr address, cuuint64_t value,
                                       unsigned flags) {
  return wait_for(stream, address, value, flags, true, "cuStreamWaitValue64");
}
PER_THREAD_STREAM(cuStreamWaitValue64_v2,
                  (CUstream stream, CUdeviceptr address, cuuint64_t value, unsigned flags),
                  (stream, address, value, flags))

EXPORT CUresult cuStreamWriteValue32_v2(CUstream stream, CUdeviceptr address, cuuint32_t value,
                                        unsigned flags) {
  return write_there(stream, address, value, flags, false, "cuStreamWriteValue32");
}
PER_THREAD_STREAM(cuStreamWriteValue32_v2,
                  (CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned flags),
                  (stream, address, value, flags))

EXPORT CUresult cuStreamWriteValue64_v2(CUstream stream, CUdeviceptr address, cuuint64_t value,
                                        unsigned flags) {
  return write_there(stream, address, value, flags, true, "cuStreamWriteValue64");
}
PER_THREAD_STREAM(cuStreamWriteValue64_v2,
                  (CUstream stream, CUdeviceptr address, cuuint64_t value, unsigned flags),
                  (stream, address, value, flags))

// *none: nothing is to be done for it (operations of a stream are in order here).
static int make_one(struct client_value *v, const CUstreamBatchMemOpParams *one, bool *none) {
  *none = false;
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
    *none = true;
    return one->memoryBarrier.flags > CU_STREAM_MEMORY_BARRIER_TYPE_GPU ? CUDA_ERROR_INVALID_VALUE : 0;
  default: return CUDA_ERROR_NOT_SUPPORTED; // as a chip that can't flush remote writes
  }
}

EXPORT CUresult cuStreamBatchMemOp_v2(CUstream stream, unsigned count, CUstreamBatchMemOpParams *all,
                                      unsigned flags) {
  struct client_value v;
  bool none;
  if (count > MOST_OPERATIONS || (count && !all) || flags) return CUDA_ERROR_INVALID_VALUE;
  int status = check(stream, "cuStreamBatchMemOp");
  for (unsigned i = 0; i < count && !status; i++)
    status = make_one(&v, &all[i], &none);
  for (unsigned i = 0; i < count && !status; i++)
    if (!make_one(&v, &all[i], &none) && !none) status = client_value(&v, client_in(stream));
  return driver_used(status);
}
PER_THREAD_STREAM(cuStreamBatchMemOp_v2,
                  (CUstream stream, unsigned count, CUstreamBatchMemOpParams *all, unsigned flags),
                  (stream, count, all, flags))
