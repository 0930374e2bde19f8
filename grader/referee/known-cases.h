// Large cases of a class, made once. All submissions of a run get the same cases, so their inputs and right
// answers are kept in memory that all referees of the run share. It is a file without a name, which no
// program or device is given, and each referee maps what is there without the right to write.
#ifndef REFEREE_KNOWN_CASES_H
#define REFEREE_KNOWN_CASES_H

#include "exercises/exercise.h"

struct known_cases;

// Room for `most` bytes, of which those are taken that are used; or, 0, for a share of this machine's memory.
// To be opened before the referees' processes are forked. NULL: there is none to be had.
struct known_cases *known_cases_open(size_t most);
void known_cases_close(struct known_cases *known); // NULL is allowed

struct known_case {
  const void *input, *expected;
  void *mapped; // for known_case_leave
  size_t bytes;
};

// Makes what is not there: `input` and `expected` have the sizes of the instance's matrices.
typedef void known_case_maker(void *context, void *input, void *expected);

// The instance's case, which is made if it is new. False: it is small, there is no room, or another process
// is making it; then the caller makes its own.
bool known_case_take(struct known_cases *known, const struct exercise_instance *instance,
                     known_case_maker *make, void *context, struct known_case *taken);
void known_case_leave(struct known_case *taken);

#endif
