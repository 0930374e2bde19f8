// Streams that are captured: what is asked of them becomes nodes of a graph, and nothing is done. In:
// operations with their streams; out: nodes, or the CUDA error of what a capture forbids. One idea: a
// captured stream has tips, the nodes that the next node comes after; so has an event recorded in one.
// CUDA C++ Programming Guide, "Creating a Graph Using Stream Capture"; the errors are those of its section
// "Prohibited and Unhandled Operations".
#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/shim/client-graph.h"

struct client_capture {
  struct client_capture *next;
  struct client_graph *graph;
  uint64_t identifier;
  uint32_t stream; // where it has begun
  int mode;
  pthread_t thread;
  bool is_invalid; // something was forbidden: the end will say so
  bool is_own;     // the graph was made for this capture
  bool non_blocking;
};

struct client_tips {
  struct client_tips *next;
  uint64_t key; // a stream's number, or an event's address
  bool is_stream;
  struct client_capture *capture; // NULL: an event of a capture that has ended
  struct client_node **nodes;
  size_t count;
};

static struct client *lock(void) {
  struct client *client = client_state();
  pthread_mutex_lock(&client->graphs_mutex);
  return client;
}

static int unlock(int status) {
  pthread_mutex_unlock(&client_state()->graphs_mutex);
  return status;
}

// Most programs never capture anything.
static bool is_idle(void) {
  return !atomic_load(&client_state()->capture_count);
}

static int *thread_mode(void) {
  static _Thread_local int mode = CAPTURE_GLOBAL; // CUDA defines one mode for each thread
  return &mode;
}

// ---- tips -------------------------------------------------------------------------------------------------

static uint64_t key_of(const void *event) {
  return (uint64_t)(uintptr_t)event;
}

static struct client_tips *find_tips(const struct client *client, uint64_t key, bool is_stream) {
  struct client_tips *tips = client->tips;
  while (tips && (tips->key != key || tips->is_stream != is_stream))
    tips = tips->next;
  return tips;
}

static struct client_tips *make_tips(struct client *client, uint64_t key, bool is_stream,
                                     struct client_capture *capture) {
  struct client_tips *tips = find_tips(client, key, is_stream);
  if (!tips && (tips = calloc(1, sizeof *tips))) {
    tips->key = key;
    tips->is_stream = is_stream;
    tips->next = client->tips;
    client->tips = tips;
    atomic_fetch_add(&client->capture_count, 1);
  }
  if (tips) tips->capture = capture;
  return tips;
}

// Replaces the nodes, or adds those that are not there yet.
static int set_tips(struct client_tips *tips, struct client_node *const *nodes, size_t count, bool replace) {
  size_t kept = replace ? 0 : tips->count;
  struct client_node **grown = malloc((kept + count + 1) * sizeof(struct client_node *));
  if (!grown) return ERROR_MEMORY_ALLOCATION;
  for (size_t i = 0; i < kept; i++)
    grown[i] = tips->nodes[i];
  for (size_t i = 0; i < count; i++) {
    bool known = false;
    for (size_t k = 0; k < kept; k++)
      known = known || grown[k] == nodes[i];
    if (!known) grown[kept++] = nodes[i];
  }
  free(tips->nodes);
  tips->nodes = grown;
  tips->count = kept;
  return 0;
}

static void drop_tips(struct client *client, struct client_tips **link) {
  struct client_tips *tips = *link;
  *link = tips->next;
  free(tips->nodes);
  free(tips);
  atomic_fetch_sub(&client->capture_count, 1);
}

// Streams are free again; events remember that they were captured.
static void end_tips(struct client *client, const struct client_capture *capture) {
  for (struct client_tips **link = &client->tips; *link;) {
    if ((*link)->capture == capture && (*link)->is_stream) {
      drop_tips(client, link);
      continue;
    }
    if ((*link)->capture == capture) {
      (*link)->capture = NULL;
      (*link)->count = 0;
    }
    link = &(*link)->next;
  }
}

void client_capture_forget(const void *event) {
  if (is_idle()) return;
  struct client *client = lock();
  for (struct client_tips **link = &client->tips; *link; link = &(*link)->next) {
    if ((*link)->key != key_of(event) || (*link)->is_stream) continue;
    drop_tips(client, link);
    break;
  }
  (void)unlock(0);
}

// ---- what is forbidden ------------------------------------------------------------------------------------

static int invalidate(struct client_capture *capture, int error) {
  capture->is_invalid = true;
  return error;
}

int client_captures(uint32_t in, bool *captured) {
  *captured = false;
  if (is_idle()) return 0;
  struct client *client = lock();
  const uint32_t stream = in & PROTOCOL_STREAM;
  const struct client_tips *tips = find_tips(client, stream, true);
  if (tips) {
    *captured = !tips->capture->is_invalid;
    return unlock(*captured ? 0 : ERROR_STREAM_CAPTURE_INVALIDATED);
  }
  // The default stream waits for the streams that don't forbid it, and they can't wait: they are captured.
  for (struct client_capture *c = client->captures; c && stream == CLIENT_DEFAULT; c = c->next)
    if (!c->non_blocking) return unlock(invalidate(c, ERROR_STREAM_CAPTURE_IMPLICIT));
  return unlock(0);
}

