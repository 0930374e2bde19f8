// In: a file with the referee's own kernels, and their arguments. Out: their work on the shared memory, from
// the referee's process. The idea: only gpu_synchronise and the readers wait, so that a batch can be timed
// from its first start to one synchronisation.
#include "device/gpu-trusted.h"

#include "device/gpu-device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Of a Hopper's processor: a product of 64 x 256 x 16 takes 128 cycles.
enum { OPERATIONS_A_CYCLE = 4096 };

static void *read_file(const char *path, size_t *bytes) {
  FILE *file = fopen(path, "rb");
  if (!file) return NULL;
  char *text = NULL;
  long length = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
  if (length > 0 && fseek(file, 0, SEEK_SET) == 0) text = malloc((size_t)length + 1);
  if (text && fread(text, 1, (size_t)length, file) != (size_t)length) {
    free(text);
    text = NULL;
  }
  fclose(file);
  *bytes = length > 0 ? (size_t)length : 0;
  return text;
}

int gpu_trusted_load(struct device *base, const char *path) {
  struct gpu_device *device = gpu_own(base);
  size_t bytes;
  void *image = read_file(path, &bytes);
  if (!image) {
    snprintf(base->error, sizeof base->error, "%.150s cannot be read: make grader-parts builds it", path);
    return -1;
  }
  CUresult result = device->driver.module_load(&device->module, image);
  free(image);
  if (result) return gpu_fail(base, "loading the referee's kernels", result);
  result = device->driver.allocate(&device->notes, GPU_NOTES_BYTES);
  return result ? gpu_fail(base, "making memory for notes", result) : 0;
}

uint64_t gpu_address(const struct device *base, uint64_t place) {
  return ((const struct gpu_device *)base)->address + place;
}

uint64_t gpu_notes(const struct device *base) {
  return ((const struct gpu_device *)base)->notes;
}

int gpu_start(struct device *base, const char *kernel, const uint32_t grid[2], void *const *arguments) {
  const struct gpu_shape shape = {.grid = {grid[0], grid[1]}, .threads = 256};
  return gpu_start_shaped(base, kernel, &shape, arguments);
}

int gpu_start_shaped(struct device *base, const char *kernel, const struct gpu_shape *shape,
                     void *const *arguments) {
  struct gpu_device *device = gpu_own(base);
  CUfunction function;
  void *copy[GPU_MAX_ARGUMENTS] = {0};
  for (int i = 0; i < GPU_MAX_ARGUMENTS && arguments[i]; i++)
    copy[i] = arguments[i];
  CUresult result = device->driver.get_function(&function, device->module, kernel);
  if (result == CUDA_SUCCESS && shape->shared_bytes > 0)
    result = device->driver.set_attribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                          (int)shape->shared_bytes);
  if (result == CUDA_SUCCESS)
    result = device->driver.launch(function, shape->grid[0], shape->grid[1], 1, shape->threads, 1, 1,
                                   shape->shared_bytes, NULL, copy, NULL);
  return result ? gpu_fail(base, kernel, result) : 0;
}

