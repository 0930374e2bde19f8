// The commonest causes. In: the stages that failed. Out: a list, the commonest first. The idea: a cause is a
// broken rule, or the first line of a message with its numbers taken out, so that the same mistake of many is
// one cause.
#include "class/html.h"
#include "class/page-parts.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { CAUSE_TEXT = 240, SHOWN = 20, EXAMPLE_LINES = 14 };

struct cause {
  const char *kind;
  char text[CAUSE_TEXT];
  // The first who has it: the example.
  const struct stage_record *example;
  const struct student *author;
  const char *exercise;
  size_t *students, count; // who has it; malloc'ed
  size_t exercises;        // in how many exercises, over all of them
};

struct causes {
  struct cause *list;
  size_t count;
};

// Copies a line, with `..` for each number and without the place in front of it.
static void generalise(const char *line, size_t length, char text[CAUSE_TEXT]) {
  size_t to = 0;
  for (size_t i = 0; i < length && to + 3 < CAUSE_TEXT; i++) {
    bool in_word = i > 0 && (isalnum((unsigned char)line[i - 1]) || line[i - 1] == '_');
    if (!isdigit((unsigned char)line[i]) || in_word) {
      text[to++] = line[i];
      continue;
    }
    while (i + 1 < length && (isalnum((unsigned char)line[i + 1]) ||
                              (line[i + 1] == '.' && i + 2 < length && isdigit((unsigned char)line[i + 2]))))
      i++;
    memcpy(text + to, "..", 2);
    to += 2;
  }
  text[to] = '\0';
}

// What the compiler says: after "error:" in the first line that has it.
static void compiler_cause(const struct stage_record *stage, char text[CAUSE_TEXT]) {
  const char *error = stage->detail ? strstr(stage->detail, "error") : NULL;
  const char *colon = error ? strstr(error, ": ") : NULL;
  size_t line = error ? strcspn(error, "\n") : 0;
  if (colon && colon < error + line)
    generalise(colon + 2, (size_t)(error + line - colon - 2), text);
  else
    generalise(stage->headline, strlen(stage->headline), text);
}

static const char *describe(const struct stage_record *stage, int which, char text[CAUSE_TEXT]) {
  if (stage->rule[0]) {
    snprintf(text, CAUSE_TEXT, "%s", stage->rule);
    return "rule";
  }
  if (which == STAGE_BUILD && strcmp(stage->headline, "does not compile") == 0)
    compiler_cause(stage, text);
  else
    generalise(stage->headline, strlen(stage->headline), text);
  if (stage->unmet) return "requirement";
  static const char *const kinds[STAGE_COUNT] = {"build", "run", "result", "bandwidth"};
  return strcmp(stage->summary, "missing") == 0 ? "missing file" : kinds[which];
}

static struct cause *find(struct causes *causes, const char *kind, const char *text) {
  for (size_t i = 0; i < causes->count; i++)
    if (strcmp(causes->list[i].kind, kind) == 0 && strcmp(causes->list[i].text, text) == 0)
      return &causes->list[i];
  struct cause *more = realloc(causes->list, (causes->count + 1) * sizeof *more);
  if (!more) return NULL;
  causes->list = more;
  struct cause *cause = &more[causes->count++];
  *cause = (struct cause){.kind = kind};
  snprintf(cause->text, sizeof cause->text, "%s", text);
  return cause;
}

static void count_cause(struct causes *causes, const struct class *class, size_t student,
                        const struct exercise_record *exercise, int which) {
  const struct stage_record *stage = &exercise->stages[which];
  char text[CAUSE_TEXT];
  const char *kind = describe(stage, which, text);
  struct cause *cause = find(causes, kind, text);
  if (!cause) return;
  cause->exercises++;
  if (!cause->example) {
    cause->example = stage;
    cause->author = &class->roster.students[student];
    cause->exercise = exercise->name;
  }
  if (cause->count && cause->students[cause->count - 1] == student) return;
  size_t *more = realloc(cause->students, (cause->count + 1) * sizeof *more);
  if (!more) return;
  cause->students = more;
  more[cause->count++] = student;
}

static void count_causes(struct causes *causes, const struct class *class) {
  for (size_t i = 0; i < class->roster.count; i++)
    for (size_t j = 0; class->outcomes[i].known && j < class->outcomes[i].lab.exercise_count; j++) {
      const struct exercise_record *exercise = &class->outcomes[i].lab.exercises[j];
      for (int stage = 0; stage < STAGE_COUNT && !exercise->not_started; stage++)
        if (exercise->stages[stage].verdict == VERDICT_FAIL) count_cause(causes, class, i, exercise, stage);
    }
}

static int by_count(const void *left, const void *right) {
  const struct cause *a = left, *b = right;
  if (a->count != b->count) return (a->count < b->count) - (a->count > b->count);
  int order = strcmp(a->kind, b->kind);
  return order ? order : strcmp(a->text, b->text);
}

// The first lines of what the student reads.
static void example(FILE *out, const struct cause *cause) {
  char text[4000];
  const char *detail = cause->example->detail ? cause->example->detail : "";
  size_t length = 0;
  for (int lines = 0; detail[length] && lines < EXAMPLE_LINES && length + 1 < sizeof text; length++)
    lines += detail[length] == '\n';
  snprintf(text, sizeof text, "%.*s", (int)length, detail);
  fprintf(out, "<p>For example %s of ", cause->exercise);
  page_link(out, cause->author);
  fputs(": ", out);
  html_text(out, cause->example->headline);
  fputs("</p>\n", out);
  if (text[0]) {
    fputs("<pre tabindex=\"0\">", out);
    html_text(out, text);
    fputs("</pre>\n", out);
  }
  if (cause->example->picture) html_picture(out, cause->example->picture);
}

static void print_cause(FILE *out, const struct class *class, const struct cause *cause, size_t most) {
  fprintf(out,
          "<details class=\"cause\"><summary><span class=\"who\"></span><span class=\"number\">%zu</span> "
          "<span class=\"meter\"><span style=\"width:%zu%%\"></span></span> <span class=\"dim\">%s</span> ",
          cause->count, 100 * cause->count / most, cause->kind);
  html_text(out, cause->text);
  fputs("</summary><div class=\"verdict\"><p>", out);
  for (size_t i = 0; i < cause->count; i++) {
    if (i) fputs(", ", out);
    page_link(out, &class->roster.students[cause->students[i]]);
  }
  fputs("</p>\n", out);
  example(out, cause);
  fputs("</div></details>\n", out);
}

void page_causes(FILE *out, const struct class *class) {
  struct causes causes = {NULL, 0};
  count_causes(&causes, class);
  if (causes.count) qsort(causes.list, causes.count, sizeof *causes.list, by_count);
  fputs("<h2>Commonest causes</h2>\n", out);
  if (!causes.count) fputs("<p>None: nothing has failed.</p>\n", out);
  for (size_t i = 0; i < causes.count && i < SHOWN; i++)
    print_cause(out, class, &causes.list[i], causes.list[0].count);
  if (causes.count > SHOWN)
    fprintf(out, "<p>And %zu rarer ones, in the rows below.</p>\n", causes.count - SHOWN);
  for (size_t i = 0; i < causes.count; i++)
    free(causes.list[i].students);
  free(causes.list);
}
