// Who else uses the GPU, and what holds it back, as NVML tells it. A machine without NVML is no failure: nothing is known then.
#ifndef DEVICE_GPU_HEALTH_H
#define DEVICE_GPU_HEALTH_H

#include "device/device.h"

struct gpu_health {
  bool known;
  unsigned long long throttled; // NVML's reasons for reduced clocks that are not of the user's making
  unsigned others;              // programs that compute on it and aren't this process nor started by it
  unsigned degrees;             // Celsius
};

// `expected`: how many of its users are ours, for where their numbers mean nothing to us (in a container).
void gpu_health_read(struct device *base, unsigned expected, struct gpu_health *health);
// What was seen at either time.
void gpu_health_join(struct gpu_health *seen, const struct gpu_health *now);
// Whether heat, a fault or the power supply held its clocks back. Its usual limit of power doesn't count.
bool gpu_health_is_throttled(const struct gpu_health *health);
// A clause such as "it is slowed down because it is too hot", "2 other programs compute on it"; "" if nothing is wrong.
void gpu_health_describe(const struct gpu_health *health, char *text, size_t size);
// Of `count` users, how many are neither `self` nor descend from it, by `parent_of`, which gives 0 for the unknown. If `self` isn't
// among them, their numbers are another namespace's: then those beyond `expected`.
unsigned gpu_health_others(const unsigned *users, unsigned count, unsigned self, unsigned expected,
                           unsigned (*parent_of)(unsigned));

#endif
