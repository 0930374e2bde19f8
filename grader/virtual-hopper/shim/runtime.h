// Declarations for the files of the CUDA runtime's replacement: results, the state of each thread, the
// registry of kernels. Function signatures and error numbers are those of NVIDIA's header.
#ifndef VIRTUAL_HOPPER_SHIM_RUNTIME_H
#define VIRTUAL_HOPPER_SHIM_RUNTIME_H

#include <cuda_runtime_api.h>

#include "virtual-hopper/shim/client.h"

enum { RUNTIME_DEPTH = 16 };
struct runtime_configuration {
  dim3 grid, block;
  size_t shared;
  cudaStream_t stream;
};
struct runtime_thread {
  cudaError_t last_error;
  int depth; // configurations that are pushed and not yet popped
  struct runtime_configuration configurations[RUNTIME_DEPTH];
};

extern const int runtime_major; // 12 or 13: the library that contains this code (libcudart.so.12 or .13)

// runtime-error.c
struct runtime_thread *runtime_thread(void);
cudaError_t runtime_result(int status); // stores an error as the thread's last error; returns `status`
// The result of a call that uses the device: the device's sticky error, or else `status`.
cudaError_t runtime_used(int status);
// The result of a call that waits for the device. Like runtime_used; also prints the kernels' text.
cudaError_t runtime_waited(int status);
cudaError_t runtime_stream_used(cudaStream_t stream); // returns 0, or 400 when the stream does not exist

// runtime-registry.c
struct client_function *runtime_function(const void *host_function_or_handle); // NULL: not registered
struct runtime_variable {
  struct client_module *module;
  const char *name;
  size_t bytes;
};
bool runtime_variable(const void *host_variable, struct runtime_variable *variable);
void runtime_forget_device(void); // called after a reset: every module must be loaded again

// runtime-memory.c
int runtime_transfer(void *destination, size_t destination_pitch, const void *source, size_t source_pitch,
                     size_t width, size_t rows, enum cudaMemcpyKind kind);

// runtime-driver.c
void *runtime_driver_symbol(const char *name); // an address in libcuda.so.1; NULL: no such symbol

#endif
