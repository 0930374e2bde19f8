// In: cp.async of a warp's lanes, their groups and waits. Out: a load for each instruction, as of a plain
// one, and what each wait was for. One idea: lanes copy together, so groups are counted by the warp.
#include "virtual-hopper/time/record.h"

void time_cp_async(struct warp *w, const struct op *op, const uint64_t *addresses, uint32_t lanes,
                   uint32_t bytes) {
  struct time_warp *record = time_warp_of(w);
  const uint32_t load = record ? record->loads++ : 0;
  if (record) record->cp.newest[record->cp.count++ % TIME_RECENT_LOADS] = load;
  time_access(w, op, addresses, lanes, bytes, false, load);
}

void time_cp_commit(struct warp *w) {
  struct time_warp *record = time_warp_of(w);
  if (!record) return;
  record->cp.groups[record->cp.group_count++ % TIME_RECENT_GROUPS] = record->cp.count;
}

void time_cp_wait(struct warp *w, uint32_t pending, const struct op *op) {
  const struct time_warp *known = time_warp_of(w);
  if (!known || known->cp.group_count <= pending || pending >= TIME_RECENT_GROUPS) return;
  const uint32_t until = known->cp.groups[(known->cp.group_count - 1 - pending) % TIME_RECENT_GROUPS];
  uint32_t from = known->cp.awaited;
  if (until > TIME_RECENT_LOADS && from < until - TIME_RECENT_LOADS) from = until - TIME_RECENT_LOADS;
  for (uint32_t n = from; n < until; n++) {
    const uint32_t load = time_warp_of(w) ? known->cp.newest[n % TIME_RECENT_LOADS] : 0;
    time_emit(w, (struct time_event){.kind = TIME_USE, .a = load, .op = op});
  }
  struct time_warp *record = time_warp_of(w);
  if (record && until > record->cp.awaited) record->cp.awaited = until;
}
