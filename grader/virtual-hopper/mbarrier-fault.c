// Faults of barriers: takes the operation and the barrier's counts, leaves a message with the numbers and the remedy.
// Severity: fatal where the chip would stop or hang for ever, an error where it would go on with undefined results.
#include "virtual-hopper/mbarrier-fault.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "virtual-hopper/async.h"
#include "virtual-hopper/decode/op.h"
#include "virtual-hopper/shared-name.h"

struct barrier_name {
  char text[128];
};

// "barrier `full[1]`": lives as long as the expression that asks for it.
static struct barrier_name name_of(const struct block *owner, uint32_t offset) {
  struct barrier_name name = {.text = ""};
  shared_name_barrier(owner->launch, offset, name.text, sizeof name.text);
  return name;
}

void fault_add_related(struct fault *f, const struct block *b, const struct op *op, uint32_t thread,
                       const char *format, ...) {
  if (!op || f->related_count == FAULT_MAX_RELATED) return;
  struct fault_related *r = &f->related[f->related_count++];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(r->role, sizeof r->role, format, arguments);
  va_end(arguments);
  machine_place(&r->place, b, op, thread);
}

__attribute__((format(printf, 5, 6))) static void start(struct fault *f, const char *rule, int device_error,
                                                        const char *role, const char *format, ...) {
  memset(f, 0, sizeof *f);
  f->rule = rule;
  f->severity = device_error ? FAULT_FATAL : FAULT_ERROR;
  f->device_error = device_error;
  snprintf(f->role, sizeof f->role, "%s", role);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(f->message, sizeof f->message, format, arguments);
  va_end(arguments);
}

static void relate_init(struct fault *f, const struct block *owner, const struct mbarrier *m) {
  if (m)
    fault_add_related(f, owner, m->initialised_by, m->initialised_thread,
                      "initialises the barrier with a count of %u", m->expected_arrivals);
}

void mbarrier_describe(const struct block *b, const struct mbarrier *m, char *text, size_t size) {
  char initialised[160] = "", bytes[96];
  if (m->initialised_by) {
    struct fault_place place = {0};
    machine_place(&place, b, m->initialised_by, m->initialised_thread);
    if (place.line) snprintf(initialised, sizeof initialised, " (initialised at line %u)", place.line);
  }
  if (m->tx_count >= 0)
    snprintf(bytes, sizeof bytes, "%d bytes owed", m->tx_count);
  else
    snprintf(bytes, sizeof bytes, "%d bytes more landed than were announced", -m->tx_count);
  snprintf(text, size, "%s%s: phase %llu, %u of %u arrivals owed, %s", name_of(b, m->offset).text,
           initialised, (unsigned long long)m->phase, m->pending_arrivals, m->expected_arrivals, bytes);
}

struct init_search {
  const struct op *op;
  bool used;
};

static void look_for_init(struct mbarrier *m, void *context) {
  struct init_search *search = context;
  search->used |= m->initialised_by == search->op;
}

// An instruction that initialises barriers, and has initialised none in this block so far.
static bool will_initialise(struct block *b, const struct op *op) {
  struct init_search search = {.op = op};
  if (!op->source || strcmp(op->source->opcode, "mbarrier") != 0 || !ptx_has_modifier(op->source, "init"))
    return false;
  mbarrier_each(b, look_for_init, &search);
  return !search.used;
}

// This barrier may be initialised yet, only later.
static void tell_inits(const struct warp *w, uint32_t lane, struct fault *f) {
  const struct function *kernel = w->launch->function;
  char lines[64] = "";
  uint32_t last = 0, count = 0;
  for (uint32_t i = 0; kernel && i < kernel->op_count && count < 3; i++) {
    struct fault_place place = {0};
    if (!will_initialise(w->block, &kernel->ops[i])) continue;
    machine_place(&place, w->block, &kernel->ops[i], 0);
    if (!place.line || place.line == last) continue;
    last = place.line;
    size_t used = strlen(lines);
    snprintf(lines + used, sizeof lines - used, "%s%u", count++ ? ", " : "", place.line);
  }
  if (!count) return;
  size_t used = strlen(f->message);
  snprintf(
      f->message + used, sizeof f->message - used,
      " The kernel initialises barriers at line %s, where nobody has come by yet: if this is one of them, thread %u is too early.",
      lines, warp_thread(w, lane));
  snprintf(
      f->remedy, sizeof f->remedy,
      "Call init_barrier(bar, count) in one thread, then __syncthreads(), and only then use the barrier in others; before that only the thread "
      "that has initialised it may.");
}

