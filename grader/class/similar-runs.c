// Where two files agree. In: a pair. Out: its common runs of tokens. The idea: the longest common run first,
// and no token in two runs, so that each file's text is matched at most once (greedy string tiling).
#include "class/failure.h"
#include "class/similar.h"

#include <stdlib.h>
#include <string.h>

// A solution has one or two thousand tokens. A file of a hundred thousand may be made to keep us busy, so of
// each file only the first MOST_TOKENS are looked at here, and MOST_STEPS pairs of tokens.
enum { MOST_TOKENS = 20000 };
static const uint64_t MOST_STEPS = (uint64_t)1 << 29;

struct tiling {
  const struct source_text *first, *second;
  size_t rows, columns; // tokens of the two that are looked at
  uint64_t steps;
  bool *first_taken, *second_taken; // tokens in a run already; of the first also what was handed out
};

static size_t common(const struct tiling *tiling, size_t i, size_t j) {
  size_t length = 0;
  while (i + length < tiling->rows && j + length < tiling->columns &&
         tiling->first->tokens[i + length].loose == tiling->second->tokens[j + length].loose &&
         !tiling->first_taken[i + length] && !tiling->second_taken[j + length])
    length++;
  return length;
}

// The longest run of tokens that no run has yet; none once there have been too many steps. Diagonal by
// diagonal, so that each pair is looked at once.
static struct similar_run longest(struct tiling *tiling) {
  const size_t rows = tiling->rows, columns = tiling->columns;
  struct similar_run best = {0, 0, 0};
  for (size_t diagonal = 0; diagonal + 1 < rows + columns && tiling->steps < MOST_STEPS; diagonal++) {
    size_t i = diagonal < rows ? rows - 1 - diagonal : 0, j = diagonal < rows ? 0 : diagonal - rows + 1;
    while (i < rows && j < columns) {
      const size_t length = common(tiling, i, j);
      if (length > best.length) best = (struct similar_run){i, j, length};
      i += length + 1;
      j += length + 1;
      tiling->steps += length + 1;
    }
  }
  return best;
}

static void take(struct tiling *tiling, const struct similar_run *run) {
  memset(tiling->first_taken + run->first, true, run->length);
  memset(tiling->second_taken + run->second, true, run->length);
}

static size_t looked_at(const struct source_text *source) {
  return source->count < MOST_TOKENS ? source->count : MOST_TOKENS;
}

static int compare_runs(const void *left, const void *right) {
  const struct similar_run *a = left, *b = right;
  return (a->first > b->first) - (a->first < b->first);
}

int similar_runs(const struct similar *similar, const struct similar_pair *pair, size_t most,
                 struct similar_run **runs, size_t *count, char *error, size_t size) {
  struct tiling tiling = {.first = &similar->files[pair->first].source,
                          .second = &similar->files[pair->second].source};
  tiling.rows = looked_at(tiling.first);
  tiling.columns = looked_at(tiling.second);
  *runs = calloc(most, sizeof **runs);
  *count = 0;
  tiling.first_taken = calloc(tiling.first->count + 1, sizeof(bool));
  tiling.second_taken = calloc(tiling.second->count + 1, sizeof(bool));
  const bool ready = *runs && tiling.first_taken && tiling.second_taken;
  if (ready) {
    similar_mark_handed_out(similar, tiling.first, tiling.first_taken);
    similar_mark_handed_out(similar, tiling.second, tiling.second_taken);
  }
  while (ready && *count < most) {
    const struct similar_run run = longest(&tiling);
    if (run.length < SIMILAR_GRAM) break;
    take(&tiling, &run);
    (*runs)[(*count)++] = run;
  }
  free(tiling.first_taken);
  free(tiling.second_taken);
  if (!ready) return class_fail(error, size, "out of memory");
  qsort(*runs, *count, sizeof **runs, compare_runs);
  return 0;
}
