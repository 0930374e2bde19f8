// The referee's own work on a GPU: its kernels and copies. Only for a device opened as DEVICE_GPU. Functions
// return 0, or -1 with the reason in device_error(). Places are those of device buffers; notes are memory
// that no runner can see.
#ifndef DEVICE_GPU_TRUSTED_H
#define DEVICE_GPU_TRUSTED_H

#include "device/device.h"

enum { GPU_NOTES_BYTES = 1 << 20, GPU_MAX_ARGUMENTS = 5, GPU_MOST_SAMPLES = 2048 };

struct gpu_facts {
  unsigned processors;
  double peak;            // bytes per second of its memory; 0: unknown
  double peak_operations; // a second of its tensor cores, bf16 with sums in float; 0: unknown
  uint64_t persisting;    // bytes of L2 that a new context sets aside for accesses that persist
};

// `count` words, `stride` bytes from each other.
struct gpu_samples {
  uint64_t place;
  size_t stride, count;
};

// Loads the trusted kernels from a file.
int gpu_trusted_load(struct device *base, const char *path);
uint64_t gpu_address(const struct device *base, uint64_t place);
uint64_t gpu_notes(const struct device *base);

// Starts a kernel of 256 threads a block; the arguments are pointers to its parameters, NULL at the end. Does
// not wait.
int gpu_start(struct device *base, const char *kernel, const uint32_t grid[2], void *const *arguments);

struct gpu_shape {
  uint32_t grid[2], threads, shared_bytes; // shared: of dynamic shared memory
};
// The same for blocks of any shape.
int gpu_start_shaped(struct device *base, const char *kernel, const struct gpu_shape *shape,
                     void *const *arguments);

// A matrix of bf16 without gaps, and the box of its tensor map; a box's row has 128 bytes at most.
struct gpu_matrix {
  uint64_t address;
  size_t rows, columns;
  uint32_t box_rows, box_columns;
};
// A CUtensorMap.
struct gpu_map {
  _Alignas(64) unsigned char bytes[128];
};
// Encodes the matrix's map, with a swizzle of 128 bytes.
int gpu_map_bf16(struct device *base, const struct gpu_matrix *matrix, struct gpu_map *map);

int gpu_start_copy(struct device *base, uint64_t to, uint64_t from, size_t bytes);
int gpu_synchronise(struct device *base);
// Resets all cache lines that kernels have asked the L2 cache to keep, so that no kernel finds what another
// has left there.
int gpu_forget_kept_lines(struct device *base);
// Reads words from all over some memory, one set after the other, by copies that wait for no kernel of this
// process or another. `words` gets those of all sets, at most GPU_MOST_SAMPLES.
int gpu_read_samples(struct device *base, const struct gpu_samples *sets, size_t set_count, uint32_t *words);
// Begins to read samples whenever the last ones have come, and drops them: so the copy engine is awake, and
// gpu_read_samples reads at once. Failures show there.
void gpu_keep_sampling(struct device *base, const struct gpu_samples *sets, size_t set_count);
int gpu_write_notes(struct device *base, size_t offset, const void *source, size_t bytes);
int gpu_read_notes(struct device *base, size_t offset, void *destination, size_t bytes);
void gpu_facts(struct device *base, struct gpu_facts *facts);

#endif
