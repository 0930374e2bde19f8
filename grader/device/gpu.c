// A real GPU as a device. The referee makes one piece of memory and shares it with the runner as a file
// descriptor, so that both see the same bytes under different addresses. Buffers lie in it, with guard bands
// between them.
#include "device/device.h"

#include "device/gpu-device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int gpu_fail(struct device *base, const char *what, CUresult result) {
  const char *name = "";
  gpu_own(base)->driver.error_name(result, &name);
  snprintf(base->error, sizeof base->error, "%s failed: %s", what, name ? name : "unknown error");
  return -1;
}

// A small copy from the host returns once it is staged; another process can rely on the bytes only after a
// synchronisation.
static CUresult to_device(struct gpu_device *device, CUdeviceptr destination, const void *source,
                          size_t bytes) {
  CUresult result = device->driver.to_device(destination, source, bytes);
  return result == CUDA_SUCCESS ? device->driver.synchronise() : result;
}

static void close_gpu(struct device *base) {
  struct gpu_device *device = gpu_own(base);
  const struct gpu_driver *driver = &device->driver;
  if (device->sampling) driver->destroy_stream(device->sampling);
  if (device->samples) driver->free_on_host(device->samples);
  if (device->notes) driver->free_memory(device->notes);
  if (device->module) driver->module_unload(device->module);
  if (device->address) {
    driver->unmap(device->address, device->bytes);
    driver->unreserve(device->address, device->bytes);
  }
  if (device->memory) driver->release(device->memory);
  if (device->descriptor >= 0) close(device->descriptor);
  gpu_driver_close(&device->driver);
  free(device);
}

// ---- guard bands ----

static uint32_t guard_word(uint64_t seed, uint64_t place) {
  uint64_t mixed = (seed ^ place) * 0x9e3779b97f4a7c15U;
  return (uint32_t)(mixed >> 32) | 1; // never zero, so that a cleared band is noticed
}

static int write_band(struct gpu_device *device, const struct gpu_band *band) {
  uint32_t words[GPU_GUARD_BYTES / 4 + 64];
  for (size_t i = 0; i < band->bytes / 4; i++)
    words[i] = guard_word(device->seed, band->place + i * 4);
  CUresult result = to_device(device, device->address + band->place, words, band->bytes);
  return result ? gpu_fail(&device->base, "writing a guard band", result) : 0;
}

// 1 if the band is intact, 0 if not, with a clause in text, -1 on failure.
static int check_band(struct gpu_device *device, const struct gpu_band *band, char *text, size_t size) {
  uint32_t words[GPU_GUARD_BYTES / 4 + 64];
  CUresult result = device->driver.to_host(words, device->address + band->place, band->bytes);
  if (result) return gpu_fail(&device->base, "reading a guard band", result);
  size_t count = band->bytes / 4, first = count, last = 0, changed = 0;
  for (size_t i = 0; i < count; i++) {
    if (words[i] == guard_word(device->seed, band->place + i * 4)) continue;
    if (first == count) first = i;
    last = i;
    changed++;
  }
  if (changed == 0) return 1;
  // Name the nearer buffer: the one that ends before the band, or the one that starts after it.
  if (band->after && (!band->before || first <= count - 1 - last)) {
    snprintf(text, size, "%zu bytes were written behind the end of `%s`, the first %zu bytes past it",
             changed * 4, band->after, first * 4);
  } else {
    snprintf(text, size, "%zu bytes were written in front of `%s`, the first %zu bytes before it",
             changed * 4, band->before, (count - first) * 4);
  }
  return 0;
}

static int check_guards(struct device *base, bool *intact, char *text, size_t size) {
  struct gpu_device *device = gpu_own(base);
  *intact = true;
  for (size_t i = 0; i < device->band_count && *intact; i++) {
    int result = check_band(device, &device->bands[i], text, size);
    if (result < 0) return -1;
    *intact = result == 1;
  }
  return 0;
}

// ---- buffers ----

static int allocate(struct device *base, struct device_buffer *buffers, size_t count, uint64_t seed) {
  struct gpu_device *device = gpu_own(base);
  uint64_t place = 0;
  device->seed = seed;
  device->band_count = 0;
  for (size_t i = 0; i <= count && i < GPU_MAX_BANDS; i++) {
    struct gpu_band *band = &device->bands[device->band_count++];
    // The band begins at the very end of the buffer before it, not at the next aligned address.
    uint64_t start = i ? buffers[i - 1].place + buffers[i - 1].bytes : 0;
    place = (start + GPU_GUARD_BYTES) / 256 * 256;
    *band = (struct gpu_band){start, place - start, i ? buffers[i - 1].name : NULL,
                              i < count ? buffers[i].name : NULL};
    if (place + (i < count ? buffers[i].bytes : 0) > device->bytes) {
      snprintf(base->error, sizeof base->error, "the case needs more than the %zu bytes that were set aside",
               device->bytes);
      return -1;
    }
    if (i < count) buffers[i].place = place;
    if (write_band(device, band) != 0) return -1;
  }
  return 0;
}

