// Faults of barriers: takes the operation and the barrier's counts, leaves a message with the numbers and the remedy.
// Severity: fatal where the chip would stop or hang for ever, an error where it would go on with undefined results.
#include "virtual-hopper/mbarrier-fault.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "virtual-hopper/async.h"
#include "virtual-hopper/decode/op.h"

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
  snprintf(text, size, "barrier at shared offset 0x%x%s: phase %llu, %u of %u arrivals owed, %s", m->offset,
           initialised, (unsigned long long)m->phase, m->pending_arrivals, m->expected_arrivals, bytes);
}

void mbarrier_fault_unusable(struct warp *w, const struct op *op, uint32_t lane, const struct block *owner,
                             const struct mbarrier *m, uint32_t offset) {
  struct fault f;
  if (m) {
    start(&f, "barrier-not-initialised", ERROR_LAUNCH, "uses a barrier that is no longer valid",
          "The barrier at shared offset 0x%x is used after it was invalidated.", offset);
    snprintf(
        f.remedy, sizeof f.remedy,
        "Call inval_barrier(bar) only when every thread is done with it: __syncthreads() before it; or init_barrier() again.");
  } else
    start(&f, "barrier-not-initialised", ERROR_LAUNCH, "uses a barrier that was never initialised",
          "No barrier was initialised at shared offset 0x%x of block %u.", offset, owner->rank);
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

void mbarrier_fault_reinit(struct warp *w, const struct op *op, uint32_t lane, const struct block *owner,
                           const struct mbarrier *m) {
  struct fault f;
  start(
      &f, "barrier-reinit", 0, "initialises the barrier again",
      "The barrier at shared offset 0x%x is live, in its phase %llu with %u of %u arrivals owed and %d bytes owed, and is initialised again.",
      m->offset, (unsigned long long)m->phase, m->pending_arrivals, m->expected_arrivals, m->tx_count);
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
      "Phase %llu of the barrier at shared offset 0x%x is complete, no thread has seen that (no wait returned true), and this is already an "
      "arrival for phase %llu.",
      (unsigned long long)(m->phase - 1), m->offset, (unsigned long long)m->phase);
  snprintf(
      f.remedy, sizeof f.remedy,
      "Wait for each phase before arriving for the next one. If this arrival was meant for phase %llu, the barrier's count of %u is too small.",
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
        "%u arrival%s on the barrier at shared offset 0x%x, whose phase %llu needs %u and has had %u; %d bytes are still owed. On a chip the "
        "phase would never complete.",
        count, count == 1 ? "" : "s", m->offset, (unsigned long long)m->phase, m->expected_arrivals,
        m->arrivals, m->tx_count);
  relate_init(&f, owner, m);
  fault_add_related(&f, owner, m->last_arrive_by, m->last_arrive_thread, "made the arrival before");
  warp_fault(w, op, lane, &f);
}

void mbarrier_fault_overwritten(struct warp *w, const struct op *op, uint32_t lane, const struct block *owner,
                                const struct mbarrier *m, uint32_t bytes) {
  struct fault f;
  start(&f, "barrier-overwritten", 0, "writes over the barrier",
        "A write of %u bytes reaches into the live barrier at shared offset 0x%x to 0x%x.", bytes, m->offset,
        m->offset + MBARRIER_BYTES - 1);
  relate_init(&f, owner, m);
  warp_fault(w, op, lane, &f);
}

void mbarrier_fault_found_overwritten(struct warp *w, const struct op *op, uint32_t lane,
                                      const struct block *owner, const struct mbarrier *m) {
  struct fault f;
  start(
      &f, "barrier-overwritten", 0, "uses the barrier, whose memory was overwritten",
      "The 8 bytes of the live barrier at shared offset 0x%x were written by something else than a barrier operation.",
      m->offset);
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
  start(
      &f, "barrier-value", ERROR_LAUNCH, "issues a copy that completes on the barrier",
      "%u more bytes land on the barrier at shared offset 0x%x, which already had %d more than announced; it can hold %d.",
      bytes, m->offset, -m->tx_count, MBARRIER_MAX_COUNT);
  relate_init(&f, owner, m);
  async_fault(copy, &f);
}

void async_fault_deferred_arrival(const struct async_copy *copy, const struct block *owner,
                                  const struct mbarrier *m, uint32_t offset) {
  struct fault f;
  if (m && m->live) {
    start(
        &f, "arrival-count", ERROR_HANG, "arrives when its copies are complete",
        "The arrival that cp.async.mbarrier.arrive announced comes on the barrier at shared offset 0x%x, whose phase %llu has had all of its %u "
        "arrivals.",
        offset, (unsigned long long)m->phase, m->expected_arrivals);
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
      "Phase %llu of the barrier at shared offset 0x%x completes with the %llu bytes announced, while %u cop%s issued on it (%llu bytes) ha%s not "
      "landed: whoever waits goes on too early.",
      (unsigned long long)m->phase, m->offset, (unsigned long long)m->expected_bytes, m->copies_pending,
      m->copies_pending == 1 ? "y" : "ies",
      (unsigned long long)async_pending_bytes(owner->cluster, owner, m->offset),
      m->copies_pending == 1 ? "s" : "ve");
  snprintf(
      f.remedy, sizeof f.remedy,
      m->expected_arrivals > 1
          ? "Announce the bytes of every copy of the phase before its last arrival: all its announcements together must come to %llu bytes."
          : "Announce the bytes of every copy of the phase before its last arrival: expect_bytes_and_arrive(bar, %llu).",
      (unsigned long long)(m->expected_bytes + async_pending_bytes(owner->cluster, owner, m->offset)));
  fault_add_related(&f, owner, m->last_expect_by, m->last_expect_thread,
                    "announces bytes; the phase's sum is %llu", (unsigned long long)m->expected_bytes);
  relate_init(&f, owner, m);
  async_fault(copy, &f);
}

