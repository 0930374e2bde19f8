// Host functions in a stream. In: the program's functions. Out: calls of them, and notes for the device
// (order/streams.h). One idea: on a GPU such a function runs some time after its call. So here it runs as
// late as may be: when an operation, or the host, is about to come after it. Should the program wait for it
// by means of its own, it runs after a while. A function that waits for the program runs in a thread of ours,
// and what comes after it is kept (client-later.c).
#include "virtual-hopper/shim/client-later.h"
#include "virtual-hopper/shim/client-probe.h"
#include "virtual-hopper/shim/client.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
  MOMENT_MS = 50,
  MOST_QUIET_MS = 500,     // without a call: the program waits
  MOST_ASKING_MS = 3000,   // in all: the program asks again and again for something else
  ENOUGH_CPU_MS = 50,      // spent between calls: the program waits in a loop of its own
  MOST_PATIENCE_MS = 1500, // waited so in all; later functions run at once
  LONG_MS = 5000,          // that a function may run before the user is told
  ENOUGH_MS = 500,         // that a call waits for a function's end, if it may go on without
  MOST_WAIT = 10,          // times that, whatever the machine does
  LITTLE_MS = 20           // once calls have waited so for MOST_PATIENCE_MS in all
};

// A function makes no calls of CUDA (CUDA Runtime API, cudaLaunchHostFunc). Those that it makes all the same
// don't wait for functions.
static bool *is_inside(void) {
  static _Thread_local bool inside; // a call comes from any thread of the program's
  return &inside;
}

// ---- the list: the caller holds functions_mutex, here and in the next part --------------------------------

static struct client_host_function *find(struct client *client, uint64_t number) {
  for (uint32_t i = 0; i < CLIENT_FUNCTIONS; i++)
    if (client->functions[i].function && client->functions[i].number == number) return &client->functions[i];
  return NULL;
}

static uint64_t bit_of(const struct client *client, const struct client_host_function *f) {
  return 1ull << (f - client->functions);
}

static void end(struct client *client, struct client_host_function *f) {
  const uint64_t bit = bit_of(client, f);
  f->function = NULL;
  for (uint32_t i = 0; i < CLIENT_FUNCTIONS; i++)
    client->functions[i].after &= ~bit;
  client->function_count--;
  client->functions_ended++;
  atomic_store(&client->functions_wait, client->function_count > 0);
  client->later_due = client->later != NULL;
  pthread_cond_broadcast(&client->functions_changed);
}

// One function runs at a time, but for those that nobody waits for.
static struct client_host_function *find_running(struct client *client) {
  for (uint32_t i = 0; i < CLIENT_FUNCTIONS; i++) {
    struct client_host_function *f = &client->functions[i];
    if (f->function && f->runs && !f->left) return f;
  }
  return NULL;
}

static void wait_a_moment(struct client *client) {
  struct timespec until = {0};
  (void)clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_nsec += MOMENT_MS * 1000000L;
  if (until.tv_nsec >= 1000000000L) until.tv_sec++, until.tv_nsec -= 1000000000L;
  (void)pthread_cond_clockwait(&client->functions_changed, &client->functions_mutex, CLOCK_MONOTONIC, &until);
}

// ---- running ----------------------------------------------------------------------------------------------

// What a function does is judged only if something may have run beside it. A launch that still runs may wait
// for the function: then nobody asks the device. The caller doesn't hold functions_mutex.
static bool should_watch(struct client *client, const struct client_host_function *f) {
  if (!client_is_busy() && !client_device_error())
    return client_order_ask(PROTOCOL_ORDER_FUNCTION_RUNS, f->stream, 0, 0) &&
           client_watch_begin(client, f->thread, f->frame);
  client_order_note(PROTOCOL_ORDER_FUNCTION_RUNS, f->stream, 0, 0);
  return false;
}