void mbarrier_fault_unusable(struct warp *w, const struct op *op, uint32_t lane, const struct block *owner,
                             const struct mbarrier *m, uint32_t offset) {
  struct fault f;
  if (m) {
    start(&f, "barrier-not-initialised", ERROR_LAUNCH, "uses a barrier that is no longer valid",
          "The %s is used after it was invalidated.", name_of(owner, offset).text);
    snprintf(
        f.remedy, sizeof f.remedy,
        "Call inval_barrier(bar) only when every thread is done with it: __syncthreads() before it; or init_barrier() again.");
  } else {
    start(&f, "barrier-not-initialised", ERROR_LAUNCH, "uses a barrier that is not initialised",
          "No thread has initialised the %s (shared offset 0x%x of block %u) so far.",
          name_of(owner, offset).text, offset, owner->rank);
    tell_inits(w, lane, &f);
  }
  relate_init(&f, owner, m);
  warp_fault(w, op, lane, &f);
}

void mbarrier_fault_misaligned(struct warp *w, const struct op *op, uint32_t lane, uint32_t offset) {
  struct fault f;
  start(&f, "misaligned-barrier", ERROR_MISALIGNED, "uses a barrier that is not aligned",
        "The barrier's shared offset 0x%x is not a multiple of 8 (it is %u too far).", offset,
        offset % MBARRIER_BYTES);
  warp_fault(w, op, lane, &f);
}

void mbarrier_fault_count(struct warp *w, const struct op *op, uint32_t lane, uint32_t count) {
  struct fault f;
  start(&f, "barrier-value", ERROR_LAUNCH, "gives a barrier a count that it can't hold",
        "The arrival count %u is outside 1 to %d.", count, MBARRIER_MAX_COUNT);
  warp_fault(w, op, lane, &f);
}

void mbarrier_fault_parity(struct warp *w, const struct op *op, uint32_t lane, const struct block *owner,
                           uint32_t offset, uint32_t parity) {
  struct fault f;
  start(
      &f, "parity", 0, "waits with a parity that is neither 0 nor 1",
      "The wait for the %s is given %u as its parity, which can only be 0 or 1: what a chip does with another value is not defined.",
      name_of(owner, offset).text, parity);
  snprintf(
      f.remedy, sizeof f.remedy,
      "Wait with the lowest bit of the phase's number: `& 1`. In a ring turn n waits with (n / STAGES) & 1.");
  warp_fault(w, op, lane, &f);
}

void mbarrier_fault_reinit(struct warp *w, const struct op *op, uint32_t lane, const struct block *owner,
                           const struct mbarrier *m) {
  struct fault f;
  start(
      &f, "barrier-reinit", 0, "initialises the barrier again",
      "The %s is live, in its phase %llu with %u of %u arrivals owed and %d bytes owed, and is initialised again.",
      name_of(owner, m->offset).text, (unsigned long long)m->phase, m->pending_arrivals, m->expected_arrivals,
      m->tx_count);
  snprintf(
      f.remedy, sizeof f.remedy,
      "Initialise it once, in one thread; or call inval_barrier(bar) when nobody uses it any more, then init_barrier().");
  relate_init(&f, owner, m);
  warp_fault(w, op, lane, &f);
}

void mbarrier_fault_tx(struct warp *w, const struct op *op, uint32_t lane, const struct block *owner,
                       const struct mbarrier *m, int64_t bytes) {
  struct fault f;
  start(&f, "barrier-value", ERROR_LAUNCH, "announces more bytes than a barrier can count",
        "%lld bytes on top of %d make a transaction count of %lld; a phase can hold -%d to %d.",
        (long long)bytes, m->tx_count, (long long)(m->tx_count + bytes), MBARRIER_MAX_COUNT,
        MBARRIER_MAX_COUNT);
  relate_init(&f, owner, m);
  warp_fault(w, op, lane, &f);
}

