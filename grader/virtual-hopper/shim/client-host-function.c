// Host functions in a stream. In: the program's functions. Out: calls of them, and notes for the device
// (order/streams.h). One idea: on a GPU such a function runs some time after its call. So here it runs as
// late as may be: when an operation, or the host, is about to come after it. Should the program wait for it
// by means of its own, it runs after a while.
#include "virtual-hopper/shim/client.h"

#include <signal.h>
#include <stdlib.h>
#include <time.h>

enum {
  MOMENT_MS = 50,
  MOST_QUIET = 10,         // moments without a call: the program waits, or has not got the processor
  MOST_MOMENTS = 60,       // in all: the program asks again and again for something else
  ENOUGH_CPU_MS = 50,      // spent between calls: the program waits in a loop of its own
  MOST_PATIENCE_MS = 1500, // waited so in all; later functions run at once
  LONG_MS = 5000           // that a function may run before the user is told
};

// ---- running ----------------------------------------------------------------------------------------------

// What a function does is judged only if something may have run beside it. A launch that still runs may wait
// for the function: then nobody asks the device.
static bool should_watch(struct client *client, uint32_t stream) {
  if (!client_is_busy() && !client_device_error())
    return client_order_ask(PROTOCOL_ORDER_FUNCTION_RUNS, stream, 0, 0) && client_watch_begin(client);
  client_order(PROTOCOL_ORDER_FUNCTION_RUNS, stream, 0, 0);
  return false;
}

