// In: a GPU. Out: its state. The idea: NVML is opened by name at run time and closed again; whatever is missing is simply not known.
#include "device/gpu-health.h"

#include "device/gpu-device.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

// From NVML's documentation: nvmlClocksEventReasons.
enum {
  REASON_POWER_CAP = 0x4,
  REASON_HARDWARE = 0x8,
  REASON_SOFTWARE_THERMAL = 0x20,
  REASON_HARDWARE_THERMAL = 0x40,
  REASON_POWER_BRAKE = 0x80,
  NVML_SENSOR_GPU = 0,
  NVML_INSUFFICIENT_SIZE = 7,
};

struct nvml {
  void *library;
  int (*init)(void);
  int (*shutdown)(void);
  int (*by_uuid)(const char *, void **);
  int (*reasons)(void *, unsigned long long *);
  int (*processes)(void *, unsigned *, void *);
  int (*temperature)(void *, int, unsigned *);
};

static bool find(const struct nvml *nvml, const char *name, void *call) {
  void *symbol = dlsym(nvml->library, name);
  memcpy(call, &symbol, sizeof symbol);
  return symbol != NULL;
}

static bool open_nvml(struct nvml *nvml) {
  nvml->library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  return nvml->library && find(nvml, "nvmlInit_v2", &nvml->init) &&
         find(nvml, "nvmlShutdown", &nvml->shutdown) &&
         find(nvml, "nvmlDeviceGetHandleByUUID", &nvml->by_uuid) &&
         find(nvml, "nvmlDeviceGetCurrentClocksThrottleReasons", &nvml->reasons) &&
         find(nvml, "nvmlDeviceGetComputeRunningProcesses_v3", &nvml->processes) &&
         find(nvml, "nvmlDeviceGetTemperature", &nvml->temperature) && nvml->init() == 0;
}

// "GPU-01234567-89ab-..."
static void name_uuid(const CUuuid *uuid, char *text, size_t size) {
  size_t length = (size_t)snprintf(text, size, "GPU-");
  for (unsigned i = 0; i < sizeof uuid->bytes && length + 4 < size; i++)
    length += (size_t)snprintf(text + length, size - length, "%s%02x",
                               i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
                               (unsigned)(unsigned char)uuid->bytes[i]);
}

void gpu_health_read(struct device *base, struct gpu_health *health) {
  struct gpu_device *device = gpu_own(base);
  struct nvml nvml = {0};
  CUuuid uuid;
  char name[48];
  void *handle = NULL;
  *health = (struct gpu_health){0};
  if (device->driver.device_uuid(&uuid, device->device) == CUDA_SUCCESS && open_nvml(&nvml)) {
    name_uuid(&uuid, name, sizeof name);
    unsigned count = 0;
    unsigned long long reasons = 0;
    if (nvml.by_uuid(name, &handle) == 0 && nvml.reasons(handle, &reasons) == 0) {
      int status = nvml.processes(handle, &count, NULL); // with no room for them it only counts
      health->known = true;
      health->processes = status == 0 || status == NVML_INSUFFICIENT_SIZE ? count : 0;
      health->throttled = reasons & (REASON_HARDWARE | REASON_SOFTWARE_THERMAL | REASON_HARDWARE_THERMAL |
                                     REASON_POWER_BRAKE | REASON_POWER_CAP);
      nvml.temperature(handle, NVML_SENSOR_GPU, &health->degrees);
    }
    nvml.shutdown();
  }
  if (nvml.library) dlclose(nvml.library);
}

void gpu_health_describe(const struct gpu_health *health, unsigned expected_processes, char *text,
                         size_t size) {
  text[0] = '\0';
  if (!health->known) return;
  if (health->throttled & (REASON_SOFTWARE_THERMAL | REASON_HARDWARE_THERMAL)) {
    snprintf(text, size, "it is slowed down because it is too hot (%u degrees)", health->degrees);
  } else if (health->throttled & (REASON_HARDWARE | REASON_POWER_BRAKE)) {
    snprintf(text, size, "its hardware is slowing it down (power brake or a fault)");
  } else if (health->processes > expected_processes) {
    unsigned others = health->processes - expected_processes;
    snprintf(text, size, "%u other program%s on it", others, others == 1 ? " computes" : "s compute");
  } else if (health->throttled & REASON_POWER_CAP) {
    snprintf(text, size, "it runs at its power limit");
  }
}
