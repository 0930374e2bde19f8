// Bandwidth without a GPU: one launch on the virtual Hopper that keeps time.
#ifndef REFEREE_PREDICTION_H
#define REFEREE_PREDICTION_H

#include "referee/grading.h"

struct prediction {
  double ratio; // the yardstick's time / the kernel's, on arrays of the size that a GPU would get
  struct device_prediction on_device;
};

// False: the launch did not end well, or its result is wrong; nothing is known.
bool prediction_make(const struct task *task, struct prediction *prediction);
// The stage's verdict, by what lab.cfg wants of it.
void prediction_stage(struct task *task);

#endif
