// Calls that a GPU would take at once, though a host function before them has not ended: it may wait for what
// the program does next. In: launches, copies, fills, events' notes and functions in streams. Out: the same,
// when those before have ended, made by a thread of ours (client-host-function.c). One idea: a call that
// comes after one that is kept is kept, too; all others are made at once.
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "virtual-hopper/shim/client-later.h"
#include "virtual-hopper/shim/client-value.h"

enum { ENOUGH_STUCK = 4, LONG_MS = 5000 }; // moments, milliseconds
enum { MOST_LATER = 1024 }; // as a stream of a GPU takes (docs/measurements.md): the next call waits

enum later_kind {
  LATER_LAUNCH,
  LATER_BOX,
  LATER_NOTE,
  LATER_RECORD,
  LATER_FUNCTION,
  LATER_FREE,
  LATER_VALUE
};
struct client_later {
  struct client_later *next;
  enum later_kind kind;
  uint32_t stream; // 0: of none
  bool non_blocking, runs, is_refused;
  uint64_t call;    // its number
  uint64_t mark;    // client-mark.c: when it was called
  uint64_t found;   // of a wait: a mark, when the value was there; 0: it isn't
  bool is_shared;   // it is in memory that is the host's as well
  bool was_missing; // it had not been there when all before it was done
  uint64_t event;   // that is recorded, waited for or forgotten; 0: none
  struct client_caller_list callers;
  void *bytes; // of its own: parameters, or what a copy reads
  union {
    struct {
      struct client_function *function;
      struct protocol_launch launch;
      size_t bytes;
      uint64_t stream;
    } launch;
    struct client_box box;
    struct client_value value;
    enum protocol_order_kind note;
    struct {
      void (*function)(void *);
      void *data;
    } function;
    uint64_t address;
  };
  uint32_t in;
};

