// Shadow memory: who wrote each granule of a block's shared memory last, and who has read it since. In:
// notes. Out: those of a granule or a line. The idea: few records stand for many lanes, since neighbours do
// the same. Private to the room.
#ifndef VIRTUAL_HOPPER_ORDER_SHADOW_H
#define VIRTUAL_HOPPER_ORDER_SHADOW_H

#include "virtual-hopper/machine/machine.h"
#include "virtual-hopper/order/thread.h"

#define NO_AGENT 0u // agents are numbered from 1, so that zeroed shadow memory means "nobody"

// Who read a granule after its last write, at one epoch: a store, or the same lanes of one or more warps of
// a block of agents. The agents are cut into blocks of READER_WARPS warps, wherever a thread block begins.
enum { READER_WARPS = 32 };
struct shadow_reader {
  const struct op *op;
  uint32_t agent; // of lane 0 of the first warp, warp 0; mask 0: the read agent of a store's thread
  uint32_t mask;  // of lanes; 0: a store
  uint32_t warps; // each with all lanes of the mask
  bool strong;    // volatile, relaxed or acquire: no race with a strong write
  uint32_t epoch;
  uint32_t thread;       // issuing thread of a store, linear in the cluster
  uint32_t issued_epoch; // of that thread, when it issued the store
  uint32_t next;         // index into the pool, 0 ends
};

static inline uint32_t reader_base(uint32_t agent) { // shadow_reader.agent of a thread's reads
  return (agent - 1) / (READER_WARPS * WARP_LANES) * (READER_WARPS * WARP_LANES) + 1;
}
static inline uint32_t reader_warp(uint32_t agent) { // its bit in shadow_reader.warps
  return 1u << (agent - 1) / WARP_LANES % READER_WARPS;
}
// True when the entry holds a read of this thread.
static inline bool reader_is(const struct shadow_reader *r, uint32_t agent) {
  return r->mask >> (agent - 1) % WARP_LANES & 1 && r->warps & reader_warp(agent) &&
         r->agent == reader_base(agent);
}
// The agents of an entry's threads, from the last warp to the first. Zeroed, it begins; false: no more.
struct reader_walk {
  uint32_t warps, lanes, agent;
};
static inline bool reader_next(const struct shadow_reader *r, struct reader_walk *at) {
  if (!at->lanes) {
    const uint32_t left = at->agent ? at->warps : r->warps;
    if (!left) return false;
    const uint32_t warp = 31 - (uint32_t)__builtin_clz(left);
    at->warps = left & ~(1u << warp);
    at->lanes = r->mask;
    at->agent = r->agent + warp * WARP_LANES;
  }
  at->agent = at->agent - (at->agent - 1) % WARP_LANES + (uint32_t)__builtin_ctz(at->lanes);
  at->lanes &= at->lanes - 1;
  return true;
}

// Of the readers that a write comes too early for, the one that is named. It must not depend on how they are
// noted: the last instruction's, of the last warp the first lane.
struct named_reader {
  const struct shadow_reader *reader; // NULL: none
  uint32_t agent, line;
};
static inline void order_name_reader(struct named_reader *named, const struct shadow_reader *r,
                                     uint32_t agent) {
  const uint32_t line = r->op->source ? r->op->source->ptx_line : 0;
  const uint32_t warp = (agent - 1) / WARP_LANES, old_warp = (named->agent - 1) / WARP_LANES;
  bool later = !named->reader || line > named->line;
  if (named->reader && line == named->line)
    later = warp > old_warp || (warp == old_warp && agent < named->agent);
  if (later) *named = (struct named_reader){r, agent, line};
}

// A line is 128 bytes of shared memory. While it is only written as a whole, by a copy or by neighbouring
// lanes of one warp in their order, and read by copies or by such lanes, few records stand for all of its
// granules. Any other access spells the line out into granules, until the next write of the whole line.
enum { LINE_SHIFT = 7, LINE_BYTES = 1 << LINE_SHIFT, LINE_READERS = 64 };

