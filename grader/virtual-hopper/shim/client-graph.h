// CUDA graphs, and streams that are captured into them. In: nodes, edges and operations of streams, from the
// runtime's and the driver's functions; out: CUDA errors, and the nodes' operations, one after the other. One
// idea: a graph runs in lanes, each a chain of nodes. The first lane is the stream of the launch; the others
// are streams of their own to the device, and events stand for the edges between lanes. So the device judges
// two nodes by the edges alone.
#ifndef VIRTUAL_HOPPER_SHIM_CLIENT_GRAPH_H
#define VIRTUAL_HOPPER_SHIM_CLIENT_GRAPH_H

#include "virtual-hopper/shim/client-value.h"
#include "virtual-hopper/shim/client.h"

// The numbers of enum cudaGraphNodeType.
enum client_node_kind {
  NODE_KERNEL,
  NODE_COPY,
  NODE_FILL,
  NODE_HOST,
  NODE_GRAPH,
  NODE_EMPTY,
  NODE_EVENT_WAIT,
  NODE_EVENT_RECORD,
  NODE_ALLOCATE = 10,
  NODE_FREE,
  NODE_VALUES, // enum CUgraphNodeType; the runtime has no name for it
  NODE_CONDITION
};

// What decides whether the graphs of a node run. The kinds are those of enum cudaGraphConditionalNodeType.
enum client_condition_kind { CONDITION_IF, CONDITION_WHILE, CONDITION_SWITCH };
struct client_condition {
  uint64_t handle; // the address of a struct condition
  enum client_condition_kind kind;
  bool assigned; // each launch begins with the default value
  uint32_t value;
};
// What is known of a handle.
struct client_condition_handle {
  struct client_condition_handle *next;
  struct client_condition condition;
  const struct client_graph *graph; // that it was made for; NULL: that one has gone
  unsigned nodes;                   // that have it
};

// Memory that a node allocates.
struct client_graph_memory {
  struct client_graph_memory *next;
  uint64_t address;
  size_t bytes;
  unsigned owners; // nodes, of graphs and of their copies
  bool is_freed;   // by a node, or by the program: ends with its last owner
};

struct client_kernel_node {
  struct client_function *function;
  struct protocol_launch launch;
  char *parameters; // packed; the node owns both blocks
  void **arguments; // into `parameters`
};

struct client_node {
  // fixed:
  struct client_graph *graph;
  const struct client_node *origin; // of a copied graph's node: the node that it was copied from
  enum client_node_kind kind;
  // edges:
  struct client_node **after; // the nodes that this one comes after
  uint32_t after_count, after_room;
  // what the node does, by its kind:
  struct client_kernel_node kernel;
  struct client_box box;
  void (*function)(void *);
  void *data; // the function's argument, or the event
  struct client_graph *child;
  struct client_graph_memory *memory;
  struct client_condition condition; // of NODE_CONDITION; `child` is the first of its graphs
  struct client_value *values;       // one after the other
  uint32_t value_count;
  // of a graph that can be launched:
  bool disabled;
  uint32_t lane, place; // place: in the order of running, counted from 1
  bool is_awaited;      // by a node of another lane
};

struct client_graph {
  struct client_graph *next;  // of all graphs that the program has a handle to
  bool executable;            // a cudaGraphExec_t; else a cudaGraph_t
  bool belongs;               // to the node that runs it: not the program's to destroy
  struct client_graph *other; // of a node with several graphs: the next one
  const struct client_graph *origin;
  unsigned long long flags;
  struct client_node **nodes; // of an executable graph: in the order of running
  uint32_t count, room;
  uint32_t lanes;
};

// client-graph.c. Handles come from the program: a stale one is found to be none.
struct client_graph *client_graph_create(void); // NULL: no memory
struct client_graph *client_graph_checked(const void *handle, bool executable);
struct client_node *client_node_checked(const void *handle); // of a graph that can't be launched
int client_graph_destroy(struct client_graph *graph);
struct client_graph *client_graph_copy(const struct client_graph *graph);
struct client_node *client_graph_copied(const struct client_graph *graph, const struct client_node *origin);
// `node` says what is to be done; the node that is made owns what that points to, or else it is freed.
int client_node_add(struct client_node **made, struct client_graph *graph, struct client_node *const *after,
                    size_t count, const struct client_node *node);