void mbarrier_fault_left_over(const struct block *owner, const struct mbarrier *m) {
  struct fault f;
  start(
      &f, "bytes-announced", 0, "issues a copy whose bytes nobody has announced",
      "When the block ends, %d bytes have landed on the barrier at shared offset 0x%x that its phase %llu was never told to expect: no wait "
      "covers the copy, so whoever uses the tile may be too early.",
      -m->tx_count, m->offset, (unsigned long long)m->phase);
  snprintf(
      f.remedy, sizeof f.remedy,
      "Announce the bytes of every copy in the phase that it belongs to: expect_bytes_and_arrive(bar, bytes), then wait.");
  fault_add_related(&f, owner, m->last_arrive_by, m->last_arrive_thread,
                    "made the last arrival, for phase %llu",
                    (unsigned long long)(m->arrivals ? m->phase : m->phase - 1));
  relate_init(&f, owner, m);
  struct async_copy copy = {.op = m->last_copy_by,
                            .block = (struct block *)(uintptr_t)m->last_copy_block,
                            .thread = m->last_copy_thread};
  async_fault(&copy, &f);
}

// ---- why a phase can't complete ------------------------------------------------------------------------------------------------------

static void diagnose_bytes(const struct block *b, const struct mbarrier *m, struct fault *f) {
  long long expected = (long long)m->expected_bytes, landed = (long long)m->completed_bytes;
  if (m->expected_bytes == 0)
    start(
        f, "bytes-announced", ERROR_HANG, "waits for a phase that can't complete",
        "%lld bytes landed on the barrier at shared offset 0x%x in its phase %llu, and nobody announced any: the byte count stays at %d.",
        landed, m->offset, (unsigned long long)m->phase, m->tx_count);
  else if (landed == 0)
    start(
        f, "bytes-announced", ERROR_HANG, "waits for a phase that can't complete",
        "%lld bytes were announced for phase %llu of the barrier at shared offset 0x%x, and no copy delivers any.",
        expected, (unsigned long long)m->phase, m->offset);
  else
    start(
        f, "bytes-announced", ERROR_HANG, "waits for a phase that can't complete",
        "%lld bytes were announced for phase %llu of the barrier at shared offset 0x%x and %lld landed: %lld too %s were announced%s.",
        expected, (unsigned long long)m->phase, m->offset, landed,
        expected > landed ? expected - landed : landed - expected, expected > landed ? "many" : "few",
        expected == 2 * landed ? " (twice the bytes: announced twice?)" : "");
  if (landed && m->expected_arrivals > 1)
    snprintf(
        f->remedy, sizeof f->remedy,
        "Announce exactly what the phase's copies deliver: all its announcements together must come to %lld bytes.",
        landed);
  else if (landed)
    snprintf(
        f->remedy, sizeof f->remedy,
        m->last_copy_by && ptx_has_modifier(m->last_copy_by->source, "tensor")
            ? "A tensor copy delivers its map's whole box, %lld bytes in all here: box_dim times the element's size. If that isn't the tile that "
              "you mean, mend the map's box or data type; if it is, announce as much."
            : "Announce exactly what the phase's copies deliver, once: expect_bytes_and_arrive(bar, %lld).",
        landed);
  fault_add_related(f, b, m->last_expect_by, m->last_expect_thread, "announces bytes");
}

bool mbarrier_diagnose(const struct block *b, const struct mbarrier *m, struct fault *f) {
  if (m->pending_arrivals == 0 && m->tx_count != 0) {
    diagnose_bytes(b, m, f);
  } else if ((m->last_expect_by || m->expected_arrivals == 1) && m->phase > 0 && !m->observed &&
             m->arrivals == 0 && m->tx_count == 0) {
    uint32_t parity = (uint32_t)(m->phase - 1) & 1;
    start(
        f, "parity", ERROR_HANG, "asks for a parity whose phase nobody has begun",
        "This wait asks for parity %u: phase %llu of the barrier at shared offset 0x%x, in which nobody has arrived. Phase %llu, of parity %u, is "
        "complete, and no thread has ever seen it.",
        parity ^ 1, (unsigned long long)m->phase, m->offset, (unsigned long long)(m->phase - 1), parity);
    snprintf(
        f->remedy, sizeof f->remedy,
        "The first phase of a barrier has parity 0, and the parity flips once for each phase of this barrier: parity ^= 1 after each completed "
        "wait, or (turn / STAGES) & 1 in a ring. (Or is the barrier's count of %u too small, so that its phases end too early?)",
        m->expected_arrivals);
    fault_add_related(f, b, m->last_arrive_by, m->last_arrive_thread, "made the last arrival of phase %llu",
                      (unsigned long long)(m->phase - 1));
  } else if (m->pending_arrivals > 0 && m->arrivals > 0) {
    start(
        f, "deadlock", ERROR_HANG, "waits for a phase that can't complete",
        "Phase %llu of the barrier at shared offset 0x%x needs %u arrivals and has had %u; nobody is left who would make the other %u.",
        (unsigned long long)m->phase, m->offset, m->arrivals + m->pending_arrivals, m->arrivals,
        m->pending_arrivals);
    snprintf(
        f->remedy, sizeof f->remedy,
        "Initialise the barrier with the number of arrivals of one phase (is it %u?), or let the missing threads arrive.",
        m->arrivals);
    fault_add_related(f, b, m->last_arrive_by, m->last_arrive_thread, "made the last arrival");
  } else {
    return false;
  }
  relate_init(f, b, m);
  return true;
}
