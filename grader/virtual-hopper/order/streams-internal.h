// The clocks of streams, events and the host, for streams.c and stream-functions.c alone.
#ifndef VIRTUAL_HOPPER_ORDER_STREAMS_INTERNAL_H
#define VIRTUAL_HOPPER_ORDER_STREAMS_INTERNAL_H

#include "virtual-hopper/order/streams.h"
#include "virtual-hopper/order/touched.h"

// Beyond these limits operations are forgotten, or count as ordered: more order, never less.
#ifdef VHOPPER_FUZZ_LIMITS
enum { MOST_STREAMS = 8, MOST_EVENTS = 16 };
#else
enum { MOST_STREAMS = 64, MOST_EVENTS = 4096 };
#endif
enum { MOST_DEEDS = 256, MOST_REGIONS = 4, MOST_ROWS = 65536 };
enum { MOST_WAITS = 4 };
enum { MOST_FUNCTIONS = 8, MOST_VALUES = 64, MOST_WOULD = 8, MOST_MARKS = 64 };
// Of launches that only the host's own code might meet: their notes take memory.
enum { MOST_DEEDS_ALONE = 8 };

struct stream_clock {
  uint64_t seen[MOST_STREAMS]; // how many operations of each stream come before
};

// The last events that a stream, or the host, has waited for: as they were then, for reports.
struct stream_wait {
  uint64_t at; // of the time that counts operations and waits; 0: none
  uint32_t in; // the stream in which the event was recorded; 0: it was not
  bool non_blocking;
  struct stream_clock clock;
};
struct stream_waits {
  struct stream_wait last[MOST_WAITS];
  uint32_t count;
};

struct stream {
  uint32_t number; // the program's; 0: free
  bool non_blocking, ended;
  uint64_t operations;
  struct stream_waits waits;
  uint64_t refused; // how many there were when the host was last told that they aren't done
  uint64_t as_of;   // the mark of the kept call that is being made; 0: none
  struct stream_clock clock;
};

struct event {
  uint64_t number;
  bool refused; // the host was told that it isn't there yet
  uint32_t in;  // the stream in which it was recorded
  bool non_blocking;
  struct stream_clock clock;
};

struct region_deed {
  struct stream_region region;
  bool writes;
};

struct stream_deed {
  uint32_t stream; // its place in the table
  uint64_t operation;
  struct stream_deed_facts facts;
  struct touched *touched; // of a launch; else NULL
  struct region_deed regions[MOST_REGIONS];
  uint32_t region_count;
  uint64_t begun;             // as stream_wait.at
  char *callers;              // of the host's call; NULL: unknown
  uint32_t beside;            // which functions that run now may have run beside it: a bit for each
  uint32_t called;            // which functions had been called before it
  bool of_host;               // the side of a copy that lies in memory of the host's
  bool by_host;               // the host's own reading of a copy's source: beside all of those
  struct stream_clock *clock; // of one that is kept: what comes before it
};

// What the host had waited for when the program called what is kept.
struct stream_mark {
  uint64_t number; // the program's
  struct stream_clock host;
};

// A host function in a stream, from its call to its end. It begins late: after what its clock holds, and
// beside everything else that was done until then. What is done while it runs may wait for it by a flag.
struct stream_function {
  uint32_t stream; // the program's number; 0: free
  uint64_t operation;
  struct stream_clock clock, awaited; // awaited: what the host has waited for, but not for the function
  struct stream_clock told;           // the same, while the function waits: for a word of the host's, maybe
  bool runs;
  bool is_told; // one report is enough
  // It was tried (stream-probes.c): whether it waits; else pages that it would touch at once, and what it had
  // been told by then.
  bool waits;
  uint64_t would[MOST_WOULD];
  uint32_t would_count;
  struct stream_clock told_before;
};

// A value that a stream has written, with all that comes before it (stream-values.c).
struct stream_value {
  uint64_t address; // 0: free
  uint64_t value, before;
  uint32_t stream; // its place in the table
  uint64_t operation;
  struct stream_clock clock;
};

