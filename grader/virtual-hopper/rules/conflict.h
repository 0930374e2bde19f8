// A conflict found by the happens-before engine, as plain data, and the words for it. In: what happened, with
// its numbers and names. Out: a fault's rule, roles, message and remedy. One idea: order/ reports what
// happened, and only this room has sentences for students.
#ifndef VIRTUAL_HOPPER_RULES_CONFLICT_H
#define VIRTUAL_HOPPER_RULES_CONFLICT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "virtual-hopper/rules/fault.h"
#include "virtual-hopper/rules/place-words.h"

enum conflict_kind {
  CONFLICT_NONE,
#define CONFLICT(id, rule, mend, earlier, later, message, remedy) id,
#include "virtual-hopper/rules/conflict.def"
  CONFLICT_KINDS
};

enum deed_kind { // an action of a thread: the instruction, not its later effect
  DEED_NONE,
  DEED_READ,
  DEED_WRITE,        // an ordinary store, or an atomic
  DEED_CP_ASYNC,     // issues a cp.async
  DEED_LOAD,         // issues an asynchronous copy into shared memory
  DEED_STORE,        // issues an asynchronous copy from shared memory
  DEED_PRODUCT,      // issues a wgmma, which reads shared memory
  DEED_CLUSTER_COPY, // issues a copy into another block's shared memory
  DEED_INIT,         // initialises a barrier
  DEED_BARRIER_USE,
  DEED_WAIT,    // waits for a phase of a barrier
  DEED_MAP_USE, // issues a copy whose tensor map lies in global memory
  DEED_KINDS
};

// What the program does against a conflict, in vain.
enum culprit_kind {
  CULPRIT_NONE,
  FENCE_TOO_EARLY,      // by the thread that writes, before the write
  FENCE_TOO_LATE,       // by the thread that writes, but the copy doesn't wait for it
  FENCE_OF_OWN_BLOCK,   // by the thread that issues the copy: .shared::cta, and the write is another block's
  FENCE_BEFORE_MEETING, // by the thread that issues the copy, before it has seen the write
  FENCE_OF_OTHER,       // by a third thread
  FENCE_OF_GLOBAL,      // one for global memory alone, and the bytes are shared memory
  FENCE_OF_INITS,       // fence.mbarrier_init, where a proxy fence is needed
  FENCE_OF_MEMORY,      // __threadfence() and its like, where a proxy fence is needed
  FENCE_AFTER_INIT,     // a proxy fence right behind init_barrier(), and no other one
  MAP_FENCE_ELSEWHERE,  // an acquiring fence by a thread of the block, on another address
  INIT_FENCE_TOO_EARLY, // fence.mbarrier_init by the thread that initialises, before it does
  INIT_FENCE_OF_OTHER,  // fence.mbarrier_init by a thread that has initialised nothing
  WAIT_LEAVES_GROUP,    // a wait for bulk groups that leaves so many that the store is among them
  WAIT_BEFORE_COMMIT,   // a wait for bulk groups between the store and its commit
  WAIT_ONLY_READS,      // a wait of the .read form, where the results are needed
  WAIT_OF_OTHER,        // a wait for bulk groups by a thread that has issued no store
  WAIT_NOT_PASSED_ON,   // it covers the store, but the later thread has not been told
  BARRIER_NOT_AWAITED,  // bar.arrive, and the thread goes on
  WAIT_RELAXED,         // a wait on the barrier, by the later thread, that acquires nothing
  TOLD_BY_STRANGER,  // a strong write that tells another block, by a thread that had not met the earlier one
  FLAG_RELAXED,      // a write by the earlier thread that the later one's warp has read: it releases nothing
  ARRIVAL_OF_WARP,   // by another lane of the earlier thread's warp, which has not met it
  ARRIVAL_RELAXED,   // an arrival by the earlier thread that releases nothing
  ARRIVAL_TOO_EARLY, // an arrival that the later thread has waited for, before the earlier deed
  TILE_GIVEN_BACK,   // an arrival by the earlier thread's warpgroup that the later one has waited for
  ARRIVAL_IN_OWN_BLOCK, // by the earlier thread, on its own block's; the later one waits for that of another
  ARRIVAL_NOT_AWAITED,  // an arrival by the earlier thread on a barrier that the later one has not waited on
  CLUSTER_NOT_AWAITED,  // an arrival at the cluster's barrier by the later thread, which has not waited since
  CLUSTER_LEFT_EARLY    // a branch that leads out of the kernel before the cluster's last barrier
};

