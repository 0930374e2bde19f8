// In: a case. Out: its input and its right answers, made by whoever needed them first. The idea: a table that
// all processes share says what lies where in the file. An entry is reserved, then filled, then made known,
// and never changes after that; whoever dies in between leaves an entry that nobody uses.
#include "referee/known-cases.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST_CASES = 256, PAGE = 4096 };
static const size_t LEAST_BYTES = (size_t)1 << 20; // less is made sooner than found
static const size_t MOST_BYTES = (size_t)1 << 30;
static const size_t SHARE = 8; // of the machine's memory

struct entry {
  char lab[EXERCISE_NAME], exercise[EXERCISE_NAME];
  size_t size[EXERCISE_MAX_SIZES];
  uint64_t seed;
  size_t at, input_bytes, output_bytes; // in the file
  atomic_int state;
};
enum { RESERVED, NAMED, MADE };

struct known_cases {
  int file;
  size_t most;
  struct table {
    atomic_size_t count, used;
    struct entry entries[MOST_CASES];
  } * table;
};

static size_t pages(size_t bytes) {
  return (bytes + PAGE - 1) / PAGE * PAGE;
}

static size_t share_of_memory(void) {
  const long all = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  const size_t share = all > 0 && page > 0 ? (size_t)all / SHARE * (size_t)page : 0;
  return share < MOST_BYTES ? share : MOST_BYTES;
}

struct known_cases *known_cases_open(size_t most) {
  struct known_cases *known = calloc(1, sizeof *known);
  if (!known) return NULL;
  known->most = most ? most : share_of_memory();
  known->file = memfd_create("known-cases", MFD_CLOEXEC);
  void *table = mmap(NULL, sizeof *known->table, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  known->table = table == MAP_FAILED ? NULL : table;
  if (known->table && known->file >= 0 && ftruncate(known->file, (off_t)known->most) == 0) return known;
  known_cases_close(known);
  return NULL;
}

void known_cases_close(struct known_cases *known) {
  if (!known) return;
  if (known->table) munmap(known->table, sizeof *known->table);
  if (known->file >= 0) close(known->file);
  free(known);
}

static bool is_of(const struct entry *entry, const struct exercise_instance *instance) {
  return entry->seed == instance->seed && strcmp(entry->lab, instance->exercise->lab) == 0 &&
         strcmp(entry->exercise, instance->exercise->name) == 0 &&
         memcmp(entry->size, instance->the_case.size, sizeof entry->size) == 0;
}

// The entry of this case, or NULL. It may not be made yet.
static struct entry *find(struct known_cases *known, const struct exercise_instance *instance) {
  const size_t count = atomic_load(&known->table->count);
  for (size_t i = 0; i < count && i < MOST_CASES; i++) {
    struct entry *entry = &known->table->entries[i];
    if (atomic_load(&entry->state) != RESERVED && is_of(entry, instance)) return entry;
  }
  return NULL;
}

static struct entry *reserve(struct known_cases *known, const struct exercise_instance *instance) {
  const size_t input = matrix_bytes(&instance->input), output = matrix_bytes(&instance->output),
               bytes = pages(input) + pages(output);
  struct table *table = known->table;
  size_t used = atomic_load(&table->used);
  do {
    if (bytes > known->most || used > known->most - bytes) return NULL;
  } while (!atomic_compare_exchange_weak(&table->used, &used, used + bytes));
  const size_t which = atomic_fetch_add(&table->count, 1);
  if (which >= MOST_CASES) return NULL;
  struct entry *entry = &table->entries[which];
  snprintf(entry->lab, sizeof entry->lab, "%s", instance->exercise->lab);
  snprintf(entry->exercise, sizeof entry->exercise, "%s", instance->exercise->name);
  memcpy(entry->size, instance->the_case.size, sizeof entry->size);
  entry->seed = instance->seed;
  entry->at = used;
  entry->input_bytes = input;
  entry->output_bytes = output;
  atomic_store(&entry->state, NAMED);
  return entry;
}

// With all its pages at once: all are read, or written, next.
static void *map(const struct known_cases *known, const struct entry *entry, int rights) {
  const size_t bytes = pages(entry->input_bytes) + pages(entry->output_bytes);
  void *place = mmap(NULL, bytes, rights, MAP_SHARED | MAP_POPULATE, known->file, (off_t)entry->at);
  return place == MAP_FAILED ? NULL : place;
}

static bool make_entry(struct known_cases *known, struct entry *entry, known_case_maker *make,
                       void *context) {
  char *place = map(known, entry, PROT_READ | PROT_WRITE);
  if (!place) return false;
  make(context, place, place + pages(entry->input_bytes));
  munmap(place, pages(entry->input_bytes) + pages(entry->output_bytes));
  atomic_store(&entry->state, MADE);
  return true;
}

bool known_case_take(struct known_cases *known, const struct exercise_instance *instance,
                     known_case_maker *make, void *context, struct known_case *taken) {
  *taken = (struct known_case){0};
  const size_t bytes = matrix_bytes(&instance->input) + matrix_bytes(&instance->output);
  if (!known || bytes < LEAST_BYTES) return false;
  struct entry *entry = find(known, instance);
  if (!entry) {
    entry = reserve(known, instance);
    if (!entry || !make_entry(known, entry, make, context)) return false;
  }
  if (atomic_load(&entry->state) != MADE) return false;
  char *place = map(known, entry, PROT_READ);
  if (!place) return false;
  *taken = (struct known_case){.input = place,
                               .expected = place + pages(entry->input_bytes),
                               .mapped = place,
                               .bytes = pages(entry->input_bytes) + pages(entry->output_bytes)};
  return true;
}

void known_case_leave(struct known_case *taken) {
  if (taken->mapped) munmap(taken->mapped, taken->bytes);
  *taken = (struct known_case){0};
}
