// Faults (what broke, where, how to mend it), features that this device doesn't support, and observed
// counters. Broken rules are data: recorded here, deduplicated by (rule, both source lines), counted, and
// never printed while a kernel runs.
#ifndef VIRTUAL_HOPPER_RULES_FAULT_H
#define VIRTUAL_HOPPER_RULES_FAULT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "virtual-hopper/rules/observed.h"
#include "virtual-hopper/rules/place-words.h"
#include "virtual-hopper/rules/rules.h"

struct ptx_module;

enum fault_severity {
  FAULT_WARNING,
  FAULT_ERROR,
  FAULT_FATAL
}; // FATAL: the kernel could not continue (the hardware would stop it, too)

enum {
  FAULT_MAX_ALSO = 3,
  FAULT_MAX_RELATED = 6,
  FAULT_MAX_FRAMES = 24,
  FAULT_MAX_HOST = 8,
  FAULT_REMEDY_BYTES = 1024
};
// Where a fault is mended: at its place, at its n-th related place (n from 1), or in the host code that makes
// the tensor map. PLACE: unless the rule says which of the places it is (MENDED in rules.def); HERE: the
// place itself, whatever the rule says; BETWEEN: between it and the first related one, where a fence stands
// there, or else as with PLACE.
enum { FAULT_EDIT_PLACE = 0, FAULT_EDIT_HOST = -1, FAULT_EDIT_HERE = -2, FAULT_EDIT_BETWEEN = -3 };

struct fault_place { // a point in the student's program
  const char *file;  // as compiled; "" unknown
  uint32_t line;     // 0 unknown
  // innermost first; file/line above is the student's own frame, chosen by fault_place_from_location
  struct {
    const char *file;
    uint32_t line;
  } inlined[FAULT_MAX_FRAMES];
  uint32_t inlined_count;
  const char *instruction; // the PTX statement
  uint32_t ptx_line;
  bool has_thread;
  uint32_t block[3], thread[3];
};

struct fault_related {
  char role[160];
  struct fault_place place;
}; // "reads those bytes through the async proxy"

struct fault_host {            // a point in the program's host code
  const char *function, *file; // "" unknown
  uint32_t line;               // 0 unknown
};

struct fault {
  enum rule_id rule;
  enum fault_severity severity;
  int device_error;   // CUDA error the device ends with, 0: none
  char message[1024]; // what is wrong, with the numbers; whole sentences
  char role[160];     // what the thread at `place` does: "writes shared memory with an ordinary store"
  char remedy[FAULT_REMEDY_BYTES]; // what to write instead; "": the rule says it
  char kernel[256];                // demangled when that's cheap, else as in PTX
  struct fault_place place;
  struct fault_related related[FAULT_MAX_RELATED];
  uint32_t related_count;
  int edit;           // a FAULT_EDIT_ constant or the number of a related place
  bool edit_is_guess; // another place may be meant as well
  // A launch that can't go on: the barrier on which an arrival or a load is missing, "full[0]"; "line 59":
  // the one that is initialised there; "": unknown.
  char missing[64];
  bool missing_again; // it has had some before
  // The shared variable that the first byte concerned lies in, and the one before it; "": there is none.
  char touched[64], before[64];
  uint64_t cause;     // equal in faults that one change mends (fault-causes.h); 0: unknown
  bool names_culprit; // the places show what misses its aim, and not only what is hurt by that
  bool comes_again;   // a thread arrives again before the phase is over: somebody else may have let it
  bool is_root;       // no mistake in itself: what other faults about barriers come of (fault-causes.c)
  bool comes_late;    // copies that nobody has waited for are over when their barrier is gone
  bool overtakes;     // a load into a buffer whose last load nobody has waited for
  uint64_t ticket;    // fault_ticket() when it was met; 0: it is recorded at once
  // filled while counting repeats:
  uint64_t count;          // occurrences in all blocks and threads
  uint64_t block_count;    // distinct blocks, as far as counted
  uint32_t thread_count;   // distinct threads of a block, 0: not counted
  uint64_t launch_blocks;  // of the launch, 0: not known
  uint32_t launch_threads; // of a block
  uint64_t consequences;   // reports left out because this fault explains them
  // Lines of the file of `place` where the rule is broken as well, by reports that this one stands for.
  uint32_t also[FAULT_MAX_ALSO], also_count;
  uint64_t launch;       // number of the first launch that it was met in, from 1; 0: it is of none
  uint64_t launch_count; // launches that it was met in
  const char *symbol;    // the kernel's name as in PTX; NULL: unknown
  const char *signature; // the kernel's name with its template arguments; NULL: unknown
  const char *callers;   // fault_called_from; NULL: unknown
  // The same of `place` and of the first related one, where these are calls of the host's.
  const char *callers_of[2];
  struct fault_host host[FAULT_MAX_HOST]; // what the callers are in the source, innermost first
  uint32_t host_count;
};

