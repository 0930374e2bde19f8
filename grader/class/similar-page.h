// similar.html: the pairs of a class that are alike, with their lines side by side. The idea: one file
// without scripts; each pair is a <details> element.
#ifndef CLASS_SIMILAR_PAGE_H
#define CLASS_SIMILAR_PAGE_H

#include "class/similar.h"

#include <stdio.h>

enum { SIMILAR_MOST_SHOWN = 60 };

// The files of one exercise, compared.
struct similar_exercise {
  const char *name;
  struct similar similar;
  char *left_out; // one line for each file that was not compared, and why; NULL: none. Not printable yet
};

// Writes the page. 0, or -1 as in failure.h.
int similar_page_save(const char *path, const char *title, const struct similar_exercise *exercises,
                      size_t count, char *error, size_t size);
// How alike a pair is, in words. Returns `text`.
enum { SIMILAR_WORDS = 96 };
const char *similar_describe(const struct similar_pair *pair, char text[SIMILAR_WORDS]);

#endif
