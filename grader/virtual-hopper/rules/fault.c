// The report of a run. In: faults, unsupported things and observations from the executing rooms, on any
// worker thread. Out: a bounded list, each fault once, with its repeats counted. One idea: what a person
// fixes is a pair of source lines under a rule, so that pair is a fault's identity.
#include "virtual-hopper/rules/fault.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/base/arena.h"
#include "virtual-hopper/rules/fault-causes.h"
#include "virtual-hopper/rules/rules.h"
#include "virtual-hopper/rules/vocabulary.h"

enum { MAX_FAULTS = 200, MAX_UNSUPPORTED = 50, MAX_OBSERVED = 256, BLOCK_BITS = 4096 };

struct fault_entry {
  struct fault fault;
  bool hidden;              // another fault explains it
  uint64_t last_launch;     // that it was met in
  uint64_t stage, sequence; // when the example was recorded
  // hashed by block index: tells distinct blocks well enough to count them
  uint64_t blocks_seen[BLOCK_BITS / 64];
};

// Names and lines of a module that may be unloaded before the report is read.
struct kept_text {
  struct kept_text *next;
  char text[];
};

struct fault_report {
  pthread_mutex_t lock;
  struct kept_text *texts;
  struct fault_entry *faults[MAX_FAULTS];
  size_t fault_count;
  uint64_t stage, sequence, launch;
  enum fault_words words;
  bool tokens;
  struct unsupported unsupported[MAX_UNSUPPORTED];
  size_t unsupported_count;
  uint64_t unjudged; // faults and refusals after something unsupported was met: they may follow from it
  struct observed *observed;
  size_t observed_count;
  struct observed by_host;
  char refusal[400];
  char time_limit[400];
  struct loaded_modules modules;
};

struct fault_report *fault_report_create(void) {
  struct fault_report *report = calloc(1, sizeof *report);
  if (!report) die("out of memory for the fault report");
  report->observed = calloc(MAX_OBSERVED, sizeof *report->observed);
  if (!report->observed) die("out of memory for the fault report");
  pthread_mutex_init(&report->lock, NULL);
  return report;
}

void fault_report_clear(struct fault_report *report) {
  pthread_mutex_lock(&report->lock);
  for (size_t i = 0; i < report->fault_count; i++)
    free(report->faults[i]);
  for (struct kept_text *kept = report->texts, *next; kept; kept = next) {
    next = kept->next;
    free(kept);
  }
  report->texts = NULL;
  report->fault_count = 0;
  report->unsupported_count = report->unjudged = report->launch = 0;
  report->observed_count = 0;
  report->by_host = (struct observed){0};
  report->time_limit[0] = '\0';
  report->refusal[0] = '\0';
  report->modules = (struct loaded_modules){0};
  pthread_mutex_unlock(&report->lock);
}

void fault_report_destroy(struct fault_report *report) {
  if (!report) return;
  fault_report_clear(report);
  pthread_mutex_destroy(&report->lock);
  free(report->observed);
  free(report);
}

void fault_use_words(struct fault_report *report, enum fault_words words) {
  pthread_mutex_lock(&report->lock);
  report->words = words;
  pthread_mutex_unlock(&report->lock);
}

void fault_use_tokens(struct fault_report *report, bool tokens) {
  pthread_mutex_lock(&report->lock);
  report->tokens = tokens;
  pthread_mutex_unlock(&report->lock);
}

static const char *keep_text(struct fault_report *report, const char *text) {
  if (!text || !*text) return text ? "" : NULL;
  for (struct kept_text *kept = report->texts; kept; kept = kept->next)
    if (strcmp(kept->text, text) == 0) return kept->text;
  size_t size = strlen(text) + 1;
  struct kept_text *kept = malloc(sizeof *kept + size);
  if (!kept) die("out of memory for a fault");
  memcpy(kept->text, text, size);
  kept->next = report->texts;
  report->texts = kept;
  return kept->text;
}

static void keep_place(struct fault_report *report, struct fault_place *place) {
  place->file = keep_text(report, place->file);
  place->instruction = keep_text(report, place->instruction);
  for (uint32_t i = 0; i < place->inlined_count; i++)
    place->inlined[i].file = keep_text(report, place->inlined[i].file);
}

