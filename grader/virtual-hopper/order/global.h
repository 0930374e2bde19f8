// Notes on global memory (global.c): who wrote, stored or read a granule last. Private to the room.
#ifndef VIRTUAL_HOPPER_ORDER_GLOBAL_H
#define VIRTUAL_HOPPER_ORDER_GLOBAL_H

#include "virtual-hopper/machine/copy.h"
#include "virtual-hopper/order/order.h"

struct global_write {
  uint64_t cluster;            // index + 1; 0: nothing
  struct order_cluster *owner; // only compared, never followed: the cluster may have ended
  const struct op *op;
  uint32_t agent, epoch, thread;
  uint32_t read_agent;    // of a bulk store, to tell a .read wait from no wait; else NO_AGENT
  uint64_t time;          // between_now() at the write
  const struct op *rival; // a store by another cluster that was there before, not ordered; NULL: none
  uint64_t state;         // NOTE_ bits
};
enum {
  NOTE_LANDED = 1,            // a store: its bytes are in memory
  NOTE_RIVAL_LANDED = 2,      // and those of its rival
  NOTE_REDUCES = 4,           // a reduction, not a plain store
  NOTE_RIVAL_OWN = 1 << 20,   // the rival is of the same cluster
  NOTE_RIVAL_TOLD = 1 << 22,  // the rival's cluster has told of it, but not waited for its end
  NOTE_BEYOND_EDGE = 1 << 21, // a store: the bytes lie behind the tensor's edge
  // Writes by neighbouring lanes, `agent` and `thread` being those of the first: the following bits say how
  // many granules each has written (its logarithm), and where in its page the first granule lies.
  NOTE_ROW = 8,
  NOTE_ROW_SIZE = 4,    // from this bit on, 4 bits
  NOTE_ROW_FIRST = 8,   // from this bit on, 10 bits
  NOTE_LANES_SHIFT = 32 // a read: from this bit on, the lanes of the warp of `agent` that read
};
struct global_shadow *global_create(struct launch *launch);
void global_free(struct global_shadow *s); // NULL is allowed
void global_note(struct global_shadow *s, uint64_t address, uint64_t bytes, const struct global_write *write);
// Visits the distinct runs of notes in [address, address+bytes). Of a row, each lane's part is visited as a
// note of its own.
void global_visit(struct global_shadow *s, uint64_t address, uint64_t bytes,
                  void (*visit)(const struct global_write *, uint64_t address, void *), void *context);
// Visits the runs of granules with one note, clipped to [address, address+bytes), and may change the note.
// The run's page is locked meanwhile.
typedef void global_change(struct global_write *note, uint64_t address, uint64_t bytes, void *context);
void global_each_run(struct global_shadow *s, uint64_t address, uint64_t bytes, global_change *change,
                     void *context);
// Reads by lanes of a warp, of bytes that a store may then overwrite.
void global_note_reads(struct warp *w, const struct op *op, uint32_t lanes,
                       const uint64_t address[WARP_LANES], uint32_t bytes);
void global_check_plain_read(struct actor by, uint64_t address, uint32_t bytes);
// Weak writes by threads: checks and notes them, neighbouring lanes at once.
void global_plain_writes(struct warp *w, const struct op *op, uint32_t lanes,
                         const uint64_t address[WARP_LANES], uint32_t bytes);
void global_check_plain_write(struct actor by, uint64_t address, uint32_t bytes);
// What bulk loads read, and a thread's write there. global_loaded_lanes: those in whose pages some load of
// the launch has read.
void global_note_load(struct actor by, const struct async_copy *copy);
void global_check_load_source(struct actor by, uint64_t address, uint32_t bytes);
uint32_t global_loaded_lanes(struct order_launch *l, uint32_t lanes, const uint64_t address[WARP_LANES],
                             uint32_t bytes);
void global_check_copy_read(struct actor by, const struct async_copy *copy);
void global_note_copy_write(struct actor by, const struct async_copy *copy, uint32_t sequence);

#endif
