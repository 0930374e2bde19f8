// In: the counters of struct observed, by name. Out: the first unmet requirement. Bytes add up over kernels.
// Events and levels ("most at once") only count if the blocks that have reached them do enough of the work;
// else a few blocks could do for show what is required.
#include "referee/requirements.h"

#include "virtual-hopper/rules/fault.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { BORNE_PERCENT = 85 };

// A counter that lab.cfg may name. With `other`, the smaller of the two sums counts.
struct counter {
  const struct observed_counter *one, *other;
};

static const struct observed_counter *counter_named(const char *name) {
  const struct observed_counter *counter;
  for (size_t i = 0; (counter = observed_counter_at(i)); i++)
    if (counter->asked != LEVEL_NOT_ASKED && strcmp(counter->name, name) == 0) return counter;
  return NULL;
}

// Data that takes a detour through the program's own memory is written there and read there. Reading alone
// may be arguments or flags, writing alone may be a log.
static const char detour[] = "detour_bytes";

static struct counter find(const char *name) {
  if (strcmp(name, detour) == 0)
    return (struct counter){counter_named("own_load_bytes"), counter_named("own_store_bytes")};
  return (struct counter){counter_named(name), NULL};
}

bool requirement_counter_exists(const char *name) {
  return find(name).one != NULL;
}

// Whether the blocks that reached this level (1 or more) have moved nearly all copied bytes. Less would leave
// room for a decoy: blocks that do as is asked for a part of the work, beside others that do it all in a
// simpler way. What the copies may move in all is limited, too, so a decoy can't outweigh the work.
static bool is_borne(const struct fault_report *report, enum observed_level kind, unsigned level) {
  uint64_t all = 0, there = 0;
  for (size_t i = 0; i < observed_count(report); i++) {
    all += observed_copied(observed_at(report, i));
    there += observed_at(report, i)->bytes_at_level[kind][level - 1];
  }
  return there * 100 >= all * BORNE_PERCENT;
}

// One counter of struct observed, over all kernels of the report and the host's calls.
static double over_kernels(const struct observed_counter *counter, const struct fault_report *report) {
  double value = (double)observed_value(observed_by_host(report), counter);
  for (size_t i = 0; i < observed_count(report); i++) {
    double here = (double)observed_value(observed_at(report, i), counter);
    value = counter->combine == OBSERVED_MOST ? fmax(value, here) : value + here;
  }
  return value;
}

// The level, or the number of events, that counts if only blocks that do enough of the work are considered.
static double borne(const struct observed_counter *counter, double value, const struct fault_report *report) {
  if (counter->asked == LEVEL_KINDS) return value;
  const unsigned reached = (unsigned)fmin(value, counter->combine == OBSERVED_MOST ? LEVEL_MOST : 1);
  unsigned level = reached;
  while (level > 0 && !is_borne(report, counter->asked, level))
    level--;
  return level == reached ? value : level;
}

static double value_of(const struct requirement *requirement, const struct fault_report *report, bool bears) {
  double value = 0;
  for (unsigned i = 0; i < requirement->counter_count; i++) {
    const struct counter counter = find(requirement->counters[i]);
    if (!counter.one) continue;
    double here = over_kernels(counter.one, report);
    if (counter.other) here = fmin(here, over_kernels(counter.other, report));
    if (bears) here = borne(counter.one, here, report);
    value = counter.one->combine == OBSERVED_MOST ? fmax(value, here) : value + here;
  }
  return value;
}

static double unit_of(const struct requirement *requirement, const struct exercise_instance *instance) {
  const struct matrix_shape *input = &instance->input;
  if (requirement->unit == REQUIREMENT_NUMBER) return 1.0;
  if (requirement->unit == REQUIREMENT_PRODUCTS) return (double)instance->products;
  if (requirement->unit != REQUIREMENT_INPUT_BYTES) return (double)exercise_output_bytes(instance);
  return (double)(matrix_element_bytes(input) * (matrix_elements(input) - instance->spare_elements));
}

