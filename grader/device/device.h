// A device, a real GPU or the virtual Hopper, with memory that the referee owns and a runner may use. The
// referee allocates, fills, reads back and judges; the runner is only told where the buffers are. Functions
// that can fail return 0, or -1 with the reason in device_error(): always the referee's failure, never the
// student's. Only reading and writing can also return DEVICE_GONE: the runner has freed the buffer.
#ifndef DEVICE_DEVICE_H
#define DEVICE_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "virtual-hopper/time/timeline.h"

struct fault_report;

enum device_kind { DEVICE_VIRTUAL, DEVICE_GPU };
enum {
  DEVICE_DROPPED = -1,
  DEVICE_GONE = -2,
  DEVICE_BROKEN = -3,
  DEVICE_SPENT = -4,
  DEVICE_CROWDED = -5,
  DEVICE_TEXT = 240,
  DEVICE_MAX_BUFFERS = 2, // of one case
  DEVICE_DESCRIPTOR = 4,  // the number that an inherited device_offer has in the runner's process
};

struct device_options {
  unsigned workers;       // virtual: threads that a launch may use; 0: one per core
  uint64_t seed;          // virtual: order of warps, blocks and late effects
  bool check;             // virtual: check happens-before and proxies
  const char *chip;       // virtual: predict times on this chip, "h100" or "h200"; NULL: don't
  const char *program;    // virtual: the file whose modules are no news; NULL: none is
  bool namespaces;        // virtual: walls of namespaces around its process, too
  unsigned user;          // virtual: that its process becomes; 0: it stays ours
  double launch_deadline; // virtual: seconds of wall clock per launch
  unsigned processors;    // virtual: how many the program is told; 0: all 132
  // gpu: room for all buffers of a case and their guard bands; 0: 64 MiB. virtual: what buffers and program
  // may take together; 0: 2 GiB
  size_t memory_bytes;
};

// What the launches so far would take on the chip.
struct device_prediction {
  double us;                // all of them
  double steady_us;         // all of them, without start and end: what as much again adds
  struct timeline timeline; // of the longest
};

struct device_buffer {
  const char *name;
  size_t bytes;
  uint64_t place; // what the runner gets: an address (virtual), an offset into the shared memory (gpu)
  bool stays;     // virtual: it gets the place that the one before had, if that was as large
};

struct device;

enum { GPU_NAME = 48, MOST_GPUS = 64 };

struct gpu_list {
  char names[MOST_GPUS][GPU_NAME]; // as CUDA_VISIBLE_DEVICES takes them: "GPU-01234567-89ab-.."
  size_t count;
};

// Whether this machine has a GPU of compute capability 9.0 or more. `description` gets the name of the first
// visible one, or the reason why there is none. `gpus`, if not NULL, gets all of that model, the first
// visible one first. Safe before a fork, since a child asks the driver.
bool device_find_gpu(char *description, size_t size, struct gpu_list *gpus);

struct device *device_open(enum device_kind kind, const struct device_options *options, char *error,
                           size_t error_size);
void device_close(struct device *device);
const char *device_error(const struct device *device);

// Makes `count` buffers, replacing those of the case before. Reads names and sizes from `buffers`, and writes
// places. Between the buffers lies memory that belongs to none: gaps that fault (virtual) or guard bands with
// a pattern (gpu).
int device_allocate(struct device *device, struct device_buffer *buffers, size_t count, uint64_t seed);
int device_write(struct device *device, const struct device_buffer *buffer, const void *source);
int device_read(struct device *device, const struct device_buffer *buffer, void *destination);
// Only the virtual Hopper: where this process sees the buffer. Its process sees the same bytes and may change
// them at any time, so what they say must be read but once, by device_read. NULL: device_error says why.
void *device_memory(struct device *device, const struct device_buffer *buffer);
// Only the virtual Hopper: whether the buffer holds these very bytes, each read but once, without a copy.
// False where that can't be told.
bool device_holds(struct device *device, const struct device_buffer *buffer, const void *bytes);
// Checks the guard bands. If one has lost its pattern, *intact is false and `text` says where, as a clause.
int device_check_guards(struct device *device, bool *intact, char *text, size_t size);

