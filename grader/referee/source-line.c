// Searches a student's file for lines. The idea: TODO comments mostly stay where they were, and a launcher's
// name is known. If a text isn't found, no line is guessed.
#include "referee/source-line.h"

#include "report/plain-file.h"

#include <string.h>

static unsigned find(const struct task *task, const char *text, bool in_comments) {
  char line[1024], path[PATH_MAX + RECORD_NAME + 16];
  unsigned found = 0, number = 0;
  snprintf(path, sizeof path, "%s/source/%s.cu", task->scratch, task->exercise->name); // the unchanged copy
  FILE *file = plain_file_open(path);
  if (!file) return 0;
  while (!found && plain_file_line(file, line, sizeof line)) {
    const char *at = strstr(line, text), *comment = strstr(line, "//");
    number++;
    if (at && (in_comments || !comment || at < comment)) found = number;
  }
  fclose(file);
  return found;
}

unsigned source_line_of_step(const struct task *task, unsigned step) {
  char text[24];
  snprintf(text, sizeof text, "TODO(%u)", step);
  return step ? find(task, text, true) : 0;
}

unsigned source_line_of_word(const struct task *task, const char *word) {
  return find(task, word, false);
}

// The launcher of "1-bulk-copy-1d" is launch_bulk_copy_1d.
unsigned source_line_of_launcher(const struct task *task) {
  char name[RECORD_NAME + 8];
  const char *words = strchr(task->exercise->name, '-');
  snprintf(name, sizeof name, "launch_%s", words ? words + 1 : task->exercise->name);
  for (char *c = name; *c; c++)
    if (*c == '-') *c = '_';
  return find(task, name, false);
}