// Who wrote or reads a line: agent `agent` the first 2^lane_shift bytes, agent + 1 the next ones, and so on.
struct line_stamp {
  const struct op *op;
  uint32_t agent, epoch;
  uint32_t thread;        // of a copy: its issuing thread, linear in the cluster
  uint32_t issued_epoch;  // of a store's read
  uint32_t warp_agent;    // of lanes' reads: that of lane 0; NO_AGENT: a store's
  uint8_t lane_shift;     // LINE_SHIFT: one agent for the line
  uint8_t skip, skip_end; // of lanes' reads: bytes at the line's beginning and end that they leave out
  bool atomic;
};
static inline uint32_t stamp_first_agent(const struct line_stamp *stamp) {
  return stamp->agent + (stamp->skip >> stamp->lane_shift);
}
static inline uint32_t stamp_agents(const struct line_stamp *stamp) {
  return ((uint32_t)LINE_BYTES - stamp->skip - stamp->skip_end) >> stamp->lane_shift;
}

struct shadow_line {
  bool detailed; // true: the granules' own records are valid; false: the fields below are
  uint8_t reader_count, reader_capacity;
  // Warps that have read alike, instead of one reader for each; there are no others then. 0: none. The kind
  // is one of quick.c, the shape says which lanes read which bytes (line.c).
  uint32_t quick_warps, quick_kind, quick_shape;
  struct line_stamp write;    // write.agent NO_AGENT: nobody
  struct line_stamp *readers; // [reader_capacity], LINE_READERS at most; room is kept from block to block
};

// Quick notes (quick.c): readers[g] with its highest bit set is no place in the pool. It says that one lane,
// or all lanes, of the warps in reader_warps[g] have read the granule, as its kind says, and nobody else has.
#define READER_QUICK (1u << 31)
enum {
  QUICK_LANE_BITS = 6,
  QUICK_ALL_LANES = 32,
  QUICK_VIEWS = 4,
  QUICK_OPS = 256,
  QUICK_MOST = 4096,
  QUICK_LAST = 1 << 23 // below the bit of READER_ROLL
};
struct quick_kind {
  const struct op *op;
  uint32_t agent, epoch; // as in shadow_reader
};
struct quick_reads {
  struct quick_kind *kinds; // [capacity], of which `count` are used, numbered from `first` on
  uint32_t count, capacity, first;
  struct quick_view { // whose reads have a kind of their own; number 0: none
    struct clock *base;
    uint32_t agent, epoch, number;
  } views[QUICK_VIEWS];
  uint32_t next_view, view_number;
  uint32_t latest;      // view
  struct quick_judged { // what some warps have seen; number 0: none
    struct clock *base;
    uint32_t number;
  } judged[QUICK_VIEWS];
  uint32_t next_judged;
  struct quick_found {
    const struct op *op;
    uint32_t view, kind;
  } found[QUICK_OPS];
};

// A note with this bit, too, is the number of a roll (roll.c).
#define READER_ROLL (1u << 30)
enum { ROLL_FROM = 2, ROLL_FOUND = 256 }; // ROLL_FROM: entries of a list that becomes a roll
struct reader_rolls {
  struct reader_roll {
    struct quick_kind latest;   // no instruction; the latest epoch of all
    uint32_t granules;          // whose readers are the same
    uint32_t judged;            // for whom all writers there come before (quick_judged); 0: for nobody
    uint32_t warps;             // which have a row
    uint32_t row[READER_WARPS]; // of a roll that is free, [0] is the next such roll
  } * rolls;
  union roll_row {
    uint16_t deed[WARP_LANES]; // of each lane its last one; 0: it has not read
    uint32_t next;             // of a row that is free
  } * rows;
  struct roll_deed {
    const struct op *op;
    uint32_t epoch;
  } * deeds;
  uint32_t used, capacity, free, row_used, row_capacity, row_free, deed_count, deed_capacity;
  uint16_t found[ROLL_FOUND]; // deeds, by their instructions
};

