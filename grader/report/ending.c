// How every message to a student ends. In: what failed. Out: the place to edit, and the command to type then.
// The idea: never a file without a line.
#include "report/ending.h"

#include "report/edit-place.h"
#include "report/steps.h"
#include "virtual-hopper/base/printable.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int number_length(const struct exercise_record *exercise) {
  return (int)strspn(exercise->name, "0123456789");
}

// Of several labs, make has to be told which.
static void print_lab(FILE *out, const struct lab_record *lab) {
  if (!lab->only_lab) fprintf(out, " LAB=%s", lab->lab);
}

void ending_target(FILE *out, const char *prefix, const struct lab_record *lab,
                   const struct exercise_record *exercise) {
  fprintf(out, "%s%.*s", prefix, number_length(exercise), exercise->name);
  print_lab(out, lab);
}

// Prints " SUBMISSION=FOLDER", unless it is the lab's own folder.
static void print_submission(FILE *out, const struct lab_record *lab) {
  char usual[RECORD_NAME + 8];
  snprintf(usual, sizeof usual, "labs/%s", lab->lab);
  if (strcmp(lab->submission, usual) != 0) fprintf(out, " SUBMISSION=%s", lab->submission);
}

void ending_after_pass(FILE *out, const struct lab_record *lab) {
  if (lab->next[0]) {
    fprintf(out, "\nNext  %s/%s.cu\nThen  make %s-%.*s", lab->submission, lab->next, lab->lab,
            (int)strspn(lab->next, "0123456789"), lab->next);
  } else if (!lab->whole_lab) {
    fprintf(out, "\nThen  make %s", lab->lab);
  } else {
    fputs("\nmake handin", out);
    print_lab(out, lab);
  }
  print_submission(out, lab);
  fputs(lab->whole_lab ? " packs what you hand in.\n" : "\n", out);
}

void ending_print(FILE *out, const struct lab_record *lab, const struct exercise_record *exercise,
                  const struct stage_record *stage) {
  char name[RECORD_NAME + 4], path[sizeof lab->submission + sizeof name + 2], usual[RECORD_NAME + 8],
      given[sizeof usual + sizeof name + 16];
  snprintf(name, sizeof name, "%s.cu", exercise->name);
  snprintf(path, sizeof path, "%s/%s", lab->submission, name);
  snprintf(usual, sizeof usual, "labs/%s", lab->lab);
  // A student's copy of the kit keeps the skeletons in .given/. If another folder is checked, the lab's own
  // files are skeletons.
  snprintf(given, sizeof given, "%s/.given/%s", usual, name);
  bool elsewhere = strcmp(lab->submission, usual) != 0;
  if (access(given, R_OK) != 0)
    snprintf(given, sizeof given, "%s%s%s", elsewhere ? usual : "", elsewhere ? "/" : "",
             elsewhere ? name : "");
  bool guess;
  const unsigned line = edit_place(path, given, name, stage, &guess),
                 step = stage ? steps_not_begun(path, given, line) : 0;
  fprintf(out, "Edit  %s:%u", path, line);
  if (step) fprintf(out, " (TODO(%u) is not begun)", step);
  fprintf(out, "%s\nThen  make %s-%.*s", guess ? " (a guess)" : "", lab->lab, number_length(exercise),
          exercise->name);
  print_submission(out, lab);
  fputc('\n', out);
}

// Prints one line, broken at blanks if it is too long. A line without blanks stays whole.
static void print_line(FILE *out, const char *line, size_t length, unsigned width) {
  size_t margin = strspn(line, " ");
  if (margin > length) margin = length;
  bool first = true;
  while (length > 0) {
    size_t room = width > 2 ? width - 2 : length, take = length;
    if (!first) room = room > margin ? room - margin : room;
    if (length > room) {
      size_t at = room;
      while (at > (first ? margin : 0) && line[at] != ' ')
        at--;
      if (at > (first ? margin : 0)) take = at;
    }
    fprintf(out, "  %*s%.*s\n", first ? 0 : (int)margin, "", (int)take, line);
    line += take;
    length -= take;
    while (length > 0 && *line == ' ')
      line++, length--;
    first = false;
  }
}

// Joins a paragraph that was broken for a wider terminal into one line: long lines with the same margin.
// Returns the text after it.
static const char *join_paragraph(const char *text, char *line, size_t size, unsigned width) {
  size_t used = 0, margin = strspn(text, " ");
  for (;;) {
    size_t length = strcspn(text, "\n");
    if (used + length + 2 > size) return text;
    used += (size_t)snprintf(line + used, size - used, "%s%.*s", used ? " " : "", (int)length, text);
    text += length + (text[length] == '\n');
    size_t next = strspn(text, " ");
    if (length + 2 <= width || next != margin || !text[next] || text[next] == '\n') return text;
    text += next;
  }
}

void ending_indented(FILE *out, const char *given, unsigned width) {
  char line[4096], *shown = printable_copy(given);
  const char *text = shown ? shown : "";
  if (width <= 30) width = 0;
  while (*text) {
    size_t length = strcspn(text, "\n");
    if (length == 0) {
      fputc('\n', out);
      text++;
    } else if (!width || length + 2 <= width || length + 2 > sizeof line) {
      print_line(out, text, length, width);
      text += length + (text[length] == '\n');
    } else {
      text = join_paragraph(text, line, sizeof line, width);
      print_line(out, line, strlen(line), width);
    }
  }
  free(shown);
}
