// The clocks of streams, events and the host, and what was done that the host has not waited for (streams.h).
#include "virtual-hopper/order/streams-internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/base/budget.h"
#include "virtual-hopper/machine/op.h"
#include "virtual-hopper/memory/memory.h"

void stream_clock_join(struct stream_clock *into, const struct stream_clock *from) {
  for (int i = 0; i < MOST_STREAMS; i++)
    if (from->seen[i] > into->seen[i]) into->seen[i] = from->seen[i];
}

// ---- beginning and end ------------------------------------------------------------------------------------

struct stream_order *stream_order_create(const struct memory *memory, struct fault_report *report,
                                         struct budget *budget, bool judges) {
  struct stream_order *s = calloc(1, sizeof *s);
  if (s) s->deeds = calloc(MOST_DEEDS, sizeof *s->deeds);
  if (!s || !s->deeds) die("out of memory for the order engine");
  s->memory = memory;
  s->report = report;
  s->budget = budget;
  s->judges = judges;
  s->streams[0].number = STREAM_DEFAULT;
  return s;
}

void stream_order_be_strict(struct stream_order *s) {
  s->strict = true;
}

bool stream_order_is_strict(const struct stream_order *s) {
  return s->strict;
}

static void forget_deed(struct stream_deed *d) {
  touched_destroy(d->touched);
  free(d->clock);
  free(d->callers);
}

static void drop_deeds(struct stream_order *s) {
  for (uint32_t i = 0; i < s->deed_count; i++)
    forget_deed(&s->deeds[i]);
  s->deed_count = 0;
}

void stream_order_destroy(struct stream_order *s) {
  if (!s) return;
  if (s->has_delayed) touched_destroy(s->delayed.touched);
  drop_deeds(s);
  free(s->deeds);
  free(s->events);
  free(s);
}

void stream_order_clear(struct stream_order *s) {
  stream_order_settle(s);
  drop_deeds(s);
  memset(s->streams, 0, sizeof s->streams);
  memset(&s->host, 0, sizeof s->host);
  memset(&s->waits, 0, sizeof s->waits);
  memset(s->functions, 0, sizeof s->functions);
  s->streams[0].number = STREAM_DEFAULT;
  s->event_count = s->value_count = s->mark_count = 0;
  s->caller.has_event = s->caller.is_gone = false;
  s->gave_up = false;
}

void stream_order_use(struct stream_order *s, const struct memory *memory) {
  stream_order_clear(s);
  s->memory = memory;
}

void stream_order_forget_programs(struct stream_order *s) {
  drop_deeds(s);
}

// ---- streams ----------------------------------------------------------------------------------------------

static bool is_done(const struct stream_order *s, uint32_t place) {
  return s->host.seen[place] >= s->streams[place].operations;
}

// The stream's place in the table. An unknown stream gets one: streams that the host has waited for and that
// the program has given back make room.
uint32_t stream_place_of(struct stream_order *s, uint32_t number) {
  uint32_t room = MOST_STREAMS;
  for (uint32_t i = 0; i < MOST_STREAMS; i++) {
    if (s->streams[i].number == number) return i;
    const bool is_free = !s->streams[i].number || (s->streams[i].ended && is_done(s, i));
    if (is_free && room == MOST_STREAMS) room = i;
  }
  if (room == MOST_STREAMS) {
    s->gave_up = true;
    drop_deeds(s);
    return 0;
  }
  const uint64_t operations = s->streams[room].operations; // they go on: others know the place by them
  s->streams[room] = (struct stream){.number = number, .operations = operations};
  return room;
}

void stream_order_make(struct stream_order *s, uint32_t stream, bool non_blocking) {
  const uint32_t at = stream_place_of(s, stream);
  if (at) s->streams[at].non_blocking = non_blocking;
}

void stream_order_end(struct stream_order *s, uint32_t stream) {
  const uint32_t at = stream_place_of(s, stream);
  if (at) s->streams[at].ended = true;
}

