// In: what the stages have noticed. Out: sentences in the exercise's record.
#include "referee/remarks.h"

#include "virtual-hopper/base/printable.h"
#include "virtual-hopper/rules/fault.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

// Whoever remarks does so once or twice, however much a submission has of what is noticed: so all have room.
enum { MOST_REMARKS = 8, MOST_NAMES = 6 };

void remark(const struct task *task, const char *format, ...) {
  char text[600];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  printable_make(text, sizeof text);
  json_t **remarks = &task->record->remarks;
  if (!*remarks) *remarks = json_array();
  for (size_t i = 0; i < json_array_size(*remarks); i++)
    if (strcmp(json_string_value(json_array_get(*remarks, i)), text) == 0) return;
  if (json_array_size(*remarks) < MOST_REMARKS) json_array_append_new(*remarks, json_string(text));
}

// Appends ", name" if there are fewer than MOST_NAMES, else ", ..." once.
static void add_name(char *names, size_t size, unsigned count, const char *name, int length) {
  size_t used = strlen(names);
  if (count == MOST_NAMES) {
    snprintf(names + used, size - used, ", ...");
  } else if (count < MOST_NAMES) {
    snprintf(names + used, size - used, "%s%.*s", count ? ", " : "", length, name);
  }
}

// Whether an exported symbol is a function or object of the program's own, even if it is weak or has a
// version. Not its own are C++ template instances, which are weak, and copies of a library's data, which have
// the library's version.
static bool is_of_its_own(char kind, const char *name, size_t length) {
  const bool versioned = memchr(name, '@', length);
  if (strchr("Ti", kind)) return true;
  if (strchr("WVu", kind)) return strncmp(name, "_Z", 2) != 0 && !(kind == 'V' && versioned);
  return strchr("DBR", kind) && !versioned;
}

void remark_symbols(struct task *task, const char *symbols) {
  char *names = task->replaced;
  const size_t size = sizeof task->replaced;
  unsigned count = 0;
  for (const char *line = symbols; *line; line += strcspn(line, "\n"), line += *line == '\n') {
    // "0000000000002ae5 T clock_gettime"
    char kind;
    int name = 0, end = 0;
    if (sscanf(line, "%*x %c %n%*[^\n]%n", &kind, &name, &end) != 1 || end == 0) continue;
    if (!is_of_its_own(kind, line + name, (size_t)(end - name))) continue;
    const int length = (int)strcspn(line + name, "@\n");
    add_name(names, size, count++, line + name, length > 60 ? 60 : length);
  }
  if (count)
    remark(task,
           "It puts functions of its own in the place of a library's: %s. The grader uses none of them.",
           names);
}

void remark_includes(const struct task *task) {
  FILE *source = fopen(task->main_source, "re");
  char *line = NULL, names[400] = "";
  size_t room = 0;
  unsigned count = 0;
  while (source && getline(&line, &room, source) > 0) {
    int path = 0, end = 0;
    sscanf(line, " # include %*[\"<]%n%*[^\">\r\n]%n", &path, &end);
    if (end == 0 || line[path] != '/') continue;
    add_name(names, sizeof names, count++, line + path, end - path > 60 ? 60 : end - path);
  }
  free(line);
  if (source) fclose(source);
  if (count) remark(task, "It includes files by an absolute path: %s.", names);
}

void remark_threads(const struct task *task, unsigned threads) {
  if (threads)
    remark(task, "Its host code starts threads, or has a stream call it; a launcher needs neither.");
}

// Once: the reason of a refusal is another with each module, and all of them would leave the others no room.
void remark_modules(const struct task *task, const struct fault_report *report) {
  static const char beginning[] = "It has the device load a module made at run time";
  const struct loaded_modules *modules = report ? fault_loaded_modules(report) : NULL;
  if (!modules || modules->count == 0) return;
  for (size_t i = 0; i < json_array_size(task->record->remarks); i++) {
    const char *there = json_string_value(json_array_get(task->record->remarks, i));
    if (strncmp(there, beginning, sizeof beginning - 1) == 0) return;
  }
  if (modules->refused[0]) {
    remark(task, "%s, which is refused: %s.", beginning, modules->refused);
  } else {
    remark(task, "%s, which no exercise asks for.", beginning);
  }
}