// Which of the observed accesses a counter is about. What threads move themselves is too much of one counter,
// and missing in another: that of the copies that should have moved it. False: none.
static bool access_kind_of(const char *counter, bool too_much, enum observed_access_kind *kind) {
  static const struct {
    const char *counter;
    bool too_much;
    enum observed_access_kind kind;
  } kinds[] = {
      {"bank_conflict_bytes", true, WORST_BANKS},       {"handed_load_bytes", true, WORST_HANDED_LOAD},
      {"handed_store_bytes", true, WORST_HANDED_STORE}, {"value_store_bytes", true, WORST_HANDED_STORE},
      {"bulk_load_bytes", false, WORST_HANDED_LOAD},    {"tensor_load_bytes", false, WORST_HANDED_LOAD},
      {"bulk_store_bytes", false, WORST_HANDED_STORE},  {"tensor_store_bytes", false, WORST_HANDED_STORE},
      {"bulk_reduce_bytes", false, WORST_HANDED_STORE},
  };
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    if (strcmp(kinds[i].counter, counter) != 0 || kinds[i].too_much != too_much) continue;
    *kind = kinds[i].kind;
    return true;
  }
  return false;
}

// Whether what threads moved themselves accounts for a good part of what the copies lack.
static bool accounts_for(const struct unmet *unmet, const struct fault_report *report) {
  if (unmet->too_much) return true;
  const char *name = unmet->kind == WORST_HANDED_LOAD ? "handed_load_bytes" : "handed_store_bytes";
  return over_kernels(counter_named(name), report) >= (unmet->bound - unmet->value) / 4;
}

static struct unmet name_access(struct unmet unmet, const struct fault_report *report) {
  const struct requirement *requirement = unmet.requirement;
  for (unsigned i = 0; i < requirement->counter_count; i++) {
    if (!access_kind_of(requirement->counters[i], unmet.too_much, &unmet.kind)) continue;
    if (!accounts_for(&unmet, report)) break;
    for (size_t kernel = 0; kernel < observed_count(report); kernel++) {
      const struct observed_access *access = &observed_at(report, kernel)->worst[unmet.kind];
      if (access->weight > unmet.access.weight) unmet.access = *access;
    }
    break;
  }
  return unmet;
}

struct unmet requirements_unmet(const struct exercise_config *config, const struct fault_report *report,
                                const struct exercise_instance *instance, bool large) {
  for (unsigned i = 0; i < config->requirement_count; i++) {
    const struct requirement *requirement = &config->requirements[i];
    if ((requirement->large || requirement->unit == REQUIREMENT_NUMBER) && !large) continue;
    const double unit = unit_of(requirement, instance);
    const double anywhere = value_of(requirement, report, false), value = value_of(requirement, report, true);
    if (!(value >= requirement->at_least * unit))
      return name_access((struct unmet){.requirement = requirement,
                                        .value = value,
                                        .anywhere = anywhere,
                                        .bound = requirement->at_least * unit},
                         report);
    if (!(anywhere <= requirement->at_most * unit)) // at_most counts all blocks
      return name_access((struct unmet){.requirement = requirement,
                                        .value = anywhere,
                                        .anywhere = anywhere,
                                        .bound = requirement->at_most * unit,
                                        .too_much = true},
                         report);
  }
  return (struct unmet){0};
}

__attribute__((format(printf, 3, 4))) static void append(char *text, size_t size, const char *format, ...) {
  const size_t used = strlen(text);
  va_list list;
  va_start(list, format);
  vsnprintf(text + used, size - used, format, list);
  va_end(list);
}

static const char *words_of(const char *name) {
  const struct observed_counter *counter = counter_named(name);
  return counter ? counter->words : "bytes that went through memory of the program's own"; // detour_bytes
}

void requirement_numbers(const struct unmet *unmet, char *text, size_t size) {
  static const char *const units[] = {[REQUIREMENT_INPUT_BYTES] = "the input",
                                      [REQUIREMENT_OUTPUT_BYTES] = "the output",
                                      [REQUIREMENT_PRODUCTS] = "the products"};
  const struct requirement *requirement = unmet->requirement;
  const double times = unmet->value / unmet->bound * requirement->at_most;
  *text = '\0';
  for (unsigned i = 0; i < requirement->counter_count; i++)
    append(text, size, "%s%s", i ? ", and " : "", words_of(requirement->counters[i]));
  append(text, size, ": %.0f seen", unmet->value);
  if (unmet->anywhere > unmet->value)
    append(text, size, " (%.0f in blocks that move less than 85 %% of the bytes)", unmet->anywhere);
  if (unmet->too_much && unmet->bound > 0 && units[requirement->unit]) // where none is asked for, no ratio
    append(text, size, ", %.*f times %s", times < 0.1 ? 3 : times < 10, times, units[requirement->unit]);
  append(text, size, ", at %s %.0f asked for", unmet->too_much ? "most" : "least", unmet->bound);
}