void stream_clock_now(struct stream_order *s, uint32_t stream, struct stream_clock *now) {
  const uint32_t at = stream_place_of(s, stream);
  const struct stream *me = &s->streams[at];
  *now = me->clock;
  stream_clock_join(now, stream_host_of(s, me));
  if (at && !me->non_blocking) stream_clock_join(now, &s->streams[0].clock);
  for (uint32_t i = 1; !at && i < MOST_STREAMS; i++)
    if (s->streams[i].number && !s->streams[i].non_blocking) stream_clock_join(now, &s->streams[i].clock);
}

// What the stream does next comes after all this.
struct stream *stream_catch_up(struct stream_order *s, uint32_t stream) {
  struct stream *me = &s->streams[stream_place_of(s, stream)];
  struct stream_clock now;
  stream_clock_now(s, stream, &now);
  me->clock = now;
  return me;
}

struct stream *stream_next_operation(struct stream_order *s, uint32_t stream) {
  struct stream *me = stream_catch_up(s, stream);
  me->clock.seen[me - s->streams] = ++me->operations;
  s->now++;
  return me;
}

// ---- events and waits -------------------------------------------------------------------------------------

static struct event *find_event(struct stream_order *s, uint64_t number) {
  for (uint32_t i = 0; i < s->event_count; i++)
    if (s->events[i].number == number) return &s->events[i];
  return NULL;
}

static struct event *make_event(struct stream_order *s, uint64_t number) {
  struct event *known = find_event(s, number);
  if (known || s->event_count >= MOST_EVENTS) return known;
  if (s->event_count == s->event_room) {
    const uint32_t room = s->event_room ? s->event_room * 2 : 16;
    struct event *grown = realloc(s->events, room * sizeof *grown);
    if (!grown) die("out of memory for the order engine");
    s->events = grown;
    s->event_room = room;
  }
  s->events[s->event_count] = (struct event){.number = number};
  return &s->events[s->event_count++];
}

static void caller_touches(struct stream_order *s, uint32_t stream, uint64_t event);

void stream_order_record(struct stream_order *s, uint32_t stream, uint64_t event) {
  caller_touches(s, stream, event);
  const struct stream *me = &s->streams[stream_place_of(s, stream)];
  struct event *e = make_event(s, event);
  if (!e) return;
  stream_clock_now(s, stream, &e->clock);
  e->in = me->number;
  e->non_blocking = me->non_blocking;
  e->refused = false;
}

void stream_order_forget(struct stream_order *s, uint64_t event) {
  struct event *e = find_event(s, event);
  if (e) *e = s->events[--s->event_count];
}

void stream_join_all(struct stream_order *s, struct stream_clock *into) {
  for (uint32_t i = 0; i < MOST_STREAMS; i++)
    stream_clock_join(into, &s->streams[i].clock);
}

// Takes the clock of an event that there was no room for as one that all operations come before.
static void join_event(struct stream_order *s, struct stream_clock *into, uint64_t event) {
  const struct event *e = find_event(s, event);
  if (e)
    stream_clock_join(into, &e->clock);
  else if (s->event_count >= MOST_EVENTS)
    stream_join_all(s, into);
}

// For reports: what has been waited for last.
static void note_wait(struct stream_order *s, struct stream_waits *waits, uint64_t event) {
  const struct event *e = find_event(s, event);
  struct stream_wait *w = &waits->last[waits->count++ % MOST_WAITS];
  *w = (struct stream_wait){.at = ++s->now};
  if (!e) return;
  w->in = e->in;
  w->non_blocking = e->non_blocking;
  w->clock = e->clock;
}

void stream_order_wait(struct stream_order *s, uint32_t stream, uint64_t event) {
  struct stream *me = stream_catch_up(s, stream);
  join_event(s, &me->clock, event);
  note_wait(s, &me->waits, event);
}

// Operations that the host has waited for come before all that follows, but for calls that are kept.
void stream_drop_done(struct stream_order *s) {
  uint32_t kept = 0;
  struct stream_clock seen;
  stream_clock_of_all(s, &seen);
  for (uint32_t i = 0; i < s->deed_count; i++) {
    struct stream_deed *d = &s->deeds[i];
    if (seen.seen[d->stream] >= d->operation && !stream_function_beside(s, d))
      forget_deed(d);
    else
      s->deeds[kept++] = *d;
  }
  s->deed_count = kept;
}