struct logged_read;
enum { KNOWN_ROWS = 64 };
struct read_log {          // log.c
  bool may;                // reads may be logged
  bool alone;              // the block is alone in its cluster
  bool on;                 // they are
  uint8_t *lines, *landed; // [line_capacity] bits; place of the last copy's landing plus 1, or 0
  uint32_t *landed_words;  // [line_capacity] its words, a bit for each
  uint32_t *calm;          // [line_capacity] a bit for each word
  uint32_t line_capacity;
  struct landing {
    uint32_t agent, epoch; // of its barrier, or of its thread's cp.async: who has seen that has seen its end
  } * landings;
  uint32_t landing_count;
  uint32_t round; // grows when calm words, or marks of logged lines, go
  struct known_row {
    uint32_t round, first, bytes;
    int32_t step;
  } known[KNOWN_ROWS];
  struct logged_read *reads;
  uint32_t (*places)[WARP_LANES];
  uint32_t count, room, place_count;
  int32_t credit; // grows when it was of use
  uint32_t rest;  // barriers until there is one again
};

// Of one block's shared memory. Granules have 4 bytes, or 1 byte after a narrower access was met.
struct shadow {
  uint32_t shift; // log2 of the granule's bytes
  uint32_t granules;
  struct shadow_line *lines;
  uint32_t line_count, line_capacity;
  uint32_t *write_agent, *write_epoch, *write_thread;
  const struct op **write_op;
  bool *write_atomic;
  uint32_t *readers;      // head of the list in the pool, or a quick note
  uint32_t *reader_warps; // bits (reader_warp) of those that may be in that list; of no meaning for a roll
  struct shadow_reader *pool;
  uint32_t pool_used, pool_capacity, pool_free;
  struct quick_reads quick;
  struct reader_rolls rolls;
  struct read_log log;
};

// shadow.c --------------------------------------------------------------------------------------------------
// may_log: reads may be logged; alone: the block is alone in its cluster.
void shadow_begin(struct shadow *s, uint32_t bytes, bool may_log, bool alone);
void shadow_free(struct shadow *s);
void shadow_refine(struct shadow *s); // to granules of one byte
// The granules of these bytes; false: they are not all in shared memory.
static inline bool shadow_range(const struct shadow *s, uint32_t offset, uint32_t bytes, uint32_t *first,
                                uint32_t *count) {
  if (offset < SHARED_FIRST_OFFSET || bytes == 0) return false;
  const uint64_t start = offset - SHARED_FIRST_OFFSET, end = start + bytes;
  const uint64_t a = start >> s->shift, b = (end + (1u << s->shift) - 1) >> s->shift;
  if (b > s->granules) return false;
  *first = (uint32_t)a;
  *count = (uint32_t)(b - a);
  return true;
}
uint32_t reader_new(struct shadow *s); // an entry of the pool, with any contents
// The head of the granule's list. A quick note or a roll becomes entries first.
uint32_t shadow_spell_readers(struct shadow *s, uint32_t granule);
static inline uint32_t shadow_readers(struct shadow *s, uint32_t granule) {
  const uint32_t head = s->readers[granule];
  return head & READER_QUICK ? shadow_spell_readers(s, granule) : head;
}
// roll.c ----------------------------------------------------------------------------------------------------
void roll_begin(struct reader_rolls *r); // a block's
void roll_end(struct reader_rolls *r);
// The granule's list becomes a roll, if it is long enough and holds weak reads of this block of agents alone.
bool roll_make(struct shadow *s, uint32_t granule, uint32_t agent);
// The granules from this one on, before `end`, that have the same readers end here.
uint32_t roll_alike(const struct shadow *s, uint32_t granule, uint32_t end);
// Granules that had the same readers have been read alike since: their rolls, if they have some, become one.
void roll_share(struct shadow *s, uint32_t first, uint32_t end);
// Lanes have read granules that have one roll; false: they have a list now.
bool roll_read(struct shadow *s, uint32_t first, uint32_t count, uint32_t warp_agent, uint32_t lanes,
               uint32_t epoch, const struct op *op);