static void keep_texts(struct fault_report *report, struct fault *fault) {
  keep_place(report, &fault->place);
  for (uint32_t i = 0; i < fault->related_count; i++)
    keep_place(report, &fault->related[i].place);
  fault->symbol = keep_text(report, fault->symbol);
  fault->signature = keep_text(report, fault->signature);
  fault->callers = keep_text(report, fault->callers);
  for (int i = 0; i < 2; i++)
    fault->callers_of[i] = keep_text(report, fault->callers_of[i]);
  for (uint32_t i = 0; i < fault->host_count; i++) {
    fault->host[i].function = keep_text(report, fault->host[i].function);
    fault->host[i].file = keep_text(report, fault->host[i].file);
  }
}

// The same but for the kernel.
static bool same_deed(const struct fault *a, const struct fault *b) {
  if (a->rule != b->rule || !fault_same_line(&a->place, &b->place) || !fault_same_callers(a, b)) return false;
  if ((a->related_count > 0) != (b->related_count > 0)) return false;
  return a->related_count == 0 || fault_same_line(&a->related[0].place, &b->related[0].place);
}

static bool same_fault(const struct fault *a, const struct fault *b) {
  return strcmp(a->kernel, b->kernel) == 0 && same_deed(a, b);
}

static void count_block(struct fault_entry *entry, const struct fault_place *place) {
  uint64_t hash =
      place->block[0] + 0x9e3779b97f4a7c15ull * place->block[1] + 0xc2b2ae3d27d4eb4full * place->block[2];
  hash %= BLOCK_BITS;
  uint64_t bit = 1ull << (hash % 64);
  if (entry->blocks_seen[hash / 64] & bit) return;
  entry->blocks_seen[hash / 64] |= bit;
  entry->fault.block_count++;
}

static int compare_blocks(const struct fault_place *a, const struct fault_place *b) {
  for (int axis = 2; axis >= 0; axis--)
    if (a->block[axis] != b->block[axis]) return a->block[axis] < b->block[axis] ? -1 : 1;
  return 0;
}

static bool comes_before(const struct fault_entry *a, const struct fault_entry *b) {
  if (a->stage != b->stage) return a->stage < b->stage;
  int blocks = compare_blocks(&a->fault.place, &b->fault.place);
  return blocks ? blocks < 0 : a->sequence < b->sequence;
}

// Workers record in any order; within a stage the lowest block's first occurrence is the example, and
// examples are listed by block.
static void take_example(struct fault_report *report, struct fault_entry *entry, const struct fault *fault) {
  struct fault kept = entry->fault;
  entry->fault = *fault;
  keep_texts(report, &entry->fault);
  if (kept.launch) entry->fault.launch = kept.launch;
  entry->fault.launch_count = kept.launch_count;
  entry->fault.count = kept.count;
  entry->fault.block_count = kept.block_count;
  entry->fault.consequences = kept.consequences;
  entry->fault.also_count = kept.also_count;
  memcpy(entry->fault.also, kept.also, sizeof kept.also);
  if (kept.launch_blocks > entry->fault.launch_blocks) entry->fault.launch_blocks = kept.launch_blocks;
  if (kept.thread_count > entry->fault.thread_count) entry->fault.thread_count = kept.thread_count;
  if (kept.severity > entry->fault.severity) entry->fault.severity = kept.severity;
  entry->stage = report->stage;
  entry->sequence = fault->ticket ? fault->ticket : ++report->sequence;
  size_t at = 0;
  while (report->faults[at] != entry)
    at++;
  for (; at > 0 && comes_before(entry, report->faults[at - 1]); at--)
    report->faults[at] = report->faults[at - 1];
  report->faults[at] = entry;
}

uint64_t fault_ticket(struct fault_report *report) {
  pthread_mutex_lock(&report->lock);
  const uint64_t ticket = ++report->sequence;
  pthread_mutex_unlock(&report->lock);
  return ticket;
}