static bool forbids(const struct client_capture *capture) {
  const bool is_mine = pthread_equal(capture->thread, pthread_self());
  if (*thread_mode() == CAPTURE_RELAXED || capture->mode == CAPTURE_RELAXED) return false;
  return is_mine || (*thread_mode() == CAPTURE_GLOBAL && capture->mode == CAPTURE_GLOBAL);
}

int client_capture_unsafe(void) {
  if (is_idle()) return 0;
  int status = 0;
  for (struct client_capture *c = lock()->captures; c; c = c->next)
    if (forbids(c)) status = invalidate(c, ERROR_STREAM_CAPTURE_UNSUPPORTED);
  return unlock(status);
}

int client_capture_waits(void *stream) {
  bool captured = false;
  if (is_idle()) return 0;
  const struct client *client = lock();
  const struct client_tips *tips = find_tips(client, client_in(stream), true);
  if (tips) return unlock(invalidate(tips->capture, ERROR_STREAM_CAPTURE_UNSUPPORTED));
  return unlock(client_captures(client_in(stream), &captured));
}

// Once the capture has ended or become invalid, an H200's driver (580) says cudaErrorInvalidValue.
static int refuse_event(const struct client_tips *tips) {
  if (!tips->capture || tips->capture->is_invalid) return ERROR_INVALID_VALUE;
  tips->capture->is_invalid = true;
  return ERROR_CAPTURED_EVENT;
}

int client_capture_asks(void *event) {
  if (is_idle()) return 0;
  const struct client_tips *tips = find_tips(lock(), key_of(event), false);
  return unlock(tips ? refuse_event(tips) : 0);
}

int client_capture_refuses(void *stream, const char *what) {
  bool captured = false;
  const int status = client_captures(client_in(stream), &captured);
  return captured ? client_unsupported("%s in a stream that is captured", what) : status;
}

int client_capture_mode(int *mode) {
  const int old = *thread_mode();
  if (*mode < CAPTURE_GLOBAL || *mode > CAPTURE_RELAXED) return ERROR_INVALID_VALUE;
  *thread_mode() = *mode;
  *mode = old;
  return 0;
}

// ---- begin and end ----------------------------------------------------------------------------------------

int client_capture_begin(void *stream, struct client_graph *graph, struct client_node *const *after,
                         size_t count, int mode) {
  struct client_stream found;
  if (!client_stream_find(stream, &found)) return ERROR_INVALID_RESOURCE_HANDLE;
  if (mode < CAPTURE_GLOBAL || mode > CAPTURE_RELAXED || (count && !after)) return ERROR_INVALID_VALUE;
  const uint32_t in = client_in(stream);
  if (in == CLIENT_DEFAULT) return ERROR_STREAM_CAPTURE_UNSUPPORTED;
  struct client *client = lock();
  if (find_tips(client, in, true)) return unlock(ERROR_ILLEGAL_STATE);
  struct client_capture *capture = calloc(1, sizeof *capture);
  struct client_graph *target = graph ? graph : client_graph_create();
  struct client_tips *tips = capture && target ? make_tips(client, in, true, capture) : NULL;
  if (!tips || set_tips(tips, after, count, true)) return unlock(ERROR_MEMORY_ALLOCATION);
  *capture = (struct client_capture){.next = client->captures,
                                     .graph = target,
                                     .identifier = atomic_fetch_add(&client->next_identifier, 1) + 3,
                                     .stream = in,
                                     .mode = mode,
                                     .thread = pthread_self(),
                                     .is_own = !graph,
                                     .non_blocking = found.flags & 1};
  client->captures = capture;
  return unlock(0);
}

// The graph's nodes that nothing leads to from the stream where the capture has begun.
static bool is_joined(const struct client *client, const struct client_capture *capture,
                      const struct client_tips *origin) {
  client_graph_mark(capture->graph, origin->nodes, origin->count);
  for (const struct client_tips *tips = client->tips; tips; tips = tips->next)
    for (size_t i = 0; tips->capture == capture && tips->is_stream && i < tips->count; i++)
      if (!tips->nodes[i]->place) return false;
  return true;
}

static int end_status(const struct client *client, const struct client_tips *tips) {
  const struct client_capture *capture = tips->capture;
  if (capture->is_invalid) return ERROR_STREAM_CAPTURE_INVALIDATED;
  return is_joined(client, capture, tips) ? 0 : ERROR_STREAM_CAPTURE_UNJOINED;
}

int client_capture_end(void *stream, struct client_graph **graph) {
  struct client *client = lock();
  const struct client_tips *tips = find_tips(client, client_in(stream), true);
  if (graph) *graph = NULL;
  if (!tips) return unlock(ERROR_ILLEGAL_STATE);
  struct client_capture *capture = tips->capture;
  if (capture->stream != tips->key) return unlock(ERROR_STREAM_CAPTURE_UNMATCHED);
  if (capture->mode != CAPTURE_RELAXED && !pthread_equal(capture->thread, pthread_self()))
    return unlock(ERROR_STREAM_CAPTURE_WRONG_THREAD);
  const int status = end_status(client, tips);
  for (struct client_capture **link = &client->captures; *link; link = &(*link)->next) {
    if (*link != capture) continue;
    *link = capture->next;
    break;
  }
  end_tips(client, capture);
  if (!status && graph) *graph = capture->graph;
  if ((status || !graph) && capture->is_own) (void)client_graph_destroy(capture->graph);
  free(capture);
  return unlock(status);
}

