#include "class/similar-page.h"

#include "class/failure.h"
#include "class/html.h"
#include "report/whole-file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { COLOURS = 6 };

static const char style[] =
    "<style>.pair{display:grid;grid-template-columns:1fr 1fr;gap:.6rem}.pair pre{border-left:0;margin:0;"
    "white-space:pre-wrap;overflow-wrap:anywhere}.pair i{font-style:normal;color:var(--dim);"
    "display:inline-block;width:5.5em;user-select:none}"
    ".pair b{display:block;font-weight:400;min-height:1.45em}"
    ".k0{background:#3a6ea533}.k1{background:#1d6f2b33}.k2{background:#8a4b0033}.k3{background:#b3261e2b}"
    ".k4{background:#7a3aa533}.k5{background:#00808033}"
    "@media(max-width:44rem){.pair{grid-template-columns:1fr}}"
    "</style>\n";

const char *similar_describe(const struct similar_pair *pair, char text[SIMILAR_WORDS]) {
  if (pair->same_bytes)
    snprintf(text, SIMILAR_WORDS, "the same file");
  else
    snprintf(text, SIMILAR_WORDS, "%.0f %% of what is the lesser one's own", pair->part * 100);
  return text;
}

static unsigned lines_of(const struct source_text *source) {
  unsigned lines = 1;
  for (size_t i = 0; i < source->length; i++)
    lines += source->text[i] == '\n';
  return lines;
}

// A file line by line: its number, the number of the common place, and the line.
static void side(FILE *out, const struct similar_file *file, const unsigned *places) {
  const char *at = file->source.text, *end = at + file->source.length;
  char *copy = malloc(file->source.length + 1);
  if (!copy) return;
  fputs("<pre tabindex=\"0\">", out);
  for (unsigned line = 1; at < end; line++) {
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    if (!stop) stop = end;
    memcpy(copy, at, (size_t)(stop - at));
    copy[stop - at] = '\0';
    if (places[line])
      fprintf(out, "<b class=\"k%u\"><i>%u&nbsp;&nbsp;[%u]</i>", (places[line] - 1) % COLOURS, line,
              places[line]);
    else
      fprintf(out, "<b><i>%u</i>", line);
    html_text(out, copy);
    fputs("</b>", out);
    at = stop + 1;
  }
  fputs("</pre>\n", out);
  free(copy);
}

static void mark(unsigned *places, const struct source_text *source, size_t first, size_t length,
                 unsigned place) {
  for (size_t i = first; i < first + length; i++)
    if (places[source->tokens[i].line] == 0) places[source->tokens[i].line] = place;
}

// Both files, with the lines of each common run marked by the same number.
static int both_sides(FILE *out, const struct similar *similar, const struct similar_pair *pair) {
  const struct similar_file *first = &similar->files[pair->first], *second = &similar->files[pair->second];
  struct similar_run *runs = NULL;
  size_t count = 0;
  unsigned *left = calloc(lines_of(&first->source) + 2, sizeof *left);
  unsigned *right = calloc(lines_of(&second->source) + 2, sizeof *right);
  int status = left && right ? similar_runs(similar, pair, SIMILAR_MOST_RUNS, &runs, &count, NULL, 0) : -1;
  for (size_t i = 0; status == 0 && i < count; i++) {
    mark(left, &first->source, runs[i].first, runs[i].length, (unsigned)i + 1);
    mark(right, &second->source, runs[i].second, runs[i].length, (unsigned)i + 1);
  }
  if (status == 0) {
    fputs("<div class=\"pair\">\n", out);
    side(out, first, left);
    side(out, second, right);
    fputs("</div>\n", out);
  }
  free(runs);
  free(left);
  free(right);
  return status;
}

static int print_pair(FILE *out, const struct similar *similar, const struct similar_pair *pair) {
  char words[SIMILAR_WORDS];
  fputs("<details><summary><span class=\"who\">", out);
  html_text(out, similar->files[pair->first].name);
  fputs(" and ", out);
  html_text(out, similar->files[pair->second].name);
  fprintf(out, "</span>: %s</summary>\n", similar_describe(pair, words));
  const int status = both_sides(out, similar, pair);
  fputs("</details>\n", out);
  return status;
}

static int print_exercise(FILE *out, const struct similar_exercise *exercise) {
  const struct similar *similar = &exercise->similar;
  int status = 0;
  fputs("<h2>", out);
  html_text(out, exercise->name);
  fputs("</h2>\n", out);
  if (similar->pair_count == 0) fprintf(out, "<p>No two of %zu files are alike.</p>\n", similar->count);
  for (size_t i = 0; i < similar->pair_count && i < SIMILAR_MOST_SHOWN && status == 0; i++)
    status = print_pair(out, similar, &similar->pairs[i]);
  if (exercise->left_out) {
    fputs("<p>Not compared:</p>\n<pre>", out);
    html_text(out, exercise->left_out);
    fputs("</pre>\n", out);
  }
  if (similar->pair_count > SIMILAR_MOST_SHOWN)
    fprintf(out, "<p>The likest %d of %zu pairs are shown.</p>\n", SIMILAR_MOST_SHOWN, similar->pair_count);
  return status;
}

struct page {
  const char *title;
  const struct similar_exercise *exercises;
  size_t count;
};

static int print_page(FILE *out, const void *what) {
  const struct page *page = what;
  int status = 0;
  html_begin(out, page->title);
  fputs(style, out);
  fputs("<p>Look at these pairs. A likeness proves nothing: a short exercise leaves few ways to solve it,\n"
        "and a group may have been told the same. Names, layout, comments and the order of functions are\n"
        "left out of the comparison. What the skeleton gives counts nothing, and what many have written\n"
        "counts little. Lines with the same number in brackets belong together.</p>\n",
        out);
  for (size_t i = 0; i < page->count && status == 0; i++)
    status = print_exercise(out, &page->exercises[i]);
  html_end(out);
  if (status != 0) errno = ENOMEM;
  return status;
}

int similar_page_save(const char *path, const char *title, const struct similar_exercise *exercises,
                      size_t count, char *error, size_t size) {
  const struct page page = {title, exercises, count};
  if (whole_file_write(path, false, print_page, &page) == 0) return 0;
  return class_fail(error, size, "%s: %s", path, strerror(errno));
}
