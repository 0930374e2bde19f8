#include "class/similar.h"

#include "class/failure.h"

#include <stdlib.h>
#include <string.h>

// A pair is shown if its common prints weigh at least LEAST_WEIGHT and make up LEAST_PART of the lesser file.
static const double LEAST_WEIGHT = 10, LEAST_PART = 0.35;
// A smaller part is enough where much of it stands in one piece, as in a file that was merged from two. The
// longest piece that independent files of our own have in common has 68 tokens; that of merged ones, 83.
static const double LEAST_PIECE = 0.2;
enum { LEAST_RUN = 76 }; // tokens

static int compare_hashes(const void *left, const void *right) {
  uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
  return (a > b) - (a < b);
}

static size_t sort_once(uint64_t *hashes, size_t count) {
  size_t kept = 0;
  if (count) qsort(hashes, count, sizeof *hashes, compare_hashes);
  for (size_t i = 0; i < count; i++)
    if (kept == 0 || hashes[kept - 1] != hashes[i]) hashes[kept++] = hashes[i];
  return kept;
}

static uint64_t gram_at(const struct source_text *source, size_t place) {
  uint64_t hash = 0x9e3779b97f4a7c15U;
  for (size_t i = 0; i < SIMILAR_GRAM; i++) {
    hash = (hash ^ source->tokens[place + i].loose) * 0xff51afd7ed558ccdU;
    hash ^= hash >> 32;
  }
  return hash;
}

static size_t grams_of(const struct source_text *source) {
  return source->count < SIMILAR_GRAM ? 0 : source->count - SIMILAR_GRAM + 1;
}

static bool was_handed_out(const struct similar *similar, uint64_t gram) {
  return similar->handed_out_count > 0 &&
         bsearch(&gram, similar->handed_out, similar->handed_out_count, sizeof gram, compare_hashes) != NULL;
}

int similar_hand_out(struct similar *similar, const struct source_text *skeleton, char *error, size_t size) {
  const size_t grams = grams_of(skeleton);
  uint64_t *all = realloc(similar->handed_out, (similar->handed_out_count + grams + 1) * sizeof *all);
  if (!all) return class_fail(error, size, "out of memory");
  for (size_t i = 0; i < grams; i++)
    all[similar->handed_out_count + i] = gram_at(skeleton, i);
  similar->handed_out = all;
  similar->handed_out_count = sort_once(all, similar->handed_out_count + grams);
  return 0;
}

void similar_mark_handed_out(const struct similar *similar, const struct source_text *source, bool *marks) {
  for (size_t i = 0; i < grams_of(source); i++)
    if (was_handed_out(similar, gram_at(source, i))) memset(marks + i, true, SIMILAR_GRAM);
}

// ---- prints ----

// The least gram of each window, the last of several equal ones, without what was handed out.
static void winnow(const struct similar *similar, const uint64_t *grams, size_t count,
                   struct similar_file *file) {
  size_t chosen = SIZE_MAX;
  for (size_t first = 0; first < count && (first == 0 || first + SIMILAR_WINDOW <= count); first++) {
    size_t least = first;
    for (size_t i = first; i < first + SIMILAR_WINDOW && i < count; i++)
      if (grams[i] <= grams[least]) least = i;
    if (least != chosen && !was_handed_out(similar, grams[least]))
      file->prints[file->print_count++] = grams[least];
    chosen = least;
  }
  file->print_count = sort_once(file->prints, file->print_count);
}

int similar_add(struct similar *similar, const char *name, bool earlier, struct source_text *source,
                char *error, size_t size) {
  if (similar->count == SIMILAR_MOST_FILES)
    return class_fail(error, size, "more than %d files: compare with fewer classes", SIMILAR_MOST_FILES);
  struct similar_file *files = realloc(similar->files, (similar->count + 1) * sizeof *files);
  if (!files) return class_fail(error, size, "out of memory");
  similar->files = files;
  struct similar_file *file = &files[similar->count++];
  *file = (struct similar_file){.name = name, .earlier = earlier, .source = *source};
  *source = (struct source_text){NULL, 0, NULL, 0};
  const size_t count = grams_of(&file->source);
  uint64_t *grams = malloc((count + 1) * sizeof *grams);
  file->prints = malloc((count + 1) * sizeof *file->prints);
  if (grams && file->prints) {
    for (size_t i = 0; i < count; i++)
      grams[i] = gram_at(&file->source, i);
    winnow(similar, grams, count, file);
  }
  free(grams);
  return file->prints && grams ? 0 : class_fail(error, size, "out of memory");
}

// ---- pairs ----

struct holder {
  uint64_t print;
  size_t file;
};

static int compare_holders(const void *left, const void *right) {
  const struct holder *a = left, *b = right;
  if (a->print != b->print) return a->print < b->print ? -1 : 1;
  return (a->file > b->file) - (a->file < b->file);
}