// alone: the program waits meanwhile. functions_mutex is free while the function runs.
static void run(struct client *client, struct client_host_function *at, bool alone) {
  at->runs = true;
  at->ran = 0;
  at->pace = (struct client_pace){0};
  at->runs_in = (int)syscall(SYS_gettid);
  at->began = client_clock_ms(CLOCK_MONOTONIC);
  const struct client_host_function f = *at;
  const bool may_watch = f.operation && !client->function_is_watched;
  if (may_watch) client->function_is_watched = true;
  pthread_mutex_unlock(&client->functions_mutex);
  if (!f.operation) client_order_note(PROTOCOL_ORDER_HOST_STREAM, f.stream, 0, 0);
  if (f.operation && !may_watch) client_order_note(PROTOCOL_ORDER_FUNCTION_RUNS, f.stream, 0, 0);
  const bool watched = may_watch && should_watch(client, &f);
  *is_inside() = true;
  const bool own = client_default_is_own(false);
  at->is_in = true;
  f.function(f.data);
  at->is_in = false;
  client_default_is_own(own);
  *is_inside() = false;
  client_later_look();
  if (!f.operation)
    atomic_store(&client->told_calls, atomic_load(&client->later_calls)); // by the host, maybe
  pthread_mutex_lock(&client->functions_mutex);
  alone = alone && !at->left;
  pthread_mutex_unlock(&client->functions_mutex);
  if (watched) client_watch_end(client, f.stream, alone);
  if (f.operation) client_order_note(PROTOCOL_ORDER_FUNCTION_ENDS, f.stream, 0, 0);
  pthread_mutex_lock(&client->functions_mutex);
  if (may_watch) client->function_is_watched = false;
  end(client, at);
}

static void want(struct client *client, struct client_host_function *f) {
  if (f->wanted) return;
  f->wanted = true;
  (void)client_functions_helped(client);
  pthread_cond_broadcast(&client->functions_changed);
}

static void tell_of_long_function(struct client *client) {
  bool is_long = false;
  for (uint32_t i = 0; i < CLIENT_FUNCTIONS; i++) {
    const struct client_host_function *f = &client->functions[i];
    is_long |= f->function && f->runs && client_clock_ms(CLOCK_MONOTONIC) - f->began >= LONG_MS;
  }
  if (client->function_was_told || !is_long) return;
  client->function_was_told = true;
  client_complain("a host function has run for %d s, and a call of the program waits for its end. If the "
                  "function waits for what the program does after that call, neither goes on. Let the "
                  "program do it before the call.",
                  LONG_MS / 1000);
}

void client_functions_moment(struct client *client) {
  tell_of_long_function(client);
  wait_a_moment(client);
}

// The function runs, and a call that may go on without its end has waited for it long enough.
static bool leave(struct client *client, struct client_host_function *f) {
  const int64_t patience = client->left_ms < MOST_PATIENCE_MS ? ENOUGH_MS : LITTLE_MS;
  if (f->left) return true;
  if (f->is_in) f->ran += client_pace_of_thread(&f->pace, f->runs_in);
  if (f->ran < patience * 1000 && client_clock_ms(CLOCK_MONOTONIC) - f->began < MOST_WAIT * patience)
    return false;
  client->left_ms += (uint32_t)patience;
  f->left = true;
  pthread_cond_broadcast(&client->functions_changed); // others may run beside it
  return true;
}

// The function itself, or the first of those that come before it.
static struct client_host_function *first_before(struct client *client, struct client_host_function *f) {
  struct client_host_function *first = f;
  for (uint32_t i = 0; i < CLIENT_FUNCTIONS; i++) {
    struct client_host_function *other = &client->functions[i];
    if (f->after & bit_of(client, other) && other->number < first->number) first = other;
  }
  return first;
}

// Until the function has ended. Not must: returns false if it doesn't end, or one before it.
static bool await(struct client *client, uint64_t number, bool must) {
  struct client_host_function *f;
  while ((f = find(client, number))) {
    f = first_before(client, f);
    struct client_host_function *running = find_running(client);
    f->thread = (int)syscall(SYS_gettid);
    f->frame = __builtin_frame_address(0);
    if (!f->runs && !running && (must || !client_functions_helped(client))) {
      run(client, f, true);
      if (client->later) (void)client_functions_helped(client); // all others may be in functions
      continue;
    }
    if (!f->runs) want(client, f);
    if (f->runs && !must && leave(client, f)) return false;
    if (running && running != f) (void)leave(client, running);
    client_functions_moment(client);
  }
  return true;
}