// The number of a deed, 0 when there are too many; and its note by a lane of a warp that is in the roll of
// these granules alone, nearly always so: false, then it is to be read as above.
uint32_t roll_deed(struct reader_rolls *r, const struct op *op, uint32_t epoch);
static inline bool roll_read_again(const struct shadow *s, uint32_t note, uint32_t count, uint32_t warp_agent,
                                   uint32_t lane, uint32_t deed) {
  const struct reader_roll *roll = &s->rolls.rolls[note & ~(READER_QUICK | READER_ROLL)];
  const uint32_t warp = (warp_agent - 1) / WARP_LANES % READER_WARPS;
  if (!deed || roll->granules != count || !(roll->warps >> warp & 1) ||
      roll->latest.agent != reader_base(warp_agent) || roll->latest.epoch < s->rolls.deeds[deed].epoch)
    return false;
  s->rolls.rows[roll->row[warp]].deed[lane] = (uint16_t)deed;
  return true;
}
// Lanes of a warp that read granules with rolls: what is the same for all of them.
struct roll_reads {
  uint32_t judged; // the number of what they have seen by barriers (quick_judged)
  uint32_t agent, warp, epoch;
  uint16_t deed; // 0: there are too many
};
struct roll_reads roll_reads_of(struct shadow *s, const struct op *op, const struct order_thread *t,
                                uint32_t warp_agent);
// The granule has a roll, and who has seen so much has seen its writer.
static inline void roll_judged(const struct shadow *s, uint32_t granule, uint32_t judged) {
  s->rolls.rolls[s->readers[granule] & ~(READER_QUICK | READER_ROLL)].judged = judged;
}
// Nothing else is to be looked at for such a lane in this roll of `count` granules. False: that is not known.
static inline bool roll_is_judged(const struct reader_roll *roll, uint32_t count,
                                  const struct roll_reads *r) {
  return !((roll->judged ^ r->judged) | (roll->granules ^ count) | (roll->latest.agent ^ r->agent) |
           (~roll->warps >> r->warp & 1));
}
// Notes the lane, if so.
static inline bool roll_read_judged(const struct shadow *s, uint32_t note, const struct roll_reads *r,
                                    uint32_t lane) {
  struct reader_roll *roll = &s->rolls.rolls[note & ~(READER_QUICK | READER_ROLL)];
  if (!r->deed || !roll_is_judged(roll, 1, r)) return false;
  if (roll->latest.epoch < r->epoch) roll->latest.epoch = r->epoch;
  s->rolls.rows[roll->row[r->warp]].deed[lane] = r->deed;
  return true;
}
uint32_t roll_copy(struct shadow *s, uint32_t note); // for one more granule
void roll_free(struct shadow *s, uint32_t note);     // of one granule
uint32_t roll_spell(struct shadow *s, uint32_t granule);
// Whoever has seen so much has seen all of its reads.
const struct quick_kind *roll_kind(const struct shadow *s, uint32_t note);

// shadow.c --------------------------------------------------------------------------------------------------
// Lanes of a warp, that of lane 0 being `warp_agent`, have read the granule at this epoch.
void shadow_read_together(struct shadow *s, uint32_t granule, uint32_t warp_agent, uint32_t lanes,
                          uint32_t epoch, const struct op *op, bool strong);
static inline void shadow_read(struct shadow *s, uint32_t granule, uint32_t warp_agent, uint32_t lanes,
                               uint32_t epoch, const struct op *op, bool strong) {
  const uint32_t note = s->readers[granule], warp = reader_warp(warp_agent);
  if (note & READER_ROLL && !strong && roll_read(s, granule, 1, warp_agent, lanes, epoch, op)) return;
  const uint32_t last = shadow_readers(s, granule);
  struct shadow_reader *r = last ? &s->pool[last] : NULL;
  if (!r || s->reader_warps[granule] & warp || r->mask != lanes || r->op != op || r->epoch != epoch ||
      r->agent != reader_base(warp_agent) || r->strong != strong) {
    shadow_read_together(s, granule, warp_agent, lanes, epoch, op, strong);
    return;
  }
  r->warps |= warp; // the usual case: warp after warp reads by the same instruction
  s->reader_warps[granule] |= warp;
}
void shadow_read_by_store(struct shadow *s, uint32_t granule, const struct shadow_reader *store);
void shadow_clear_readers(struct shadow *s, uint32_t granule);
void shadow_copy_readers(struct shadow *s, uint32_t to, uint32_t from); // what is noted at `to` is lost