void mbarrier_fault_unobserved(struct warp *w, const struct op *op, uint32_t lane, const struct block *owner,
                               const struct mbarrier *m) {
  struct fault f;
  start(
      &f, "unobserved-phase", 0, "arrives for the next phase",
      "Phase %llu of the %s is complete, no thread has seen that (no wait returned true), and this is already an "
      "arrival for phase %llu.",
      (unsigned long long)(m->phase - 1), name_of(owner, m->offset).text, (unsigned long long)m->phase);
  snprintf(
      f.remedy, sizeof f.remedy,
      "Was this arrival meant for phase %llu? Then more threads arrive than the barrier counts, %u: let fewer arrive (one lane of each warp, say, "
      "after __syncwarp()), or initialise it with more. If not, wait for each phase before arriving for the next one.",
      (unsigned long long)(m->phase - 1), m->expected_arrivals);
  relate_init(&f, owner, m);
  fault_add_related(&f, owner, m->last_arrive_by, m->last_arrive_thread,
                    "made the last arrival of phase %llu", (unsigned long long)(m->phase - 1));
  warp_fault(w, op, lane, &f);
}

void mbarrier_fault_arrivals(struct warp *w, const struct op *op, uint32_t lane, const struct block *owner,
                             const struct mbarrier *m, uint32_t count, bool would_complete) {
  struct fault f;
  if (would_complete)
    start(
        &f, "arrival-count", ERROR_LAUNCH, "arrives with .noComplete",
        "An arrival with .noComplete must not complete the phase, but only %u arrival%s of phase %llu %s owed and %u come.",
        m->pending_arrivals, m->pending_arrivals == 1 ? "" : "s", (unsigned long long)m->phase,
        m->pending_arrivals == 1 ? "is" : "are", count);
  else
    start(
        &f, "arrival-count", ERROR_HANG, "arrives once too often",
        "%u arrival%s on the %s, whose phase %llu needs %u and has had %u; %d bytes are still owed. On a chip the "
        "phase would never complete.",
        count, count == 1 ? "" : "s", name_of(owner, m->offset).text, (unsigned long long)m->phase,
        m->expected_arrivals, m->arrivals, m->tx_count);
  if (!would_complete && m->expected_arrivals == 1 && m->last_arrive_by == op &&
      m->last_arrive_thread != warp_thread(w, lane))
    snprintf(
        f.remedy, sizeof f.remedy,
        "Several threads arrive here, and the barrier counts one: let one thread do it, `if (threadIdx.x == 0)`; or initialise the barrier with the "
        "number of arrivals of one phase.");
  relate_init(&f, owner, m);
  fault_add_related(&f, owner, m->last_arrive_by, m->last_arrive_thread, "made the arrival before");
  warp_fault(w, op, lane, &f);
}

void mbarrier_fault_overwritten(struct warp *w, const struct op *op, uint32_t lane, const struct block *owner,
                                const struct mbarrier *m, uint32_t bytes) {
  struct fault f;
  start(&f, "barrier-overwritten", 0, "writes over the barrier",
        "A write of %u bytes reaches into the live %s, shared offset 0x%x to 0x%x.", bytes,
        name_of(owner, m->offset).text, m->offset, m->offset + MBARRIER_BYTES - 1);
  relate_init(&f, owner, m);
  warp_fault(w, op, lane, &f);
}

void mbarrier_fault_found_overwritten(struct warp *w, const struct op *op, uint32_t lane,
                                      const struct block *owner, const struct mbarrier *m) {
  struct fault f;
  start(&f, "barrier-overwritten", 0, "uses the barrier, whose memory was overwritten",
        "The 8 bytes of the live %s were written by something else than a barrier operation.",
        name_of(owner, m->offset).text);
  relate_init(&f, owner, m);
  warp_fault(w, op, lane, &f);
}

