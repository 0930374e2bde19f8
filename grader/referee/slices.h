// Whether a large case is right, without arrays of the host that are as large. In: the case, and what its
// buffers hold. Out: yes, or "not so easily". The idea: input and right answers are functions of the case, so
// slices of them are made in the processor's cache where they are compared, and nobody keeps them.
#ifndef REFEREE_SLICES_H
#define REFEREE_SLICES_H

#include "exercises/exercise.h"

// Whether the case is large, and one of those that can be judged so.
bool slices_suit(const struct exercise_instance *instance);
// Whether the input is what it was and the output as it has to be, between the rows as well. False: something
// is different, or there is no memory. The buffers may belong to somebody else, who changes them meanwhile:
// what is found right has been read once. input: NULL if the case is in place.
bool slices_are_right(const struct exercise_instance *instance, const void *input, const void *output);

#endif