// Those that have not ended, the newest first.
uint32_t client_functions_list(struct client_host_function *list) {
  struct client *client = client_state();
  uint32_t count = 0;
  pthread_mutex_lock(&client->functions_mutex);
  for (uint32_t i = 0; i < CLIENT_FUNCTIONS; i++) {
    const struct client_host_function f = client->functions[i];
    uint32_t at = count;
    if (!f.function) continue;
    for (; at > 0 && list[at - 1].number < f.number; at--)
      list[at] = list[at - 1];
    list[at] = f;
    count++;
  }
  pthread_mutex_unlock(&client->functions_mutex);
  return count;
}

int client_functions_chain(uint64_t number, struct client_host_function *chain, int most) {
  struct client *client = client_state();
  int count = 0;
  bool runs = *is_inside(), fits = true;
  pthread_mutex_lock(&client->functions_mutex);
  struct client_host_function *f = find(client, number);
  for (uint32_t i = 0; f && i < CLIENT_FUNCTIONS; i++) {
    const struct client_host_function *other = &client->functions[i];
    int at = count;
    if (other != f && !(f->after & bit_of(client, other))) continue;
    runs |= other->runs;
    fits = fits && count < most;
    if (!fits) break;
    for (; at > 0 && chain[at - 1].number > other->number; at--)
      chain[at] = chain[at - 1];
    chain[at] = *other;
    count++;
  }
  pthread_mutex_unlock(&client->functions_mutex);
  return runs ? -1 : fits ? count : 0;
}

// ---- before what comes after ------------------------------------------------------------------------------

// Whether what the stream does next comes after the function; stream 0: what the host does. A device that
// has failed orders nothing.
static bool comes_after(uint32_t stream, const struct client_host_function *f) {
  if (!f->operation || client_device_error()) return true;
  return stream ? client_order_ask(PROTOCOL_ORDER_AFTER, stream, f->operation, f->stream)
                : client_order_ask(PROTOCOL_ORDER_SEEN, f->stream, f->operation, 0);
}

// must: waits for all of them; else returns false if one doesn't end.
static bool call_before(uint32_t stream, bool all, bool must) {
  struct client *client = client_state();
  struct client_host_function list[CLIENT_FUNCTIONS];
  bool done = true;
  if (*is_inside() || !atomic_load(&client->functions_wait)) return true;
  client_settle(); // a launch may wait for one of the functions, which another thread then calls
  const uint32_t count = client_functions_list(list);
  for (uint32_t i = 0; i < count && (done || all); i++) {
    if (!all && !comes_after(stream, &list[i])) continue;
    pthread_mutex_lock(&client->functions_mutex);
    done = await(client, list[i].number, must) && done;
    pthread_mutex_unlock(&client->functions_mutex);
  }
  return done;
}

bool client_functions_before(uint32_t stream) {
  return call_before(stream, false, false);
}

void client_functions_await(uint32_t stream) {
  client_later_await(stream, 0);
  (void)call_before(stream, false, true);
}

void client_functions_waited(void) {
  (void)call_before(0, false, true);
}

void client_functions_all(void) {
  client_later_await(0, 0);
  (void)call_before(0, true, true);
}

void client_functions_try_all(void) {
  (void)call_before(0, true, false);
}

// ---- questions --------------------------------------------------------------------------------------------

bool client_functions_asked(uint32_t stream, uint64_t number) {
  struct client *client = client_state();
  struct client_host_function list[CLIENT_FUNCTIONS], *f;
  bool done = true;
  if (*is_inside() || !atomic_load(&client->functions_wait)) return true;
  const uint32_t count = client_functions_list(list);
  for (uint32_t i = 0; i < count && done; i++) {
    if (list[i].number > number || !comes_after(stream, &list[i])) continue;
    pthread_mutex_lock(&client->functions_mutex);
    f = find(client, list[i].number);
    done = !f || (f->asked && await(client, f->number, false));
    if ((f = find(client, list[i].number))) f->asked = true;
    pthread_mutex_unlock(&client->functions_mutex);
  }
  return done;
}

bool client_functions_are_done(uint32_t stream) {
  struct client *client = client_state();
  struct client_host_function list[CLIENT_FUNCTIONS], *f;
  bool done = true;
  const uint32_t count = client_functions_list(list);
  for (uint32_t i = 0; i < count; i++) {
    if (!comes_after(stream, &list[i])) continue;
    pthread_mutex_lock(&client->functions_mutex);
    f = find(client, list[i].number);
    if (f) want(client, first_before(client, f));
    done = done && !f;
    pthread_mutex_unlock(&client->functions_mutex);
  }
  return done;
}