struct unsupported {
  char what[256];
  char kernel[256];
  struct fault_place place;
};

// "kernel" from "_Z6kernelPi", "space::kernel" from "_ZN5space6kernelILi3EEEv"; other names as they are.
// size: of `text`.
void fault_demangle(const char *name, char *text, size_t size);

struct fault_report;
struct fault_report *fault_report_create(void);
void fault_report_destroy(struct fault_report *report);
void fault_report_clear(struct fault_report *report);
// The words of the texts recorded from now on: the kit's, which is what a new report begins with, or those of
// PTX, libcu++ and CUTLASS. Clearing the report doesn't change them.
enum fault_words { FAULT_WORDS_KIT, FAULT_WORDS_PTX };
void fault_use_words(struct fault_report *report, enum fault_words words);
// The kernel waits on mbarriers by the tokens of its arrivals alone: remedies name that, in the words of
// others.
void fault_use_tokens(struct fault_report *report, bool tokens);

// The reason why a launch was refused, where the error number says too little. Keeps the first refusal since
// the report was cleared; "": no launch was refused.
void fault_refuse(struct fault_report *report, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *fault_refusal(const struct fault_report *report);

// A launch was stopped at its time limit (vhopper_options.launch_deadline). Whether the launch is right or
// wrong is then unknown. seconds: 0 if it was stopped for another reason (vhopper_options.stop). "": no
// launch was stopped since the report was cleared.
void fault_time_is_up(struct fault_report *report, const char *kernel, double seconds);
// The same, for a launch that waits for what the host writes to page-locked memory: for so many seconds, or,
// with 0, until its budget of instructions was spent.
void fault_host_awaited(struct fault_report *report, const char *kernel, double seconds);
// The same, for a launch that has spent its budget while vhopper_options.puts_off is set.
void fault_put_off(struct fault_report *report);
bool fault_is_put_off(const struct fault_report *report);
// Like fault_time_is_up, with a finished text, for a report from another process.
void fault_note_time_limit(struct fault_report *report, const char *text);
const char *fault_time_limit(const struct fault_report *report);

// Modules that a program made at run time and loaded since the report was cleared. Modules that nvcc put into
// the program are not counted.
struct loaded_modules {
  unsigned count;    // includes refused modules
  char refused[256]; // why the first refused module is not PTX; "": no module was refused
};
// refused: the reason, or NULL if the module was loaded.
void fault_module_loaded(struct fault_report *report, const char *refused);
const struct loaded_modules *fault_loaded_modules(const struct fault_report *report);

// Thread-safe. Copies *fault; same rule and same places: counted only. Bounded: at most 200 distinct faults
// are kept.
void fault_record(struct fault_report *report, const struct fault *fault);
// For a fault that is recorded later in this stage: its place among those of its block.
uint64_t fault_ticket(struct fault_report *report);
// Append a fault, or a kernel's counters, from another report (fault-wire.c).
void fault_adopt(struct fault_report *report, const struct fault *fault);
void observed_adopt(struct fault_report *report, const struct observed *observed);
// Adds everything of another device's report, whose device is not at work. A fault that is known already is
// counted.
void fault_report_merge(struct fault_report *report, struct fault_report *from);
// Faults that are recorded from now on are of this launch; 0: of none.
void fault_begin_launch(struct fault_report *report, uint64_t launch);
// Where the host's code made that launch: MODULE+0xOFFSET, a line each, innermost first.
void fault_called_from(struct fault_report *report, uint64_t launch, const char *callers);
// Calls `resolve` for every fault, which may set its signature, host and place; the texts are copied.
void fault_resolve(struct fault_report *report, void (*resolve)(void *context, struct fault *fault),
                   void *context);
// Adds related places that were not known when the fault was recorded, and sets message, remedy and `edit`.
// Does this only if the recorded example is of the same block.
void fault_complete(struct fault_report *report, const struct fault *fault);
// Begins a new stage: later records come after all earlier ones. Within a stage, faults are ordered by block
// and not by time, so reports don't depend on the number of workers. The scheduler calls this between epochs.
void fault_report_next_stage(struct fault_report *report);
void unsupported_record(struct fault_report *report, const struct unsupported *unsupported);
// What goes wrong after something unsupported may follow from it. It is counted, and not recorded.
uint64_t fault_unjudged_count(const struct fault_report *report);
// Thread-safe: adds the counters of one finished cluster (or launch, without copies) to the kernel's record:
// sums and maxima.
void observed_merge(struct fault_report *report, const struct observed *part);

size_t fault_count(const struct fault_report *report);
// in the order of first occurrence by (launch, severity)
const struct fault *fault_at(const struct fault_report *report, size_t index);
size_t unsupported_count(const struct fault_report *report);
const struct unsupported *unsupported_at(const struct fault_report *report, size_t index);
// Counts bytes that the host's copies read and wrote in buffers handed to the program. Fills don't count. The
// record has no kernel and is separate from the others.
void observed_add_host(struct fault_report *report, bool handed, uint64_t load_bytes, uint64_t store_bytes);
// Of what the host's copies wrote in buffers handed to the program: what wasn't zeros.
void observed_add_host_values(struct fault_report *report, uint64_t bytes);
const struct observed *observed_by_host(const struct fault_report *report);
size_t observed_count(const struct fault_report *report);
const struct observed *observed_at(const struct fault_report *report, size_t index);

// Its own record of fault number `index`.
struct fault *fault_record_at(struct fault_report *report, size_t index);

// {"faults":[...],"unsupported":[...],"observed":{...}} of docs/reference/json.md; new reference.
json_t *fault_report_json(const struct fault_report *report);
// Folder from which source lines may be read. File names come from the program: an untrusted program may name
// any file.
struct fault_sources {
  const char *named;  // the folder as the program names it
  const char *built;  // another name of it in the program: where the files were when they were compiled
  const char *folder; // where its files really are
};
// One fault as a person reads it: rule, both source lines with their text (read from the files when they can
// be), numbers, remedy, page. sources: NULL reads any file, for one's own programs.
void fault_print(FILE *out, const struct fault *fault, const struct fault_sources *sources, bool colour);
// What the source lines tell beyond the report: one that goes past the end of a shared variable says so, and
// is the line to edit (fault-stray.c).
void fault_read_sources(struct fault_report *report, const struct fault_sources *sources);
// Line `number` of a source file, trimmed and printable; "": it can't be read.
enum { FAULT_LINE_BYTES = 512 };
void fault_line_in(const char *file, uint32_t number, const struct fault_sources *sources,
                   char text[FAULT_LINE_BYTES]);
void fault_source_line(const char *file, uint32_t number, char text[FAULT_LINE_BYTES]);
// True when output to the descriptor may have colours: it is a terminal with colours and NO_COLOR is not set.
bool fault_colours(int descriptor);

// Fills place from a location of a module; the student's own frame is the innermost one outside interface
// headers, CUDA's headers and CCCL.
// Whether one of the place's frames stands in a header whose path ends so.
bool fault_is_within(const struct fault_place *place, const char *header);
void fault_place_from_location(struct fault_place *place, const struct ptx_module *module, int32_t location,
                               const char *instruction, uint32_t ptx_line);
// The file and line alone of that place.
struct source_line fault_line_of_location(const struct ptx_module *module, int32_t location);
// Looks once at which files of a module are libraries', for the places of its faults: there may be millions.
void fault_look_at_files(struct ptx_module *module);
// True for a header that the user includes but didn't write: CUDA's, the system's, CUTLASS's, the kit's
// interface.
bool fault_is_library(const char *file);
// True for a header of the kit's interface.
bool fault_is_interface(const char *file);
// Fills in the numbers of the frames, innermost first, from which the user's own code called the place; those
// in libraries are left out. Returns how many there are.
uint32_t fault_callers(const struct fault_place *place, uint32_t callers[FAULT_MAX_FRAMES]);

#endif