static int64_t clock_ms(clockid_t clock) {
  struct timespec now = {0};
  (void)clock_gettime(clock, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

// The caller holds functions_mutex. The function makes no call of CUDA (CUDA Runtime API,
// cudaLaunchHostFunc).
static void run_at(struct client *client, uint32_t at, bool alone) {
  const struct client_host_function f = client->functions[at];
  client->functions[at] = client->functions[--client->function_count];
  if (!f.operation) client_order(PROTOCOL_ORDER_HOST_STREAM, f.stream, 0, 0);
  const bool watched = f.operation && should_watch(client, f.stream);
  atomic_store(&client->running_function_stream, f.stream);
  atomic_store(&client->running_function, f.operation);
  client->function_runs = true;
  atomic_store(&client->function_began, clock_ms(CLOCK_MONOTONIC));
  f.function(f.data);
  atomic_store(&client->function_began, 0);
  client->function_runs = false;
  atomic_store(&client->running_function, 0);
  if (watched) client_watch_end(client, f.stream, alone);
  if (f.operation) client_order(PROTOCOL_ORDER_FUNCTION_ENDS, f.stream, 0, 0);
  atomic_store(&client->functions_wait, client->function_count > 0);
}

// Functions that wait are not ordered among each other.
static void run_all(struct client *client, bool alone) {
  while (client->function_count)
    run_at(client, client->function_count - 1, alone);
}

// Whether what the stream does next comes after the function; stream 0: what the host does. A device that
// has failed orders nothing.
static bool comes_after(uint32_t stream, const struct client_host_function *f) {
  if (!f->operation || client_device_error()) return true;
  return stream ? client_order_ask(PROTOCOL_ORDER_AFTER, stream, f->operation, f->stream)
                : client_order_ask(PROTOCOL_ORDER_SEEN, f->stream, f->operation, 0);
}

// Locks functions_mutex. Another thread may hold it, whose function waits for this one: then returns false,
// unless this one comes after that function.
static bool begin(struct client *client, bool all, uint32_t stream) {
  if (!atomic_load(&client->functions_wait)) return false;
  client_settle(); // a launch may wait for one of the functions, which the other thread then calls
  if (pthread_mutex_trylock(&client->functions_mutex) != 0) {
    const struct client_host_function running = {.stream = atomic_load(&client->running_function_stream),
                                                 .operation = atomic_load(&client->running_function)};
    if (!all && running.operation && !comes_after(stream, &running)) return false;
    pthread_mutex_lock(&client->functions_mutex);
  }
  if (client->function_count && !client->function_runs) return true;
  pthread_mutex_unlock(&client->functions_mutex);
  return false;
}

static void call_before(uint32_t stream) {
  struct client *client = client_state();
  if (!begin(client, false, stream)) return;
  for (uint32_t at = client->function_count; at-- > 0;)
    if (at < client->function_count && comes_after(stream, &client->functions[at])) run_at(client, at, true);
  pthread_mutex_unlock(&client->functions_mutex);
}

void client_functions_before(uint32_t stream) {
  call_before(stream);
}

void client_functions_waited(void) {
  call_before(0);
}

void client_functions_all(void) {
  struct client *client = client_state();
  if (!begin(client, true, 0)) return;
  run_all(client, true);
  pthread_mutex_unlock(&client->functions_mutex);
}

// ---- a program that waits by means of its own -------------------------------------------------------------

// No call is under way, but for a launch that may itself wait for a function, and none was made since.
static bool is_quiet(struct client *client, uint64_t *calls) {
  const uint64_t now = atomic_load(&client->calls);
  const bool quiet = now == *calls && !atomic_load(&client->calls_under_way);
  *calls = now;
  return quiet || atomic_load(&client->launch_runs);
}

// On a GPU the program goes on beside the function. Here an operation that comes after it waits for it.
static void tell_of_long_function(struct client *client) {
  const int64_t began = atomic_load(&client->function_began);
  if (!began || clock_ms(CLOCK_MONOTONIC) - began < LONG_MS ||
      atomic_exchange(&client->function_was_told, true))
    return;
  client_complain(
      "a host function has run for %d s, and the program waits for it: here a launch or a copy that "
      "comes after a host function returns when the function has ended. If the function waits for "
      "what the program does after that call, neither goes on (on a GPU they would). Let the "
      "program do it before the call.",
      LONG_MS / 1000);
}

static const struct timespec moment = {0, MOMENT_MS * 1000000L};

// Returns after so many moments; negative: no function waits any more.
static int wait_a_while(struct client *client) {
  uint64_t calls = atomic_load(&client->calls);
  int64_t spent = clock_ms(CLOCK_PROCESS_CPUTIME_ID);
  for (int moments = 1, quiet = 0; atomic_load(&client->functions_wait); moments++) {
    (void)nanosleep(&moment, NULL);
    quiet++;
    if (!is_quiet(client, &calls)) quiet = 0, spent = clock_ms(CLOCK_PROCESS_CPUTIME_ID);
    if (quiet >= MOST_QUIET || moments >= MOST_MOMENTS) return moments;
    if (quiet &&
        (clock_ms(CLOCK_PROCESS_CPUTIME_ID) - spent >= ENOUGH_CPU_MS || atomic_load(&client->launch_runs)))
      return moments;
  }
  return -1;
}

static void *call_after_a_while(void *unused) {
  struct client *client = client_state();
  sigset_t faults;
  (void)unused;
  sigemptyset(&faults);
  sigaddset(&faults, SIGSEGV);
  pthread_sigmask(SIG_UNBLOCK, &faults, NULL);
  for (bool done = false; !done;) {
    const int moments = wait_a_while(client);
    while (pthread_mutex_trylock(&client->functions_mutex) != 0) { // some thread waits for a function
      tell_of_long_function(client);
      (void)nanosleep(&moment, NULL);
    }
    if (moments > 0 && client->function_count) {
      client->waited_ms += (uint32_t)moments * MOMENT_MS;
      run_all(client, false);
    }
    done = !client->function_count;
    if (done) client->has_waiter = false;
    pthread_mutex_unlock(&client->functions_mutex);
  }
  return NULL;
}

// The caller holds functions_mutex.
static bool have_waiter(struct client *client) {
  pthread_attr_t detached;
  pthread_t thread;
  if (client->has_waiter) return true;
  if (pthread_attr_init(&detached) != 0) return false;
  client->has_waiter = pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED) == 0 &&
                       pthread_create(&thread, &detached, call_after_a_while, NULL) == 0;
  (void)pthread_attr_destroy(&detached);
  return client->has_waiter;
}

// ---- calls ------------------------------------------------------------------------------------------------

void client_host_function(void (*function)(void *), void *data, uint32_t stream) {
  struct client *client = client_state();
  client_launches_end();
  client_functions_before(stream);
  client_settle();
  const uint64_t operation = client_order_ask(PROTOCOL_ORDER_FUNCTION, stream, 0, 0);
  pthread_mutex_lock(&client->functions_mutex);
  const uint32_t at = client->function_count++;
  client->functions[at] = (struct client_host_function){function, data, stream, operation};
  const bool is_late = operation && at + 1 < CLIENT_FUNCTIONS && client->waited_ms < MOST_PATIENCE_MS;
  atomic_store(&client->functions_wait, true);
  if (!is_late || !have_waiter(client)) run_at(client, at, true);
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