int client_node_set(struct client_node *node, const struct client_node *doing); // as for client_node_add
int client_node_destroy(struct client_node *node);
int client_edge_add(struct client_node *from, struct client_node *to);
int client_edge_remove(const struct client_node *from, struct client_node *to);
// Sets `place` of these nodes, and of all that they come after, to 1; of the others to 0.
void client_graph_mark(struct client_graph *graph, struct client_node *const *nodes, size_t count);
void client_doing_drop(const struct client_node *node); // frees what a node that was not added points to
// A node with copies of the values.
int client_values_node(struct client_node *node, const struct client_value *values, uint32_t count);
// Packs the arguments, as for client_launch; `extra`: as in cuLaunchKernel, NULL if none.
int client_kernel_node(struct client_node *node, struct client_function *function,
                       const struct protocol_launch *launch, void **arguments, void **extra);
int client_kernel_node_packed(struct client_node *node, struct client_function *function,
                              const struct protocol_launch *launch, const void *parameters, size_t bytes);

// client-graph-memory.c. The first two fill a node that is not added yet.
int client_graph_allocate(struct client_node *node, size_t bytes);
int client_graph_free(struct client_node *node, uint64_t address); // 1: no node has allocated it
void client_graph_memory_keep(struct client_graph_memory *memory);
void client_graph_memory_drop(struct client_graph_memory *memory);
int client_graph_memory_fill(const struct client_graph_memory *memory, uint32_t in);
size_t client_graph_memory_used(void);
// The program frees memory outside of a graph. False: no node has allocated it.
bool client_graph_memory_freed(uint64_t address);

// client-graph-condition.c
int client_condition_create(uint64_t *handle, const struct client_graph *graph, uint32_t value,
                            bool assigned);
void client_conditions_end(const struct client_graph *graph); // the graph goes
// One more node has the condition, or one less.
void client_condition_count(const struct client_condition *condition, bool more);
// Fills a node, with `count` empty graphs.
int client_condition_node(struct client_node *node, uint64_t handle, enum client_condition_kind kind,
                          uint32_t count);
int client_condition_read(const struct client_condition *condition, uint32_t in, uint32_t *value);
int client_conditions_assign(const struct client_graph *graph, uint32_t in); // at a launch

// client-graph-run.c
int client_graph_instantiate(struct client_graph **made, const struct client_graph *graph,
                             unsigned long long flags);
int client_graph_launch(struct client_graph *graph, void *stream);
// 0, or 910: then *result has the number of enum cudaGraphExecUpdateResult.
int client_graph_update(struct client_graph *executable, const struct client_graph *graph, int *result,
                        struct client_node **node);
void client_graph_forget_events(const struct client_graph *graph);

// client-capture.c
enum { CAPTURE_GLOBAL, CAPTURE_OF_THREAD, CAPTURE_RELAXED }; // enum cudaStreamCaptureMode
struct client_capture_info {
  int status; // enum cudaStreamCaptureStatus
  uint64_t identifier;
  struct client_graph *graph;
  struct client_node **tips;
  size_t count;
};
int client_capture_begin(void *stream, struct client_graph *graph, struct client_node *const *after,
                         size_t count, int mode);
// graph: NULL is allowed where the caller has brought the graph.
int client_capture_end(void *stream, struct client_graph **graph);
int client_capture_info(void *stream, struct client_capture_info *info);
int client_capture_tips(void *stream, struct client_node *const *nodes, size_t count, bool replace);
int client_capture_mode(int *mode); // exchanges the thread's mode
// Of a stream that is captured: adds a node that allocates, or frees, or has values.
int client_capture_node(const struct client_node *doing, uint32_t in);
// An operation of another kind than those below, in a stream that is captured: told as unsupported.
int client_capture_refuses(void *stream, const char *what);

#endif
