// An index that runs past the end of a shared variable meets the next one, and the report is about that. In:
// a fault, the names of the variable that was touched and of the one before it, the source lines. Out: the
// same fault with a question about it and the line to edit. One idea: a line that has an element of the one
// variable and doesn't mention the other hardly means the other; a pointer might.
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "virtual-hopper/rules/fault.h"
#include "virtual-hopper/rules/rules.h"

static bool is_of_name(char letter) {
  return isalnum((unsigned char)letter) || letter == '_';
}

// The first place where the line has the name as a whole word; NULL: nowhere.
static const char *find_name(const char *line, const char *name) {
  const size_t length = strlen(name);
  for (const char *at = strstr(line, name); at; at = strstr(at + 1, name))
    if ((at == line || !is_of_name(at[-1])) && !is_of_name(at[length])) return at;
  return NULL;
}

static bool has_element(const char *line, const char *name) {
  const char *at = find_name(line, name);
  return at && at[strlen(name) + strspn(at + strlen(name), " ")] == '[';
}

static bool is_read(const char *role) {
  return strncmp(role, "reads ", 6) == 0;
}

// A line that writes begins with what it writes to.
static bool strays(const struct fault *f, const struct fault_place *place, const char *role,
                   const struct fault_sources *sources) {
  char line[FAULT_LINE_BYTES];
  fault_line_in(place->file, place->line, sources, line);
  char *comment = strstr(line, "//");
  if (comment) *comment = '\0';
  if (!has_element(line, f->before) || find_name(line, f->touched)) return false;
  return is_read(role) || (strncmp(role, "writes ", 7) == 0 && find_name(line, f->before) == line);
}

static void tell(struct fault *f, const char *role, int edit) {
  enum { MOST = FAULT_REMEDY_BYTES - 300 }; // the question takes less than that
  const size_t used = strlen(f->message);
  char remedy[MOST];
  snprintf(remedy, sizeof remedy, "%.*s", MOST - 1, *f->remedy ? f->remedy : rule_of(f->rule)->remedy);
  snprintf(
      f->message + used, sizeof f->message - used,
      " The line that %s it names `%s`, but the byte lies in `%s`, which comes after `%s`: does an index "
      "run past the end?",
      is_read(role) ? "reads" : "writes", f->before, f->touched, f->before);
  snprintf(f->remedy, sizeof f->remedy,
           "Look at the indices of `%s` in that line first: which is the largest that they take, and how "
           "large is `%s`? If none is too large: %s",
           f->before, f->before, remedy);
  f->edit = edit;
  f->edit_is_guess = false;
}

static void read_one(struct fault *f, const struct fault_sources *sources) {
  if (!f->touched[0] || !f->before[0]) return;
  if (strays(f, &f->place, f->role, sources)) {
    tell(f, f->role, FAULT_EDIT_HERE);
    return;
  }
  for (uint32_t i = 0; i < f->related_count; i++) {
    if (!strays(f, &f->related[i].place, f->related[i].role, sources)) continue;
    tell(f, f->related[i].role, (int)i + 1);
    return;
  }
}

void fault_read_sources(struct fault_report *report, const struct fault_sources *sources) {
  for (size_t i = 0; i < fault_count(report); i++)
    read_one(fault_record_at(report, i), sources);
}