void fault_report_next_stage(struct fault_report *report) {
  pthread_mutex_lock(&report->lock);
  report->stage++;
  pthread_mutex_unlock(&report->lock);
}

static void hide(struct fault_entry *cause, struct fault_entry *other) {
  other->hidden = true;
  cause->fault.consequences++;
}

static bool names_line(const struct fault *fault, const struct fault_place *place) {
  for (uint32_t i = 0; i < fault->also_count; i++)
    if (fault->also[i] == place->line) return true;
  return fault_same_line(&fault->place, place) ||
         (fault->related_count > 0 && fault_same_line(&fault->related[0].place, place));
}

// Where `other` breaks the rule and `first` doesn't: one change need not mend both.
static void note_line(struct fault *first, const struct fault_place *place) {
  if (!place->line || first->also_count == FAULT_MAX_ALSO || names_line(first, place)) return;
  if (strcmp(first->place.file ? first->place.file : "", place->file ? place->file : "") != 0) return;
  first->also[first->also_count++] = place->line;
}

static void hide_repetition(struct fault_entry *first, struct fault_entry *other) {
  hide(first, other);
  note_line(&first->fault, &other->fault.place);
  if (other->fault.related_count > 0) note_line(&first->fault, &other->fault.related[0].place);
}

// What another fault explains stays recorded, but isn't shown: causes may be found after their consequences.
// What is hidden hides no repetition, or the two could hide each other.
static void hide_consequences(struct fault_report *report) {
  struct fault_entry **entries = report->faults;
  for (size_t i = 0; i < report->fault_count; i++) {
    entries[i]->hidden = false;
    entries[i]->fault.consequences = 0;
    entries[i]->fault.also_count = 0;
  }
  for (size_t i = 0; i < report->fault_count; i++)
    for (size_t k = 0; k < report->fault_count; k++)
      if (fault_explains(&entries[i]->fault, &entries[k]->fault)) hide(entries[i], entries[k]);
  for (size_t i = 0; i < report->fault_count; i++)
    for (size_t k = i + 1; k < report->fault_count; k++)
      if (!entries[i]->hidden && !entries[k]->hidden && fault_repeats(&entries[i]->fault, &entries[k]->fault))
        hide_repetition(entries[i], entries[k]);
  for (size_t i = 0; i < report->fault_count; i++)
    if (!entries[i]->hidden) return;
  if (report->fault_count) entries[0]->hidden = false; // whatever explains what: something is shown
}

static void record_locked(struct fault_report *report, const struct fault *fault);

// An occurrence may become the example of its entry.
static bool is_earlier(const struct fault_report *report, const struct fault_entry *entry,
                       const struct fault *fault) {
  return entry->stage == report->stage && compare_blocks(&fault->place, &entry->fault.place) < 0;
}

static void count_again(const struct fault_report *report, struct fault_entry *entry,
                        const struct fault *fault) {
  entry->fault.count += fault->count ? fault->count : 1;
  if (report->launch != entry->last_launch) entry->fault.launch_count++;
  entry->last_launch = report->launch;
  if (fault->severity > entry->fault.severity) entry->fault.severity = fault->severity;
  if (fault->block_count > entry->fault.block_count)
    entry->fault.block_count = fault->block_count;
  else if (fault->block_count == 0)
    count_block(entry, &fault->place);
  if (fault->launch_blocks > entry->fault.launch_blocks) {
    entry->fault.launch_blocks = fault->launch_blocks;
    entry->fault.launch_threads = fault->launch_threads;
  }
  if (fault->thread_count > entry->fault.thread_count) entry->fault.thread_count = fault->thread_count;
}

// The usual case of many: it is known, and only counted, so nobody needs its words.
static bool is_counted(struct fault_report *report, const struct fault *fault) {
  for (size_t i = 0; i < report->fault_count; i++) {
    struct fault_entry *entry = report->faults[i];
    if (!entry->fault.symbol || !same_deed(&entry->fault, fault) ||
        strcmp(entry->fault.symbol, fault->kernel) != 0)
      continue;
    if (is_earlier(report, entry, fault)) return false;
    count_again(report, entry, fault);
    return true;
  }
  return false;
}

