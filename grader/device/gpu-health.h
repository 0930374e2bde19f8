// Who else uses the GPU and what slows it down, according to NVML. Without NVML nothing is known, which is no
// failure.
#ifndef DEVICE_GPU_HEALTH_H
#define DEVICE_GPU_HEALTH_H

#include "device/device.h"

struct gpu_health {
  bool known;
  unsigned long long throttled; // NVML's reasons for reduced clocks, but for those that a user sets
  unsigned others;              // programs that compute on it, besides this process and its descendants
  unsigned degrees;             // Celsius
};

// `expected`: how many of the GPU's users are ours; needed in a container, where NVML's process numbers mean
// nothing to us.
void gpu_health_read(struct device *base, unsigned expected, struct gpu_health *health);
// Adds to `seen` what `now` has found.
void gpu_health_join(struct gpu_health *seen, const struct gpu_health *now);
// Whether heat, a fault or the power supply reduced its clocks. The usual power limit doesn't count.
bool gpu_health_is_throttled(const struct gpu_health *health);
// Whether its clocks are as low as its power limit wants them, which a product alone brings about.
bool gpu_health_at_power_limit(const struct gpu_health *health);
// A clause such as "it is slowed down because it is too hot", "2 other programs compute on it"; "" if nothing
// is wrong.
void gpu_health_describe(const struct gpu_health *health, char *text, size_t size);
// How many of the users are neither `self` nor its descendants. `parent_of` gives a process's parent, 0 if
// unknown. If `self` isn't among the users, their numbers belong to another namespace; then the result is how
// many users there are beyond `expected`.
unsigned gpu_health_others(const unsigned *users, unsigned count, unsigned self, unsigned expected,
                           unsigned (*parent_of)(unsigned));

#endif