int gpu_map_bf16(struct device *base, const struct gpu_matrix *matrix, struct gpu_map *map) {
  _Static_assert(sizeof *map == sizeof(CUtensorMap), "a map has 128 bytes");
  const cuuint64_t sizes[] = {matrix->columns, matrix->rows}, strides[] = {matrix->columns * 2};
  const cuuint32_t box[] = {matrix->box_columns, matrix->box_rows}, steps[] = {1, 1};
  CUtensorMap encoded;
  CUresult result = gpu_own(base)->driver.encode_tiled(
      &encoded, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, (void *)(uintptr_t)matrix->address, sizes, strides, box,
      steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  memcpy(map, &encoded, sizeof *map);
  return result ? gpu_fail(base, "encoding a tensor map", result) : 0;
}

int gpu_start_copy(struct device *base, uint64_t to, uint64_t from, size_t bytes) {
  struct gpu_device *device = gpu_own(base);
  CUresult result = device->driver.copy(device->address + to, device->address + from, bytes, NULL);
  return result ? gpu_fail(base, "the trusted copy", result) : 0;
}

int gpu_synchronise(struct device *base) {
  CUresult result = gpu_own(base)->driver.synchronise();
  return result ? gpu_fail(base, "the referee's own work", result) : 0;
}

int gpu_forget_kept_lines(struct device *base) {
  CUresult result = gpu_own(base)->driver.reset_persisting();
  // Not every device can keep lines, so this is no failure.
  return result && result != CUDA_ERROR_NOT_SUPPORTED ? gpu_fail(base, "resetting the L2 cache", result) : 0;
}

// Page-locked memory, since a copy to other memory is staged, and so slower to begin.
static CUresult prepare_samples(struct gpu_device *device) {
  const struct gpu_driver *driver = &device->driver;
  void *memory = NULL;
  CUresult result =
      device->sampling ? CUDA_SUCCESS : driver->make_stream(&device->sampling, CU_STREAM_NON_BLOCKING);
  if (result || device->samples) return result;
  result = driver->allocate_on_host(&memory, GPU_MOST_SAMPLES * sizeof *device->samples);
  device->samples = memory;
  return result;
}

static CUresult start_samples(struct gpu_device *device, const struct gpu_samples *set, size_t first) {
  const size_t word = sizeof *device->samples;
  const CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                              .srcDevice = device->address + set->place,
                              .srcPitch = set->stride,
                              .dstMemoryType = CU_MEMORYTYPE_HOST,
                              .dstHost = device->samples + first,
                              .dstPitch = word,
                              .WidthInBytes = word,
                              .Height = set->count};
  return device->driver.rows_to_host(&copy, device->sampling);
}

static CUresult start_all_samples(struct gpu_device *device, const struct gpu_samples *sets, size_t set_count,
                                  size_t *count) {
  CUresult result = prepare_samples(device);
  *count = 0;
  for (size_t i = 0; i < set_count && !result; *count += sets[i++].count)
    result = *count + sets[i].count <= GPU_MOST_SAMPLES ? start_samples(device, &sets[i], *count)
                                                        : CUDA_ERROR_INVALID_VALUE;
  return result;
}

int gpu_read_samples(struct device *base, const struct gpu_samples *sets, size_t set_count, uint32_t *words) {
  struct gpu_device *device = gpu_own(base);
  size_t count;
  CUresult result = start_all_samples(device, sets, set_count, &count);
  if (!result) result = device->driver.await_stream(device->sampling);
  if (result) return gpu_fail(base, "reading samples", result);
  memcpy(words, device->samples, count * sizeof *words);
  return 0;
}

void gpu_keep_sampling(struct device *base, const struct gpu_samples *sets, size_t set_count) {
  struct gpu_device *device = gpu_own(base);
  size_t count;
  if (device->sampling && device->driver.ask_stream(device->sampling) == CUDA_SUCCESS)
    start_all_samples(device, sets, set_count, &count);
}

int gpu_write_notes(struct device *base, size_t offset, const void *source, size_t bytes) {
  struct gpu_device *device = gpu_own(base);
  CUresult result = device->driver.to_device(device->notes + offset, source, bytes);
  return result ? gpu_fail(base, "writing notes", result) : 0;
}

int gpu_read_notes(struct device *base, size_t offset, void *destination, size_t bytes) {
  struct gpu_device *device = gpu_own(base);
  CUresult result = device->driver.to_host(destination, device->notes + offset, bytes);
  return result ? gpu_fail(base, "reading notes", result) : 0;
}

void gpu_facts(struct device *base, struct gpu_facts *facts) {
  const struct gpu_device *device = gpu_own(base);
  int processors = 0, kilohertz = 0, bits = 0, cycles = 0;
  const struct gpu_driver *driver = &device->driver;
  driver->device_attribute(&processors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device->device);
  driver->device_attribute(&kilohertz, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, device->device);
  driver->device_attribute(&bits, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, device->device);
  driver->device_attribute(&cycles, CU_DEVICE_ATTRIBUTE_CLOCK_RATE, device->device);
  size_t persisting = 0;
  driver->get_limit(&persisting, CU_LIMIT_PERSISTING_L2_CACHE_SIZE);
  facts->persisting = persisting;
  facts->processors = (unsigned)processors;
  facts->peak_operations = 1e3 * cycles * processors * OPERATIONS_A_CYCLE;
  facts->peak = 2e3 * kilohertz * bits / 8; // two transfers a clock
}