void mbarrier_fault_remote(struct warp *w, const struct op *op, uint32_t lane, const struct block *owner) {
  struct fault f;
  start(
      &f, "illegal-instruction", ERROR_INSTRUCTION, "uses another block's barrier",
      "The barrier lies in block %u of the cluster. From another block a barrier can be arrived on and told of bytes, but not initialised, "
      "invalidated or waited for.",
      owner->rank);
  snprintf(f.remedy, sizeof f.remedy,
           "Wait in the block that holds the barrier, and let it tell the others.");
  warp_fault(w, op, lane, &f);
}

// ---- met while a copy lands ---------------------------------------------------------------------------------------------------------

void async_fault(const struct async_copy *copy, struct fault *f) {
  struct launch *launch = copy->block->launch;
  machine_place(&f->place, copy->block, copy->op, copy->thread);
  snprintf(f->kernel, sizeof f->kernel, "%s", launch->function->name);
  fault_record(launch->report, f);
  if (f->device_error) cluster_fail(copy->block->cluster, f->device_error);
}

void async_fault_no_barrier(const struct async_copy *copy, const struct block *owner,
                            const struct mbarrier *m, uint32_t offset) {
  struct fault f;
  start(&f, "barrier-not-initialised", ERROR_LAUNCH, "issues a copy that completes on the barrier",
        "A copy of %u bytes completes on shared offset 0x%x of block %u, where %s.", copy->bytes, offset,
        owner->rank,
        m ? "the barrier was invalidated while the copy was under way" : "no barrier was initialised");
  relate_init(&f, owner, m);
  async_fault(copy, &f);
}

void async_fault_tx(const struct async_copy *copy, const struct block *owner, const struct mbarrier *m,
                    uint32_t bytes) {
  struct fault f;
  start(&f, "barrier-value", ERROR_LAUNCH, "issues a copy that completes on the barrier",
        "%u more bytes land on the %s, which already had %d more than announced; it can hold %d.", bytes,
        name_of(owner, m->offset).text, -m->tx_count, MBARRIER_MAX_COUNT);
  relate_init(&f, owner, m);
  async_fault(copy, &f);
}

void async_fault_deferred_arrival(const struct async_copy *copy, const struct block *owner,
                                  const struct mbarrier *m, uint32_t offset) {
  struct fault f;
  if (m && m->live) {
    start(
        &f, "arrival-count", ERROR_HANG, "arrives when its copies are complete",
        "The arrival that cp.async.mbarrier.arrive announced comes on the %s, whose phase %llu has had all of its %u arrivals.",
        name_of(owner, offset).text, (unsigned long long)m->phase, m->expected_arrivals);
    snprintf(f.remedy, sizeof f.remedy, "With .noinc the barrier's count must include these arrivals.");
  } else {
    start(
        &f, "barrier-not-initialised", ERROR_LAUNCH, "arrives when its copies are complete",
        "The arrival that cp.async.mbarrier.arrive announced comes on shared offset 0x%x, where no barrier is live any more.",
        offset);
  }
  relate_init(&f, owner, m);
  async_fault(copy, &f);
}

void async_fault_unannounced(const struct block *owner, const struct mbarrier *m) {
  const struct async_copy *copy = async_pending_copy(owner, m->offset);
  if (!copy) return;
  struct fault f;
  start(
      &f, "bytes-announced", 0, "issues a copy whose bytes nobody has announced",
      "Phase %llu of the %s completes with the %llu bytes announced, while %u cop%s issued on it (%llu bytes) ha%s not "
      "landed: whoever waits goes on too early.",
      (unsigned long long)m->phase, name_of(owner, m->offset).text, (unsigned long long)m->expected_bytes,
      m->copies_pending, m->copies_pending == 1 ? "y" : "ies",
      (unsigned long long)async_pending_bytes(owner->cluster, owner, m->offset),
      m->copies_pending == 1 ? "s" : "ve");
  snprintf(
      f.remedy, sizeof f.remedy,
      "Announce the bytes of every copy of the phase before its last arrival: all its announcements together must come to %llu bytes here.",
      (unsigned long long)(m->expected_bytes + async_pending_bytes(owner->cluster, owner, m->offset)));
  if (copy->block != owner) // of another block: most likely that one has gone ahead
    snprintf(
        f.remedy, sizeof f.remedy,
        "Block %u of the cluster has issued it, for a later phase perhaps: let it wait until each block that it copies into has given the stage back, by "
        "arrivals on its own empty barrier. If the copy belongs to this phase, announce its bytes, too: %llu in all.",
        copy->block->rank,
        (unsigned long long)(m->expected_bytes + async_pending_bytes(owner->cluster, owner, m->offset)));
  if (m->expected_bytes > 0)
    fault_add_related(&f, owner, m->last_expect_by, m->last_expect_thread,
                      "announces bytes; the phase's sum is %llu", (unsigned long long)m->expected_bytes);
  else
    fault_add_related(&f, owner, m->last_arrive_by, m->last_arrive_thread,
                      "arrives without announcing any bytes");
  f.edit = (int)f.related_count;
  relate_init(&f, owner, m);
  async_fault(copy, &f);
}

