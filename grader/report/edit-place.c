// In: the faults of a stage, its text, the student's file and the skeleton. Out: the line to edit. The idea:
// ask each source of a line in turn, the surest first: the fault, the compiler, the referee, and at last the
// first TODO or kernel.
#include "report/edit-place.h"

#include "report/plain-file.h"
#include "report/steps.h"
#include "virtual-hopper/rules/fault.h"
#include "virtual-hopper/rules/rules.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char NAME_LETTERS[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

// Whether the line encodes the tensor map of that name; `name` NULL: any tensor map.
static bool encodes_map(const char *line, const void *name) {
  return strncmp(line, "//", 2) != 0 &&
         (strstr(line, "tensor_map_encode") || strstr(line, "cuTensorMapEncode")) &&
         (!name || strstr(line, name));
}

static bool calls_fence(const char *line, const void *nothing) {
  (void)nothing;
  return strncmp(line, "//", 2) != 0 && strstr(line, "async_proxy_fence(");
}

// Whether the line declares NAME: "CUtensorMap NAME" or "CUtensorMap *NAME".
static bool holds_map(const char *line, const void *name) {
  const char *type = strstr(line, "CUtensorMap ");
  const char *at = type && strncmp(line, "//", 2) != 0 ? strstr(type, name) : NULL;
  return at && at > type && strspn(at, NAME_LETTERS) == strlen(name) && !strchr(NAME_LETTERS, at[-1]);
}

// ---- the fault's place ----

static unsigned line_if_in(const json_t *place, const char *name) {
  const char *file = json_string_value(json_object_get(place, "file"));
  const char *slash = file ? strrchr(file, '/') : NULL;
  bool own = file && strcmp(slash ? slash + 1 : file, name) == 0;
  return own ? (unsigned)json_integer_value(json_object_get(place, "line")) : 0;
}

// Of the places that a call was inlined into: the innermost line that the student wrote, or else the
// innermost line in the file. 0: none of them is in the file.
static unsigned line_of_place(const json_t *place, const char *path, const char *given, const char *name) {
  unsigned innermost = line_if_in(place, name);
  if (innermost && !steps_is_given(path, given, innermost)) return innermost;
  size_t index;
  const json_t *frame;
  json_array_foreach(json_object_get(place, "frames"), index, frame) {
    unsigned line = line_if_in(frame, name);
    if (line && !steps_is_given(path, given, line)) return line;
    if (!innermost) innermost = line;
  }
  return innermost;
}

// The outermost line that the student wrote, of those that lead to the place; 0: there is none.
static unsigned outermost_own_line(const json_t *place, const char *path, const char *given,
                                   const char *name) {
  unsigned outermost = line_if_in(place, name);
  if (outermost && steps_is_given(path, given, outermost)) outermost = 0;
  size_t index;
  const json_t *frame;
  json_array_foreach(json_object_get(place, "frames"), index, frame) {
    unsigned line = line_if_in(frame, name);
    if (line && !steps_is_given(path, given, line)) outermost = line;
  }
  return outermost;
}

// Whether the line is a copy by the tensor map of that name: "&map,".
static bool copies_by_map(const char *line, const void *name) {
  const char *at = strncmp(line, "//", 2) != 0 && strstr(line, "cp_") ? strstr(line, name) : NULL;
  return at && !strchr(NAME_LETTERS, at[strlen(name)]);
}

// The line to edit if the map that the copy at `line` names as &map doesn't fit it: the one that encodes the
// map; or the copy, if another one names the same map, since it fits only one of them. 0: there is none.
static unsigned line_of_map(const char *path, unsigned line) {
  struct steps_line copy;
  if (!steps_read_line(path, line, &copy)) return 0;
  for (const char *at = strchr(copy.text, '&'); at; at = strchr(at + 1, '&')) {
    char name[64];
    size_t length = 1;
    while (length + 1 < sizeof name && (isalnum((unsigned char)at[length]) || at[length] == '_'))
      length++;
    snprintf(name, sizeof name, "%.*s", (int)length, at);
    if (length < 2) continue;
    const unsigned first = steps_find_line(path, 0, copies_by_map, name),
                   next = first == line ? steps_find_line(path, first, copies_by_map, name) : first;
    if (next) return line;
    const unsigned found = steps_find_line(path, 0, encodes_map, name);
    if (found) return found;
  }
  return 0;
}

static unsigned line_of_launcher(const char *path) {
  unsigned launcher = steps_find_line(path, 0, steps_begins_with, "extern \"C\"");
  unsigned todo = launcher ? steps_find_line(path, launcher, steps_contains, "TODO(") : 0;
  return todo ? todo : launcher;
}

