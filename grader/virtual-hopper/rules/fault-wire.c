// In: a report, or bytes that are said to be one. Out: the other. Structures travel as they lie in memory,
// both ends being built together; each pointer in them is sent as its text, behind the structure.
#include "virtual-hopper/rules/fault-wire.h"

#include <math.h>
#include <string.h>

enum { WIRE_MAGIC = 0x52465631, LONGEST_TEXT = 4096, MOST_RECORDS = 4096 };

// ---- bytes ------------------------------------------------------------------------------------------------

struct wire {
  uint8_t *bytes;
  const uint8_t *source;
  size_t position, length;
  bool failed; // too little room, or what was read is no report; stays
};

static void put(struct wire *wire, const void *data, size_t bytes) {
  if (wire->failed || bytes > wire->length - wire->position) {
    wire->failed = true;
    return;
  }
  memcpy(wire->bytes + wire->position, data, bytes);
  wire->position += bytes;
}

static void put_number(struct wire *wire, uint64_t number) {
  put(wire, &number, sizeof number);
}

static void put_text(struct wire *wire, const char *text) {
  size_t length = text ? strnlen(text, LONGEST_TEXT) : 0;
  put_number(wire, length);
  if (length) put(wire, text, length);
}

// Zeros when there is no more.
static void take(struct wire *wire, void *data, size_t bytes) {
  memset(data, 0, bytes);
  if (wire->failed || bytes > wire->length - wire->position) {
    wire->failed = true;
    return;
  }
  memcpy(data, wire->source + wire->position, bytes);
  wire->position += bytes;
}

static size_t take_count(struct wire *wire, size_t most) {
  uint64_t count;
  take(wire, &count, sizeof count);
  if (count > most) wire->failed = true;
  return wire->failed ? 0 : (size_t)count;
}

// Controls would reach somebody's terminal.
static void make_plain(char *text, size_t size) {
  text[size - 1] = '\0';
  for (char *c = text; *c; c++)
    if (((unsigned char)*c < 0x20 && *c != '\n') || (unsigned char)*c == 0x7f) *c = '?';
}

static void take_text(struct wire *wire, char text[LONGEST_TEXT + 1]) {
  size_t length = take_count(wire, LONGEST_TEXT);
  memset(text, 0, LONGEST_TEXT + 1);
  take(wire, text, length);
  make_plain(text, LONGEST_TEXT + 1);
}

// ---- writing ----------------------------------------------------------------------------------------------

static void put_place(struct wire *wire, const struct fault_place *place) {
  put_text(wire, place->file);
  put_text(wire, place->instruction);
  for (uint32_t i = 0; i < place->inlined_count; i++)
    put_text(wire, place->inlined[i].file);
}

static void put_fault(struct wire *wire, const struct fault *fault) {
  put(wire, fault, sizeof *fault);
  put_place(wire, &fault->place);
  for (uint32_t i = 0; i < fault->related_count; i++)
    put_place(wire, &fault->related[i].place);
}

size_t fault_wire_write(const struct fault_report *report, void *bytes, size_t room) {
  struct wire wire = {.bytes = bytes, .length = room};
  put_number(&wire, WIRE_MAGIC);
  put_text(&wire, fault_refusal(report));
  put_text(&wire, fault_time_limit(report));
  put(&wire, fault_loaded_modules(report), sizeof(struct loaded_modules));
  put(&wire, observed_by_host(report), sizeof(struct observed));
  put_number(&wire, observed_count(report));
  for (size_t i = 0; i < observed_count(report); i++)
    put(&wire, observed_at(report, i), sizeof(struct observed));
  put_number(&wire, unsupported_count(report));
  for (size_t i = 0; i < unsupported_count(report); i++) {
    put(&wire, unsupported_at(report, i), sizeof(struct unsupported));
    put_place(&wire, &unsupported_at(report, i)->place);
  }
  put_number(&wire, fault_count(report));
  for (size_t i = 0; i < fault_count(report); i++)
    put_fault(&wire, fault_at(report, i));
  return wire.failed ? 0 : wire.position;
}

// ---- reading ----------------------------------------------------------------------------------------------

#define PLAIN(text) make_plain(text, sizeof(text))

// The texts of a place, which live until the report has copied them.
struct place_texts {
  char file[LONGEST_TEXT + 1], instruction[LONGEST_TEXT + 1], inlined[FAULT_MAX_FRAMES][LONGEST_TEXT + 1];
};

// As a byte: a bool that is neither would not even be safe to look at.
static void make_bool(bool *value) {
  unsigned char byte;
  memcpy(&byte, value, 1);
  *value = byte != 0;
}

static void take_place(struct wire *wire, struct fault_place *place, struct place_texts *texts) {
  if (place->inlined_count > FAULT_MAX_FRAMES) {
    place->inlined_count = 0;
    wire->failed = true;
  }
  make_bool(&place->has_thread);
  take_text(wire, texts->file);
  take_text(wire, texts->instruction);
  place->file = texts->file;
  place->instruction = texts->instruction;
  for (uint32_t i = 0; i < FAULT_MAX_FRAMES; i++) {
    texts->inlined[i][0] = '\0';
    if (i < place->inlined_count) take_text(wire, texts->inlined[i]);
    place->inlined[i].file = texts->inlined[i];
  }
}

