// Searches a student's file for lines. The idea: TODO comments mostly stay where they were, and a launcher's
// name is known. If a text isn't found, no line is guessed.
#include "referee/source-line.h"

#include "report/plain-file.h"

#include <string.h>

static FILE *open_source(const struct task *task) {
  char path[PATH_MAX + RECORD_NAME + 16];
  snprintf(path, sizeof path, "%s/source/%s.cu", task->scratch, task->exercise->name); // the unchanged copy
  return plain_file_open(path);
}

static unsigned find(const struct task *task, const char *text, bool in_comments) {
  char line[1024];
  unsigned found = 0, number = 0;
  FILE *file = open_source(task);
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

static bool is_word(const char *text, const char *at, size_t length) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  return (at == text || !strchr(letters, at[-1])) && (!at[length] || !strchr(letters, at[length]));
}

bool source_line_has_word(const struct task *task, unsigned number, const char *word) {
  char line[1024];
  bool found = false, read = number > 0;
  FILE *file = open_source(task);
  if (!file) return false;
  for (unsigned n = 0; read && n < number; n++)
    read = plain_file_line(file, line, sizeof line);
  fclose(file);
  if (!read) return false;
  line[strcspn(line, "/")] = '\0';
  for (const char *at = line; !found && (at = strstr(at, word)); at++)
    found = is_word(line, at, strlen(word));
  return found;
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
