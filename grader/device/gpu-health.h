// Who else uses the GPU, and what holds it back, as NVML tells it. A machine without NVML is no failure: nothing is known then.
#ifndef DEVICE_GPU_HEALTH_H
#define DEVICE_GPU_HEALTH_H

#include "device/device.h"

struct gpu_health {
  bool known;
  unsigned long long throttled; // NVML's reasons for reduced clocks that are not of the user's making
  unsigned processes;           // that compute on it, ours included where NVML can see them
  unsigned degrees;             // Celsius
};

void gpu_health_read(struct device *base, struct gpu_health *health);
// A clause such as "it is slowed down because it is too hot", "another program computes on it"; "" if nothing is wrong.
// `expected_processes`: how many of its users are ours.
void gpu_health_describe(const struct gpu_health *health, unsigned expected_processes, char *text,
                         size_t size);

#endif
