// The driver's copies of rectangles, boxes and arrays, copies between devices, and fills of rectangles. In:
// the driver's structures; out: CUresult numbers. One idea: each of them becomes a box (client-transfer.c).
#include "virtual-hopper/shim/client-array.h"
#include "virtual-hopper/shim/driver.h"

enum { HOST_TO_HOST, TO_DEVICE, TO_HOST, ON_DEVICE, BY_ADDRESS }; // enum cudaMemcpyKind

// ---- boxes ------------------------------------------------------------------------------------------------

// One side of a copy, as the driver describes it.
struct side {
  CUmemorytype type;
  const void *host;
  CUdeviceptr device;
  CUarray array;
  size_t byte, row, slice; // where it begins
  size_t pitch, height;    // of memory; 0: as much as the copy needs
};

static int start_of(const struct side *s, const CUDA_MEMCPY3D *p, char **start, size_t *pitch,
                    size_t *slice) {
  if (s->type == CU_MEMORYTYPE_ARRAY) {
    const struct client_array *a = client_array(s->array);
    if (!a) return CUDA_ERROR_INVALID_HANDLE;
    if (!client_array_has(a, s->byte, s->row, p->WidthInBytes, p->Height) ||
        !client_array_has_slices(a, s->slice, p->Depth))
      return CUDA_ERROR_INVALID_VALUE;
    *start = client_array_place(a, s->byte, s->row, s->slice);
    *pitch = a->pitch;
    *slice = a->slice;
    return 0;
  }
  const uintptr_t base = s->type == CU_MEMORYTYPE_HOST ? (uintptr_t)s->host : (uintptr_t)s->device;
  *pitch = s->pitch ? s->pitch : s->byte + p->WidthInBytes;
  *slice = *pitch * (s->height ? s->height : s->row + p->Height);
  const bool fits = s->byte <= *pitch && p->WidthInBytes <= *pitch - s->byte;
  if (s->type > CU_MEMORYTYPE_UNIFIED || s->type < CU_MEMORYTYPE_HOST || !base || !fits)
    return CUDA_ERROR_INVALID_VALUE;
  *start = (char *)(base + s->slice * *slice + s->row * *pitch + s->byte);
  return 0;
}

static bool is_device(const struct side *s) {
  return s->type == CU_MEMORYTYPE_DEVICE || s->type == CU_MEMORYTYPE_ARRAY;
}

int driver_box_3d(const CUDA_MEMCPY3D *p, struct client_box *box) {
  if (!p || p->srcLOD || p->dstLOD) return CUDA_ERROR_INVALID_VALUE;
  const struct side from = {p->srcMemoryType, p->srcHost, p->srcDevice, p->srcArray, p->srcXInBytes,
                            p->srcY,          p->srcZ,    p->srcPitch,  p->srcHeight},
                    to = {p->dstMemoryType, p->dstHost, p->dstDevice, p->dstArray, p->dstXInBytes,
                          p->dstY,          p->dstZ,    p->dstPitch,  p->dstHeight};
  char *source = NULL;
  *box = (struct client_box){.width = p->WidthInBytes, .rows = p->Height, .slices = p->Depth};
  int status = start_of(&to, p, &box->to, &box->to_pitch, &box->to_slice);
  if (!status) status = start_of(&from, p, &source, &box->from_pitch, &box->from_slice);
  box->from = source;
  const bool unified = from.type == CU_MEMORYTYPE_UNIFIED || to.type == CU_MEMORYTYPE_UNIFIED;
  box->kind = unified ? BY_ADDRESS : (is_device(&to) ? TO_DEVICE : 0) | (is_device(&from) ? TO_HOST : 0);
  return status;
}

static int copy(const CUDA_MEMCPY3D *p, uint32_t in) {
  struct client_box box;
  const int status = driver_box_3d(p, &box);
  return status ? status : client_transfer(&box, in);
}

EXPORT CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D *p) {
  return driver_waited(copy(p, client_default_waits()));
}
PER_THREAD_DEFAULT(cuMemcpy3D_v2, (const CUDA_MEMCPY3D *p), (p))