// How close the two threads are. This decides what can order them.
enum conflict_distance { SAME_INSTRUCTION_OF_WARP, SAME_WARP, SAME_BLOCK, SAME_CLUSTER };

enum { CONFLICT_NAME = 128, CONFLICT_STALE_WAITS = 2 };
#define CONFLICT_NO_THREAD UINT32_MAX

// A wait that returned at once, because its phase was already complete and known to be.
struct stale_wait {
  char barrier[CONFLICT_NAME]; // "barrier `full[1]`"
  // phases of that barrier complete at the wait; 0: the wait was for the phase before the first
  uint32_t phases;
  bool by_token; // it was given an arrival's token, not a parity
};

// Which fields have a meaning depends on the kind; the others are zero. Threads are linear in their blocks.
// Names of barriers read "barrier `full[1]`".
struct conflict_facts {
  enum conflict_kind kind;
  enum deed_kind earlier, later; // earlier may be DEED_NONE: no earlier deed exists
  enum conflict_distance distance;
  const char *file; // that both deeds stand in; NULL: not known; "": they stand in different ones
  uint32_t earlier_thread, later_thread;
  bool between_blocks; // the two are threads of different blocks
  char place[160];     // of the first byte concerned: "`tile` + 64 (shared offset 0x440)"; "": unknown
  // The barrier that the (earlier) load completes on, or that the writer has arrived on; "": unknown.
  char barrier[CONFLICT_NAME];
  struct source_line arrival_at;
  // The barrier that the later load completes on, or that the later thread has waited for last.
  char other_barrier[CONFLICT_NAME];
  struct source_line last_wait_at;
  bool one_init;       // CONFLICT_LOAD_NOT_AWAITED: one line has initialised both barriers, as in a ring
  bool earlier_phase;  // CONFLICT_LOAD_NOT_AWAITED: the last wait was for an earlier phase of `barrier`
  uint32_t load_phase; // the one that the load completes
  // CONFLICT_LOAD_NOT_AWAITED, .._READ_THEN_LOAD: the thread waited for a phase of the load's own barrier
  // that no copy belonged to; so many phases were complete then; 0: it didn't. arrival_at: that phase's last
  // arrival
  uint32_t bare_phase;
  uint32_t other_count; // CONFLICT_REFILL_WHILE_READ: arrivals that a phase of other_barrier takes
  // CONFLICT_COUNT_TOO_SMALL: so many threads arrive on a barrier that counts other_count, so many by
  // cp.async.mbarrier.arrive.noinc, and the arrivals that all of them make; whether arrive_drop has lowered
  // the count
  uint32_t arrivers, copiers, arrivals_together;
  bool count_lowered;
  uint32_t arriver_blocks; // CONFLICT_COUNT_TOO_SMALL: that threads of other blocks belong to; 0: not counted
  struct {                 // CONFLICT_RING_BEGUN_ANEW: of the ring whose first barrier is other_barrier
    uint32_t waits;        // before it began anew
    uint32_t parity, first_parity; // asked for of `barrier`, and at the very first turn of other_barrier
    bool flips, refused;           // it has asked for the other parity, too; the phase is not complete
    uint32_t count, known;         // waits in all, with this one; the ring's barriers; 0: not known
    uint64_t asked;                // the parities of the last of them, the newest in the lowest bit
  } ring;
  uint32_t arrival_phases[2]; // CONFLICT_ARRIVES_UNAWAITED: of the arrival before, and of this one
  bool loader_waits; // CONFLICT_REFILL_WHILE_READ: the loading thread has seen a phase complete before
  struct stale_wait stale;
  // CONFLICT_STALE_WAIT_FOR_THREAD, .._COUNT_TOO_SMALL: the thread that the wait should have waited for
  uint32_t awaited_thread; // CONFLICT_NO_THREAD: which one is not known
  struct {                 // last waits of a race's threads; they returned at once and may be the cause
    uint32_t thread;
    struct source_line at;
  } stale_waits[CONFLICT_STALE_WAITS];
  uint32_t stale_wait_count;
  struct source_line refused_at; // of the later thread's last wait, which returned false; line 0: it didn't
  // CONFLICT_READ_THEN_UNFENCED_LOAD: costs nothing; a release and an acquire stand between the two
  bool is_warning, has_chain;
  bool has_ended;      // CONFLICT_BLOCK_GONE: in this run it had
  uint32_t block_rank; // CONFLICT_BLOCK_..: of the block whose memory is used
  // CONFLICT_REFILL_..: the buffer is that of another block than the loading thread's: of block_rank
  bool in_other_block;
  uint32_t bytes; // of the copy
  struct {        // a copy that runs past the end of a shared variable into the next; in bytes
    uint32_t begin, room, beyond;
    char own[96], next[96]; // names
    char box[96];           // tensor copies: "64 x 32 of float32"
  } overrun;
  uint64_t map;     // CONFLICT_MAP_NOT_ACQUIRED, CONFLICT_UNFENCED_TENSOR_MAP: its address
  bool beyond_edge; // behind the edge of the tensor that a store has cut its tile off at
  bool in_pipeline; // the later deed is a copy of a cuda::pipeline
  bool same_line;   // both deeds stand in one line of the source
  // CONFLICT_GLOBAL_WRITE_THEN_READ, .._READ_THEN_WRITE: ordinary accesses that stand in one line
  bool counts_in_one_line;
  bool with_atomic; // CONFLICT_WRITE_THEN_ACCESS and .._READ_THEN_WRITE: one of the two is an atomic
  struct {
    enum culprit_kind kind;
    uint32_t thread;
    struct source_line at;
    uint32_t newest;            // WAIT_LEAVES_GROUP, TILE_GIVEN_BACK: groups that may be pending
    struct source_line wait_at; // TILE_GIVEN_BACK: of a wait that leaves the product; line 0: there is none
    int64_t bytes;              // MAP_FENCE_ELSEWHERE: from the map that is used to the fence's address
    bool for_later;             // TOLD_BY_STRANGER: the later deed is the one that nobody had met
  } culprit;
  bool has_partial_barrier; // a block barrier that only one of the two threads has reached
  struct {
    struct source_line at;
    uint32_t threads, block_threads;
    bool by_earlier;     // the earlier thread has reached it
    bool by_neither;     // neither of the two has, and they are lanes of one warp
    bool divides_warp;   // lanes of the absent thread's warp have reached it
    uint32_t warp_lanes; // of the earlier thread's warp, that came; 0: the barrier counts no threads
  } partial;
};

enum rule_id conflict_rule(enum conflict_kind kind);

// Fills rule, severity, role, message, remedy, edit, and the roles of the related places: [0] the later deed,
// if two deeds exist; then the partial barrier, or the culprit, if there is one. The caller fills in the
// places.
void conflict_words(const struct conflict_facts *facts, struct fault *fault);

// Which thread of which block did the earlier deed isn't kept: only its role says then that a thread did it.
void conflict_leave_out_thread(struct fault *fault);

// Adds a related place for the wait that covers the load of a CONFLICT_LOAD_NOT_AWAITED; the caller fills in
// the place.
struct fault_related *conflict_add_wait(struct fault *fault);
// The same for the thread's last wait, which was for the barrier of another stage.
struct fault_related *conflict_add_other_wait(struct fault *fault);

// "The wait asks for parity 1 of the barrier `full[0]`: that is phase 2, which was over ... So it returns at
// once", without a full stop.
void stale_wait_words(const struct stale_wait *wait, char *text, size_t size);
const char *stale_wait_remedy(const struct stale_wait *wait);

#endif