int64_t client_functions_pace(struct client *client, struct client_pace *paces) {
  int64_t most = -1;
  uint32_t running = 0;
  for (uint32_t i = 0; i < CLIENT_FUNCTIONS; i++) {
    const struct client_host_function *f = &client->functions[i];
    if (!f->function || !f->runs) continue;
    running++;
    if (!atomic_load(&f->is_in)) return 0;
    const int64_t us = client_pace_of_thread(&paces[i], f->runs_in);
    if (us > most) most = us;
  }
  return client->later_due || atomic_load(&client->helpers) > client->helpers_free + running ? 0 : most;
}

uint64_t client_functions_called(void) {
  struct client *client = client_state();
  pthread_mutex_lock(&client->functions_mutex);
  const uint64_t number = client->function_number;
  pthread_mutex_unlock(&client->functions_mutex);
  return number;
}

// ---- the threads that call functions ----------------------------------------------------------------------

struct quiet { // a program that waits by means of its own
  uint64_t calls;
  int64_t spent; // processor time
  struct client_pace pace;
  int64_t us, quiet_us; // in which it is known to have waited or worked
};

static void begin_quiet(struct client *client, struct quiet *q) {
  *q = (struct quiet){.calls = atomic_load(&client->calls),
                      .spent = client_clock_ms(CLOCK_PROCESS_CPUTIME_ID)};
  (void)client_pace_of_others(&q->pace);
}

// No call is under way, but for a launch that itself waits, for a function maybe, and none was made since.
static bool is_quiet(struct client *client, uint64_t *calls) {
  const uint64_t now = atomic_load(&client->calls);
  const bool quiet = now == *calls && !atomic_load(&client->calls_under_way);
  *calls = now;
  return quiet || client_launch_waits(client);
}

// A moment has passed. Whether the program seems to wait. functions_mutex is free meanwhile.
static bool seems_to_wait(struct client *client, struct quiet *q) {
  pthread_mutex_unlock(&client->functions_mutex);
  (void)client_is_busy(); // hears of a launch that waits
  pthread_mutex_lock(&client->functions_mutex);
  const int64_t us = client_pace_of_others(&q->pace), spent = client_clock_ms(CLOCK_PROCESS_CPUTIME_ID);
  const bool quiet = is_quiet(client, &q->calls);
  q->us += us;
  q->quiet_us += us;
  if (!quiet) q->quiet_us = 0, q->spent = spent;
  if (q->quiet_us >= MOST_QUIET_MS * 1000 || q->us >= MOST_ASKING_MS * 1000) return true;
  return quiet && (spent - q->spent >= ENOUGH_CPU_MS || client_launch_waits(client));
}

// That may run now; wanted: and is wanted. NULL: none.
static struct client_host_function *find_next(struct client *client, bool wanted) {
  struct client_host_function *next = NULL;
  if (find_running(client)) return NULL;
  for (uint32_t i = 0; i < CLIENT_FUNCTIONS; i++) {
    struct client_host_function *f = &client->functions[i];
    if (!f->function || f->runs || f->after || (wanted && !f->wanted)) continue;
    if (!next || f->number > next->number) next = f;
  }
  return next;
}

void client_functions_go_on(struct client *client) {
  struct client_host_function *f = find_next(client, false);
  if (f) want(client, f);
}

// Returns whether there was something to do.
static bool help_once(struct client *client, bool program_waits) {
  struct client_host_function *f = find_next(client, true);
  const bool wanted = f != NULL;
  if (!f && program_waits) f = find_next(client, false);
  if (!f && !client->later_due) return false;
  client->helpers_free--;
  if (f) {
    run(client, f, wanted);
  } else {
    client->later_due = false;
    pthread_mutex_unlock(&client->functions_mutex);
    client_later_run();
    pthread_mutex_lock(&client->functions_mutex);
  }
  client->helpers_free++;
  return true;
}

