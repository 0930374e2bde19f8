// Products of warpgroups against all other accesses. In: groups of wgmma that begin to read shared memory,
// waits. Out: conflicts, stamps. All four warps of a warpgroup read together, and each must have seen what it
// reads: its own quarter of A's rows, and all of B. (FlashAttention-3 writes A's rows in the warp that reads
// them, and has only a __syncwarp() before the product.) A group is known as done, for all four, to each
// thread of a warp that has waited for it: libraries let one of the warps give a tile back. PTX ISA 9.1,
// 9.7.15.5.2 (wgmma uses the async proxy, as bulk copies do).
#include "virtual-hopper/order/internal.h"

enum { WARPS = 4 };

struct group { // that begins to read
  struct actor by;
  uint32_t agent, number;
  struct order_cluster *cluster;
  const struct order_thread *thread[WARPS]; // lane 0 of each warp
  uint32_t self[WARPS];
  uint32_t warps; // a bit for each that reads
};

static bool seen(const struct group *p, uint32_t agent, uint32_t epoch) {
  for (uint32_t i = 0; i < WARPS; i++)
    if (p->warps >> i & 1 && order_seen(p->thread[i], p->self[i], agent) < epoch) return false;
  return true;
}

static bool made_visible(const struct group *p, uint32_t agent, uint32_t epoch) {
  for (uint32_t i = 0; i < WARPS; i++)
    if (order_made_visible(p->thread[i], p->self[i], PROXY_SHARED, agent) >= epoch) return true;
  return false;
}

static bool line_is_visible(const struct group *p, const struct shadow_line *line) {
  if (line->detailed) return false;
  for (uint32_t i = 0; i < WARPS; i++)
    if (p->warps >> i & 1 && !order_write_is_visible(p->cluster, p->thread[i], p->self[i], &line->write))
      return false;
  return true;
}

// The first warp that has not seen the load is the later one. Its last wait may have returned too early, or
// have been for another barrier.
static void name_load(const struct group *p, struct conflict *k, const struct load_deed *load) {
  uint32_t i = 0;
  while (i < WARPS &&
         (!(p->warps >> i & 1) || order_seen(p->thread[i], p->self[i], load->agent) >= load->epoch))
    i++;
  if (i == WARPS) return;
  const struct order_thread *t = p->thread[i];
  const uint32_t thread = p->self[i] - 1;
  k->later = order_thread_deed(p->cluster, thread, p->by.op);
  if (t->refused_wait && t->refused_agent == load->agent) {
    order_blame_refused(p->cluster, k, thread);
  } else if (t->stale_wait && t->stale_agent == load->agent) {
    order_blame_wait(p->cluster, k, CONFLICT_STALE_WAIT_THEN_ACCESS, thread);
  } else if (order_name_load(p->cluster, &k->facts, thread, load)) {
    k->other_wait = k->facts.one_init ? t->last_wait : NULL;
  } else {
    k->load_agent = load->agent;
    k->load_epoch = load->epoch;
  }
}

static void report(const struct group *p, const struct shadow *s, uint32_t g, enum conflict_kind kind,
                   enum deed_kind earlier) {
  const struct load_deed load = {s->write_agent[g], s->write_epoch[g]};
  struct conflict k = {.facts = {.kind = kind, .earlier = earlier, .later = DEED_PRODUCT},
                       .earlier = order_thread_deed(p->cluster, s->write_thread[g], s->write_op[g]),
                       .earlier_epoch = earlier == DEED_LOAD ? 0 : s->write_epoch[g],
                       .later = order_actor_deed(p->by),
                       .shared_offset = SHARED_FIRST_OFFSET + (g << s->shift)};
  if (kind == CONFLICT_LOAD_THEN_PRODUCT) name_load(p, &k, &load);
  order_report(p->by.w->launch->order, &k);
}

// The group's read is still noted: nobody has written there since. Who did was judged then.
static bool is_noted(const struct group *p, const struct shadow *s, uint32_t g) {
  uint32_t n = s->readers[g] & READER_QUICK ? 0 : s->readers[g]; // those are reads of threads
  while (n && (s->pool[n].mask || s->pool[n].agent != p->agent || s->pool[n].epoch != p->number))
    n = s->pool[n].next;
  return n != 0;
}

static void check_granule(const struct group *p, const struct shadow *s, uint32_t g) {
  const uint32_t writer = s->write_agent[g], epoch = s->write_epoch[g];
  if (writer == NO_AGENT || !is_noted(p, s, g)) return;
  const bool copied = writer > p->cluster->threads;
  const bool generic = order_is_generic(p->cluster, writer, s->write_thread[g]);
  if (!seen(p, writer, epoch)) {
    if (copied && generic)
      report(p, s, g, order_cp_async_conflict(p->cluster, s->write_thread[g], epoch), DEED_CP_ASYNC);
    else
      report(p, s, g, copied ? CONFLICT_LOAD_THEN_PRODUCT : CONFLICT_WRITE_THEN_PRODUCT,
             copied ? DEED_LOAD : DEED_WRITE);
  } else if (generic && !made_visible(p, writer, epoch)) {
    report(p, s, g, CONFLICT_UNFENCED_OPERAND, copied ? DEED_CP_ASYNC : DEED_WRITE);
  }
}