void stream_order_host_waits(struct stream_order *s, uint32_t stream) {
  struct stream_clock now;
  stream_clock_now(s, stream, &now);
  stream_clock_join(&s->host, &now);
  stream_functions_passed(s);
  stream_drop_done(s);
}

void stream_order_host_waits_event(struct stream_order *s, uint64_t event) {
  note_wait(s, &s->waits, event);
  join_event(s, &s->host, event);
  stream_functions_passed(s);
  stream_drop_done(s);
}

void stream_order_host_waits_all(struct stream_order *s) {
  stream_join_all(s, &s->host);
  stream_functions_passed(s);
  stream_drop_done(s);
}

bool stream_order_host_asks(struct stream_order *s, uint32_t stream) {
  const uint32_t at = stream_place_of(s, stream);
  struct stream *me = &s->streams[at];
  const bool may_run = !is_done(s, at) && me->refused != me->operations && !s->gave_up;
  me->refused = me->operations;
  if (!may_run) stream_order_host_waits(s, stream);
  return !may_run;
}

bool stream_order_host_asks_event(struct stream_order *s, uint64_t event) {
  struct event *e = find_event(s, event);
  bool may_run = false;
  for (uint32_t i = 0; e && i < MOST_STREAMS; i++)
    may_run |= e->clock.seen[i] > s->host.seen[i];
  may_run = may_run && !e->refused && !s->gave_up;
  if (e) e->refused = true;
  if (!may_run) stream_order_host_waits_event(s, event);
  return !may_run;
}

uint64_t stream_order_last(const struct stream_order *s, uint32_t stream) {
  for (uint32_t i = 0; i < MOST_STREAMS; i++)
    if (s->streams[i].number == stream) return s->streams[i].operations;
  return 0;
}

bool stream_order_host_has_seen(const struct stream_order *s, uint32_t stream, uint64_t operation) {
  for (uint32_t i = 0; i < MOST_STREAMS; i++)
    if (s->streams[i].number == stream) return s->host.seen[i] >= operation;
  return true;
}

// ---- conflicts --------------------------------------------------------------------------------------------

// The program's line says where it is, for copies and fills.
static bool has_call(const struct stream_deed *d) {
  return d->facts.stream < STREAM_OF_GRAPH &&
         (d->facts.actor == STREAM_COPY_TO_DEVICE || d->facts.actor == STREAM_COPY_TO_HOST ||
          d->facts.actor == STREAM_COPY_ON_DEVICE || d->facts.actor == STREAM_FILL);
}

static void fill_place(struct fault_place *place, const struct op *op) {
  *place = (struct fault_place){.file = "", .instruction = ""};
  if (op && op->source)
    fault_place_from_location(place, op->module, op->source->location, op->source->text,
                              op->source->ptx_line);
}

void stream_report(const struct stream_order *s, const struct stream_deed *earlier,
                   const struct stream_deed *later, const struct touch_conflict *found) {
  struct stream_facts facts = {.earlier = earlier->facts, .later = later->facts, .strict = s->strict};
  stream_explain(s, earlier, later, &facts);
  struct fault fault;
  facts.earlier.writes = found->earlier_writes;
  facts.later.writes = found->later_writes;
  facts.earlier.map = found->earlier_map;
  facts.later.map = found->later_map;
  if (facts.earlier.pageable || facts.later.pageable)
    snprintf(facts.place, sizeof facts.place, "at 0x%llx", (unsigned long long)found->address);
  else
    memory_describe(s->memory, found->address, facts.place, sizeof facts.place);
  stream_words(&facts, &fault);
  fill_place(&fault.place, found->earlier);
  fill_place(&fault.related[0].place, found->later);
  fault.callers_of[0] = earlier->callers;
  fault.callers_of[1] = has_call(later) ? s->callers : NULL;
  fault_record(s->report, &fault);
}

