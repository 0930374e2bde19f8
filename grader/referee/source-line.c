// Lines of a student's file. The idea: TODO comments mostly stay where they were, and a launcher's name is known; what is not found
// is not guessed.
#include "referee/place.h"

#include "report/plain-file.h"

#include <string.h>

static unsigned find(const struct task *task, const char *text, bool in_comments) {
  char line[1024], path[PATH_MAX + RECORD_NAME + 16];
  unsigned found = 0, number = 0;
  snprintf(path, sizeof path, "%s/source/%s.cu", task->scratch, task->exercise->name); // as it was handed in
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

unsigned place_of_step(const struct task *task, unsigned step) {
  char text[24];
  snprintf(text, sizeof text, "TODO(%u)", step);
  return step ? find(task, text, true) : 0;
}

unsigned place_of_word(const struct task *task, const char *word) {
  return find(task, word, false);
}

// "1-bulk-copy-1d" asks for launch_bulk_copy_1d.
unsigned place_of_launcher(const struct task *task) {
  char name[RECORD_NAME + 8];
  const char *words = strchr(task->exercise->name, '-');
  snprintf(name, sizeof name, "launch_%s", words ? words + 1 : task->exercise->name);
  for (char *c = name; *c; c++)
    if (*c == '-') *c = '_';
  return find(task, name, false);
}
