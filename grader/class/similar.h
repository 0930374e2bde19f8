// Which files of a class are alike. In: the files of one exercise, and what was handed out. Out: pairs, the
// likest first, and the places where two files agree. The idea: winnowing (Schleimer, Wilkerson and Aiken,
// "Winnowing: local algorithms for document fingerprinting", 2003) over tokens. What was handed out counts
// nothing, and what many have written counts little, since a short exercise leaves few ways to solve it. A
// pair is a reason to look, and never a verdict.
#ifndef CLASS_SIMILAR_H
#define CLASS_SIMILAR_H

#include "class/source-text.h"

#include <stdbool.h>

struct similar_file {
  const char *name; // the student
  bool earlier;     // from another class: not compared with others of that kind
  struct source_text source;
  uint64_t *prints; // SIMILAR_GRAM tokens each, hashed; sorted, each once
  size_t print_count;
  double own; // the weight of the prints
};

struct similar_pair {
  size_t first, second; // indices of files
  double shared;        // the weight of the common prints
  double part;          // of the own weight of the one that has less: 0 to 1
  bool same_bytes;
};

// SIMILAR_GRAM tokens make a print. Runs of SIMILAR_GRAM + SIMILAR_WINDOW - 1 common tokens are always seen.
enum { SIMILAR_GRAM = 12, SIMILAR_WINDOW = 6, SIMILAR_MOST_FILES = 4000 };

struct similar {
  struct similar_file *files;
  size_t count;
  uint64_t *handed_out; // sorted hashes of all grams of the skeleton
  size_t handed_out_count;
  struct similar_pair *pairs;
  size_t pair_count;
};

// Takes the skeleton's text out of the comparison.
int similar_hand_out(struct similar *similar, const struct source_text *skeleton, char *error, size_t size);
// Adds a file, whose source then belongs to `similar`. At most SIMILAR_MOST_FILES.
int similar_add(struct similar *similar, const char *name, bool earlier, struct source_text *source,
                char *error, size_t size);
// Fills `pairs`.
int similar_compare(struct similar *similar, char *error, size_t size);
void similar_free(struct similar *similar);

// ---- similar-runs.c: where two files agree ----

struct similar_run {
  size_t first, second, length; // tokens
};
// Sets `marks` of the tokens that belong to text that was handed out.
void similar_mark_handed_out(const struct similar *similar, const struct source_text *source, bool *marks);
enum { SIMILAR_MOST_RUNS = 64 };
// The `most` longest common runs of tokens that were not handed out, in the order of the first file. Each one
// takes as long as the first. The caller frees `runs`.
int similar_runs(const struct similar *similar, const struct similar_pair *pair, size_t most,
                 struct similar_run **runs, size_t *count, char *error, size_t size);

#endif
