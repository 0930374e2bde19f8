// The units of speed. In: an exercise. Out: its unit.
#include "referee/speed.h"

static const struct speed_unit units[] = {
    [TRAFFIC_COPY] = {"bandwidth", "GB/s", 1e9, "a plain copy"},
    [TRAFFIC_READ] = {"bandwidth", "GB/s", 1e9, "a plain read"},
    [TRAFFIC_PRODUCT] = {"tflops", "TFLOP/s", 1e12, "our product"},
};

const struct speed_unit *speed_unit_of(const struct exercise *exercise) {
  return &units[exercise->traffic];
}

double speed_work(const struct exercise_instance *instance) {
  return instance->exercise->traffic == TRAFFIC_PRODUCT ? 2.0 * (double)instance->products
                                                        : (double)instance->bytes_moved;
}
