// From what a launch did to how long it takes on a chip: a prediction, never a measurement.
#ifndef VIRTUAL_HOPPER_TIME_PREDICT_H
#define VIRTUAL_HOPPER_TIME_PREDICT_H

#include "virtual-hopper/time/record.h"

struct time_prediction {
  char kernel[128];
  double us;                        // with the launch's own time
  double steady_us;                 // of so many bytes in the middle of a long launch
  uint64_t read_bytes, write_bytes; // of global memory, in sectors of 32 bytes
  double memory_bytes;              // of these, through the chip's memory
  double gb_per_s;                  // read and written bytes by time
  double memory_busy;               // share of what the memory can move in this mix of reads and writes
  const char *bound_by;             // words: what holds it up
  double shared_busy;               // share of the time in which shared memory is busy
  double wait_ns, least_wait_ns;    // of a request in the memory's queue: replay.h
  bool burst;                       // all is asked for at once: replay.h
  uint32_t blocks_on_processor;
  double waves; // times that the launch fills the chip: a share of one, if it doesn't
  // for a timeline:
  double cycles;     // that the replay took
  uint64_t clusters; // that it played
  double capacity;   // bytes that the memory moves for a processor in a nanosecond
};

struct time_prediction time_predict(const struct time_launch *t, uint64_t seed);
// What plays the launch as it was played for the prediction.
struct replay_input;
struct replay_input time_replay_of(const struct time_launch *t, const struct time_prediction *p,
                                   uint64_t seed);
// Bytes of loads that a processor needs in flight, by Little's law, for 93 % of the memory's rate in the
// launch's mix of reads and writes: the rate times what a load takes when the memory is so busy.
double time_bytes_wanted(const struct time_launch *t, const struct time_prediction *p);
// Microseconds of the plain copy, or the plain read, that a kernel's bandwidth is compared with.
double time_of_yardstick(const struct chip *chip, bool reads_only, double bytes);
// Microseconds of the matrix product that a kernel's speed is compared with.
double time_of_product(const struct chip *chip, double operations);
// Microseconds of a copy of so many bytes from device to device, and of filling so many.
double time_of_copy(const struct chip *chip, uint64_t bytes);
double time_of_fill(const struct chip *chip, uint64_t bytes);

#endif