int64_t client_clock_ms(clockid_t clock) {
  struct timespec now = {0};
  (void)clock_gettime(clock, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

// What is made later is not kept again.
static bool *is_making(void) {
  static _Thread_local bool making; // calls come from any thread of the program's
  return &making;
}

bool client_later_makes(void) {
  return *is_making();
}

// ---- what comes after what --------------------------------------------------------------------------------

bool client_is_non_blocking(struct client *client, uint32_t stream) {
  enum { NON_BLOCKING = 1 };
  bool found = stream >= PROTOCOL_GRAPH;
  pthread_mutex_lock(&client->handles_mutex);
  for (const struct client_stream *s = client->streams; s && !found; s = s->next)
    found = ((uint32_t)s->identifier & PROTOCOL_STREAM) == stream && s->flags & NON_BLOCKING;
  pthread_mutex_unlock(&client->handles_mutex);
  return found;
}

// A call in the stream, or with the event, comes after this one.
static bool meets(const struct client_later *c, uint32_t stream, bool non_blocking, uint64_t event) {
  if (event && c->event == event) return true;
  if (!stream || !c->stream) return false;
  if (c->stream == stream) return true;
  return (c->stream == CLIENT_DEFAULT && !non_blocking) || (stream == CLIENT_DEFAULT && !c->non_blocking);
}

// The caller holds functions_mutex, here and where `client` comes first, up to the next part.
static bool meets_any(const struct client *client, uint32_t stream, bool non_blocking, uint64_t event) {
  for (const struct client_later *c = client->later; c; c = c->next)
    if (meets(c, stream, non_blocking, event)) return true;
  return false;
}

static struct client_later *find_ready(struct client *client) {
  for (struct client_later *c = client->later; c; c = c->next) {
    bool waits = c->runs || c->is_refused;
    for (const struct client_later *earlier = client->later; earlier != c && !waits; earlier = earlier->next)
      waits = meets(earlier, c->stream, c->non_blocking, c->event);
    if (!waits) return c;
  }
  return NULL;
}

static bool is_wait(const struct client_later *c) {
  return c->kind == LATER_VALUE && c->value.waits;
}

static void drop(struct client *client, struct client_later *gone) {
  struct client_later **link = &client->later;
  while (*link != gone)
    link = &(*link)->next;
  *link = gone->next;
  atomic_fetch_sub(&client->later_count, 1);
  if (is_wait(gone)) {
    atomic_fetch_sub(&client->values_awaited, 1);
    client->value_since = client_clock_ms(CLOCK_MONOTONIC);
  }
  for (struct client_later *c = client->later; c; c = c->next)
    if (is_wait(c)) c->is_refused = false; // the value may be there now
  pthread_cond_broadcast(&client->functions_changed);
  free(gone->bytes);
  free(gone);
}

// ---- asking -----------------------------------------------------------------------------------------------

// A value may be there by now.
static void look_again(struct client *client) {
  if (atomic_load(&client->values_awaited)) client_later_run();
}

bool client_later_has(uint32_t stream, uint64_t event) {
  struct client *client = client_state();
  if (*is_making() || !atomic_load(&client->later_count)) return false;
  look_again(client);
  const bool non_blocking = stream && client_is_non_blocking(client, stream);
  pthread_mutex_lock(&client->functions_mutex);
  const bool has = meets_any(client, stream, non_blocking, event);
  pthread_mutex_unlock(&client->functions_mutex);
  return has;
}

static bool comes_after_another(const struct client *client, const struct client_later *c) {
  for (const struct client_later *earlier = client->later; earlier != c; earlier = earlier->next)
    if (meets(earlier, c->stream, c->non_blocking, c->event)) return true;
  return false;
}

// The first one that waits for a value, if no call can go on before that value is there.
static struct client_later *find_hanging(const struct client *client) {
  struct client_later *first = NULL;
  for (struct client_later *c = client->later; c; c = c->next) {
    if (c->runs) return NULL; // it is being looked at, or made
    if (comes_after_another(client, c)) continue;
    if (!is_wait(c) || !client_value_is_private(&c->value)) return NULL; // it may run: it is looked at
    if (!first) first = c;
  }
  return first;
}

// The program's only thread waits, no function runs and no launch: so nobody writes the value any more.
static bool is_stuck(struct client *client) {
  return atomic_load(&client->values_awaited) && !client->function_count &&
         !atomic_load(&client->launch_runs) && find_hanging(client) && client_is_alone(client);
}

// One of the values is there, and no thread has got to it yet. functions_mutex is free meanwhile.
static bool is_any_there(struct client *client) {
  enum { MOST = 32 };
  struct client_value values[MOST];
  uint32_t count = 0;
  bool there = false, looked = true;
  for (const struct client_later *c = client->later; c && count < MOST; c = c->next)
    if (is_wait(c) && !comes_after_another(client, c)) values[count++] = c->value;
  pthread_mutex_unlock(&client->functions_mutex);
  for (uint32_t i = 0; i < count && !there; i++)
    there = client_value_look(&values[i], &looked) || !looked;
  pthread_mutex_lock(&client->functions_mutex);
  return there || count == MOST;
}

// Tells it. The device has stopped: what comes after fails at once.
static void give_up(struct client *client) {
  if (is_any_there(client)) return;
  struct client_later *hanging = find_hanging(client);
  if (!hanging) return;
  hanging->runs = true;
  pthread_mutex_unlock(&client->functions_mutex);
  *is_making() = true;
  client_callers_use(&hanging->callers);
  client_value_hangs(&hanging->value, hanging->in);
  client_callers_use(NULL);
  *is_making() = false;
  pthread_mutex_lock(&client->functions_mutex);
  drop(client, hanging);
  client->later_due = true;
}

// The caller holds functions_mutex, which is free meanwhile.
static bool all_come_after_launch(struct client *client) {
  enum { MOST = 64 };
  uint32_t streams[MOST], count = 0;
  for (const struct client_later *c = client->later; c; c = c->next) {
    if (!c->stream) continue;
    if (c->runs || count == MOST) return false;
    streams[count++] = c->stream;
  }
  pthread_mutex_unlock(&client->functions_mutex);
  bool all = true;
  for (uint32_t i = 0; i < count && all; i++)
    all = client_is_behind(streams[i]);
  pthread_mutex_lock(&client->functions_mutex);
  return all;
}

void client_later_await(uint32_t stream, uint64_t event) {
  struct client *client = client_state();
  if (*is_making() || !atomic_load(&client->later_count)) return;
  const bool non_blocking = stream && client_is_non_blocking(client, stream);
  int moments = 0, stuck = 0;
  look_again(client);
  pthread_mutex_lock(&client->functions_mutex);
  while (stream || event ? meets_any(client, stream, non_blocking, event) : client->later != NULL) {
    client_functions_moment(client);
    if (atomic_load(&client->values_awaited) && ++moments >= ENOUGH_STUCK) client_functions_go_on(client);
    stuck = is_stuck(client) ? stuck + 1 : 0;
    if (stuck >= ENOUGH_STUCK) give_up(client);
    if (client->later_behind && !client->function_count && all_come_after_launch(client)) {
      pthread_mutex_unlock(&client->functions_mutex);
      client_settle_at_rest();
      pthread_mutex_lock(&client->functions_mutex);
    }
  }
  pthread_mutex_unlock(&client->functions_mutex);
}

// The host is about to wait for something else. Functions may just end: then what comes after them is done
// first, so that it is not taken for ordered by this wait.
void client_later_settle(void) {
  enum { MOST_GRACE_US = 500000 };
  struct client_pace paces[CLIENT_FUNCTIONS] = {{0}};
  struct client *client = client_state();
  if (*is_making() || !atomic_load(&client->later_count)) return;
  pthread_mutex_lock(&client->functions_mutex);
  for (bool waits = true; waits && client->later && client->function_count;) {
    waits = find_ready(client) != NULL;
    for (const struct client_later *c = client->later; c; c = c->next)
      waits |= c->runs;
    const int64_t us = waits ? 0 : client_functions_pace(client, paces);
    if (us > 0) client->grace += us;
    waits |= us >= 0 && client->grace < MOST_GRACE_US;
    if (waits) client_functions_moment(client);
  }
  pthread_mutex_unlock(&client->functions_mutex);
}

// Whether a call must be kept. A note waits for no function: its stream does.
static bool must_keep(uint32_t stream, uint64_t event, bool is_note) {
  struct client *client = client_state();
  if (*is_making()) return false;
  if (client_later_has(stream, event)) return true;
  return !is_note && atomic_load(&client->functions_wait) && !client_functions_before(stream);
}

// What the host must not touch before the call has been made.
static void guard_early(const struct client_later *c) {
  const struct client_box *box = &c->box;
  const uintptr_t call = (uintptr_t)c;
  uint64_t word;
  if (c->kind == LATER_BOX && box->rows == 1 && box->slices == 1) {
    client_early_begin(box->to, box->width, true, call);
    if (box->from) client_early_begin(box->from, box->width, false, call);
  }
  if (c->kind == LATER_LAUNCH) client_early_begin_managed(call);
  for (size_t at = 0; c->kind == LATER_LAUNCH && at + sizeof word <= c->launch.bytes; at += sizeof word) {
    struct client_host host;
    memcpy(&word, (const char *)c->bytes + at, sizeof word);
    if (client_host_find((const void *)(uintptr_t)word, &host))
      client_early_begin(host.start, host.bytes, true, call);
  }
}

// The caller holds functions_mutex, which is free while a new mark is set.
static void append(struct client *client, struct client_later *c) {
  bool is_new;
  struct client_later **link = &client->later;
  while (*link)
    link = &(*link)->next;
  *link = c;
  atomic_fetch_add(&client->later_count, 1);
  c->call = ++client->later_calls;
  c->mark = client_mark_take(client, &is_new);
  if (!is_new) return;
  c->runs = true;
  pthread_mutex_unlock(&client->functions_mutex);
  client_mark_set(c->mark);
  pthread_mutex_lock(&client->functions_mutex);
  c->runs = false;
}

static bool keep(const struct client_later *wanted, void *bytes) {
  struct client *client = client_state();
  struct client_later *c = malloc(sizeof *c);
  if (!c) return free(bytes), false;
  *c = *wanted;
  c->bytes = bytes;
  c->non_blocking = c->stream && client_is_non_blocking(client, c->stream);
  client_callers_keep(&c->callers);
  guard_early(c);
  client_order_collect();
  pthread_mutex_lock(&client->functions_mutex);
  while (atomic_load(&client->later_count) >= MOST_LATER)
    client_functions_moment(client);
  append(client, c);
  if (is_wait(c) && atomic_fetch_add(&client->values_awaited, 1) == 0)
    client->value_since = client_clock_ms(CLOCK_MONOTONIC);
  client->later_due = true;
  const bool helped = client_functions_helped(client);
  pthread_cond_broadcast(&client->functions_changed);
  pthread_mutex_unlock(&client->functions_mutex);
  if (!helped) client_later_run(); // no thread: what can be done is done here
  return true;
}

static void *copy_of(const void *bytes, size_t count) {
  void *copy = malloc(count + 1);
  return copy && count ? memcpy(copy, bytes, count) : copy;
}

// ---- keeping ----------------------------------------------------------------------------------------------

bool client_later_launch(struct client_function *function, const struct protocol_launch *launch,
                         const void *parameters, size_t bytes, uint64_t stream, uint32_t in) {
  struct client_later c = {.kind = LATER_LAUNCH, .stream = in & PROTOCOL_STREAM, .in = in};
  if (!must_keep(c.stream, 0, false)) return false;
  void *own = copy_of(parameters, bytes);
  c.launch.function = function;
  c.launch.launch = *launch;
  c.launch.bytes = bytes;
  c.launch.stream = stream;
  return own && keep(&c, own);
}

bool client_later_box(const struct client_box *box, uint32_t in, bool keep_source) {
  struct client_later c = {.kind = LATER_BOX, .stream = in & PROTOCOL_STREAM, .box = *box, .in = in};
  if (!must_keep(c.stream, 0, false)) return false;
  const size_t bytes = (box->slices - 1) * box->from_slice + (box->rows - 1) * box->from_pitch + box->width;
  void *own = keep_source && box->slices ? copy_of(box->from, bytes) : NULL;
  if (own) c.box.from = own;
  return keep(&c, own);
}

bool client_later_note(enum protocol_order_kind kind, uint32_t stream, uint64_t object) {
  struct client_later c = {
      .kind = LATER_NOTE, .stream = stream & PROTOCOL_STREAM, .note = kind, .in = stream};
  if (kind != PROTOCOL_ORDER_STREAM_ENDS) c.event = object;
  if (kind == PROTOCOL_ORDER_FORGET) c.stream = 0;
  return must_keep(c.stream, c.event, true) && keep(&c, NULL);
}

bool client_later_record(void *event, uint32_t in) {
  const struct client_later c = {
      .kind = LATER_RECORD, .stream = in & PROTOCOL_STREAM, .event = (uint64_t)(uintptr_t)event, .in = in};
  return must_keep(c.stream, c.event, true) && keep(&c, NULL);
}

bool client_launch_lasts(void) {
  enum { MOST_MS = 60000 };
  struct client *client = client_state();
  const struct timespec moment = {.tv_nsec = 200000};
  const int64_t began = client_clock_ms(CLOCK_MONOTONIC);
  bool lasts = client_is_busy();
  atomic_fetch_add(&client->calls_under_way, 1);
  while (lasts && !atomic_load(&client->launch_waits) && client_clock_ms(CLOCK_MONOTONIC) - began < MOST_MS) {
    (void)nanosleep(&moment, NULL);
    lasts = client_is_busy();
  }
  atomic_fetch_sub(&client->calls_under_way, 1);
  return lasts;
}

bool client_later_function(void (*function)(void *), void *data, uint32_t stream) {
  struct client_later c = {.kind = LATER_FUNCTION, .stream = stream & PROTOCOL_STREAM, .in = stream};
  c.function.function = function;
  c.function.data = data;
  const bool behind = !*is_making() && client_launch_lasts() && client_is_behind(c.stream);
  return (must_keep(c.stream, 0, true) || behind) && keep(&c, NULL);
}

bool client_later_free(uint64_t address, uint32_t in) {
  const struct client_later c = {
      .kind = LATER_FREE, .stream = in & PROTOCOL_STREAM, .address = address, .in = in};
  return must_keep(c.stream, 0, false) && keep(&c, NULL);
}

bool client_later_value(const struct client_value *v, uint32_t in) {
  struct client_later c = {.kind = LATER_VALUE, .stream = in & PROTOCOL_STREAM, .value = *v, .in = in};
  c.is_shared = client_value_is_shared(v);
  if (*is_making()) return false;
  if (!must_keep(c.stream, 0, false)) {
    if (!v->waits || client_value_look(v, &c.was_missing)) return false;
  }
  return keep(&c, NULL);
}

// The caller holds functions_mutex. The value has been looked at. Returns a mark that is to be set.
static uint64_t note_found(struct client *client, struct client_later *c, bool there) {
  bool is_new = false;
  if (!there) c->found = 0;
  if (there && !c->found) c->found = client_mark_take(client, &is_new);
  return is_new ? c->found : 0;
}

// The host is about to learn of something. Values that it has written by now it has written without that.
void client_later_look(void) {
  enum { MOST = 32 };
  struct client *client = client_state();
  struct client_value values[MOST];
  uint64_t calls[MOST], mark = 0;
  bool there[MOST];
  uint32_t count = 0;
  if (*is_making() || !atomic_load(&client->values_awaited)) return;
  client_order_collect();
  pthread_mutex_lock(&client->functions_mutex);
  for (const struct client_later *c = client->later; c && count < MOST; c = c->next)
    if (is_wait(c) && c->is_shared) values[count] = c->value, calls[count++] = c->call;
  pthread_mutex_unlock(&client->functions_mutex);
  for (uint32_t i = 0; i < count; i++)
    there[i] = client_value_is_there(&values[i]);
  pthread_mutex_lock(&client->functions_mutex);
  for (struct client_later *c = client->later; c; c = c->next)
    for (uint32_t i = 0; i < count; i++)
      if (calls[i] == c->call) mark |= note_found(client, c, there[i]); // one new mark at most
  pthread_mutex_unlock(&client->functions_mutex);
  if (mark) client_mark_set(mark);
}

// The launch that calls were kept behind may have ended.
static void look_at_launch(struct client *client) {
  if (!client->later_behind) return;
  pthread_mutex_unlock(&client->functions_mutex);
  const bool busy = client_is_busy();
  pthread_mutex_lock(&client->functions_mutex);
  if (busy || !client->later_behind) return;
  client->later_behind = false;
  client->later_due = client->later != NULL;
}

void client_later_values_due(struct client *client) {
  look_at_launch(client);
  const bool awaited = atomic_load(&client->values_awaited) != 0;
  if (awaited) client->later_due = true;
  if (!awaited || client->value_was_told || client_clock_ms(CLOCK_MONOTONIC) - client->value_since < LONG_MS)
    return;
  client->value_was_told = true;
  client_complain("a stream has waited for %d s for a value in memory (cuStreamWaitValue32, "
                  "cuStreamWaitValue64), and all that comes after waits, too. Does somebody write it?",
                  LONG_MS / 1000);
}

// ---- making -----------------------------------------------------------------------------------------------

static void make_launch(struct client_later *c) {
  const int status = client_launch_now(c->launch.function, &c->launch.launch, c->bytes, c->launch.bytes,
                                       c->launch.stream, c->in);
  if (status && !client_device_error()) client_call_failed(status, "cudaLaunchKernel", true);
}

static void make(struct client_later *c) {
  *is_making() = true;
  client_callers_use(&c->callers);
  // a launch before it may have waited for the host's word
  const bool told = c->call <= atomic_load(&client_state()->told_calls);
  if (c->stream && !told) client_order_note(PROTOCOL_ORDER_AS_OF, c->stream, c->mark, 0);
  if (c->found || c->was_missing)
    client_order_note(PROTOCOL_ORDER_FOUND, c->stream, c->found, c->was_missing);
  switch (c->kind) {
  case LATER_LAUNCH: make_launch(c); break;
  case LATER_BOX: (void)client_transfer_now(&c->box, c->in); break;
  case LATER_NOTE: client_order(c->note, c->in, c->event, 0); break;
  case LATER_RECORD: (void)client_event_record_in((void *)(uintptr_t)c->event, c->in); break;
  case LATER_FUNCTION: client_host_function(c->function.function, c->function.data, c->in); break;
  case LATER_FREE: (void)client_free(c->address, c->in); break;
  case LATER_VALUE: client_value_now(&c->value, c->in); break;
  }
  if (c->stream && !told) client_order_note(PROTOCOL_ORDER_AS_OF, c->stream, 0, 0);
  client_callers_use(NULL);
  if (c->kind == LATER_BOX || c->kind == LATER_LAUNCH) client_early_end((uintptr_t)c);
  *is_making() = false;
}

// Nothing comes before the wait. Whether the value is there; c->runs, so that nobody else drops it.
static bool find_value(struct client *client, struct client_later *c) {
  bool looked;
  const bool there = client_value_look(&c->value, &looked);
  c->was_missing |= looked && !there;
  if (!c->is_shared) return there;
  pthread_mutex_lock(&client->functions_mutex);
  const uint64_t mark = note_found(client, c, there);
  pthread_mutex_unlock(&client->functions_mutex);
  if (mark) client_mark_set(mark);
  return there;
}

// The caller holds functions_mutex.
static uint64_t first_mark(const struct client *client) {
  uint64_t first = UINT64_MAX;
  for (const struct client_later *c = client->later; c; c = c->next) {
    if (c->mark < first) first = c->mark;
    if (c->found && c->found < first) first = c->found;
  }
  return first;
}

void client_later_run(void) {
  struct client *client = client_state();
  struct client_later *c;
  pthread_mutex_lock(&client->functions_mutex);
  for (c = client->later; c; c = c->next)
    c->is_refused = false;
  while ((c = find_ready(client))) {
    c->runs = true;
    const uint64_t ended = client->functions_ended;
    bool behind = false;
    pthread_mutex_unlock(&client->functions_mutex);
    const bool is_note = c->kind == LATER_NOTE || c->kind == LATER_RECORD || c->kind == LATER_FUNCTION;
    bool ready = is_note || client_functions_are_done(c->stream);
    if (c->kind != LATER_NOTE && c->kind != LATER_RECORD && client_is_busy() && client_is_behind(c->stream))
      ready = false, behind = true;
    if (ready && is_wait(c)) ready = find_value(client, c);
    if (ready) make(c);
    pthread_mutex_lock(&client->functions_mutex);
    c->runs = false;
    client->later_behind |= behind;
    c->is_refused = !ready && ended == client->functions_ended; // else it is looked at again
    if (ready) drop(client, c);
  }
  const uint64_t below = client_marks_below(client, first_mark(client));
  pthread_mutex_unlock(&client->functions_mutex);
  client_marks_forget(below);
}
