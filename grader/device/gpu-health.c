// In: a GPU. Out: its state. The idea: NVML is opened by name at run time and closed again; whatever it lacks
// stays unknown.
#include "device/gpu-health.h"

#include "device/gpu-device.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// From NVML's documentation: nvmlClocksEventReasons.
enum {
  REASON_POWER_CAP = 0x4,
  REASON_HARDWARE = 0x8,
  REASON_SOFTWARE_THERMAL = 0x20,
  REASON_HARDWARE_THERMAL = 0x40,
  REASON_POWER_BRAKE = 0x80,
  REASONS_TO_NAME = REASON_HARDWARE | REASON_SOFTWARE_THERMAL | REASON_HARDWARE_THERMAL | REASON_POWER_BRAKE |
                    REASON_POWER_CAP,
  NVML_SENSOR_GPU = 0,
  MOST_USERS = 64,
  MOST_GENERATIONS = 64,
};

struct nvml_process { // nvmlProcessInfo_t, version 2
  unsigned pid;
  unsigned long long bytes;
  unsigned gpu_instance, compute_instance;
};

struct nvml {
  void *library;
  int (*init)(void);
  int (*shutdown)(void);
  int (*by_uuid)(const char *, void **);
  int (*reasons)(void *, unsigned long long *);
  int (*processes)(void *, unsigned *, struct nvml_process *);
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

static unsigned parent_in_proc(unsigned pid) {
  char path[40], text[400];
  unsigned parent = 0;
  snprintf(path, sizeof path, "/proc/%u/stat", pid);
  FILE *file = fopen(path, "r");
  if (!file) return 0;
  size_t length = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  text[length] = '\0';
  const char *name_end = strrchr(text, ')'); // the program's name before it may hold anything
  return name_end && sscanf(name_end + 1, " %*c %u", &parent) == 1 ? parent : 0;
}

static bool descends_from(unsigned pid, unsigned ancestor, unsigned (*parent_of)(unsigned)) {
  for (int i = 0; i < MOST_GENERATIONS && pid > 1; i++) {
    if (pid == ancestor) return true;
    pid = parent_of(pid);
  }
  return false;
}

unsigned gpu_health_others(const unsigned *users, unsigned count, unsigned self, unsigned expected,
                           unsigned (*parent_of)(unsigned)) {
  unsigned strangers = 0;
  bool known = false;
  for (unsigned i = 0; i < count; i++) {
    known |= users[i] == self;
    strangers += !descends_from(users[i], self, parent_of);
  }
  if (known) return strangers;
  return count > expected ? count - expected : 0;
}

static unsigned count_others(const struct nvml *nvml, void *handle, unsigned expected) {
  struct nvml_process processes[MOST_USERS];
  unsigned users[MOST_USERS], count = MOST_USERS;
  if (nvml->processes(handle, &count, processes) != 0 || count > MOST_USERS) return 0;
  for (unsigned i = 0; i < count; i++)
    users[i] = processes[i].pid;
  return gpu_health_others(users, count, (unsigned)getpid(), expected, parent_in_proc);
}

void gpu_health_read(struct device *base, unsigned expected, struct gpu_health *health) {
  struct gpu_device *device = gpu_own(base);
  struct nvml nvml = {0};
  CUuuid uuid;
  char name[GPU_NAME];
  void *handle = NULL;
  *health = (struct gpu_health){0};
  if (device->driver.device_uuid(&uuid, device->device) == CUDA_SUCCESS && open_nvml(&nvml)) {
    gpu_driver_name(&uuid, name);
    unsigned long long reasons = 0;
    if (nvml.by_uuid(name, &handle) == 0 && nvml.reasons(handle, &reasons) == 0) {
      health->known = true;
      health->others = count_others(&nvml, handle, expected);
      health->throttled = reasons & REASONS_TO_NAME;
      nvml.temperature(handle, NVML_SENSOR_GPU, &health->degrees);
    }
    nvml.shutdown();
  }
  if (nvml.library) dlclose(nvml.library);
}

void gpu_health_join(struct gpu_health *seen, const struct gpu_health *now) {
  seen->known |= now->known;
  seen->throttled |= now->throttled;
  if (now->others > seen->others) seen->others = now->others;
  if (now->degrees > seen->degrees) seen->degrees = now->degrees;
}

bool gpu_health_is_throttled(const struct gpu_health *health) {
  return health->throttled & (REASONS_TO_NAME & ~REASON_POWER_CAP);
}

bool gpu_health_at_power_limit(const struct gpu_health *health) {
  return health->throttled & REASON_POWER_CAP;
}

void gpu_health_describe(const struct gpu_health *health, char *text, size_t size) {
  text[0] = '\0';
  if (health->throttled & (REASON_SOFTWARE_THERMAL | REASON_HARDWARE_THERMAL)) {
    snprintf(text, size, "it is slowed down because it is too hot (%u degrees)", health->degrees);
  } else if (health->throttled & (REASON_HARDWARE | REASON_POWER_BRAKE)) {
    snprintf(text, size, "its hardware is slowing it down (power brake or a fault)");
  } else if (health->others > 0) {
    snprintf(text, size, "%u other program%s on it", health->others,
             health->others == 1 ? " computes" : "s compute");
  } else if (health->throttled & REASON_POWER_CAP) {
    snprintf(text, size, "it runs at its power limit");
  }
}