static struct holder *all_holders(const struct similar *similar, size_t *count) {
  *count = 0;
  for (size_t i = 0; i < similar->count; i++)
    *count += similar->files[i].print_count;
  struct holder *holders = malloc((*count + 1) * sizeof *holders);
  size_t next = 0;
  for (size_t i = 0; holders && i < similar->count; i++)
    for (size_t j = 0; j < similar->files[i].print_count; j++)
      holders[next++] = (struct holder){similar->files[i].prints[j], i};
  if (holders) qsort(holders, *count, sizeof *holders, compare_holders);
  return holders;
}

// A print that one or two have counts 1; one that many have, little.
static double weight_of(size_t holders) {
  return holders <= 2 ? 1 : 2.0 / (double)holders;
}

// The weight that each two files share, as a triangle: [larger * (larger - 1) / 2 + smaller].
static float *weigh(struct similar *similar, char *error, size_t size) {
  size_t count;
  struct holder *holders = all_holders(similar, &count);
  float *shared = calloc(similar->count * similar->count / 2 + 1, sizeof *shared);
  if (!holders || !shared) {
    class_fail(error, size, "out of memory");
    free(holders);
    free(shared);
    return NULL;
  }
  for (size_t first = 0, last; first < count; first = last) {
    for (last = first; last < count && holders[last].print == holders[first].print;)
      last++;
    const double weight = weight_of(last - first);
    for (size_t i = first; i < last; i++) {
      const size_t large = holders[i].file;
      similar->files[large].own += weight;
      for (size_t j = first; j < i; j++)
        shared[large * (large - 1) / 2 + holders[j].file] += (float)weight;
    }
  }
  free(holders);
  return shared;
}

static int compare_pairs(const void *left, const void *right) {
  const struct similar_pair *a = left, *b = right;
  if (a->same_bytes != b->same_bytes) return a->same_bytes ? -1 : 1;
  if (a->part * a->shared != b->part * b->shared) return a->part * a->shared > b->part * b->shared ? -1 : 1;
  if (a->first != b->first) return a->first < b->first ? -1 : 1;
  return (a->second > b->second) - (a->second < b->second);
}

static bool is_same(const struct source_text *one, const struct source_text *other) {
  return one->length == other->length && memcmp(one->text, other->text, one->length) == 0;
}

// The first run that is found is the longest.
static bool has_long_run(const struct similar *similar, const struct similar_pair *pair) {
  struct similar_run *runs = NULL;
  size_t count = 0;
  char error[200];
  if (similar_runs(similar, pair, 1, &runs, &count, error, sizeof error) != 0) return false;
  const bool found = count && runs[0].length >= LEAST_RUN;
  free(runs);
  return found;
}

static bool judge(const struct similar *similar, float shared, struct similar_pair *pair) {
  const struct similar_file *first = &similar->files[pair->first], *second = &similar->files[pair->second];
  const double least = first->own < second->own ? first->own : second->own;
  if (first->earlier && second->earlier) return false;
  pair->shared = shared;
  pair->part = least > 0 ? shared / least : 0;
  // A skeleton that nobody has touched has no prints.
  pair->same_bytes = first->print_count > 0 && is_same(&first->source, &second->source);
  if (pair->same_bytes) return true;
  if (!(pair->shared >= LEAST_WEIGHT && pair->part >= LEAST_PIECE)) return false;
  return pair->part >= LEAST_PART || has_long_run(similar, pair);
}

int similar_compare(struct similar *similar, char *error, size_t size) {
  float *shared = weigh(similar, error, size);
  size_t room = 0;
  if (!shared) return -1;
  for (size_t second = 1; second < similar->count; second++)
    for (size_t first = 0; first < second; first++) {
      struct similar_pair pair = {.first = first, .second = second};
      if (!judge(similar, shared[second * (second - 1) / 2 + first], &pair)) continue;
      if (similar->pair_count == room) {
        room = room ? 2 * room : 64;
        struct similar_pair *pairs = realloc(similar->pairs, room * sizeof *pairs);
        if (!pairs) {
          free(shared);
          return class_fail(error, size, "out of memory");
        }
        similar->pairs = pairs;
      }
      similar->pairs[similar->pair_count++] = pair;
    }
  free(shared);
  if (similar->pair_count) qsort(similar->pairs, similar->pair_count, sizeof *similar->pairs, compare_pairs);
  return 0;
}

void similar_free(struct similar *similar) {
  for (size_t i = 0; i < similar->count; i++) {
    source_text_free(&similar->files[i].source);
    free(similar->files[i].prints);
  }
  free(similar->files);
  free(similar->handed_out);
  free(similar->pairs);
  *similar = (struct similar){NULL, 0, NULL, 0, NULL, 0};
}