// ---- which line mends a fault ----

// Where a rule is mended: MENDED in rules.def. Of several entries for a rule the first that fits is taken;
// the last always fits.
static const struct mend {
  enum rule_id rule;
  unsigned place;
  // THERE: fits a line that the student wrote. ABOVE, BELOW: fits a line of the skeleton, and means a step
  // above or below it.
  enum { THERE, ABOVE, BELOW } side;
} MENDS[] = {
#define MENDED(rule, place, side) {rule, place, side},
#include "virtual-hopper/rules/rules.def"
};

static enum rule_id rule_of_fault(const json_t *fault) {
  return rule_find(json_string_value(json_object_get(fault, "rule")));
}

// Two places of a fault may be the same line, called from different ones: then the caller is meant. 0: they
// are not.
static unsigned line_of_other_caller(const json_t *place, const json_t *other, const char *path,
                                     const char *given, const char *name) {
  const unsigned line = line_if_in(place, name);
  if (!line || other == place || line_if_in(other, name) != line) return 0;
  const json_t *frames = json_object_get(place, "frames"), *others = json_object_get(other, "frames"), *frame;
  size_t index;
  json_array_foreach(frames, index, frame) {
    const unsigned caller = line_if_in(frame, name);
    if (caller == line_if_in(json_array_get(others, index), name)) continue;
    return caller && !steps_is_given(path, given, caller) ? caller : 0;
  }
  return 0;
}

static unsigned line_of_nth(const json_t *fault, unsigned place, const char *path, const char *given,
                            const char *name) {
  const json_t *related = json_object_get(fault, "related"), *other;
  const json_t *chosen = place ? json_array_get(related, place - 1) : fault;
  unsigned caller = 0;
  size_t index;
  json_array_foreach(related, index, other) {
    if (!caller && place) caller = line_of_other_caller(chosen, other, path, given, name);
  }
  return caller ? caller : line_of_place(chosen, path, given, name);
}

// The step from which something is missing. A barrier's initialisation may stand in a neighbouring step, but
// not if that is what is missing.
static unsigned step_to_begin(enum rule_id rule, const char *path, const char *given) {
  return rule == RULE_BARRIER_NOT_INITIALISED ? steps_first_untouched(path, given)
                                              : steps_first_missing(path, given);
}

// A line of the skeleton is right, so the step beside it is to be edited. A line that the student wrote is
// returned as it is.
static unsigned line_beside(const char *path, const char *given, unsigned line, bool below) {
  if (!line || !steps_is_given(path, given, line)) return line;
  unsigned todo = steps_first_missing(path, given);
  if (!todo)
    todo = below ? steps_find_line(path, line, steps_contains, "TODO(") : steps_todo_above(path, line);
  return todo ? todo : line;
}

static unsigned line_by_rule(const json_t *fault, const char *path, const char *given, const char *name) {
  const enum rule_id rule = rule_of_fault(fault);
  const size_t count = sizeof MENDS / sizeof *MENDS;
  const bool two_places = json_array_size(json_object_get(fault, "related")) > 0;
  for (size_t i = 0; rule && two_places && i < count; i++) {
    if (MENDS[i].rule != rule) continue;
    unsigned line = line_of_nth(fault, MENDS[i].place, path, given, name);
    const bool other = i + 1 < count && MENDS[i + 1].rule == rule;
    const bool fits = line && steps_is_given(path, given, line) == (MENDS[i].side != THERE);
    if (fits || !other) return line_beside(path, given, line, MENDS[i].side == BELOW);
  }
  // Something is missing: most likely a step that is not begun.
  bool missing = rule == RULE_DEADLOCK || rule == RULE_BARRIER_NOT_INITIALISED;
  return missing ? step_to_begin(rule, path, given) : 0;
}

static unsigned line_on_host(const char *path, unsigned copy) {
  unsigned line = line_of_map(path, copy);
  if (!line) line = steps_find_line(path, 0, encodes_map, NULL);
  return line ? line : line_of_launcher(path);
}

// A line of the skeleton that encodes a map is right. So the step above it is to be edited, if that is in the
// same function.
static unsigned step_of_host(const char *path, const char *given, unsigned line) {
  if (!line || !steps_is_given(path, given, line)) return line;
  char text[STEPS_LINE];
  unsigned step = 0;
  FILE *file = plain_file_open(path);
  for (unsigned number = 1; file && number < line && plain_file_line(file, text, STEPS_LINE); number++)
    if (text[0] == '}')
      step = 0;
    else if (steps_contains(text, "TODO("))
      step = number;
  if (file) fclose(file);
  return step ? step : line;
}