// log.c -----------------------------------------------------------------------------------------------------
void log_begin(struct shadow *s, bool may_log, bool alone);
void log_end(struct read_log *l);
// A weak read of a whole warp, lane i at offset + i * step: true: it is in order, and in the log. False: it
// is to be judged and noted, after log_accessed. The same of these lanes, wherever they read.
bool log_row(const struct warp *w, const struct op *op, struct shadow *s, uint32_t offset, int32_t step,
             uint32_t bytes);
bool log_lanes(const struct warp *w, const struct op *op, struct shadow *s, uint32_t lanes,
               const uint32_t offset[WARP_LANES], uint32_t bytes);
// Before threads' accesses to the shadow: what is logged of their lines is there afterwards.
void log_accessed(struct shadow *s, uint32_t lanes, const uint32_t offset[WARP_LANES], uint32_t bytes,
                  bool writes);
void log_accessed_row(struct shadow *s, uint32_t offset, int32_t step, uint32_t bytes, bool writes);
// Before a copy's write of these granules. Reads that `seen` has are done with; those of `self`, too.
void log_copied(struct shadow *s, uint32_t first, uint32_t count, const struct clock *seen, uint32_t self);
// After it: who has seen that epoch of the agent has seen its end.
void log_landed(struct shadow *s, uint32_t first, uint32_t count, uint32_t agent, uint32_t epoch);
// All threads of the block have come to a barrier, and wait.
void log_barrier(struct shadow *s);
void log_spell_out(struct shadow *s);

// quick.c ---------------------------------------------------------------------------------------------------
static inline uint32_t quick_place(const struct op *op) { // in quick_reads.found
  return ((uintptr_t)op / sizeof *op) % QUICK_OPS;
}
// The number of the kind of such reads, by threads with this view.
uint32_t quick_kind(struct shadow *s, const struct op *op, struct clock *base, uint32_t agent,
                    uint32_t epoch);
// The same, in line for reads that follow one another.
static inline uint32_t quick_kind_again(struct shadow *s, const struct op *op, struct clock *base,
                                        uint32_t agent, uint32_t epoch) {
  const struct quick_reads *q = &s->quick;
  const struct quick_view *v = &q->views[q->latest];
  const struct quick_found *found = &q->found[quick_place(op)];
  if (v->number && v->base == base && v->agent == agent && v->epoch == epoch && found->op == op &&
      found->view == v->number && found->kind >= q->first)
    return found->kind;
  return quick_kind(s, op, base, agent, epoch);
}
const struct quick_kind *quick_kind_at(const struct shadow *s, uint32_t note); // NULL: of a block before
// A number for what has been seen, the same as long as it is one of the last few.
uint32_t quick_judged(struct shadow *s, struct clock *base);
void quick_end(struct shadow *s);                                 // the block has ended
static inline uint32_t quick_note(uint32_t kind, uint32_t lane) { // QUICK_ALL_LANES: all of them
  return READER_QUICK | kind << QUICK_LANE_BITS | lane;
}

// line.c ----------------------------------------------------------------------------------------------------
static inline uint32_t line_granules(const struct shadow *s) {
  return 1u << (LINE_SHIFT - s->shift);
}
// Spells out the lines of these granules. Call it before looking at a granule.
void line_spell_out_all(struct shadow *s, uint32_t first, uint32_t count);
static inline void line_spell_out(struct shadow *s, uint32_t first, uint32_t count) {
  const uint32_t line = first / line_granules(s), last = (first + count - 1) / line_granules(s);
  if (line != last || !s->lines[line].detailed) line_spell_out_all(s, first, count);
}
// True when `c` has seen all that the record stands for; deeds of `self` (NO_AGENT: of nobody) count as seen.
bool line_stamp_seen(const struct line_stamp *stamp, const struct clock *c, uint32_t self);
// All that the record stands for is visible to the async proxy, for thread `t`, agent `self`.
bool line_stamp_visible(const struct line_stamp *stamp, const struct order_thread *t, uint32_t self);
// The line's quick note becomes a reader for each warp. Call it before looking at the readers.
void line_spell_readers(const struct shadow *s, struct shadow_line *line);
// True when `c` has seen all that the line's quick note stands for, but for what the lanes of `self` (NULL:
// nobody) have read of it themselves; false, too, when there is none.
bool line_quick_seen(const struct shadow *s, const struct shadow_line *line, const struct clock *c,
                     const struct line_stamp *self);