EXPORT CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *p, CUstream stream) {
  return driver_used(copy(p, client_in(stream)));
}
PER_THREAD_STREAM(cuMemcpy3DAsync_v2, (const CUDA_MEMCPY3D *p, CUstream stream), (p, stream))

// ---- rectangles -------------------------------------------------------------------------------------------

static int copy_2d(const CUDA_MEMCPY2D *p, uint32_t in) {
  if (!p) return CUDA_ERROR_INVALID_VALUE;
  const CUDA_MEMCPY3D all = {.srcXInBytes = p->srcXInBytes,
                             .srcY = p->srcY,
                             .srcMemoryType = p->srcMemoryType,
                             .srcHost = p->srcHost,
                             .srcDevice = p->srcDevice,
                             .srcArray = p->srcArray,
                             .srcPitch = p->srcPitch,
                             .dstXInBytes = p->dstXInBytes,
                             .dstY = p->dstY,
                             .dstMemoryType = p->dstMemoryType,
                             .dstHost = p->dstHost,
                             .dstDevice = p->dstDevice,
                             .dstArray = p->dstArray,
                             .dstPitch = p->dstPitch,
                             .WidthInBytes = p->WidthInBytes,
                             .Height = p->Height,
                             .Depth = 1};
  return copy(&all, in);
}

EXPORT CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D *p) {
  return driver_waited(copy_2d(p, client_default_waits()));
}
PER_THREAD_DEFAULT(cuMemcpy2D_v2, (const CUDA_MEMCPY2D *p), (p))

EXPORT CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *p) {
  return cuMemcpy2D_v2(p);
}
PER_THREAD_DEFAULT(cuMemcpy2DUnaligned_v2, (const CUDA_MEMCPY2D *p), (p))

EXPORT CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *p, CUstream stream) {
  return driver_used(copy_2d(p, client_in(stream)));
}
PER_THREAD_STREAM(cuMemcpy2DAsync_v2, (const CUDA_MEMCPY2D *p, CUstream stream), (p, stream))

// ---- arrays of one dimension ------------------------------------------------------------------------------

static int copy_row(struct side to, struct side from, size_t bytes, uint32_t in) {
  const CUDA_MEMCPY3D all = {.srcXInBytes = from.byte,
                             .srcMemoryType = from.type,
                             .srcHost = from.host,
                             .srcDevice = from.device,
                             .srcArray = from.array,
                             .dstXInBytes = to.byte,
                             .dstMemoryType = to.type,
                             .dstHost = (void *)(uintptr_t)to.host,
                             .dstDevice = to.device,
                             .dstArray = to.array,
                             .WidthInBytes = bytes,
                             .Height = 1,
                             .Depth = 1};
  return copy(&all, in);
}

static struct side array_side(CUarray array, size_t byte) {
  return (struct side){.type = CU_MEMORYTYPE_ARRAY, .array = array, .byte = byte};
}
static struct side host_side(const void *host) {
  return (struct side){.type = CU_MEMORYTYPE_HOST, .host = host};
}
static struct side device_side(CUdeviceptr device) {
  return (struct side){.type = CU_MEMORYTYPE_DEVICE, .device = device};
}

EXPORT CUresult cuMemcpyDtoA_v2(CUarray to, size_t byte, CUdeviceptr from, size_t bytes) {
  return driver_used(copy_row(array_side(to, byte), device_side(from), bytes, client_default()));
}
PER_THREAD_DEFAULT(cuMemcpyDtoA_v2, (CUarray to, size_t byte, CUdeviceptr from, size_t bytes),
                   (to, byte, from, bytes))

EXPORT CUresult cuMemcpyAtoD_v2(CUdeviceptr to, CUarray from, size_t byte, size_t bytes) {
  return driver_used(copy_row(device_side(to), array_side(from, byte), bytes, client_default()));
}
PER_THREAD_DEFAULT(cuMemcpyAtoD_v2, (CUdeviceptr to, CUarray from, size_t byte, size_t bytes),
                   (to, from, byte, bytes))