int client_capture_info(void *stream, struct client_capture_info *info) {
  enum { NONE, ACTIVE, INVALID };
  struct client *client = lock();
  bool captured = false;
  const struct client_tips *tips = find_tips(client, client_in(stream), true);
  *info = (struct client_capture_info){.status = NONE};
  if (!tips) return unlock(is_idle() ? 0 : client_captures(client_in(stream), &captured));
  const struct client_capture *capture = tips->capture;
  *info = (struct client_capture_info){.status = capture->is_invalid ? INVALID : ACTIVE,
                                       .identifier = capture->identifier,
                                       .graph = capture->graph,
                                       .tips = tips->nodes,
                                       .count = tips->count};
  return unlock(0);
}

int client_capture_tips(void *stream, struct client_node *const *nodes, size_t count, bool replace) {
  struct client_tips *tips = find_tips(lock(), client_in(stream), true);
  if (!tips || tips->capture->is_invalid) return unlock(ERROR_ILLEGAL_STATE);
  for (size_t i = 0; i < count; i++)
    if (nodes[i]->graph != tips->capture->graph) return unlock(ERROR_INVALID_VALUE);
  return unlock(set_tips(tips, nodes, count, replace));
}

// ---- what becomes a node ----------------------------------------------------------------------------------

static int add(uint32_t in, const struct client_node *doing) {
  struct client_tips *tips = find_tips(lock(), in & PROTOCOL_STREAM, true);
  struct client_node *made = NULL;
  int status = client_node_add(&made, tips->capture->graph, tips->nodes, tips->count, doing);
  if (!status) status = set_tips(tips, &made, 1, true);
  return unlock(status);
}

int client_capture_launch(struct client_function *function, const struct protocol_launch *launch,
                          const void *parameters, size_t bytes, uint32_t in) {
  struct client_node node;
  const int status = client_kernel_node_packed(&node, function, launch, parameters, bytes);
  return status ? status : add(in, &node);
}

int client_capture_box(const struct client_box *box, uint32_t in) {
  const struct client_node node = {.kind = box->from ? NODE_COPY : NODE_FILL, .box = *box};
  return add(in, &node);
}

int client_capture_node(const struct client_node *doing, uint32_t in) {
  return add(in, doing);
}

int client_capture_host(void (*function)(void *), void *data, uint32_t in) {
  const struct client_node node = {.kind = NODE_HOST, .function = function, .data = data};
  return add(in, &node);
}

int client_capture_graph(struct client_graph *graph, uint32_t in) {
  const struct client_node node = {.kind = NODE_GRAPH, .child = client_graph_copy(graph)};
  if (!node.child) return ERROR_MEMORY_ALLOCATION;
  node.child->belongs = true;
  return add(in, &node);
}

int client_capture_record(void *event, uint32_t in, bool external) {
  const struct client_node node = {.kind = NODE_EVENT_RECORD, .data = event};
  if (external) return add(in, &node);
  struct client *client = lock();
  const struct client_tips *from = find_tips(client, in & PROTOCOL_STREAM, true);
  struct client_tips *tips = make_tips(client, key_of(event), false, from->capture);
  return unlock(tips ? set_tips(tips, from->nodes, from->count, true) : ERROR_MEMORY_ALLOCATION);
}

int client_capture_wait(void *event, void *stream, bool external, bool *captured) {
  *captured = false;
  if (is_idle()) return 0;
  struct client *client = lock();
  const uint32_t in = client_in(stream);
  struct client_tips *waits = find_tips(client, in, true);
  const struct client_tips *tips = find_tips(client, key_of(event), false);
  const struct client_node node = {.kind = NODE_EVENT_WAIT, .data = event};
  *captured = waits || tips;
  if (!*captured) return unlock(0);
  if (waits && waits->capture->is_invalid) return unlock(ERROR_STREAM_CAPTURE_INVALIDATED);
  if (waits && external) return unlock(add(in, &node));
  if (waits && !tips) return unlock(invalidate(waits->capture, ERROR_STREAM_CAPTURE_ISOLATION));
  if (!tips->capture || tips->capture->is_invalid) return unlock(refuse_event(tips));
  if (waits && waits->capture != tips->capture) {
    waits->capture->is_invalid = true;
    return unlock(invalidate(tips->capture, ERROR_STREAM_CAPTURE_MERGE));
  }
  if (in == CLIENT_DEFAULT) return unlock(invalidate(tips->capture, ERROR_STREAM_CAPTURE_IMPLICIT));
  if (!waits) waits = make_tips(client, in, true, tips->capture);
  return unlock(waits ? set_tips(waits, tips->nodes, tips->count, false) : ERROR_MEMORY_ALLOCATION);
}
