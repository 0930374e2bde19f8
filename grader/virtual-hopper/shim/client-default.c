// The default stream. In: who calls, and whether the call's name stands for a default stream per thread. Out:
// streams' numbers. One idea: a thread's own stream begins with its first use and ends with the thread.
// CUDA Runtime API, "Stream synchronization behavior": such a stream and the legacy one wait for each other,
// as streams do that the program has made.
#include "virtual-hopper/shim/client.h"

#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MAIN_THREADS = 2 };

static bool *is_own(void) {
  static _Thread_local bool own; // calls come from any thread of the program's
  return &own;
}

bool client_default_is_own(bool own) {
  const bool before = *is_own();
  *is_own() = own;
  return before;
}

bool client_has_own_default(void) {
  return *is_own();
}

uint32_t client_default(void) {
  return client_in(NULL);
}

uint32_t client_default_waits(void) {
  return client_in(NULL) | PROTOCOL_HOST_WAITS;
}

// ---- a thread's own ---------------------------------------------------------------------------------------

static void thread_ends(void *stream) {
  struct client *client = client_state();
  struct client_stream *found = NULL;
  pthread_mutex_lock(&client->handles_mutex);
  for (struct client_stream **link = &client->streams; *link && !found; link = &(*link)->next) {
    if (*link != stream) continue;
    found = *link;
    *link = found->next;
    break;
  }
  pthread_mutex_unlock(&client->handles_mutex);
  if (found) client_order(PROTOCOL_ORDER_STREAM_ENDS, (uint32_t)found->identifier & PROTOCOL_STREAM, 0, 0);
  free(found);
}

static pthread_key_t *end_of_threads(void) {
  static pthread_key_t key;
  return &key;
}

static void make_key(void) {
  (void)pthread_key_create(end_of_threads(), thread_ends);
}

// The main thread's stream is always there.
static uint64_t begin(struct client *client, int thread) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  struct client_stream *own = calloc(1, sizeof *own);
  if (!own) return MAIN_THREADS;
  own->thread = thread;
  own->identifier = PROTOCOL_THREAD + 1 + atomic_fetch_add(&client->next_thread, 1) % (PROTOCOL_THREAD - 1);
  pthread_mutex_lock(&client->handles_mutex);
  own->next = client->streams;
  client->streams = own;
  pthread_mutex_unlock(&client->handles_mutex);
  (void)pthread_once(&once, make_key);
  (void)pthread_setspecific(*end_of_threads(), own);
  client_order(PROTOCOL_ORDER_STREAM, (uint32_t)own->identifier, 0, 0);
  return own->identifier;
}

uint64_t client_thread_stream(void) {
  struct client *client = client_state();
  const int thread = (int)syscall(SYS_gettid);
  uint64_t found = 0;
  if (thread == (int)getpid()) return MAIN_THREADS;
  pthread_mutex_lock(&client->handles_mutex);
  for (const struct client_stream *s = client->streams; s && !found; s = s->next)
    if (s->thread == thread) found = s->identifier;
  pthread_mutex_unlock(&client->handles_mutex);
  return found ? found : begin(client, thread);
}