EXPORT CUresult cuMemcpyAtoA_v2(CUarray to, size_t to_byte, CUarray from, size_t from_byte, size_t bytes) {
  return driver_used(copy_row(array_side(to, to_byte), array_side(from, from_byte), bytes, client_default()));
}
PER_THREAD_DEFAULT(cuMemcpyAtoA_v2,
                   (CUarray to, size_t to_byte, CUarray from, size_t from_byte, size_t bytes),
                   (to, to_byte, from, from_byte, bytes))

EXPORT CUresult cuMemcpyHtoA_v2(CUarray to, size_t byte, const void *from, size_t bytes) {
  return driver_waited(copy_row(array_side(to, byte), host_side(from), bytes, client_default_waits()));
}
PER_THREAD_DEFAULT(cuMemcpyHtoA_v2, (CUarray to, size_t byte, const void *from, size_t bytes),
                   (to, byte, from, bytes))

EXPORT CUresult cuMemcpyAtoH_v2(void *to, CUarray from, size_t byte, size_t bytes) {
  return driver_waited(copy_row(host_side(to), array_side(from, byte), bytes, client_default_waits()));
}
PER_THREAD_DEFAULT(cuMemcpyAtoH_v2, (void *to, CUarray from, size_t byte, size_t bytes),
                   (to, from, byte, bytes))

EXPORT CUresult cuMemcpyHtoAAsync_v2(CUarray to, size_t byte, const void *from, size_t bytes,
                                     CUstream stream) {
  return driver_used(copy_row(array_side(to, byte), host_side(from), bytes, client_in(stream)));
}
PER_THREAD_STREAM(cuMemcpyHtoAAsync_v2,
                  (CUarray to, size_t byte, const void *from, size_t bytes, CUstream stream),
                  (to, byte, from, bytes, stream))

EXPORT CUresult cuMemcpyAtoHAsync_v2(void *to, CUarray from, size_t byte, size_t bytes, CUstream stream) {
  return driver_used(copy_row(host_side(to), array_side(from, byte), bytes, client_in(stream)));
}
PER_THREAD_STREAM(cuMemcpyAtoHAsync_v2, (void *to, CUarray from, size_t byte, size_t bytes, CUstream stream),
                  (to, from, byte, bytes, stream))

// ---- between devices, of which there is one ---------------------------------------------------------------

EXPORT CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                                  CUcontext from_context, size_t bytes, CUstream stream) {
  (void)to_context, (void)from_context;
  return driver_used(copy_row(device_side(to), device_side(from), bytes, client_in(stream)));
}
PER_THREAD_STREAM(cuMemcpyPeerAsync,
                  (CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context,
                   size_t bytes, CUstream stream),
                  (to, to_context, from, from_context, bytes, stream))

EXPORT CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context,
                             size_t bytes) {
  return cuMemcpyPeerAsync(to, to_context, from, from_context, bytes, NULL);
}
PER_THREAD_DEFAULT(cuMemcpyPeer,
                   (CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context,
                    size_t bytes),
                   (to, to_context, from, from_context, bytes))

static int copy_peer(const CUDA_MEMCPY3D_PEER *p, uint32_t in) {
  if (!p) return CUDA_ERROR_INVALID_VALUE;
  const CUDA_MEMCPY3D all = {.srcXInBytes = p->srcXInBytes,
                             .srcY = p->srcY,
                             .srcZ = p->srcZ,
                             .srcLOD = p->srcLOD,
                             .srcMemoryType = p->srcMemoryType,
                             .srcHost = p->srcHost,
                             .srcDevice = p->srcDevice,
                             .srcArray = p->srcArray,
                             .srcPitch = p->srcPitch,
                             .srcHeight = p->srcHeight,
                             .dstXInBytes = p->dstXInBytes,
                             .dstY = p->dstY,
                             .dstZ = p->dstZ,
                             .dstLOD = p->dstLOD,
                             .dstMemoryType = p->dstMemoryType,
                             .dstHost = p->dstHost,
                             .dstDevice = p->dstDevice,
                             .dstArray = p->dstArray,
                             .dstPitch = p->dstPitch,
                             .dstHeight = p->dstHeight,
                             .WidthInBytes = p->WidthInBytes,
                             .Height = p->Height,
                             .Depth = p->Depth};
  return copy(&all, in);
}

