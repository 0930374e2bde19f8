// Declarations for the files of the CUDA runtime's replacement: results, the state of each thread, the
// registry of kernels. Function signatures and error numbers are those of NVIDIA's header.
#ifndef VIRTUAL_HOPPER_SHIM_RUNTIME_H
#define VIRTUAL_HOPPER_SHIM_RUNTIME_H

#include <cuda_runtime_api.h>

#include "virtual-hopper/shim/client.h"

#define PER_THREAD_STREAM(name, parameters, arguments) \
  PER_THREAD_ENTRY(cudaError_t, name, name##_ptsz, parameters, arguments)
#define PER_THREAD_DEFAULT(name, parameters, arguments) \
  PER_THREAD_ENTRY(cudaError_t, name, name##_ptds, parameters, arguments)

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
// Stores an error as the thread's last error; returns `status`. function: of the runtime, that returns it.
cudaError_t runtime_result_of(int status, const char *function);
#define RUNTIME_LAUNCH         "launch_function" // runtime-launch.c: all launches go through it
#define runtime_result(status) runtime_result_of(status, __func__)
// The result of a call that uses the device: the device's sticky error, or else `status`.
cudaError_t runtime_used_by(int status, const char *function);
#define runtime_used(status) runtime_used_by(status, __func__)
// The result of a call that waits for the device. Like runtime_used; also prints the kernels' text.
cudaError_t runtime_waited_by(int status, const char *function);
#define runtime_waited(status) runtime_waited_by(status, __func__)
cudaError_t runtime_stream_used(cudaStream_t stream); // returns 0, or 400 when the stream does not exist

// runtime-registry.c
struct client_function *runtime_function(const void *host_function_or_handle); // NULL: not registered
// The host's side of the module's __managed__ variables, before a kernel that may wait for it.
void runtime_map_managed(const struct client_module *module);
struct runtime_variable {
  struct client_module *module;
  const char *name;
  size_t bytes;
};
// A kernel that was found in a library is a kernel like any other, until the library is unloaded.
void runtime_add_kernel(struct client_function *function, const void *library);
void runtime_drop_library(const void *library);
bool runtime_variable(const void *host_variable, struct runtime_variable *variable);
void runtime_forget_device(void); // called after a reset: every module must be loaded again

// runtime-array.c. As for client_transfer; `box` is only filled.
int runtime_box_3d(const struct cudaMemcpy3DParms *parameters, struct client_box *box);
// runtime-batch.c: as cudaMemcpy3DBatchAsync of CUDA 13
cudaError_t runtime_batch_3d(size_t count, const struct cudaMemcpy3DBatchOp *operations,
                             unsigned long long flags, cudaStream_t stream);
// runtime-copy.c. Also the box of a copy to or from a part of a variable.
int runtime_box_symbol(struct client_box *box, const void *symbol, size_t offset, bool to_symbol);

// runtime-memory.c. in: the stream, and whether the host waits (client.h)
int runtime_transfer(void *destination, size_t destination_pitch, const void *source, size_t source_pitch,
                     size_t width, size_t rows, enum cudaMemcpyKind kind, uint32_t in);

// runtime-capture.c, runtime-graph.c, runtime-graph-node.c: what CUDA 12 has under other names
cudaError_t runtime_capture_info(cudaStream_t stream, enum cudaStreamCaptureStatus *capture,
                                 unsigned long long *identifier, cudaGraph_t *graph,
                                 const cudaGraphNode_t **tips, size_t *count);
cudaError_t runtime_capture_tips(cudaStream_t stream, cudaGraphNode_t *tips, size_t count, unsigned flags);
cudaError_t runtime_edges_change(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                 size_t count, bool more);
cudaError_t runtime_graph_edges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                                cudaGraphEdgeData *edges, size_t *count);
cudaError_t runtime_node_before(cudaGraphNode_t node, cudaGraphNode_t *nodes, cudaGraphEdgeData *edges,
                                size_t *count);
cudaError_t runtime_node_behind(cudaGraphNode_t node, cudaGraphNode_t *nodes, cudaGraphEdgeData *edges,
                                size_t *count);
cudaError_t runtime_add_node(cudaGraphNode_t *made, cudaGraph_t graph, const cudaGraphNode_t *after,
                             size_t count, struct cudaGraphNodeParams *parameters);

// runtime-driver.c
void *runtime_driver_symbol(const char *name); // an address in libcuda.so.1; NULL: no such symbol

#endif