static bool is_plausible(const struct fault *fault) {
  const unsigned rule = (unsigned)fault->rule, severity = (unsigned)fault->severity;
  return rule > RULE_NONE && rule < RULE_COUNT && severity <= FAULT_FATAL &&
         fault->related_count <= FAULT_MAX_RELATED && fault->also_count <= FAULT_MAX_ALSO &&
         fault->edit >= FAULT_EDIT_BETWEEN && fault->edit <= (int)fault->related_count;
}

static void take_faults(struct wire *wire, struct fault_report *report) {
  struct place_texts texts[1 + FAULT_MAX_RELATED];
  for (size_t left = take_count(wire, MOST_RECORDS); left && !wire->failed; left--) {
    struct fault fault;
    take(wire, &fault, sizeof fault);
    if (!is_plausible(&fault)) {
      wire->failed = true;
      return;
    }
    fault.symbol = fault.signature = fault.callers = NULL; // not sent
    fault.callers_of[0] = fault.callers_of[1] = NULL;
    fault.host_count = 0;
    PLAIN(fault.message);
    PLAIN(fault.role);
    PLAIN(fault.remedy);
    PLAIN(fault.kernel);
    PLAIN(fault.missing);
    PLAIN(fault.touched);
    PLAIN(fault.before);
    make_bool(&fault.edit_is_guess);
    make_bool(&fault.missing_again);
    make_bool(&fault.names_culprit);
    make_bool(&fault.comes_again);
    make_bool(&fault.comes_late);
    make_bool(&fault.is_root);
    make_bool(&fault.overtakes);
    take_place(wire, &fault.place, &texts[0]);
    for (uint32_t i = 0; i < fault.related_count; i++) {
      PLAIN(fault.related[i].role);
      take_place(wire, &fault.related[i].place, &texts[1 + i]);
    }
    if (!wire->failed) fault_adopt(report, &fault);
  }
}

static void take_unsupported(struct wire *wire, struct fault_report *report) {
  struct place_texts texts;
  for (size_t left = take_count(wire, MOST_RECORDS); left && !wire->failed; left--) {
    struct unsupported unsupported;
    take(wire, &unsupported, sizeof unsupported);
    PLAIN(unsupported.what);
    PLAIN(unsupported.kernel);
    take_place(wire, &unsupported.place, &texts);
    if (!wire->failed) unsupported_record(report, &unsupported);
  }
}

static double plain_mean(double value) {
  return isfinite(value) && value >= 0 ? value : 0;
}

// Numbers that others divide by, or take for a size, are a chip's at most.
static void take_observed(struct wire *wire, struct observed *observed) {
  enum { MOST_THREADS = 1024, MOST_SHARED = 228 << 10, MOST_IN_FLIGHT = 1 << 30 };
  take(wire, observed, sizeof *observed);
  PLAIN(observed->kernel);
  for (size_t i = 0; i < WORST_KINDS; i++) {
    PLAIN(observed->worst[i].file);
    PLAIN(observed->worst[i].variable);
  }
  observed->mean_loads_in_flight = plain_mean(observed->mean_loads_in_flight);
  observed->mean_stores_in_flight = plain_mean(observed->mean_stores_in_flight);
  if (observed->block_threads > MOST_THREADS || observed->block_shared_bytes > MOST_SHARED ||
      observed->max_load_bytes_in_flight > MOST_IN_FLIGHT)
    wire->failed = true;
}

bool fault_wire_read(struct fault_report *report, const void *bytes, size_t length) {
  struct wire wire = {.source = bytes, .length = length};
  char refusal[LONGEST_TEXT + 1], time_limit[LONGEST_TEXT + 1];
  struct loaded_modules modules;
  struct observed observed;
  fault_report_clear(report);
  if (take_count(&wire, WIRE_MAGIC) != WIRE_MAGIC) return false;
  take_text(&wire, refusal);
  take_text(&wire, time_limit);
  if (refusal[0]) fault_refuse(report, "%s", refusal);
  if (time_limit[0]) fault_note_time_limit(report, time_limit);
  take(&wire, &modules, sizeof modules);
  PLAIN(modules.refused);
  if (modules.count) fault_module_loaded(report, modules.refused[0] ? modules.refused : NULL);
  take_observed(&wire, &observed);
  observed_add_host(report, true, observed.handed_load_bytes, observed.handed_store_bytes);
  observed_add_host(report, false, observed.own_load_bytes, observed.own_store_bytes);
  observed_add_host_values(report, observed.value_store_bytes);
  for (size_t left = take_count(&wire, MOST_RECORDS); left && !wire.failed; left--) {
    take_observed(&wire, &observed);
    if (!wire.failed) observed_adopt(report, &observed);
  }
  take_unsupported(&wire, report);
  take_faults(&wire, report);
  if (!wire.failed && wire.position == length) return true;
  fault_report_clear(report);
  return false;
}
