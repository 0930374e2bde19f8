// The process behind the walls, as a loop: main() turns it, and so does a fuzzer.
#ifndef DEVICE_WALLED_DEVICE_H
#define DEVICE_WALLED_DEVICE_H

#include "device/walled.h"

#include <stdbool.h>

struct walled_ends {
  int runner, control, shared;
  bool enclosed; // there are walls already, or none are wanted
};

struct walled_device;

// The caller keeps the descriptors. A failure ends the process.
struct walled_device *walled_device_create(const struct walled_ends *ends);
// Waits for one event, and deals with it: a request of the referee's, bytes of the runner's, or that of a
// message for which the referee waits nothing more comes. False: the referee has gone, or the walls can't be
// made.
bool walled_device_turn(struct walled_device *walled);
void walled_device_destroy(struct walled_device *walled);

#endif
