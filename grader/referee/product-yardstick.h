// The referee's own matrix product on a GPU. In: a case of an exercise that is a product, and where its
// matrices lie. Out: its trusted kernels, started. The factors lie one behind the other: m rows of k, n rows
// of k.
#ifndef REFEREE_PRODUCT_YARDSTICK_H
#define REFEREE_PRODUCT_YARDSTICK_H

#include "device/gpu-trusted.h"
#include "exercises/exercise.h"

// Addresses on the device. Both functions return 0, or -1 with the reason in device_error().
struct product_place {
  uint64_t factors, result;
};

// Computes the result. Does not wait.
int product_start(struct device *device, const struct exercise_instance *instance,
                  const struct product_place *place);
// Computes it once more and counts in the struct trusted_finding at `finding` where the result is wrong.
int product_start_compare(struct device *device, const struct exercise_instance *instance,
                          const struct product_place *place, uint64_t finding);

#endif