static void name_and_record(struct fault_report *report, const struct fault *fault) {
  struct fault named = *fault;
  fault_demangle(fault->kernel, named.kernel, sizeof named.kernel);
  named.symbol = fault->kernel;
  named.launch = report->launch;
  if (report->words == FAULT_WORDS_PTX) vocabulary_translate_fault(&named, report->tokens);
  record_locked(report, &named);
}

void fault_record(struct fault_report *report, const struct fault *fault) {
  if (fault->rule == RULE_NONE) die("a fault without a rule: %s", fault->message);
  pthread_mutex_lock(&report->lock);
  if (report->unsupported_count)
    report->unjudged++;
  else if (!is_counted(report, fault))
    name_and_record(report, fault);
  pthread_mutex_unlock(&report->lock);
}

static void fault_adopt_locked(struct fault_report *report, const struct fault *fault) {
  struct fault_entry *entry = report->fault_count < MAX_FAULTS ? calloc(1, sizeof *entry) : NULL;
  if (entry) {
    entry->fault = *fault;
    keep_texts(report, &entry->fault);
    report->faults[report->fault_count++] = entry;
  }
}

void fault_adopt(struct fault_report *report, const struct fault *fault) {
  pthread_mutex_lock(&report->lock);
  fault_adopt_locked(report, fault);
  pthread_mutex_unlock(&report->lock);
}

static void record_locked(struct fault_report *report, const struct fault *fault) {
  struct fault_entry *entry = NULL;
  for (size_t i = 0; i < report->fault_count && !entry; i++) {
    if (same_fault(&report->faults[i]->fault, fault)) entry = report->faults[i];
  }
  if (!entry && report->fault_count == MAX_FAULTS) return;
  if (!entry) {
    entry = calloc(1, sizeof *entry);
    if (!entry) die("out of memory for a fault");
    report->faults[report->fault_count++] = entry;
    take_example(report, entry, fault);
    entry->fault.count = entry->fault.block_count = 0;
    hide_consequences(report);
  } else if (is_earlier(report, entry, fault)) {
    take_example(report, entry, fault);
    hide_consequences(report); // it may stand before others now
  }
  count_again(report, entry, fault);
}

void fault_complete(struct fault_report *report, const struct fault *fault) {
  pthread_mutex_lock(&report->lock);
  for (size_t i = 0; i < report->fault_count; i++) {
    struct fault *known = &report->faults[i]->fault;
    struct fault named = *fault;
    fault_demangle(fault->kernel, named.kernel, sizeof named.kernel);
    if (!same_fault(known, &named) || compare_blocks(&known->place, &fault->place) != 0) continue;
    if (report->words == FAULT_WORDS_PTX) vocabulary_translate_fault(&named, report->tokens);
    memcpy(known->related, named.related, sizeof known->related);
    known->related_count = fault->related_count;
    known->edit = fault->edit;
    known->edit_is_guess = fault->edit_is_guess;
    memcpy(known->message, named.message, sizeof known->message);
    memcpy(known->remedy, named.remedy, sizeof known->remedy);
    for (uint32_t k = 0; k < known->related_count; k++)
      keep_place(report, &known->related[k].place);
  }
  pthread_mutex_unlock(&report->lock);
}

void fault_begin_launch(struct fault_report *report, uint64_t launch) {
  pthread_mutex_lock(&report->lock);
  report->launch = launch;
  pthread_mutex_unlock(&report->lock);
}

void fault_called_from(struct fault_report *report, uint64_t launch, const char *callers) {
  pthread_mutex_lock(&report->lock);
  for (size_t i = 0; i < report->fault_count; i++) {
    struct fault *fault = &report->faults[i]->fault;
    if (fault->launch == launch && !fault->callers) fault->callers = keep_text(report, callers);
  }
  pthread_mutex_unlock(&report->lock);
}

void fault_resolve(struct fault_report *report, void (*resolve)(void *context, struct fault *fault),
                   void *context) {
  pthread_mutex_lock(&report->lock);
  for (size_t i = 0; i < report->fault_count; i++) {
    resolve(context, &report->faults[i]->fault);
    keep_texts(report, &report->faults[i]->fault);
  }
  pthread_mutex_unlock(&report->lock);
}