static void *help(void *unused) {
  struct client *client = client_state();
  struct quiet q;
  sigset_t faults;
  (void)unused;
  sigemptyset(&faults);
  sigaddset(&faults, SIGSEGV);
  pthread_sigmask(SIG_UNBLOCK, &faults, NULL);
  pthread_mutex_lock(&client->functions_mutex);
  begin_quiet(client, &q);
  for (bool waits = false; client->function_count || client->later;) {
    const uint64_t ended = client->functions_ended;
    const uint32_t kept = atomic_load(&client->later_count);
    if (help_once(client, waits)) {
      const bool in_vain = client->functions_ended == ended && atomic_load(&client->later_count) == kept;
      if (in_vain) continue; // a value that is awaited isn't there
      if (waits) client->waited_ms += (uint32_t)(q.us / 1000);
      q.pace.at = 0;
      continue;
    }
    if (waits || !q.pace.at) begin_quiet(client, &q);
    const int64_t before = client_clock_ms(CLOCK_MONOTONIC);
    wait_a_moment(client);
    client_later_values_due(client);
    waits = client_clock_ms(CLOCK_MONOTONIC) - before >= MOMENT_MS && seems_to_wait(client, &q);
  }
  client->helpers_free--;
  atomic_fetch_sub(&client->helpers, 1);
  pthread_mutex_unlock(&client->functions_mutex);
  return NULL;
}

bool client_functions_helped(struct client *client) {
  pthread_attr_t detached;
  pthread_t thread;
  if (client->helpers_free) return true;
  if (pthread_attr_init(&detached) != 0) return false;
  const bool made = pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED) == 0 &&
                    pthread_create(&thread, &detached, help, NULL) == 0;
  (void)pthread_attr_destroy(&detached);
  if (made) client->helpers_free++, atomic_fetch_add(&client->helpers, 1);
  return made;
}

// ---- calls ------------------------------------------------------------------------------------------------

// The places of those that the function comes after.
static uint64_t list_before(struct client *client, const struct client_host_function *f) {
  struct client_host_function list[CLIENT_FUNCTIONS];
  uint64_t numbers[CLIENT_FUNCTIONS], bits = 0;
  uint32_t count = 0;
  const uint32_t all = client_functions_list(list);
  for (uint32_t i = 0; i < all; i++)
    if (!f->operation || comes_after(f->stream, &list[i])) numbers[count++] = list[i].number;
  pthread_mutex_lock(&client->functions_mutex);
  for (uint32_t i = 0; i < count; i++) {
    const struct client_host_function *before = find(client, numbers[i]);
    if (before) bits |= bit_of(client, before);
  }
  return bits; // the caller unlocks functions_mutex
}

// The caller holds functions_mutex.
static struct client_host_function *find_room(struct client *client) {
  for (;;) {
    struct client_host_function *oldest = NULL;
    for (uint32_t i = 0; i < CLIENT_FUNCTIONS; i++) {
      struct client_host_function *f = &client->functions[i];
      if (!f->function) return f;
      if (!oldest || f->number < oldest->number) oldest = f;
    }
    (void)await(client, oldest->number, true);
  }
}

void client_host_function(void (*function)(void *), void *data, uint32_t stream) {
  struct client *client = client_state();
  client_launches_end();
  if (client_later_function(function, data, stream)) return;
  // A launch of another stream may wait for what the function does: it runs beside it, unjudged.
  const bool beside = client_is_busy() && !client_is_behind(stream);
  if (!beside) client_settle();
  struct client_host_function f = {.function = function, .data = data, .stream = stream};
  f.operation = beside ? 0 : client_order_ask(PROTOCOL_ORDER_FUNCTION, stream, 0, 0);
  f.after = list_before(client, &f);
  f.number = ++client->function_number;
  *find_room(client) = f;
  client->function_count++;
  atomic_store(&client->functions_wait, true);
  const bool is_late = f.operation && client->waited_ms < MOST_PATIENCE_MS;
  if (!client_functions_helped(client) || !is_late) (void)await(client, f.number, false);
  pthread_mutex_unlock(&client->functions_mutex);
}

struct callback {
  void (*function)(void *stream, int status, void *data);
  void *stream, *data;
};

static void call_back(void *which) {
  const struct callback b = *(struct callback *)which;
  free(which);
  b.function(b.stream, client_device_error(), b.data);
}

int client_callback(void (*function)(void *, int, void *), void *stream, void *data) {
  struct callback *b = malloc(sizeof *b);
  if (!b) return ERROR_MEMORY_ALLOCATION;
  *b = (struct callback){function, stream, data};
  client_host_function(call_back, b, client_in(stream));
  return client_connect();
}