EXPORT CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER *p) {
  return driver_waited(copy_peer(p, client_default_waits()));
}
PER_THREAD_DEFAULT(cuMemcpy3DPeer, (const CUDA_MEMCPY3D_PEER *p), (p))

EXPORT CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER *p, CUstream stream) {
  return driver_used(copy_peer(p, client_in(stream)));
}
PER_THREAD_STREAM(cuMemcpy3DPeerAsync, (const CUDA_MEMCPY3D_PEER *p, CUstream stream), (p, stream))

// ---- fills ------------------------------------------------------------------------------------------------

static CUresult fill(CUdeviceptr address, size_t pitch, uint32_t pattern, uint32_t pattern_bytes,
                     size_t count, size_t rows, uint32_t in) {
  size_t bytes;
  if (__builtin_mul_overflow(count, (size_t)pattern_bytes, &bytes) || address % pattern_bytes ||
      (rows > 1 && (pitch < bytes || pitch % pattern_bytes)))
    return CUDA_ERROR_INVALID_VALUE;
  const struct client_box box = {.to = (char *)(uintptr_t)address,
                                 .to_pitch = pitch,
                                 .width = bytes,
                                 .rows = rows,
                                 .slices = 1,
                                 .pattern = pattern,
                                 .pattern_bytes = pattern_bytes};
  return driver_used(client_transfer(&box, in));
}

EXPORT CUresult cuMemsetD2D8_v2(CUdeviceptr address, size_t pitch, unsigned char value, size_t width,
                                size_t height) {
  return fill(address, pitch, value, 1, width, height, client_default_waits());
}
PER_THREAD_DEFAULT(cuMemsetD2D8_v2,
                   (CUdeviceptr address, size_t pitch, unsigned char value, size_t width, size_t height),
                   (address, pitch, value, width, height))

EXPORT CUresult cuMemsetD2D16_v2(CUdeviceptr address, size_t pitch, unsigned short value, size_t width,
                                 size_t height) {
  return fill(address, pitch, value, 2, width, height, client_default_waits());
}
PER_THREAD_DEFAULT(cuMemsetD2D16_v2,
                   (CUdeviceptr address, size_t pitch, unsigned short value, size_t width, size_t height),
                   (address, pitch, value, width, height))

EXPORT CUresult cuMemsetD2D32_v2(CUdeviceptr address, size_t pitch, unsigned value, size_t width,
                                 size_t height) {
  return fill(address, pitch, value, 4, width, height, client_default_waits());
}
PER_THREAD_DEFAULT(cuMemsetD2D32_v2,
                   (CUdeviceptr address, size_t pitch, unsigned value, size_t width, size_t height),
                   (address, pitch, value, width, height))

EXPORT CUresult cuMemsetD2D8Async(CUdeviceptr address, size_t pitch, unsigned char value, size_t width,
                                  size_t height, CUstream stream) {
  return fill(address, pitch, value, 1, width, height, client_in(stream));
}
PER_THREAD_STREAM(cuMemsetD2D8Async,
                  (CUdeviceptr address, size_t pitch, unsigned char value, size_t width, size_t height,
                   CUstream stream),
                  (address, pitch, value, width, height, stream))

EXPORT CUresult cuMemsetD2D16Async(CUdeviceptr address, size_t pitch, unsigned short value, size_t width,
                                   size_t height, CUstream stream) {
  return fill(address, pitch, value, 2, width, height, client_in(stream));
}
PER_THREAD_STREAM(cuMemsetD2D16Async,
                  (CUdeviceptr address, size_t pitch, unsigned short value, size_t width, size_t height,
                   CUstream stream),
                  (address, pitch, value, width, height, stream))

EXPORT CUresult cuMemsetD2D32Async(CUdeviceptr address, size_t pitch, unsigned value, size_t width,
                                   size_t height, CUstream stream) {
  return fill(address, pitch, value, 4, width, height, client_in(stream));
}
PER_THREAD_STREAM(cuMemsetD2D32Async,
                  (CUdeviceptr address, size_t pitch, unsigned value, size_t width, size_t height,
                   CUstream stream),
                  (address, pitch, value, width, height, stream))