static struct fault_entry *entry_like(struct fault_report *report, const struct fault *fault) {
  for (size_t i = 0; i < report->fault_count; i++)
    if (same_fault(&report->faults[i]->fault, fault)) return report->faults[i];
  return NULL;
}

static void merge_entry(struct fault_report *report, const struct fault_entry *from) {
  struct fault_entry *entry = entry_like(report, &from->fault);
  if (entry) {
    entry->fault.count += from->fault.count;
    entry->fault.launch_count += from->fault.launch_count;
    if (from->fault.block_count > entry->fault.block_count)
      entry->fault.block_count = from->fault.block_count;
    entry->hidden = entry->hidden && from->hidden;
    return;
  }
  fault_adopt_locked(report, &from->fault);
  entry = entry_like(report, &from->fault);
  if (entry) entry->hidden = from->hidden;
}

void fault_report_merge(struct fault_report *report, struct fault_report *from) {
  pthread_mutex_lock(&report->lock);
  for (size_t i = 0; i < from->fault_count; i++)
    merge_entry(report, from->faults[i]);
  report->unjudged += from->unjudged;
  if (!report->refusal[0]) memcpy(report->refusal, from->refusal, sizeof report->refusal);
  if (!report->time_limit[0]) memcpy(report->time_limit, from->time_limit, sizeof report->time_limit);
  report->modules.count += from->modules.count;
  if (!report->modules.refused[0])
    memcpy(report->modules.refused, from->modules.refused, sizeof report->modules.refused);
  pthread_mutex_unlock(&report->lock);
  for (size_t i = 0; i < from->unsupported_count; i++)
    unsupported_record(report, &from->unsupported[i]);
  for (size_t i = 0; i < from->observed_count; i++)
    observed_merge(report, &from->observed[i]);
}

void unsupported_record(struct fault_report *report, const struct unsupported *unsupported) {
  pthread_mutex_lock(&report->lock);
  bool known = false;
  for (size_t i = 0; i < report->unsupported_count; i++) {
    known |= strcmp(report->unsupported[i].what, unsupported->what) == 0 &&
             fault_same_line(&report->unsupported[i].place, &unsupported->place);
  }
  if (!known && report->unsupported_count < MAX_UNSUPPORTED) {
    report->unsupported[report->unsupported_count] = *unsupported;
    keep_place(report, &report->unsupported[report->unsupported_count++].place);
  }
  pthread_mutex_unlock(&report->lock);
}

uint64_t fault_unjudged_count(const struct fault_report *report) {
  return report->unjudged;
}

void observed_adopt(struct fault_report *report, const struct observed *observed) {
  pthread_mutex_lock(&report->lock);
  if (report->observed_count < MAX_OBSERVED) report->observed[report->observed_count++] = *observed;
  pthread_mutex_unlock(&report->lock);
}

void observed_merge(struct fault_report *report, const struct observed *part) {
  struct observed with_levels = *part;
  observed_note_levels(&with_levels);
  pthread_mutex_lock(&report->lock);
  struct observed *record = NULL;
  for (size_t i = 0; i < report->observed_count && !record; i++) {
    if (strcmp(report->observed[i].kernel, part->kernel) == 0) record = &report->observed[i];
  }
  if (record) {
    observed_add(record, &with_levels);
  } else if (report->observed_count < MAX_OBSERVED) {
    report->observed[report->observed_count++] = with_levels;
  } else { // nothing goes uncounted
    observed_add(&report->observed[MAX_OBSERVED - 1], &with_levels);
  }
  pthread_mutex_unlock(&report->lock);
}

void fault_refuse(struct fault_report *report, const char *format, ...) {
  va_list list;
  va_start(list, format);
  pthread_mutex_lock(&report->lock);
  if (report->unsupported_count)
    report->unjudged++;
  else if (!report->refusal[0])
    vsnprintf(report->refusal, sizeof report->refusal, format, list);
  pthread_mutex_unlock(&report->lock);
  va_end(list);
}

