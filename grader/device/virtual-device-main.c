// build/bin/virtual-device: the process that runs the virtual Hopper. In: the descriptors that walled.h
// names. One idea: the process encloses itself before it reads the first untrusted byte, and it holds no
// secret from the untrusted program.
#include "device/walled-device.h"

#include "virtual-hopper/base/arena.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

int main(void) {
  if (close_range(WALLED_SHARED + 1, ~0U, 0) != 0) die("close_range: %s", strerror(errno));
  struct walled_device *walled = walled_device_create(
      &(struct walled_ends){.runner = WALLED_RUNNER, .control = WALLED_CONTROL, .shared = WALLED_SHARED});
  while (walled_device_turn(walled)) {
  }
  _exit(0);
}
