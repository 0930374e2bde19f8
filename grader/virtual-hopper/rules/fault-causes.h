// Which of two faults comes of the other. In: two faults of a report. Out: whether mending the first mends
// the second, so that only the first is shown. One idea: a person mends one thing at a time, and what turns
// out to be a mistake of its own is shown by the next run.
#ifndef VIRTUAL_HOPPER_RULES_FAULT_CAUSES_H
#define VIRTUAL_HOPPER_RULES_FAULT_CAUSES_H

#include "virtual-hopper/rules/fault.h"

bool fault_same_line(const struct fault_place *a, const struct fault_place *b);
// The callers are those of the host's code. Faults of that code alone have no place before they are looked
// up.
bool fault_same_callers(const struct fault *a, const struct fault *b);
bool fault_explains(const struct fault *cause, const struct fault *consequence);
// `root` tells of a cause that is no mistake in itself, and `consequence` may come of it.
bool fault_has_root(const struct fault *root, const struct fault *consequence);
// The same mistake once more. Which of the two is shown depends on their order.
bool fault_repeats(const struct fault *first, const struct fault *second);

// fault.cause of what is told about one subject: a name, a line. kind: of subject.
enum fault_subject {
  SUBJECT_KIND = 1, // the kind of conflict says it all
  SUBJECT_LINE,
  SUBJECT_FENCE,
  SUBJECT_TOKEN,
  SUBJECT_STREAMS,
  SUBJECT_DIVIDED_WARP, // a barrier of the block that a warp comes to in parts
  SUBJECT_GROUP         // of products
};
uint64_t fault_cause(enum fault_subject subject, const char *name, uint64_t number);

#endif
