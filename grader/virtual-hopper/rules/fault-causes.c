// Which of two faults comes of the other (fault-causes.h).
#include "virtual-hopper/rules/fault-causes.h"

#include <string.h>

#include "virtual-hopper/rules/rules.h"

uint64_t fault_cause(enum fault_subject subject, const char *name, uint64_t number) {
  uint64_t hash = 0xcbf29ce484222325ull ^ (uint64_t)subject ^ number << 8; // FNV
  for (; *name; name++)
    hash = (hash ^ (unsigned char)*name) * 0x100000001b3ull;
  return hash ? hash : 1;
}

bool fault_same_line(const struct fault_place *a, const struct fault_place *b) {
  if (a->line != b->line) return false;
  if (a->file != b->file && strcmp(a->file ? a->file : "", b->file ? b->file : "") != 0) return false;
  // Without line information the instruction is all that tells two places apart.
  return a->line != 0 || a->ptx_line == b->ptx_line;
}

bool fault_same_callers(const struct fault *a, const struct fault *b) {
  return *a->kernel || strcmp(a->callers ? a->callers : "", b->callers ? b->callers : "") == 0;
}

static bool share_a_line(const struct fault *a, const struct fault *b) {
  const struct fault_place *of_a[] = {&a->place, a->related_count ? &a->related[0].place : NULL};
  const struct fault_place *of_b[] = {&b->place, b->related_count ? &b->related[0].place : NULL};
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 2; k++)
      if (of_a[i] && of_b[k] && fault_same_line(of_a[i], of_b[k])) return true;
  return false;
}

// Both are about the same two lines, whichever comes first in each.
static bool share_both_lines(const struct fault *a, const struct fault *b) {
  if (!a->related_count || !b->related_count) return false;
  const struct fault_place *one = &a->place, *other = &a->related[0].place;
  return (fault_same_line(one, &b->place) && fault_same_line(other, &b->related[0].place)) ||
         (fault_same_line(one, &b->related[0].place) && fault_same_line(other, &b->place));
}

// A race, and a phase that nobody has seen, come of one wait that is missing. Where the race doesn't name the
// arrival that should be waited for, and nobody ever waits for the barrier of the phase, the phase is shown.
static bool shows_phase(const struct fault *race, const struct fault *phase) {
  return phase->names_culprit && !race->names_culprit;
}

static bool lacks_the_same_wait(const struct fault *cause, const struct fault *consequence) {
  if (cause->rule == RULE_UNOBSERVED_PHASE && consequence->rule == RULE_SHARED_RACE)
    return shows_phase(consequence, cause);
  return cause->rule == RULE_SHARED_RACE && consequence->rule == RULE_UNOBSERVED_PHASE &&
         !shows_phase(cause, consequence);
}

// The line in the kernel itself, and not in a function that it calls.
static const char *kernel_line(const struct fault_place *p, uint32_t *line) {
  const uint32_t frames = p->inlined_count;
  const char *file = frames ? p->inlined[frames - 1].file : p->file;
  *line = frames ? p->inlined[frames - 1].line : p->line;
  return file ? file : "";
}

static bool is_race(const struct fault *f) {
  return (f->rule == RULE_GLOBAL_RACE || f->rule == RULE_SHARED_RACE) && f->related_count > 0;
}

// The one thread does first what `outer` tells of, then its part of `inner`; the other thread does its parts
// the other way round. So whatever orders the inner two orders the outer two. The inner may be a flag: where
// the flag itself is raced for, so is what it tells of.
static bool lies_within(const struct fault *inner, const struct fault *outer) {
  if (!is_race(inner) || !is_race(outer) || inner->rule != outer->rule) return false;
  const struct fault_place *places[] = {&outer->place, &inner->place, &inner->related[0].place,
                                        &outer->related[0].place};
  uint32_t line[4];
  const char *file = kernel_line(places[0], &line[0]);
  for (int i = 1; i < 4; i++)
    if (strcmp(kernel_line(places[i], &line[i]), file) != 0) return false;
  return line[0] && line[0] < line[1] && line[1] <= line[2] && line[2] < line[3];
}

// Of faults of one cause: what the rules explain comes last; else the fault that names the cause comes first,
// then the rule that stands first in the list.
static bool tells_more(const struct fault *a, const struct fault *b) {
  if (rule_explains(b->rule, a->rule)) return false;
  if (a->rule == b->rule && a->severity != b->severity) return false; // one of them ends the launch
  return a->names_culprit != b->names_culprit ? a->names_culprit : a->rule < b->rule;
}

static bool have_one_cause(const struct fault *a, const struct fault *b) {
  return a->cause && a->cause == b->cause;
}