bool line_readers_seen(const struct shadow_line *line, const struct clock *c, uint32_t self);
// The whole line was written; its readers are forgotten.
void line_written(struct shadow *s, uint32_t line, const struct line_stamp *stamp);
// False: no room, spell it out.
bool line_read(const struct shadow *s, struct shadow_line *line, const struct line_stamp *stamp);
// What a warp's lanes have in common, when all of them run.
struct warp_view {
  bool same;  // they share a view and an epoch, as they do after a barrier
  bool dirty; // all of them have done something since that epoch began
};
// For the weak access of a full warp whose lanes touch neighbouring bytes, a write from the beginning of a
// line on: checks and notes the lines for which a record is enough. Returns the lanes of those lines; 0 for
// any other access. May give the lanes one epoch, and `view` says so then. words: of a folded warp; NULL: the
// lines that are spelled out are left.
struct word_access;
uint32_t line_warp_access(struct warp *w, const struct op *op, struct shadow *s,
                          const uint32_t offset[WARP_LANES], uint32_t bytes, bool write,
                          struct warp_view *view, struct word_access *words);
// For the access of a folded warp to a row whose lanes are neighbours: the same, and words that are spelled
// out. Returns the lanes that are done.
uint32_t line_row(struct warp *w, struct word_access *words, uint32_t offset, bool write);
// The other lanes' writes have been judged granule by granule; they become records, too.
void line_warp_wrote(struct warp *w, const struct op *op, struct shadow *s, const uint32_t offset[WARP_LANES],
                     uint32_t bytes, uint32_t lanes);

// words.c ---------------------------------------------------------------------------------------------------
struct word_access { // of a folded warp
  struct shadow *s;
  const struct order_cluster *cluster;
  struct order_thread *t; // stands for all lanes
  const struct op *op;
  uint32_t agent, warp; // of lane 0; its reader_warp
  uint32_t each_shift;  // log2 of a lane's granules
  uint32_t kind;        // of a read (quick.c)
};
// False: the warp isn't folded, or the lanes' bytes are no power of 2 of granules.
bool word_access_begin(struct word_access *a, const struct warp *w, const struct op *op, struct shadow *s,
                       uint32_t bytes, bool write);
// So many lanes from `lane` on have read neighbouring places, whose lines are spelled out, and all that was
// written there has been seen. False: not so, or that is not known; some may be noted.
bool words_read_row(struct word_access *a, uint32_t granule, uint32_t lane, uint32_t lanes);
// A weak access of the whole warp. Returns the lanes that are done: of a write all or none.
uint32_t words_accessed(struct word_access *a, const uint32_t offset[WARP_LANES], bool write);

// write.c ---------------------------------------------------------------------------------------------------
// For the weak write of a whole warp whose lanes share a view and an epoch: notes it, if all that was done
// there before has been seen. Returns false, and has noted nothing, if not.
bool write_quietly(struct warp *w, const struct op *op, struct shadow *s, const uint32_t offset[WARP_LANES],
                   uint32_t bytes);
// The same for lanes of a folded warp with granules of their own from at[lane] on; and only whether it may be
// noted, for neighbours from `agent` on.
bool words_written(const struct word_access *a, const uint32_t at[WARP_LANES]);
bool words_may_be_written(const struct word_access *a, uint32_t granule, uint32_t agent, uint32_t lanes);
// The same for atomics on words, of lanes that share a view and an epoch and synchronise with nobody by them.
bool atomics_quietly(struct warp *w, const struct op *op, struct shadow *s, uint32_t lanes,
                     const uint32_t offset[WARP_LANES]);

// read.c ----------------------------------------------------------------------------------------------------
// For weak reads: notes those of the lanes that have seen all that was written there. Lanes that read the
// same bytes are noted at once. view: of the whole warp, or zeroed. Returns these lanes; the others have to
// be judged.
uint32_t read_quietly(struct warp *w, const struct op *op, struct shadow *s, uint32_t lanes,
                      const uint32_t offset[WARP_LANES], uint32_t bytes, struct warp_view view);

#endif