void fault_note_time_limit(struct fault_report *report, const char *text) {
  pthread_mutex_lock(&report->lock);
  if (!report->time_limit[0]) snprintf(report->time_limit, sizeof report->time_limit, "%s", text);
  pthread_mutex_unlock(&report->lock);
}

void fault_time_is_up(struct fault_report *report, const char *kernel, double seconds) {
  char name[128], text[sizeof report->time_limit];
  fault_demangle(kernel, name, sizeof name);
  if (seconds > 0)
    snprintf(text, sizeof text,
             "%s was stopped after %.3g seconds: this machine is too busy, or too slow for it", name,
             seconds);
  else
    snprintf(text, sizeof text, "%s was stopped before its end", name);
  fault_note_time_limit(report, text);
}

void fault_host_awaited(struct fault_report *report, const char *kernel, double seconds) {
  char name[128], how[64] = "at its budget of instructions", text[sizeof report->time_limit];
  fault_demangle(kernel, name, sizeof name);
  if (seconds > 0) snprintf(how, sizeof how, "after it had waited for %.3g seconds", seconds);
  snprintf(text, sizeof text, "%s was stopped %s: it reads memory that the host may still change", name, how);
  fault_note_time_limit(report, text);
}

static const char PUT_OFF[] = "a launch has spent its first budget of instructions";

void fault_put_off(struct fault_report *report) {
  fault_note_time_limit(report, PUT_OFF);
}

bool fault_is_put_off(const struct fault_report *report) {
  return strcmp(report->time_limit, PUT_OFF) == 0;
}

const char *fault_time_limit(const struct fault_report *report) {
  return report->time_limit;
}

const char *fault_refusal(const struct fault_report *report) {
  return report->refusal;
}

void fault_module_loaded(struct fault_report *report, const char *refused) {
  pthread_mutex_lock(&report->lock);
  struct loaded_modules *modules = &report->modules;
  modules->count++;
  if (refused && !modules->refused[0]) snprintf(modules->refused, sizeof modules->refused, "%s", refused);
  pthread_mutex_unlock(&report->lock);
}

const struct loaded_modules *fault_loaded_modules(const struct fault_report *report) {
  return &report->modules;
}

size_t fault_count(const struct fault_report *report) {
  size_t shown = 0;
  for (size_t i = 0; i < report->fault_count; i++)
    shown += !report->faults[i]->hidden;
  return shown;
}

static struct fault_entry *shown_at(const struct fault_report *report, size_t index) {
  for (size_t i = 0; i < report->fault_count; i++)
    if (!report->faults[i]->hidden && index-- == 0) return report->faults[i];
  return NULL;
}

struct fault *fault_record_at(struct fault_report *report, size_t index) {
  struct fault_entry *entry = shown_at(report, index);
  return entry ? &entry->fault : NULL;
}

const struct fault *fault_at(const struct fault_report *report, size_t index) {
  const struct fault_entry *entry = shown_at(report, index);
  return entry ? &entry->fault : NULL;
}

size_t unsupported_count(const struct fault_report *report) {
  return report->unsupported_count;
}

const struct unsupported *unsupported_at(const struct fault_report *report, size_t index) {
  return index < report->unsupported_count ? &report->unsupported[index] : NULL;
}

void observed_add_host(struct fault_report *report, bool handed, uint64_t load_bytes, uint64_t store_bytes) {
  struct observed *by_host = &report->by_host;
  *(handed ? &by_host->handed_load_bytes : &by_host->own_load_bytes) += load_bytes;
  *(handed ? &by_host->handed_store_bytes : &by_host->own_store_bytes) += store_bytes;
}

void observed_add_host_values(struct fault_report *report, uint64_t bytes) {
  report->by_host.value_store_bytes += bytes;
}

const struct observed *observed_by_host(const struct fault_report *report) {
  return &report->by_host;
}

size_t observed_count(const struct fault_report *report) {
  return report->observed_count;
}

const struct observed *observed_at(const struct fault_report *report, size_t index) {
  return index < report->observed_count ? &report->observed[index] : NULL;
}