// The line of the parameter or variable that holds the tensor map which the copy at `line` names; 0: there is
// none. With the rule bad-tensor-map, that is a place where no tensor map may be.
static unsigned line_of_holder(const char *path, unsigned line) {
  struct steps_line copy;
  const char *at = steps_read_line(path, line, &copy) ? strchr(copy.text, '&') : NULL;
  char name[64];
  size_t length = at ? strspn(at + 1, NAME_LETTERS) : 0;
  snprintf(name, sizeof name, "%.*s", (int)length, at ? at + 1 : "");
  return length ? steps_find_line(path, 0, holds_map, name) : 0;
}

// A call or launch in another stream than the one handed over: the fault has no place, since the host did it.
static unsigned line_in_launcher(const char *path) {
  const unsigned launcher = steps_find_line(path, 0, steps_begins_with, "extern \"C\"");
  unsigned line = steps_find_line(path, launcher, steps_contains, "cudaMem");
  if (!line) line = steps_find_line(path, launcher, steps_contains, "<<<");
  return line ? line : line_of_launcher(path);
}

// A step that is not begun and stands where something is missing: a wait before a tile is read or loaded
// again, or at the end, whatever other waits there are. 0: there is none.
static unsigned missing_step(const json_t *fault, const char *path, const char *given, const char *name) {
  const enum rule_id rule = rule_of_fault(fault);
  const bool at_end = rule == RULE_EXIT_BEFORE_READ || rule == RULE_EXIT_BEFORE_LANDING ||
                      rule == RULE_ABSENT_BLOCK; // or at the beginning
  if (!at_end && rule != RULE_TILE_BEFORE_PHASE && rule != RULE_BUFFER_STILL_READ) return 0;
  const unsigned todo = steps_first_missing(path, given);
  return at_end || todo < line_of_nth(fault, 1, path, given, name) ? todo : 0;
}

// Something is missing between the fault's place and the first related one: where a fence stands between the
// two lines, it is the line of the fence. 0: none does.
static unsigned line_between(const json_t *fault, const char *path, const char *given, const char *name) {
  const unsigned one = line_of_nth(fault, 0, path, given, name),
                 other = line_of_nth(fault, 1, path, given, name), begin = one < other ? one : other,
                 end = one < other ? other : one;
  const unsigned fence = begin ? steps_find_line(path, begin, calls_fence, NULL) : 0;
  return fence < end ? fence : 0;
}

static unsigned line_of_fault(const json_t *fault, const char *path, const char *given, const char *name) {
  json_int_t edit = json_integer_value(json_object_get(fault, "edit"));
  unsigned line = missing_step(fault, path, given, name);
  if (line) return line;
  if (rule_of_fault(fault) == RULE_EXIT_BEFORE_LANDING) line = outermost_own_line(fault, path, given, name);
  if (edit == FAULT_EDIT_BETWEEN) line = line_between(fault, path, given, name);
  if (line) return line;
  line = edit > 0 ? line_of_nth(fault, (unsigned)edit, path, given, name) : 0;
  if (!line && edit == FAULT_EDIT_HERE) line = line_of_nth(fault, 0, path, given, name);
  if (line) return line_beside(path, given, line, false);
  if (edit == 0 || edit == FAULT_EDIT_HERE || edit == FAULT_EDIT_BETWEEN)
    line = line_by_rule(fault, path, given, name);
  if (line) return line;
  line = line_of_nth(fault, 0, path, given, name);
  if (edit == FAULT_EDIT_HOST) return step_of_host(path, given, line_on_host(path, line));
  if (rule_of_fault(fault) == RULE_BAD_TENSOR_MAP) {
    unsigned holder = line_of_holder(path, line);
    if (holder) return holder;
  }
  for (unsigned i = 1; !line && i <= json_array_size(json_object_get(fault, "related")); i++)
    line = line_of_nth(fault, i, path, given, name);
  if (!line && rule_of_fault(fault) == RULE_STREAM_ORDER) line = line_in_launcher(path);
  return line;
}

// Of all places of a fault one on a line that the student wrote, the related ones first: that the fault's own
// is no better is known by then. 0: there is none.
static unsigned line_of_own(const json_t *fault, const char *path, const char *given, const char *name) {
  const unsigned count = (unsigned)json_array_size(json_object_get(fault, "related"));
  for (unsigned i = 1; i <= count + 1; i++) {
    unsigned line = line_of_nth(fault, i % (count + 1), path, given, name);
    if (line && !steps_is_given(path, given, line)) return line;
  }
  return 0;
}

static bool has_a_side(const json_t *fault) {
  const enum rule_id rule = rule_of_fault(fault);
  for (size_t i = 0; rule && i < sizeof MENDS / sizeof *MENDS; i++)
    if (MENDS[i].rule == rule) return true;
  return false;
}