void mbarrier_fault_left_over(const struct block *owner, const struct mbarrier *m) {
  struct fault f;
  start(
      &f, "bytes-announced", 0, "issues a copy whose bytes nobody has announced",
      "When the block ends, %d bytes have landed on the %s that its phase %llu was never told to expect: no wait "
      "covers the copy, so whoever uses the tile may be too early.",
      -m->tx_count, name_of(owner, m->offset).text, (unsigned long long)m->phase);
  snprintf(
      f.remedy, sizeof f.remedy,
      "Announce the bytes of every copy in the phase that it belongs to: expect_bytes_and_arrive(bar, bytes), then wait.");
  fault_add_related(&f, owner, m->last_arrive_by, m->last_arrive_thread,
                    "made the last arrival, for phase %llu",
                    (unsigned long long)(m->arrivals ? m->phase : m->phase - 1));
  f.edit = (int)f.related_count;
  relate_init(&f, owner, m);
  struct async_copy copy = {.op = m->last_copy_by,
                            .block = (struct block *)(uintptr_t)m->last_copy_block,
                            .thread = m->last_copy_thread};
  async_fault(&copy, &f);
}

// ---- why a phase can't complete ------------------------------------------------------------------------------------------------------

// How many times the announced bytes go into the bytes delivered, when that is the size of some element: then elements were counted, most likely.
static uint32_t bytes_of_element(uint64_t announced, uint64_t delivered) {
  for (uint32_t bytes = 2; bytes <= 16; bytes *= 2)
    if (announced && announced * bytes == delivered) return bytes;
  return 0;
}

// Another barrier of the block to which just the bytes belong that this one lacks, or has too many: announced on the one, delivered on the other.
struct counterpart {
  const struct mbarrier *lone, *found;
};

static void compare_counterpart(struct mbarrier *m, void *context) {
  struct counterpart *c = context;
  if (!c->found && m != c->lone && m->expected_bytes == c->lone->completed_bytes &&
      m->completed_bytes == c->lone->expected_bytes)
    c->found = m;
}

static const struct mbarrier *counterpart_of(const struct block *b, const struct mbarrier *m) {
  struct counterpart c = {.lone = m};
  if ((m->expected_bytes == 0) != (m->completed_bytes == 0))
    mbarrier_each((struct block *)(uintptr_t)b, compare_counterpart, &c);
  return c.found;
}

// Adds that the bytes were announced on another barrier; false: they weren't.
static bool tell_announced_elsewhere(const struct block *b, const struct mbarrier *m, struct fault *f) {
  const struct mbarrier *other = counterpart_of(b, m);
  if (!other || m->completed_bytes == 0) return false;
  struct barrier_name name = name_of(b, other->offset);
  size_t used = strlen(f->message);
  snprintf(f->message + used, sizeof f->message - used, " As many were announced on another one, the %s.",
           name.text);
  snprintf(
      f->remedy, sizeof f->remedy,
      "Announce the bytes on the barrier that the copy is given: expect_bytes_and_arrive(bar, bytes), the same `bar` in both.");
  fault_add_related(f, b, other->last_expect_by, other->last_expect_thread, "announces as many on the %s",
                    name.text);
  f->edit = (int)f->related_count;
  return true;
}