// Who uses a tile without waiting for it gives it back too early as well, and so lets its loader come again.
// That the loader doesn't wait explains no such use.
static bool lets_it_come(const struct fault *use, const struct fault *arrival) {
  return use->rule == RULE_TILE_BEFORE_PHASE && arrival->rule == RULE_ARRIVAL_COUNT && arrival->comes_again;
}

static bool same_instruction(const struct fault_place *a, const struct fault_place *b) {
  return fault_same_line(a, b) && a->ptx_line == b->ptx_line;
}

// The load that comes into a buffer too early is the one that the reader has not waited for: the reader has
// waited for the load before.
static bool overtakes(const struct fault *refill, const struct fault *use) {
  return refill->overtakes && use->rule == RULE_TILE_BEFORE_PHASE &&
         same_instruction(&refill->related[0].place, &use->place) &&
         !same_instruction(&refill->related[0].place, &refill->place);
}

// Whoever waits for the copies of a tile before it is used has no copies left when the barrier goes.
static bool is_late(const struct fault *use, const struct fault *copies) {
  return use->rule == RULE_TILE_BEFORE_PHASE && copies->comes_late;
}

// Whoever waits for the copy in the block that receives it keeps that block there. Both are about one copy.
static bool is_awaited_there(const struct fault *landing, const struct fault *absent) {
  return landing->rule == RULE_EXIT_BEFORE_LANDING && absent->rule == RULE_ABSENT_BLOCK &&
         same_instruction(&landing->place, &absent->place);
}

// A copy into another block that is sent again too early: its source is changed under way, and it lands in a
// phase that doesn't expect it.
static bool comes_too_early(const struct fault *source, const struct fault *landing) {
  return source->rule == RULE_BUFFER_IN_FLIGHT && landing->rule == RULE_BYTES_ANNOUNCED &&
         landing->edit_is_guess && fault_same_line(&source->place, &landing->place);
}

// Faults that show what a wrong turn in a pipeline leads to. That a tile is used without a wait says as much
// as that a thread gives it back so.
static bool comes_of_root(const struct fault *root, enum rule_id rule) {
  switch (rule) {
  case RULE_TILE_BEFORE_PHASE: return root->rule != RULE_UNOBSERVED_PHASE;
  case RULE_PARITY:
  case RULE_UNOBSERVED_PHASE:
  case RULE_ARRIVAL_COUNT:
  case RULE_BUFFER_STILL_READ:
  case RULE_READ_THEN_LOAD:
  case RULE_ASYNC_RACE:
  case RULE_BYTES_ANNOUNCED:
  case RULE_SHARED_RACE:
  case RULE_DEADLOCK:
  case RULE_ENDLESS_LOOP:
  case RULE_OPERAND_IN_FLIGHT:
  case RULE_EXIT_BEFORE_LANDING:
  case RULE_WARP_SYNC_MASK: return true;
  default: return false;
  }
}

bool fault_has_root(const struct fault *root, const struct fault *consequence) {
  return root->is_root && !consequence->is_root && strcmp(root->kernel, consequence->kernel) == 0 &&
         comes_of_root(root, consequence->rule);
}

bool fault_explains(const struct fault *cause, const struct fault *consequence) {
  // An error of the same rule explains why nobody can go on.
  const bool ends = cause->rule == consequence->rule && cause->severity == FAULT_ERROR &&
                    consequence->severity == FAULT_FATAL;
  if (cause->severity == FAULT_WARNING || strcmp(cause->kernel, consequence->kernel) != 0) return false;
  if (fault_has_root(cause, consequence)) return true;
  if (fault_has_root(consequence, cause) || is_late(consequence, cause)) return false;
  if (lets_it_come(consequence, cause) || overtakes(consequence, cause) ||
      comes_too_early(consequence, cause))
    return false;
  return ends || is_late(cause, consequence) || comes_too_early(cause, consequence) ||
         is_awaited_there(cause, consequence) || overtakes(cause, consequence) ||
         lets_it_come(cause, consequence) || rule_explains(cause->rule, consequence->rule) ||
         lacks_the_same_wait(cause, consequence) || lies_within(cause, consequence) ||
         (rule_explains_there(cause->rule, consequence->rule) && share_both_lines(cause, consequence)) ||
         (have_one_cause(cause, consequence) && tells_more(cause, consequence));
}

// The same rule, broken twice at one line: mending one place mends the other too, most likely.
bool fault_repeats(const struct fault *first, const struct fault *second) {
  if (first->rule != second->rule || first->severity != second->severity) return false;
  if (first->rule == RULE_STREAM_ORDER && have_one_cause(first, second)) return true; // of several kernels
  return strcmp(first->kernel, second->kernel) == 0 && fault_same_callers(first, second) &&
         (have_one_cause(first, second) || share_a_line(first, second));
}
