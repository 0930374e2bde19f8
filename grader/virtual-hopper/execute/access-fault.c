// Reports a bad access of a thread: `out-of-bounds` or `misaligned-address`, with what lies near the address.
// One idea: a thread may compute an address from shared memory that was never written. Then the mistake is
// that read, not the access.
#include <stdio.h>
#include <string.h>

#include "virtual-hopper/base/text.h"
#include "virtual-hopper/execute/access.h"
#include "virtual-hopper/execute/discard.h"
#include "virtual-hopper/machine/shared-name.h"

static void blame_wait(struct fault *f, const struct warp *w, uint32_t lane,
                       const struct order_unwritten *u) {
  char words[384];
  stale_wait_words(&u->stale, words, sizeof words);
  append(f->message, sizeof f->message, " %s, before anything was written there.", words);
  snprintf(f->remedy, sizeof f->remedy, "%s", stale_wait_remedy(&u->stale));
  struct fault_related *wait = &f->related[f->related_count++];
  snprintf(wait->role, sizeof wait->role, "had waited here: the wait returned at once");
  machine_place(&wait->place, w->block, u->wait, warp_thread(w, lane));
  f->edit = (int)f->related_count;
}

// Returns the op to blame. When the thread read shared memory that was never written, its address is chance,
// so the read is the mistake, and this function returns the read. Otherwise it returns `op`.
static const struct op *blame(struct fault *f, const struct warp *w, const struct op *op, uint32_t lane) {
  struct order_unwritten u;
  if (!order_unwritten_read(w, lane, &u)) return op;
  char name[128];
  shared_name_place(w->launch, u.offset, name, sizeof name);
  append(f->message, sizeof f->message,
         " Before, this thread read %s, which nobody had written yet: what it goes by is chance.", name);
  struct fault_related *access = &f->related[f->related_count++];
  snprintf(access->role, sizeof access->role, "%s", f->role);
  snprintf(f->role, sizeof f->role, "reads shared memory that nobody had written yet");
  machine_place(&access->place, w->block, op, warp_thread(w, lane));
  if (u.wait)
    blame_wait(f, w, lane, &u);
  else
    snprintf(
        f->remedy, sizeof f->remedy,
        "First let the thread wait for what it reads: wait(bar, parity) for the barrier that tells that it "
        "is there, or __syncthreads() after whoever writes it. If the fault stays: check the index, the size "
        "and the end of the data.");
  return u.read;
}

bool access_fault_ended(struct warp *w, const struct op *op, uint32_t lane, uint64_t address,
                        enum deed_kind what) {
  const struct block *owner = memory_ended_block(w->block, address);
  if (!owner) return false;
  struct conflict_facts facts = {
      .kind = CONFLICT_BLOCK_GONE, .later = what, .block_rank = owner->rank, .has_ended = true};
  const struct op *way = w->launch->way_out ? w->launch->way_out(w->launch->function) : NULL;
  struct fault_place way_out = {0}, place = {0};
  if (way) machine_place(&way_out, owner, way, 0);
  if (way) machine_place(&place, w->block, op, warp_thread(w, lane));
  facts.culprit.kind = way ? CLUSTER_LEFT_EARLY : CULPRIT_NONE;
  facts.culprit.at = place_line(&way_out);
  facts.file = place.file;
  way_out.has_thread = false;
  struct fault f;
  conflict_words(&facts, &f);
  if (way) f.related[0].place = way_out;
  f.severity = FAULT_FATAL;
  f.device_error = ERROR_ILLEGAL_ADDRESS;
  warp_fault(w, op, lane, &f);
  return true;
}

void access_fault(struct warp *w, const struct op *op, uint32_t lane, uint64_t address, size_t bytes,
                  bool write) {
  if (access_fault_ended(w, op, lane, address, write ? DEED_WRITE : DEED_READ)) return;
  const char *verb = write ? "writes" : "reads";
  bool power_of_two = bytes && (bytes & (bytes - 1)) == 0;
  const bool plain = bytes <= 16 || op->execute == memory_discard;
  bool misaligned = power_of_two && plain && (address & (bytes - 1)) != 0 && !memory_is_no_place(w, address);
  struct fault f = {.rule = misaligned ? RULE_MISALIGNED_ADDRESS : RULE_OUT_OF_BOUNDS,
                    .severity = FAULT_FATAL,
                    .device_error = misaligned ? ERROR_MISALIGNED_ADDRESS : ERROR_ILLEGAL_ADDRESS};
  char where[256];
  memory_describe_place(w, address, bytes, where, sizeof where);
  snprintf(f.role, sizeof f.role, "%s %zu bytes", verb, bytes);
  if (misaligned)
    snprintf(f.message, sizeof f.message,
             "The %zu bytes lie at address 0x%llx, which is not a multiple of %zu.", bytes,
             (unsigned long long)address, bytes);
  else
    snprintf(f.message, sizeof f.message,
             "The %zu bytes lie at address 0x%llx, where nothing is that the thread may %s: that is %s.",
             bytes, (unsigned long long)address, write ? "write" : "read", where);
  if (misaligned)
    snprintf(f.remedy, sizeof f.remedy, "Align the data to %zu bytes, or access it in smaller pieces.",
             bytes);
  else
    memory_advise(w, address, f.remedy, sizeof f.remedy);
  warp_fault(w, misaligned ? op : blame(&f, w, op, lane), lane, &f);
}