static void turn_round(struct touch_conflict *c) {
  *c = (struct touch_conflict){.address = c->address,
                               .earlier_writes = c->later_writes,
                               .later_writes = c->earlier_writes,
                               .later = c->earlier,
                               .later_map = c->earlier_map};
}

static bool meet_regions(const struct stream_deed *a, const struct stream_deed *b,
                         struct touch_conflict *found) {
  for (uint32_t i = 0; i < a->region_count; i++) {
    for (uint32_t k = 0; k < b->region_count; k++) {
      const struct region_deed *x = &a->regions[i], *y = &b->regions[k];
      *found = (struct touch_conflict){.earlier_writes = x->writes, .later_writes = y->writes};
      if ((x->writes || y->writes) && regions_meet(&x->region, &y->region, &found->address)) return true;
    }
  }
  return false;
}

// A copy or a fill of one word, which tells a running kernel something: it is written in one piece.
static bool writes_a_word(const struct stream_deed *d, const struct region_deed *r) {
  const struct stream_region *g = &r->region;
  const bool copies = d->facts.actor == STREAM_COPY_TO_DEVICE || d->facts.actor == STREAM_COPY_ON_DEVICE ||
                      d->facts.actor == STREAM_FILL;
  return copies && r->writes && g->rows == 1 && (g->width == 4 || g->width == 8) &&
         g->address % g->width == 0;
}

bool stream_deeds_meet(const struct stream_deed *a, const struct stream_deed *b,
                       struct touch_conflict *found) {
  if (a->touched && b->touched) return touched_meet(a->touched, b->touched, found);
  if (!a->touched && !b->touched) return meet_regions(a, b, found);
  const struct stream_deed *launch = a->touched ? a : b, *copy = a->touched ? b : a;
  for (uint32_t i = 0; i < copy->region_count; i++) {
    const struct region_deed *r = &copy->regions[i];
    if (!touched_meet_region(launch->touched, &r->region, r->writes, writes_a_word(copy, r), found)) continue;
    if (launch == b) turn_round(found);
    return true;
  }
  return false;
}

static bool is_ordered(const struct stream_order *s, const struct stream_deed *earlier,
                       const struct stream *later) {
  return &s->streams[earlier->stream] == later || later->clock.seen[earlier->stream] >= earlier->operation;
}

static bool has_company(const struct stream_order *s, const struct stream *later) {
  for (uint32_t i = 0; i < s->deed_count; i++)
    if (!is_ordered(s, &s->deeds[i], later)) return true;
  return false;
}

void stream_judge(struct stream_order *s, const struct stream_deed *deed) {
  for (uint32_t i = 0; i < s->deed_count; i++) {
    struct touch_conflict found;
    if (is_ordered(s, &s->deeds[i], &s->streams[deed->stream]) ||
        !stream_deeds_meet(&s->deeds[i], deed, &found))
      continue;
    if (deed->of_host && stream_tells_host(&s->deeds[i])) continue;
    if (s->deeds[i].touched && touched_tells_host(s->deeds[i].touched)) continue; // the host may know by now
    // who used the memory tells more than who made it
    if (deed->facts.actor == STREAM_FREE && s->deeds[i].facts.actor == STREAM_ALLOCATION) continue;
    if (deed->facts.actor == STREAM_CALLER || s->deeds[i].facts.actor == STREAM_CALLER) {
      if (s->caller.is_told) continue;
      s->caller.is_told = true;
    }
    stream_report(s, &s->deeds[i], deed, &found);
    return; // the other ones have, as a rule, the same cause
  }
}

// Matters only where there is another stream beside the default one.
static bool has_streams(const struct stream_order *s) {
  for (uint32_t i = 1; i < MOST_STREAMS && s->judges && !s->gave_up; i++)
    if (s->streams[i].number && !(s->streams[i].ended && is_done(s, i))) return true;
  return false;
}

void stream_order_called_from(struct stream_order *s, const char *callers) {
  s->callers = callers;
}