// A line of the skeleton is right. So either a step is missing, or the mistake is in a line that the student
// wrote. `fault`: NULL, if none has led to this line.
static unsigned line_of_student(const json_t *fault, unsigned line, const char *path, const char *given,
                                const char *name) {
  if (!line || steps_begins_one(path, line) || !steps_is_surely_given(path, given, line)) return line;
  unsigned own = fault ? step_to_begin(rule_of_fault(fault), path, given) : 0;
  if (!own) own = steps_only_change(path, given);
  if (!own && fault && !has_a_side(fault)) own = line_of_own(fault, path, given, name);
  return own ? own : line;
}

// ---- other sources of a line ----

// The line in "NAME.cu:17" or, as nvcc writes it, "NAME.cu(17)"; 0: there is none.
static unsigned line_in_text(const char *text, const char *name) {
  for (const char *found = text; found && (found = strstr(found, name)); found++) {
    const char *after = found + strlen(name);
    if ((*after == ':' || *after == '(') && isdigit((unsigned char)after[1]))
      return (unsigned)strtoul(after + 1, NULL, 10);
  }
  return 0;
}

// The fault that the message is about comes first. Sets *led to the one that has led to the line.
static unsigned line_of_faults(const struct stage_record *stage, const char *path, const char *given,
                               const char *name, const json_t **led) {
  unsigned line = 0;
  size_t index;
  const json_t *fault;
  for (int any = 0; any < 2; any++) {
    json_array_foreach(stage->faults, index, fault) {
      const char *rule = json_string_value(json_object_get(fault, "rule"));
      if (line || !(any || (rule && strcmp(rule, stage->rule) == 0))) continue;
      line = line_of_student(fault, line_of_fault(fault, path, given, name), path, given, name);
      *led = fault;
    }
  }
  return line;
}

static bool is_a_guess(const json_t *fault, unsigned line, const char *path, const char *given) {
  if (steps_begins_one(path, line)) return false;
  return json_is_true(json_object_get(fault, "guess")) ||
         (rule_of_fault(fault) == RULE_DEADLOCK && steps_is_surely_given(path, given, line));
}

// What is missing for a barrier that threads wait for: lab.cfg says in which step it belongs. Where the
// student has begun that step, in what was written there. 0: it isn't known.
static unsigned line_of_missing(const struct stage_record *stage, const json_t *fault, const char *path,
                                const char *given) {
  bool named;
  if (!json_object_get(fault, "missing") || !stage->line) return 0;
  if (!steps_begins_one(path, stage->line) || steps_not_begun(path, given, stage->line)) return stage->line;
  const unsigned own = steps_own_line(path, given, stage->line, NULL, &named);
  return own ? own : stage->line;
}

static unsigned line_without_fault(const struct stage_record *stage, const char *path, const char *given,
                                   const char *name, bool *is_guess) {
  unsigned line = stage->detail ? line_in_text(stage->detail, name) : 0;
  if (!line) line = stage->line;
  const unsigned missing = steps_first_missing(path, given);
  unsigned own = line_of_student(NULL, line, path, given, name);
  if (*is_guess) own = missing ? 0 : steps_only_change(path, given);
  if (own && *is_guess) *is_guess = false;
  if (own) line = own;
  if (!line || !steps_begins_one(path, line) || missing) return line;
  // In what was written in that step the first call is meant that the message names.
  bool named;
  own = steps_own_line(path, given, line, stage->detail, &named);
  if (!named) return line;
  *is_guess = false;
  return own;
}

unsigned edit_place(const char *path, const char *given, const char *name, const struct stage_record *stage,
                    bool *is_guess) {
  const json_t *fault = NULL;
  unsigned line = stage ? line_of_faults(stage, path, given, name, &fault) : 0, untouched = 0;
  *is_guess = stage && stage->is_guess && !line;
  if (line) {
    const unsigned missing =
        steps_first_missing(path, given) ? 0 : line_of_missing(stage, fault, path, given);
    *is_guess = missing || is_a_guess(fault, line, path, given);
    if (missing) line = missing;
  } else if (stage) {
    line = line_without_fault(stage, path, given, name, is_guess);
  }
  if (!line || steps_begins_one(path, line))
    untouched = step_to_begin(fault ? rule_of_fault(fault) : RULE_NONE, path, given);
  if (untouched) line = untouched;
  if (untouched) *is_guess = false;
  if (!line) line = steps_find_line(path, 0, steps_contains, "TODO(");
  if (!line) line = steps_find_line(path, 0, steps_contains, "__global__");
  return line ? line : 1;
}
