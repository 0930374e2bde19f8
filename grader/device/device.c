// In: calls of device.h. Out: the same calls to the device that was opened. Also finds out which device this
// machine has.
#include "device/device.h"

#include "device/gpu-driver.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct device *device_open(enum device_kind kind, const struct device_options *options, char *error,
                           size_t error_size) {
  return kind == DEVICE_GPU ? device_open_gpu(options, error, error_size)
                            : device_open_virtual(options, error, error_size);
}

void device_close(struct device *device) {
  if (device) device->operations->close(device);
}

const char *device_error(const struct device *device) {
  return device->error;
}

int device_allocate(struct device *device, struct device_buffer *buffers, size_t count, uint64_t seed) {
  return device->operations->allocate(device, buffers, count, seed);
}

int device_write(struct device *device, const struct device_buffer *buffer, const void *source) {
  return device->operations->write(device, buffer, source);
}

int device_read(struct device *device, const struct device_buffer *buffer, void *destination) {
  return device->operations->read(device, buffer, destination);
}

bool device_holds(struct device *device, const struct device_buffer *buffer, const void *bytes) {
  return device->operations->holds && device->operations->holds(device, buffer, bytes);
}

void *device_memory(struct device *device, const struct device_buffer *buffer) {
  return device->operations->memory ? device->operations->memory(device, buffer) : NULL;
}

int device_check_guards(struct device *device, bool *intact, char *text, size_t size) {
  return device->operations->check_guards(device, intact, text, size);
}

struct device_offer device_offer(struct device *device) {
  return device->operations->offer(device);
}
void device_offer_taken(struct device *device) {
  device->operations->offer_taken(device);
}

int device_events_descriptor(const struct device *device, short *events) {
  return device->operations->events_descriptor(device, events);
}

int device_serve(struct device *device) {
  return device->operations->serve(device);
}
bool device_is_settled(const struct device *device) {
  return !device->operations->is_settled || device->operations->is_settled(device);
}
int device_settle(struct device *device) {
  return device->operations->settle ? device->operations->settle(device) : 0;
}
int device_resume(struct device *device) {
  return device->operations->resume ? device->operations->resume(device) : 0;
}
double device_worked(const struct device *device) {
  return device->operations->worked ? device->operations->worked(device) : 0;
}
bool device_is_broken(const struct device *device) {
  return device->operations->is_broken && device->operations->is_broken(device);
}
pid_t device_process(const struct device *device) {
  return device->operations->process ? device->operations->process(device) : 0;
}
struct fault_report *device_report(struct device *device) {
  return device->operations->report(device);
}
void device_clear_report(struct device *device) {
  device->operations->clear_report(device);
}
void device_set_order(struct device *device, uint64_t seed, bool first_late) {
  device->operations->set_order(device, seed, first_late);
}

void device_use_one_worker(struct device *device, bool one) {
  if (device->operations->use_one_worker) device->operations->use_one_worker(device, one);
}

void device_judge_no_more(struct device *device) {
  if (device->operations->judge_no_more) device->operations->judge_no_more(device);
}

void device_put_off(struct device *device, bool puts_off) {
  if (device->operations->put_off) device->operations->put_off(device, puts_off);
}

int device_predict(struct device *device, struct device_prediction *prediction) {
  return device->operations->predict ? device->operations->predict(device, prediction) : -1;
}

int device_free_memory(struct device *device, size_t *bytes) {
  return device->operations->free_memory(device, bytes);
}

// Reads a pipe to its end, or up to size - 1 characters.
static void read_all(int file, char *text, size_t size) {
  size_t length = 0;
  for (ssize_t got; length < size - 1 && (got = read(file, text + length, size - 1 - length)) != 0;) {
    if (got < 0 && errno != EINTR) break;
    if (got > 0) length += (size_t)got;
  }
  text[length] = '\0';
}

// A child process asks the driver, which must not be initialised before a fork. An empty answer means that
// the child died.
bool device_find_gpu(char *description, size_t size, struct gpu_list *gpus) {
  int answer[2], status = -1;
  char text[GPU_ANSWER] = "", *rest = text;
  if (gpus) gpus->count = 0;
  snprintf(description, size, "the CUDA driver could not be asked");
  if (pipe(answer) != 0) return false;
  pid_t pid = fork();
  if (pid == 0) {
    bool found = gpu_driver_describe(text, sizeof text);
    ssize_t written = write(answer[1], text, strlen(text));
    _exit(found && written >= 0 ? 0 : 1);
  }
  close(answer[1]);
  if (pid > 0) read_all(answer[0], text, sizeof text);
  close(answer[0]);
  while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  const char *line = strsep(&rest, "\n");
  if (!line[0]) return false;
  snprintf(description, size, "%s", line);
  if (status != 0) return false;
  while (gpus && gpus->count < MOST_GPUS && (line = strsep(&rest, "\n")) && line[0])
    snprintf(gpus->names[gpus->count++], GPU_NAME, "%.*s", GPU_NAME - 1, line);
  return true;
}