void stream_keep(struct stream_order *s, const struct stream_deed *deed) {
  if (s->deed_count >= (has_streams(s) ? MOST_DEEDS : MOST_DEEDS_ALONE)) {
    forget_deed(&s->deeds[0]);
    memmove(s->deeds, s->deeds + 1, --s->deed_count * sizeof *s->deeds);
  }
  struct stream_deed *kept = &s->deeds[s->deed_count++];
  *kept = *deed;
  kept->called = stream_functions_called(s);
  kept->begun = s->now;
  kept->clock = malloc(sizeof *kept->clock);
  if (!kept->clock) die("out of memory for the order engine");
  *kept->clock = s->streams[kept->stream].clock;
  kept->callers = s->callers && has_call(kept) ? strdup(s->callers) : NULL;
}

struct stream_deed stream_new_deed(const struct stream_order *s, const struct stream *in,
                                   enum stream_actor actor) {
  return (struct stream_deed){
      .stream = (uint32_t)(in - s->streams),
      .operation = in->operations,
      .facts = {.actor = actor, .stream = in->number, .non_blocking = in->non_blocking}};
}

void stream_add_region(struct stream_deed *deed, const struct stream_region *region, bool writes) {
  if (!region || !region->width || !region->rows || region->rows > MOST_ROWS) return;
  if (deed->region_count == MOST_REGIONS) return;
  deed->regions[deed->region_count++] = (struct region_deed){*region, writes};
}

void stream_order_copy(struct stream_order *s, uint32_t stream, enum stream_actor actor, bool is_staged,
                       const struct stream_region *reads, const struct stream_region *writes) {
  const struct stream *me = stream_next_operation(s, stream);
  struct stream_deed deed = stream_new_deed(s, me, actor);
  s->copied_in = deed.stream;
  deed.facts.is_staged = is_staged;
  if (!has_streams(s)) return;
  stream_add_region(&deed, reads, false);
  stream_add_region(&deed, writes, true);
  stream_judge(s, &deed);
  stream_keep(s, &deed);
}

// Nobody can have used new memory. What was done at its address was done to memory that is gone: then the
// deeds are forgotten.
void stream_order_allocate(struct stream_order *s, uint32_t stream, const struct stream_region *memory) {
  const struct stream *me = stream_next_operation(s, stream);
  struct stream_deed deed = stream_new_deed(s, me, STREAM_ALLOCATION);
  struct touch_conflict found;
  bool reused = false;
  stream_add_region(&deed, memory, true);
  for (uint32_t i = 0; i < s->deed_count; i++)
    reused = reused || stream_deeds_meet(&s->deeds[i], &deed, &found);
  if (reused) drop_deeds(s);
  if (has_streams(s)) stream_keep(s, &deed);
}

// Not kept: whoever uses the memory after this call is out of bounds.
void stream_order_free(struct stream_order *s, uint32_t stream, const struct stream_region *memory) {
  const struct stream *me = stream_next_operation(s, stream);
  struct stream_deed deed = stream_new_deed(s, me, STREAM_FREE);
  stream_add_region(&deed, memory, true);
  if (has_streams(s)) stream_judge(s, &deed);
}

// The part in page-locked memory is judged alone, and kept with the copy's other part. What the host has
// waited for is over, and only a function may still run beside it.
void stream_order_also(struct stream_order *s, uint32_t stream, const struct stream_region *region,
                       bool writes) {
  const struct stream *me = &s->streams[stream_place_of(s, stream)];
  struct stream_deed deed = stream_new_deed(s, me, writes ? STREAM_COPY_TO_HOST : STREAM_COPY_TO_DEVICE);
  const bool is_seen = s->host.seen[deed.stream] >= deed.operation;
  if (!s->judges || s->gave_up) return;
  stream_add_region(&deed, region, writes);
  deed.of_host = true;
  stream_judge(s, &deed);
  if (!is_seen || stream_function_beside(s, &deed)) stream_keep(s, &deed);
}

void stream_order_fill(struct stream_order *s, uint32_t stream, const struct stream_region *region) {
  const struct stream *me = stream_next_operation(s, stream);
  struct stream_deed deed = stream_new_deed(s, me, STREAM_FILL);
  if (!s->judges || s->gave_up) return;
  stream_add_region(&deed, region, true);
  stream_judge(s, &deed);
  stream_keep(s, &deed);
}