static void tell_bytes(const struct block *b, const struct mbarrier *m, struct fault *f) {
  long long expected = (long long)m->expected_bytes, landed = (long long)m->completed_bytes;
  const char *role = "waits for a phase that can't complete";
  struct barrier_name name = name_of(b, m->offset);
  if (expected == 0) {
    start(
        f, "bytes-announced", ERROR_HANG, role,
        "%lld bytes landed on the %s in its phase %llu, and nobody announced any: the byte count stays at %d.",
        landed, name.text, (unsigned long long)m->phase, m->tx_count);
    return;
  }
  if (landed == 0) {
    start(f, "bytes-announced", ERROR_HANG, role,
          "%lld bytes were announced for phase %llu of the %s, and no copy delivers any.", expected,
          (unsigned long long)m->phase, name.text);
    return;
  }
  char guess[96] = "";
  uint32_t element = bytes_of_element(m->expected_bytes, m->completed_bytes);
  if (element && !m->last_box.rank)
    snprintf(guess, sizeof guess, " (%lld is %u times %lld: elements instead of bytes?)", landed, element,
             expected);
  else if (expected == 2 * landed)
    snprintf(guess, sizeof guess, " (twice the bytes: %s?)",
             m->last_box.rank ? "is the map's data type half as wide as the elements" : "announced twice");
  start(f, "bytes-announced", ERROR_HANG, role,
        "%lld bytes were announced for phase %llu of the %s and %lld landed: %lld too %s were announced%s.",
        expected, (unsigned long long)m->phase, name.text, landed,
        expected > landed ? expected - landed : landed - expected, expected > landed ? "many" : "few", guess);
}

static void diagnose_bytes(const struct block *b, const struct mbarrier *m, struct fault *f) {
  tell_bytes(b, m, f);
  long long landed = (long long)m->completed_bytes;
  if (landed && m->last_box.rank) {
    char box[96];
    tensor_box_name(m->last_box.count, m->last_box.rank, m->last_box.type, box, sizeof box);
    snprintf(
        f->remedy, sizeof f->remedy,
        "A tensor copy delivers its map's whole box, wherever it lies: here %s, %u bytes. If that isn't the tile that you mean, mend the map "
        "(its box, its data type); if it is, announce that box's bytes.",
        box, m->last_box.bytes);
  } else if (landed && m->expected_arrivals > 1) {
    snprintf(
        f->remedy, sizeof f->remedy,
        "Announce exactly what the phase's copies deliver: all its announcements together must come to %lld bytes here.",
        landed);
  } else if (landed) {
    snprintf(
        f->remedy, sizeof f->remedy,
        "Announce what the copies of this phase are given as their size, in bytes, once: expect_bytes_and_arrive(bar, bytes) with the same "
        "`bytes`, also for a short last tile.");
  }
  if (!landed)
    snprintf(
        f->remedy, sizeof f->remedy,
        "Start the copy that these bytes were announced for, and give it this barrier; or don't announce them.");
  if (m->expected_bytes == 0) {
    fault_add_related(f, b, m->last_copy_by, m->last_copy_thread, "issues the copy that delivered them");
  } else {
    fault_add_related(f, b, m->last_expect_by, m->last_expect_thread, "announces bytes");
  }
  f->edit = (int)f->related_count;
}