struct stream_order {
  const struct memory *memory;
  struct fault_report *report;
  struct budget *budget;
  struct stream streams[MOST_STREAMS]; // the first is the default stream
  struct stream_clock host;
  struct stream_waits waits; // the host's
  uint64_t now;              // counts operations and waits
  const char *callers;       // of the call that is under way; NULL: unknown
  struct event *events;
  uint32_t event_count, event_room;
  struct stream_deed *deeds; // in the order of time
  uint32_t deed_count;
  struct stream_function functions[MOST_FUNCTIONS];
  struct stream_value values[MOST_VALUES]; // in the order of time
  uint32_t value_count;
  struct stream_mark marks[MOST_MARKS];
  uint32_t mark_count;
  struct {
    uint64_t mark;    // set when the value that is awaited next was there; 0: only now
    bool was_missing; // it was looked for before, in vain
  } found;
  bool judges_later, has_delayed;
  struct stream_deed delayed; // a launch that is judged later
  struct {
    struct region_deed regions[MOST_REGIONS]; // the memory that it hands over
    uint32_t region_count;
    bool has_event, is_gone;
    uint64_t event;
    uint32_t stream; // the caller's own, once it has an event
    bool is_told;    // since the memory was handed over: one report is enough
  } caller;
  uint32_t copied_in; // the last copy's stream: its place in the table
  bool judges, strict;
  bool gave_up; // too many streams: nothing is judged until the reset
  // of the launch that runs:
  uint32_t launch_stream;
  bool has_polled; // the last one
};

// streams.c
void stream_clock_join(struct stream_clock *into, const struct stream_clock *from);
uint32_t stream_place_of(struct stream_order *s, uint32_t number);
struct stream *stream_catch_up(struct stream_order *s, uint32_t stream); // what it does next comes after this
// The same, and the stream does nothing.
void stream_clock_now(struct stream_order *s, uint32_t stream, struct stream_clock *now);
struct stream *stream_next_operation(struct stream_order *s, uint32_t stream);
struct stream_deed stream_new_deed(const struct stream_order *s, const struct stream *in,
                                   enum stream_actor actor);
void stream_add_region(struct stream_deed *deed, const struct stream_region *region, bool writes);
bool stream_deeds_meet(const struct stream_deed *a, const struct stream_deed *b,
                       struct touch_conflict *found);
void stream_report(const struct stream_order *s, const struct stream_deed *earlier,
                   const struct stream_deed *later, const struct touch_conflict *found);
void stream_keep(struct stream_order *s, const struct stream_deed *deed);
void stream_judge(struct stream_order *s, const struct stream_deed *deed);
void stream_drop_done(struct stream_order *s);
void stream_join_all(struct stream_order *s, struct stream_clock *into);

// stream-marks.c
// What the host had waited for when the stream's next operation was called; when the mark was set.
const struct stream_clock *stream_host_of(const struct stream_order *s, const struct stream *me);
const struct stream_clock *stream_host_at(const struct stream_order *s, uint64_t number);
// What all that is still to come comes after.
void stream_clock_of_all(const struct stream_order *s, struct stream_clock *seen);

// stream-events.c: what was waited for between the two, in vain
void stream_explain(const struct stream_order *s, const struct stream_deed *earlier,
                    const struct stream_deed *later, struct stream_facts *facts);

// stream-host.c
bool stream_tells_host(const struct stream_deed *d);

// stream-values.c
bool stream_has_value(const struct stream_order *s, uint64_t address);        // in this page
bool stream_delays(struct stream_order *s, const struct stream_deed *launch); // it is kept, and judged later

// stream-functions.c
// Whether a host function that has not ended runs beside this deed.
bool stream_function_beside(const struct stream_order *s, const struct stream_deed *deed);
uint32_t stream_functions_called(const struct stream_order *s); // and have not ended: a bit for each
void stream_functions_passed(struct stream_order *s);           // the host has waited for something

// stream-probes.c
// The function is known to touch this memory now, whatever the host does, beside this deed.
bool stream_function_would(const struct stream_function *f, const struct stream_deed *deed, uint64_t address);
uint32_t stream_functions_that_wait(const struct stream_order *s); // a bit for each

#endif