// ---- the program's caller ---------------------------------------------------------------------------------

void stream_order_hand(struct stream_order *s, const struct stream_region *regions, uint32_t count) {
  s->caller.region_count = 0;
  s->caller.is_told = false;
  for (uint32_t i = 0; i < count && i < MOST_REGIONS; i++)
    s->caller.regions[s->caller.region_count++] = (struct region_deed){regions[i], true};
}

void stream_order_forget_caller(struct stream_order *s) {
  s->caller.is_gone = true;
}

static void caller_touches(struct stream_order *s, uint32_t stream, uint64_t event) {
  if (!s->caller.region_count || s->caller.is_gone) return;
  if (!s->caller.has_event) {
    s->caller.event = event;
    s->caller.stream = stream;
  }
  s->caller.has_event = true;
  if (s->caller.event != event) return;
  const struct stream *me = stream_next_operation(s, stream);
  struct stream_deed deed = stream_new_deed(s, me, STREAM_CALLER);
  if (!has_streams(s)) return;
  memcpy(deed.regions, s->caller.regions, sizeof deed.regions);
  deed.region_count = s->caller.region_count;
  stream_judge(s, &deed);
  stream_keep(s, &deed);
}

// ---- launches ---------------------------------------------------------------------------------------------

// Streams that the default stream waits for run beside each other.
static bool is_beside(const struct stream *other, uint32_t stream) {
  return !other->ended && other->number != stream && other->number != STREAM_DEFAULT &&
         stream != STREAM_DEFAULT;
}

// The default stream is always there, and runs beside a stream that is not blocking. In the caller's stream
// nobody does anything while a launch runs, unless the program has a stream of its own as well.
bool stream_order_others_may_act(const struct stream_order *s, uint32_t stream) {
  const uint32_t caller = s->caller.has_event && !s->caller.is_gone ? s->caller.stream : 0;
  for (uint32_t i = 1; i < MOST_STREAMS; i++) {
    const struct stream *other = &s->streams[i];
    if (caller && other->number == caller) continue;
    if (!other->number) continue;
    if (other->non_blocking ? other->number == stream || !other->ended : is_beside(other, stream))
      return true;
  }
  return false;
}

// The host's own code can reach what the launch touches: managed memory, or page-locked memory among its
// parameters.
static bool is_shared_with_host(const struct stream_order *s, const struct launch *launch) {
  if (memory_has_managed(s->memory)) return true;
  uint64_t word;
  for (uint32_t at = 0; at + sizeof word <= launch->parameter_bytes; at += sizeof word) {
    memcpy(&word, launch->parameters + at, sizeof word);
    if (memory_is_the_hosts(s->memory, word)) return true;
  }
  return false;
}

void stream_order_launch_begins(struct stream_order *s, uint32_t stream, struct launch *launch) {
  const struct stream *me = stream_next_operation(s, stream);
  s->launch_stream = (uint32_t)(me - s->streams);
  const bool matters = has_streams(s) || (s->judges && !s->gave_up && is_shared_with_host(s, launch));
  launch->touched = matters ? touched_create(s->memory, s->budget, has_company(s, me)) : NULL;
}

bool stream_order_has_polled(struct stream_order *s) {
  const bool has = s->has_polled;
  s->has_polled = false;
  return has;
}

void stream_order_launch_ends(struct stream_order *s, struct launch *launch) {
  enum { WORKSPACE_BYTES = 256 };
  if (!launch->touched) return;
  struct stream_deed deed = stream_new_deed(s, &s->streams[s->launch_stream], STREAM_KERNEL);
  snprintf(deed.facts.kernel, sizeof deed.facts.kernel, "%s", launch->function->name);
  deed.touched = launch->touched;
  s->has_polled = touched_is_told(deed.touched);
  launch->touched = NULL;
  if (launch->grid_workspace) touched_forget(deed.touched, launch->grid_workspace, WORKSPACE_BYTES);
  if (stream_delays(s, &deed)) return;
  stream_judge(s, &deed);
  stream_keep(s, &deed);
}