// Lane 0 of the warp's warpgroup.
static uint32_t first_agent(const struct warp *w) {
  return order_agent_of(w, 0) - w->index % WARPS * WARP_LANES;
}

static uint32_t product_agent(const struct warp *w) {
  struct order_cluster *c = w->block->order->cluster;
  struct order_thread *t = order_thread_at(c, first_agent(w) - 1);
  if (t->product_agent == NO_AGENT) t->product_agent = order_agent_new(c);
  return t->product_agent;
}

// The first granule behind g's line, or behind the run.
static uint32_t end_of_line(const struct shadow *s, uint32_t g, uint32_t end) {
  const uint32_t next = (g / line_granules(s) + 1) * line_granules(s);
  return next < end ? next : end;
}

void order_products_check(struct warp *w, const struct op *op, uint32_t offset, uint32_t bytes,
                          uint32_t group, uint32_t warps) {
  struct shadow *s = &w->block->order->shadow;
  struct group p = {.by = actor_of(w, op, 0),
                    .agent = product_agent(w),
                    .number = group,
                    .warps = warps,
                    .cluster = w->block->order->cluster};
  uint32_t first, count;
  if (!shadow_range(s, offset, bytes, &first, &count)) return;
  for (uint32_t i = 0; i < WARPS; i++) {
    p.self[i] = first_agent(w) + i * WARP_LANES;
    p.thread[i] = order_view_at(p.cluster, p.self[i] - 1);
  }
  for (uint32_t g = first, next; g < first + count; g = next) {
    next = end_of_line(s, g, first + count);
    if (line_is_visible(&p, &s->lines[g / line_granules(s)])) continue;
    line_spell_out(s, g, next - g);
    for (; g < next; g++)
      check_granule(&p, s, g);
  }
}

void order_products_read(struct warp *w, const struct op *op, uint32_t offset, uint32_t bytes, uint32_t group,
                         uint32_t warps) {
  (void)warps; // until the group is done, it reads for all of them
  struct shadow *s = &w->block->order->shadow;
  struct order_thread *t = order_thread_of(w, 0);
  const uint32_t agent = product_agent(w), thread = order_agent_of(w, 0) - 1;
  const struct line_stamp stamp = {.op = op,
                                   .agent = agent,
                                   .epoch = group,
                                   .thread = thread,
                                   .issued_epoch = t->epoch,
                                   .lane_shift = LINE_SHIFT};
  const struct shadow_reader reader = {
      .op = op, .agent = agent, .epoch = group, .thread = thread, .issued_epoch = t->epoch};
  uint32_t first, count;
  if (!shadow_range(s, offset, bytes, &first, &count)) return;
  t->dirty = true;
  for (uint32_t g = first, next; g < first + count; g = next) {
    struct shadow_line *line = &s->lines[g / line_granules(s)];
    next = end_of_line(s, g, first + count);
    if (!line->detailed && next - g == line_granules(s) && line_read(s, line, &stamp)) continue;
    line_spell_out(s, g, next - g);
    for (uint32_t each = g; each < next; each++)
      shadow_read_by_store(s, each, &reader);
  }
}

void order_products_wait(struct warp *w, uint32_t group, const struct product_wait *wait) {
  order_warp_of(w)->product_wait = *wait;
  const uint32_t agent = product_agent(w);
  struct clock *before = NULL, *after = NULL; // lanes that have seen the same go on sharing their clock
  struct order_thread *t;
  EACH_THREAD(t, w, UINT32_MAX) {
    if (clock_seen(t->base, agent) >= group) continue;
    if (!after || t->base != before) {
      clock_drop(before);
      clock_drop(after);
      before = clock_hold(t->base);
      after = clock_with(t->base, agent, group);
    }
    clock_drop(t->base);
    t->base = clock_hold(after);
  }
  clock_drop(before);
  clock_drop(after);
}

void order_products_commit(struct warp *w, uint32_t group) {
  order_thread_of(w, 0)->product_group = group;
}

static uint32_t leader_of(const struct order_cluster *c, uint32_t thread) {
  return thread - thread % c->threads_per_block % (WARPS * WARP_LANES);
}

bool order_read_by_product(const struct order_cluster *c, const struct shadow_reader *r) {
  return order_view_at(c, leader_of(c, r->thread))->product_agent == r->agent;
}

bool order_product_is_ahead(const struct order_cluster *c, const struct shadow_reader *r, uint32_t thread) {
  const uint32_t first_lane = thread - thread % c->threads_per_block % WARP_LANES;
  return order_read_by_product(c, r) && leader_of(c, thread) == leader_of(c, r->thread) &&
         order_view_at(c, first_lane)->product_group < r->epoch;
}

const struct op *order_last_writer(const struct block *b, uint32_t shared_offset) {
  const struct shadow *s = &b->order->shadow;
  uint32_t first, count;
  if (!shadow_range(s, shared_offset, 1, &first, &count)) return NULL;
  const struct shadow_line *line = &s->lines[first / line_granules(s)];
  if (!line->detailed) return line->write.agent == NO_AGENT ? NULL : line->write.op;
  return s->write_agent[first] == NO_AGENT ? NULL : s->write_op[first];
}

bool order_is_by_bytes(const struct block *b) {
  return b->order && b->order->shadow.shift == 0;
}
