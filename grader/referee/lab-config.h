// labs/LAB/lab.cfg: points, targets and requirements, in libconfig's syntax.
//
//   lab = "lab9";  title = "...";
//   in_order = true;             each exercise builds on the one before: the first that isn't done is the one
//                                to do, and a bar shows how far one has come. Left out: false
//   deadline = "2026-11-20 23:59"; this machine's time. Left out: none
//   late = [0.9, 0.5];           the part of the points that counts on the first day after it, on the second;
//                                the last holds for all later days. Left out: all of them
//   bandwidth_without_gpu = "show"; what the predicted ratio is for where there is no GPU: "show", no points
//                                are given or taken; "grade", it earns them; "off", none is made. Left out:
//                                "show"
//   exercises = ( {
//     name = "1-bulk-copy-1d";     the student's file is name.cu; must be an exercise the grader knows
//     skeleton = "0123456789abcdef"; fingerprint of the skeleton (`grader fingerprint FILE`), to recognise it
//     points = { build = 0; rules = 10; correctness = 10; bandwidth = 5; };   each >= 0; build: optional, and
//                                  bandwidth: without it nothing is timed
//     done = "...";                what a student reads once the exercise passes. Left out: nothing
//     bandwidth = 0.90;            ratio to the yardstick (a plain copy or read) that earns all points, up to
//                                  1.2
//     bandwidth_floor = 0.70;      ratio that earns none, below `bandwidth`; between the two, tenths of the
//                                  points. Left out: all or nothing
//     correctness_floor = 0.50;    part of all cases that earns none of the points, below 1; above it, tenths
//                                  of the points. Left out: all or nothing
//     result_step = 4;             the TODO region that most likely causes a wrong result. Left out: unknown
//     barriers = ( { name = "full"; step = 1; again = 5; } );   where arrivals at a barrier, or its loads,
//                                  belong: the step for its first phase, and that for later ones (left out:
//                                  the same). Left out: unknown
//     speed = "tflops";            what is timed, as the judge has it; left out: "bandwidth"
//     requirements = ( {           judged on the virtual Hopper, in the last of the exercise's rules cases
//       counters = ["bulk_store_bytes"];   names from struct observed; over several counters and kernels,
//                                          those that begin with max_ give their largest value, others
//                                          their sum
//       at_least = 1.0;  of = "output_bytes";   "input_bytes", or "products"; without `of` the
//                                          number itself
//       at_most = 2.0;             with or without at_least
//       large = true;              judged in the large rules case only; so is every plain number
//       step = 5;                  the TODO region to edit. Left out: unknown
//       message = "the result has to be written by bulk copies";   a clause
//       remedy = "Store each tile with ...";                       whole sentences
//     } );
//   } );
#ifndef REFEREE_LAB_CONFIG_H
#define REFEREE_LAB_CONFIG_H

#include "report/record.h"

#include <time.h>

enum { CONFIG_MAX_BARRIERS = 4, CONFIG_MAX_REQUIREMENTS = 12, CONFIG_MAX_COUNTERS = 4, CONFIG_MAX_LATE = 32 };

enum requirement_unit {
  REQUIREMENT_NUMBER,
  REQUIREMENT_INPUT_BYTES,
  REQUIREMENT_OUTPUT_BYTES,
  REQUIREMENT_PRODUCTS
};

struct requirement {
  char counters[CONFIG_MAX_COUNTERS][RECORD_NAME];
  unsigned counter_count;
  double at_least, at_most; // 0, INFINITY: no bound
  unsigned step;            // 0: unknown
  enum requirement_unit unit;
  bool large; // judged in the large rules case only
  char message[256], remedy[512];
};

// In which TODO regions threads arrive at a barrier of the skeleton, or start its loads.
struct barrier_steps {
  char name[RECORD_NAME];
  unsigned step, again; // for its first phase, and for later ones
};

struct exercise_config {
  char name[RECORD_NAME];
  char skeleton[17]; // hash as 16 hexadecimal digits; "": unknown
  double points[STAGE_COUNT];
  bool timed;                        // lab.cfg asks for bandwidth
  char speed[16];                    // what that is counted in: "bandwidth" or "tflops"
  unsigned line;                     // of `name` in the file
  double bandwidth, bandwidth_floor; // equal: all or nothing
  double correctness_floor;          // 1: all or nothing
  unsigned result_step;              // 0: unknown
  struct barrier_steps barriers[CONFIG_MAX_BARRIERS];
  unsigned barrier_count;
  struct requirement requirements[CONFIG_MAX_REQUIREMENTS];
  unsigned requirement_count;
  char done[RECORD_DONE];
};

enum without_gpu { WITHOUT_GPU_SHOW, WITHOUT_GPU_GRADE, WITHOUT_GPU_OFF };

struct lab_config {
  char lab[RECORD_NAME], title[128];
  bool in_order;
  enum without_gpu without_gpu;
  time_t deadline; // 0: none
  double late[CONFIG_MAX_LATE];
  unsigned late_count;
  unsigned lab_line, exercises_line; // line numbers of these keys in the file
  struct exercise_config exercises[RECORD_MAX_EXERCISES];
  unsigned exercise_count;
};

// Sets an exercise's points to those of the lab. Returns whether they were different before.
bool lab_config_score(const struct lab_config *config, struct exercise_record *exercise);
// The part of the file that verdicts depend on, without comments: everything but points, title and
// deadline. The caller
// frees it; NULL: the file can't be read.
char *lab_config_judging(const char *path);

// Returns 0, or -1 with "file:line: key: what is wrong and what is allowed" in `error`.
int lab_config_read(const char *path, struct lab_config *config, char *error, size_t error_size);

#endif