// What a runner gets to reach the device. `descriptor` stays the device's own. If in_environment isn't NULL,
// the runner inherits the descriptor as DEVICE_DESCRIPTOR, and gets this "NAME=value" in its environment. If
// it is NULL, the descriptor is sent to the runner over its socket, with `bytes`.
struct device_offer {
  int descriptor;
  const char *in_environment;
  uint64_t bytes;
};
struct device_offer device_offer(struct device *device);
// To be called once the runner has been started with the offer.
void device_offer_taken(struct device *device);

// Where the device tells what happens to it while it serves the runner, to be polled beside the control
// socket; -1: nothing to poll.
int device_events_descriptor(const struct device *device, short *events);
// Takes in what the device has to say, once there is something. 0: go on. DEVICE_DROPPED: the runner broke
// the protocol, device_error says how. DEVICE_SPENT: its calls have asked for more than a case may take,
// device_error names the last one. DEVICE_CROWDED: what others do on this machine leaves it no room,
// device_error says how. DEVICE_BROKEN: the device itself is of no more use.
int device_serve(struct device *device);
// Asks the device to finish the message that the runner is in the middle of, and then to listen to it no
// more: where a message's bytes go was decided when it began. device_is_settled once that is done. Before the
// runner is asked anything, device_resume.
int device_settle(struct device *device);
bool device_is_settled(const struct device *device);
int device_resume(struct device *device);
// Seconds that it has worked for the runner since it was opened. A claim of the device's: bound it.
double device_worked(const struct device *device);
// It has ended, or talks nonsense: nothing that it has said since the case began counts. device_error says
// how.
bool device_is_broken(const struct device *device);
// A process of the device's own, which the end of a sandbox must spare; 0: there is none.
pid_t device_process(const struct device *device);

// Only the virtual Hopper has these; on a GPU they return NULL or do nothing.
struct fault_report *device_report(struct device *device);
void device_clear_report(struct device *device);
// Of warps, blocks and asynchronous effects. first_late: the first block begins after the others.
void device_set_order(struct device *device, uint64_t seed, bool first_late);
// From the next device_set_order on, blocks run on one thread, whatever it was opened with. Then even what
// blocks that race do is the same each time.
void device_use_one_worker(struct device *device, bool one);
// From the next device_set_order on, what the program does breaks no rule that only judging shows. Its
// results stay the same. For a process of which no rule is asked any more.
void device_judge_no_more(struct device *device);
// From the next device_allocate on, a launch that takes many more instructions than most is stopped early,
// and its report says so (fault_is_put_off).
void device_put_off(struct device *device, bool puts_off);
// For a device that was opened with a chip. Returns 0; -1: nothing was launched, or the device is broken.
int device_predict(struct device *device, struct device_prediction *prediction);

// Only for a GPU.
int device_free_memory(struct device *device, size_t *bytes);

// --- shared by the two devices' files ---
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
  // NULL in all of these: nothing to do, and true
  int (*settle)(struct device *);
  bool (*is_settled)(const struct device *);
  int (*resume)(struct device *);
  double (*worked)(const struct device *);
  bool (*is_broken)(const struct device *);
  pid_t (*process)(const struct device *);
  struct fault_report *(*report)(struct device *);
  void (*clear_report)(struct device *);
  void (*set_order)(struct device *, uint64_t, bool);
  void (*use_one_worker)(struct device *, bool);
  void (*judge_no_more)(struct device *);
  void (*put_off)(struct device *, bool);
  int (*predict)(struct device *, struct device_prediction *);
  void *(*memory)(struct device *, const struct device_buffer *);
  bool (*holds)(struct device *, const struct device_buffer *, const void *); // NULL: it can't be told
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
