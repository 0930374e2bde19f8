// The referee's own work on a GPU: its kernels and copies. Only for a device opened as DEVICE_GPU. Functions
// return 0, or -1 with the reason in device_error(). Places are those of device buffers; notes are memory
// that no runner can see.
#ifndef DEVICE_GPU_TRUSTED_H
#define DEVICE_GPU_TRUSTED_H

#include "device/device.h"

enum { GPU_NOTES_BYTES = 1 << 20, GPU_MAX_ARGUMENTS = 5 };

struct gpu_facts {
  unsigned processors;
  double peak;         // bytes per second of its memory; 0: unknown
  uint64_t persisting; // bytes of L2 that a new context sets aside for accesses that persist
};

// Loads the trusted kernels from a file.
int gpu_trusted_load(struct device *base, const char *path);
uint64_t gpu_address(const struct device *base, uint64_t place);
uint64_t gpu_notes(const struct device *base);

// Starts a kernel of 256 threads a block; the arguments are pointers to its parameters, NULL at the end. Does
// not wait.
int gpu_start(struct device *base, const char *kernel, const uint32_t grid[2], void *const *arguments);
int gpu_start_copy(struct device *base, uint64_t to, uint64_t from, size_t bytes);
int gpu_synchronise(struct device *base);
// Resets all cache lines that kernels have asked the L2 cache to keep, so that no kernel finds what another
// has left there.
int gpu_forget_kept_lines(struct device *base);
// Reads `count` words, `stride` bytes from each other, by one copy, which waits for no kernel of this process
// or another.
int gpu_read_samples(struct device *base, uint64_t place, size_t stride, size_t count, uint32_t *words);
int gpu_write_notes(struct device *base, size_t offset, const void *source, size_t bytes);
int gpu_read_notes(struct device *base, size_t offset, void *destination, size_t bytes);
void gpu_facts(struct device *base, struct gpu_facts *facts);

#endif
