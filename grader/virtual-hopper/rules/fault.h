// What broke, where, and how to mend it; and what this device can't do; and what it observed.
// Broken rules are data: recorded here, deduplicated by (rule, both source lines), counted, never printed while a kernel runs.
#ifndef VIRTUAL_HOPPER_FAULT_H
#define VIRTUAL_HOPPER_FAULT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct ptx_module;

enum fault_severity {
  FAULT_WARNING,
  FAULT_ERROR,
  FAULT_FATAL
}; // FATAL: the kernel could not go on (as the hardware would stop it)

enum { FAULT_MAX_RELATED = 6, FAULT_MAX_FRAMES = 6 };
// Where a fault is mended: at its place, at its n-th related place (n from 1), or in the host code that makes the tensor map.
enum { FAULT_EDIT_PLACE = 0, FAULT_EDIT_HOST = -1 };

struct fault_place { // a point in the student's program
  const char *file;  // as compiled; "" unknown
  uint32_t line;     // 0 unknown
  struct {
    const char *file;
    uint32_t line;
  } inlined
      [FAULT_MAX_FRAMES]; // innermost first; file/line above is the student's own frame, chosen by fault_place_from_location
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

struct fault {
  const char *rule; // stable kebab-case name: "proxy-fence"; a page docs/rules/NAME.md exists
  enum fault_severity severity;
  int device_error;   // CUDA error the device ends with, 0: none
  char message[1024]; // what is wrong, with the numbers; whole sentences
  char role[160];     // what the thread at `place` does: "writes shared memory with an ordinary store"
  char remedy[512];   // what to write instead, in the interface's terms; "" none
  char kernel[256];   // demangled when that's cheap, else as in PTX
  struct fault_place place;
  struct fault_related related[FAULT_MAX_RELATED];
  uint32_t related_count;
  int edit; // FAULT_EDIT_PLACE, FAULT_EDIT_HOST or the number of a related place
  // filled while counting repeats:
  uint64_t count;          // times it happened (all blocks and threads)
  uint64_t block_count;    // distinct blocks, as far as counted
  uint32_t thread_count;   // distinct threads of a block, 0: not counted
  uint64_t launch_blocks;  // of the launch, 0: not known
  uint32_t launch_threads; // of a block
  uint64_t consequences;   // reports left out because this fault explains them
};

struct unsupported {
  char what[256];
  char kernel[256];
  struct fault_place place;
};

// Of which levels a report knows how much was done at them: struct observed, bytes_at_level.
enum observed_level {
  LEVEL_LOADS,
  LEVEL_STORES,
  LEVEL_GROUPS,
  LEVEL_PHASES,
  LEVEL_LEAVING,      // it happened or not
  LEVEL_READ_LEAVING, // likewise
  LEVEL_KINDS,
};
enum { LEVEL_MOST = 8 }; // a higher one counts as this

// What a run did, per kernel, for the exercises' requirements and for curious students.
struct observed {
  char kernel[256];
  uint64_t launches, blocks, threads, thread_instructions;
  uint64_t bulk_load_bytes, bulk_store_bytes, bulk_reduce_bytes, tensor_load_bytes, tensor_store_bytes,
      tensor_reduce_bytes, cluster_copy_bytes, prefetch_bytes, cp_async_bytes; // non-tensor and tensor apart
  uint64_t plain_global_load_bytes, plain_global_store_bytes, atomic_global_bytes;
  // Of the buffers that the program was handed: what threads (atomics too), cp.async and the host read and wrote, and not the copy engine.
  uint64_t handed_load_bytes, handed_store_bytes;
  // Of all other global memory (what the program took for itself, its variables, constants, too): the same, but written by the copy engine, too.
  uint64_t own_load_bytes, own_store_bytes;
  uint64_t shared_load_bytes, shared_store_bytes;
  uint32_t max_loads_in_flight, max_stores_in_flight; // per block: copies issued and not known complete
  uint64_t max_load_bytes_in_flight;                  // the same in bytes, of loads
  uint32_t max_groups_pending;                        // per thread: committed bulk groups not yet waited for
  // waits for a group that left another one of the same block under way: each is a turn in which stores overlapped
  uint64_t waits_leaving_groups, read_waits_leaving_groups; // all of them, and those for the reads alone
  uint32_t block_threads, block_shared_bytes, grid_blocks;  // of the largest launch
  uint64_t max_phases, min_phases; // completed phases of an mbarrier: most and least over all barriers used
  uint64_t proxy_fences, waits_read, waits_full, barriers_initialised;
  double mean_loads_in_flight, mean_stores_in_flight; // sampled at each issue
  // [level - 1]: bytes of all bulk and tensor copies of those clusters that reached the level. Made by observed_merge.
  uint64_t bytes_at_level[LEVEL_KINDS][LEVEL_MOST];
};

// True when a kernel that breaks `cause` breaks `consequence` as its result: mending the first mends both. fault-causes.c.
bool fault_explains(const char *cause, const char *consequence);
// "kernel" from "_Z6kernelPi", "space::kernel" from "_ZN5space6kernelILi3EEEv"; other names as they are. size: of `text`.
void fault_demangle(const char *name, char *text, size_t size);

struct fault_report;
struct fault_report *fault_report_create(void);
void fault_report_destroy(struct fault_report *report);
void fault_report_clear(struct fault_report *report);

// Why a launch was refused, where its error number says too little: the first one since the report was cleared; "": none was.
void fault_refuse(struct fault_report *report, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *fault_refusal(const struct fault_report *report);

// Modules that a program made at run time and had the device load, since the report was cleared; not those that nvcc put into it.
struct loaded_modules {
  unsigned count;    // refused ones too
  char refused[256]; // why the first that was refused is no PTX; "": none was
};
// refused: NULL if it was loaded.
void fault_module_loaded(struct fault_report *report, const char *refused);
const struct loaded_modules *fault_loaded_modules(const struct fault_report *report);

// Thread-safe. Copies *fault; same rule and same places: counted only. Bounded: at most 200 distinct faults are kept.
void fault_record(struct fault_report *report, const struct fault *fault);
// More of a fault's related places are known now than when it was recorded: they are taken over, with `edit`, if its example is of the same block.
void fault_complete(struct fault_report *report, const struct fault *fault);
// What is recorded from now on comes later than all before. Within a stage the order of blocks counts, not of recording, so that reports
// don't depend on how many workers record. The scheduler calls it between epochs.
void fault_report_next_stage(struct fault_report *report);
void unsupported_record(struct fault_report *report, const struct unsupported *unsupported);
// Thread-safe: adds the counters of one finished cluster (or launch, without copies) to the kernel's record: sums and maxima.
void observed_merge(struct fault_report *report, const struct observed *part);
// The bytes of all its bulk and tensor copies to and from global memory.
uint64_t observed_copied(const struct observed *observed);

size_t fault_count(const struct fault_report *report);
const struct fault *fault_at(const struct fault_report *report,
                             size_t index); // in the order of first occurrence by (launch, severity)
size_t unsupported_count(const struct fault_report *report);
const struct unsupported *unsupported_at(const struct fault_report *report, size_t index);
// What the host's copies (fills don't count) read and wrote of buffers that the program was handed: a record without a kernel, beside the others.
void observed_add_host(struct fault_report *report, bool handed, uint64_t load_bytes, uint64_t store_bytes);
const struct observed *observed_by_host(const struct fault_report *report);
size_t observed_count(const struct fault_report *report);
const struct observed *observed_at(const struct fault_report *report, size_t index);

// {"faults":[...],"unsupported":[...],"observed":{...}} of the commands' contract; new reference.
json_t *fault_report_json(const struct fault_report *report);
// Where source lines may be read. Their files' names come from the program: a stranger's may name any file there is.
struct fault_sources {
  const char *named;  // the folder as the program names it
  const char *folder; // where its files really are; may be named too
};
// One fault as a person reads it: rule, both source lines with their text (read from the files when they can be), numbers, remedy, page.
// sources: NULL reads any file, for one's own programs.
void fault_print(FILE *out, const struct fault *fault, const struct fault_sources *sources, bool colour);
// Whether what is printed there may be coloured: a terminal that can, and nobody who has set NO_COLOR.
bool fault_colours(int descriptor);

// Fills place from a location of a module; the student's own frame is the innermost one outside interface headers, CUDA's headers and CCCL.
void fault_place_from_location(struct fault_place *place, const struct ptx_module *module, int32_t location,
                               const char *instruction, uint32_t ptx_line);

#endif