// Bytes, but nobody has arrived: announcing is no arrival, nor is a copy.
static void diagnose_no_arrival(const struct block *b, const struct mbarrier *m, struct fault *f) {
  long long announced = (long long)m->expected_bytes, landed = (long long)m->completed_bytes;
  struct barrier_name name = name_of(b, m->offset);
  const char *role = "waits for a phase that can't complete";
  char arrivals[32];
  snprintf(arrivals, sizeof arrivals, "%u arrival%s", m->expected_arrivals,
           m->expected_arrivals == 1 ? "" : "s");
  if (announced > 0) {
    start(
        f, "deadlock", ERROR_HANG, role,
        "%lld bytes were announced for phase %llu of the %s and %lld have landed, but the phase takes %s, too, and has had none: expect_bytes() is "
        "no arrival.",
        announced, (unsigned long long)m->phase, name.text, landed, arrivals);
    snprintf(
        f->remedy, sizeof f->remedy,
        "Let the thread that announces the bytes arrive in the same breath: expect_bytes_and_arrive(bar, bytes)%s.",
        landed ? "" : "; and start the copy");
    fault_add_related(f, b, m->last_expect_by, m->last_expect_thread, "announces bytes, and does not arrive");
  } else {
    start(
        f, "deadlock", ERROR_HANG, role,
        "%lld bytes have landed on the %s in its phase %llu, but nobody has announced them and nobody has arrived: the phase takes %s.",
        landed, name.text, (unsigned long long)m->phase, arrivals);
    snprintf(f->remedy, sizeof f->remedy,
             "Before the copy, in the thread that starts it: expect_bytes_and_arrive(bar, bytes).");
    fault_add_related(f, b, m->last_copy_by, m->last_copy_thread,
                      "starts a copy that nobody announces on its barrier");
    if (tell_announced_elsewhere(b, m, f)) return;
  }
  f->edit = (int)f->related_count;
}

// Some have arrived, and nobody is left who would make the other arrivals.
static void diagnose_missing_arrivals(const struct block *b, const struct mbarrier *m, struct fault *f) {
  start(f, "deadlock", ERROR_HANG, "waits for a phase that can't complete",
        "Phase %llu of the %s needs %u arrivals and has had %u; nobody is left who would make the other %u.",
        (unsigned long long)m->phase, name_of(b, m->offset).text, m->arrivals + m->pending_arrivals,
        m->arrivals, m->pending_arrivals);
  // Several arrive, or the one who announces: the count is too large, most likely. A lone other one: the rest is missing.
  bool count_is_wrong = m->arrivals > 1 || m->last_arrive_by == m->last_expect_by;
  if (count_is_wrong)
    snprintf(
        f->remedy, sizeof f->remedy,
        "Initialise the barrier with the number of arrivals of one phase (is it %u?), or let the missing threads arrive.",
        m->arrivals);
  else
    snprintf(
        f->remedy, sizeof f->remedy,
        "Let the missing threads arrive, too: so far only thread %u has; or initialise the barrier with the number of arrivals of one phase.",
        m->last_arrive_thread);
  fault_add_related(f, b, m->last_arrive_by, m->last_arrive_thread, "made the last arrival");
  f->edit = (int)f->related_count + count_is_wrong; // the initialisation comes next
}

bool mbarrier_diagnose(const struct block *b, const struct mbarrier *m, struct fault *f) {
  if (m->pending_arrivals == 0 && m->tx_count != 0) {
    diagnose_bytes(b, m, f);
  } else if (m->arrivals == 0 && (m->expected_bytes > 0 || m->completed_bytes > 0)) {
    diagnose_no_arrival(b, m, f);
  } else if ((m->last_expect_by || m->expected_arrivals == 1) && m->phase > 0 && !m->observed &&
             m->arrivals == 0 && m->tx_count == 0) {
    uint32_t parity = (uint32_t)(m->phase - 1) & 1;
    start(
        f, "parity", ERROR_HANG, "asks for a parity whose phase nobody has begun",
        "This wait asks for parity %u: phase %llu of the %s, in which nobody has arrived. Phase %llu, of parity %u, is "
        "complete, and no thread has ever seen it.",
        parity ^ 1, (unsigned long long)m->phase, name_of(b, m->offset).text,
        (unsigned long long)(m->phase - 1), parity);
    snprintf(
        f->remedy, sizeof f->remedy,
        "The first phase of a barrier has parity 0, and the parity flips once for each phase of this barrier: parity ^= 1 after each completed "
        "wait, or (turn / STAGES) & 1 in a ring. (Or is the barrier's count of %u too small, so that its phases end too early?)",
        m->expected_arrivals);
    fault_add_related(f, b, m->last_arrive_by, m->last_arrive_thread, "made the last arrival of phase %llu",
                      (unsigned long long)(m->phase - 1));
  } else if (m->pending_arrivals > 0 && m->arrivals > 0) {
    diagnose_missing_arrivals(b, m, f);
  } else {
    return false;
  }
  relate_init(f, b, m);
  return true;
}
