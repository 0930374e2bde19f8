// Findings that a project has accepted: files of suppressions, and a baseline written from a run.
#ifndef VIRTUAL_HOPPER_COMMAND_SUPPRESSIONS_H
#define VIRTUAL_HOPPER_COMMAND_SUPPRESSIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "virtual-hopper/rules/fault.h"

// One line of a file: RULE key=value .. # reason. Every key that is given must fit.
struct suppression {
  enum rule_id rule;  // RULE_NONE: any, written *
  const char *kernel; // name as in the source; * and ? stand for any letters
  const char *file;   // of the fault's place: its path, or the end of its path
  const char *frame;  // likewise, of the place or of any place that it was inlined into
  const char *code;   // the source line at the place, whatever its indentation
  const char *with;   // the source line at the first related place
  uint32_t line;      // 0: any
  const char *reason; // never empty
  const char *origin; // the file that it stands in
  uint32_t number;    // its line there
  uint64_t used;      // how many findings it has accepted
};

struct suppressions {
  struct suppression *all;
  size_t count, room;
};

// Adds the lines of a file. Returns 0, or -1 with a message about the first line that is wrong.
int suppressions_read(struct suppressions *list, const char *path, char *error, size_t size);
// The first suppression that fits, counted as used; NULL: none fits.
struct suppression *suppressions_find(struct suppressions *list, const struct fault *fault);
// One line that accepts exactly this finding, also when lines are added or removed elsewhere in the file.
// file: the path to write.
void suppression_write(FILE *out, const struct fault *fault, const char *file, const char *reason);
void suppressions_free(struct suppressions *list);

#endif