static int write_buffer(struct device *base, const struct device_buffer *buffer, const void *source) {
  struct gpu_device *device = gpu_own(base);
  CUresult result = to_device(device, device->address + buffer->place, source, buffer->bytes);
  return result ? gpu_fail(base, "writing a buffer", result) : 0;
}

static int read_buffer(struct device *base, const struct device_buffer *buffer, void *destination) {
  struct gpu_device *device = gpu_own(base);
  CUresult result = device->driver.to_host(destination, device->address + buffer->place, buffer->bytes);
  return result ? gpu_fail(base, "reading a buffer", result) : 0;
}

static struct device_offer offer(struct device *base) {
  return (struct device_offer){gpu_own(base)->descriptor, NULL, gpu_own(base)->bytes};
}

static int free_memory(struct device *base, size_t *bytes) {
  size_t total;
  CUresult result = gpu_own(base)->driver.memory_info(bytes, &total);
  return result ? gpu_fail(base, "asking for free memory", result) : 0;
}

// ---- what only the virtual device does: nothing here ----

static void offer_taken(struct device *base) {
  (void)base;
}
static int events_descriptor(const struct device *base, short *events) {
  (void)base;
  *events = 0;
  return -1;
}
static int serve(struct device *base) {
  (void)base;
  return 1;
}
static struct fault_report *report(struct device *base) {
  (void)base;
  return NULL;
}
static void clear_report(struct device *base) {
  (void)base;
}
static void set_order(struct device *base, uint64_t seed, bool first_late) {
  (void)base, (void)seed, (void)first_late;
}

static const struct device_operations operations = {
    .close = close_gpu,
    .allocate = allocate,
    .write = write_buffer,
    .read = read_buffer,
    .check_guards = check_guards,
    .offer = offer,
    .offer_taken = offer_taken,
    .events_descriptor = events_descriptor,
    .serve = serve,
    .report = report,
    .clear_report = clear_report,
    .set_order = set_order,
    .free_memory = free_memory,
};

// ---- opening ----

// The context stays when the device is closed, as the driver's library does: to make it anew for the next
// device of this process would take longer than most of what is done with it.
static int open_context(struct gpu_device *device) {
  const struct gpu_driver *driver = &device->driver;
  CUresult result = driver->device_get(&device->device, 0);
  if (!result) result = driver->primary_context(&device->context, device->device);
  if (!result) result = driver->set_context(device->context);
  return result ? gpu_fail(&device->base, "opening the GPU", result) : 0;
}

static int make_memory(struct gpu_device *device, size_t wanted) {
  const struct gpu_driver *driver = &device->driver;
  CUmemAllocationProp properties = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                    .requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
                                    .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = device->device}};
  CUmemAccessDesc access = {.location = properties.location, .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  size_t unit = 0;
  CUresult result = driver->granularity(&unit, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM);
  if (result) return gpu_fail(&device->base, "asking for the memory's granularity", result);
  device->bytes = (wanted + unit - 1) / unit * unit;
  result = driver->create(&device->memory, device->bytes, &properties, 0);
  if (result) return gpu_fail(&device->base, "making the shared memory", result);
  result =
      driver->export_handle(&device->descriptor, device->memory, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0);
  if (result) return gpu_fail(&device->base, "exporting the shared memory", result);
  result = driver->reserve(&device->address, device->bytes, 0, 0, 0);
  if (!result) result = driver->map(device->address, device->bytes, 0, device->memory, 0);
  if (!result) result = driver->set_access(device->address, device->bytes, &access, 1);
  return result ? gpu_fail(&device->base, "mapping the shared memory", result) : 0;
}

struct device *device_open_gpu(const struct device_options *options, char *error, size_t error_size) {
  struct gpu_device *device = calloc(1, sizeof *device);
  if (!device) {
    snprintf(error, error_size, "out of memory");
    return NULL;
  }
  device->base.operations = &operations;
  device->descriptor = -1;
  const char *reason = gpu_driver_open(&device->driver);
  size_t bytes = options->memory_bytes ? options->memory_bytes : (size_t)64 << 20;
  if (!reason && open_context(device) == 0 && make_memory(device, bytes) == 0) return &device->base;
  snprintf(error, error_size, "%s", reason ? reason : device->base.error);
  if (reason) {
    gpu_driver_close(&device->driver);
    free(device);
  } else {
    close_gpu(&device->base);
  }
  return NULL;
}
