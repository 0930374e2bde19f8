// Shared by the files of the CUDA runtime's replacement: results, the thread's own state, the registry of kernels.
// Signatures come from NVIDIA's header; errors are its numbers.
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
  int depth; // of configurations pushed and not yet popped
  struct runtime_configuration configurations[RUNTIME_DEPTH];
};

extern const int runtime_major; // 12 or 13: which library this was linked into

// runtime-error.c
struct runtime_thread *runtime_thread(void);
cudaError_t runtime_result(int status); // remembers an error as the thread's last one; returns it
cudaError_t runtime_used(int status);   // of a call that uses the device: its own error goes before all
cudaError_t runtime_waited(
    int status); // of a call that waits for the device: also prints what kernels printed
cudaError_t runtime_stream_used(cudaStream_t stream); // 0, or 400 when there is no such stream

// runtime-registry.c
struct client_function *runtime_function(const void *host_function_or_handle); // NULL: not registered
struct runtime_variable {
  struct client_module *module;
  const char *name;
  size_t bytes;
};
bool runtime_variable(const void *host_variable, struct runtime_variable *variable);
void runtime_forget_device(void); // after a reset: every module is to be loaded anew

// runtime-memory.c
int runtime_transfer(void *destination, size_t destination_pitch, const void *source, size_t source_pitch,
                     size_t width, size_t rows, enum cudaMemcpyKind kind);

// runtime-driver.c
void *runtime_driver_symbol(const char *name); // in libcuda.so.1; NULL: it has none

#endif
