// One device with memory that the referee owns and a runner may use: a real GPU or the virtual Hopper.
// The referee allocates, fills, reads back and judges; the runner is only told where the buffers are.
// Functions that can fail return 0, or -1 with the reason in device_error(): the referee's trouble, never the student's,
// but for reading and writing a buffer that the runner may have freed (DEVICE_GONE).
#ifndef DEVICE_DEVICE_H
#define DEVICE_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fault_report;

enum device_kind { DEVICE_VIRTUAL, DEVICE_GPU };
enum { DEVICE_GONE = -2, DEVICE_TEXT = 240 };

struct device_options {
  unsigned workers;       // virtual: threads a launch may use; 0: one per core
  uint64_t seed;          // virtual: order of warps, blocks and late effects
  bool check;             // virtual: judge happens-before and proxies
  double launch_deadline; // virtual: seconds of wall clock per launch
  size_t memory_bytes;    // gpu: all buffers of a case and their guards must fit; 0: 64 MiB
};

struct device_buffer {
  const char *name;
  size_t bytes;
  uint64_t place; // what the runner is told: an address (virtual), an offset into the shared memory (gpu)
};

struct device;

enum { GPU_NAME = 48, MOST_GPUS = 64 };

struct gpu_list {
  char names[MOST_GPUS][GPU_NAME]; // as CUDA_VISIBLE_DEVICES takes them: "GPU-01234567-89ab-.."
  size_t count;
};

// What runs here, and why: auto takes a GPU of compute capability 9.0 or more, else the virtual Hopper. `description` gets the
// name of the first that is visible, or the reason why there is none; `gpus`, if not NULL, all that are of the same model, it first.
// Safe before fork: a child asks the driver.
bool device_find_gpu(char *description, size_t size, struct gpu_list *gpus);

struct device *device_open(enum device_kind kind, const struct device_options *options, char *error,
                           size_t error_size);
void device_close(struct device *device);
const char *device_error(const struct device *device);

// Makes `count` buffers, replacing those of the case before. Sizes and names are read from `buffers`, places written.
// Around each lies memory that belongs to nobody: gaps that fault (virtual) or guard bands with a pattern (gpu).
int device_allocate(struct device *device, struct device_buffer *buffers, size_t count, uint64_t seed);
int device_write(struct device *device, const struct device_buffer *buffer, const void *source);
int device_read(struct device *device, const struct device_buffer *buffer, void *destination);
// Whether all guard bands hold their pattern; if not, *intact is false and `text` says where it was written, as a clause.
int device_check_guards(struct device *device, bool *intact, char *text, size_t size);

// What a runner is given to reach the device. `descriptor` stays the device's own. in_environment: the runner's
// environment gets this "NAME=value" with the descriptor inherited as RUNNER_DEVICE; NULL: the descriptor is sent with
// RUNNER_ATTACH, with `bytes`.
struct device_offer {
  int descriptor;
  const char *in_environment;
  uint64_t bytes;
};
struct device_offer device_offer(struct device *device);
// Called once the runner has been started with the offer.
void device_offer_taken(struct device *device);

// The runner's side of the conversation, to be polled next to the control socket; -1: nothing to poll.
int device_events_descriptor(const struct device *device, short *events);
// Handles one request of the runner's. 1: go on, 0: the runner has closed, -1: it broke the protocol (device_error says how).
int device_serve(struct device *device);

// Virtual only; NULL or without effect on a GPU.
struct fault_report *device_report(struct device *device);
void device_clear_report(struct device *device);
void device_set_seed(struct device *device, uint64_t seed);

// GPU only.
int device_free_memory(struct device *device, size_t *bytes);

// --- between the two devices' files ---
struct device_operations {
  void (*close)(struct device *);
  int (*allocate)(struct device *, struct device_buffer *, size_t, uint64_t);
  int (*write)(struct device *, const struct device_buffer *, const void *);
  int (*read)(struct device *, const struct device_buffer *, void *);
  int (*check_guards)(struct device *, bool *, char *, size_t);
  struct device_offer (*offer)(struct device *);
  void (*offer_taken)(struct device *);
  int (*events_descriptor)(const struct device *, short *);
  int (*serve)(struct device *);
  struct fault_report *(*report)(struct device *);
  void (*clear_report)(struct device *);
  void (*set_seed)(struct device *, uint64_t);
  int (*free_memory)(struct device *, size_t *);
};

// First member of both devices.
struct device {
  const struct device_operations *operations;
  char error[DEVICE_TEXT];
};

struct device *device_open_virtual(const struct device_options *options, char *error, size_t error_size);
struct device *device_open_gpu(const struct device_options *options, char *error, size_t error_size);

#endif
