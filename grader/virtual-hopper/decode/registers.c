// In: the registers of a PTX function; there may be very many. Out: a place in the frame for each register.
// One idea: most PTX registers are used only once or twice. Registers whose lives don't overlap share a
// place, so the frame of a warp fits into the cache.
#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/base/checked.h"
#include "virtual-hopper/base/poison.h"
#include "virtual-hopper/decode/decoder.h"

struct life {
  uint32_t first, last; // instruction numbers, inclusive
  uint32_t block;       // the basic block of the first use
  bool used, local;     // local: within one basic block, written before read
};
struct loop { // instruction numbers, inclusive
  uint32_t head, tail;
};

struct survey {
  struct decoder *d;
  struct life *lives;
  uint32_t *blocks; // the basic block of each instruction
  struct loop *loops;
  uint32_t loop_count, loop_capacity;
};

uint32_t decode_reserve(struct decoder *d, uint32_t bytes) {
  uint64_t end = d->next_offset, start;
  uint32_t alignment = bytes >= 64 ? 64 : POISON_GAP ? 8 : 4;
  if (!checked_place(&end, bytes, alignment, DECODE_MOST_FRAME, &start)) {
    decode_error(d, d->instruction,
                 "the function's registers and constants take more than %u bytes of a warp",
                 DECODE_MOST_FRAME);
    return 0;
  }
  d->next_offset = (uint32_t)end + POISON_GAP;
  d->places = decode_grow(d->places, &d->place_capacity, d->place_count, sizeof *d->places);
  d->places[d->place_count++] = (struct frame_place){(uint32_t)start, bytes};
  return (uint32_t)start;
}

static bool ends_block(const struct ptx_instruction *in) {
  static const char *const ends[] = {"bra", "brx", "call", "ret", "exit", "trap", NULL};
  for (const char *const *name = ends; *name; name++)
    if (strcmp(in->opcode, *name) == 0) return true;
  return false;
}

// True when the instruction writes operand 0 and no other operand. A wrong "false" costs only space.
static bool writes_first_operand(const struct ptx_instruction *in) {
  static const char *const readers[] = {"st",        "stmatrix",       "red",           "bra",
                                        "brx",       "call",           "ret",           "exit",
                                        "bar",       "barrier",        "mbarrier",      "cp",
                                        "fence",     "membar",         "prefetch",      "prefetchu",
                                        "nanosleep", "discard",        "applypriority", "setmaxnreg",
                                        "tensormap", "griddepcontrol", "trap",          "pmevent",
                                        "wgmma",     "wmma",           "sust",          NULL};
  if (in->guard >= 0) return false;
  for (const char *const *name = readers; *name; name++)
    if (strcmp(in->opcode, *name) == 0) return false;
  return true;
}

static void find_blocks(struct survey *s) {
  const struct ptx_function *f = s->d->source;
  uint8_t *starts = calloc(f->instruction_count + 1, 1);
  if (!starts) die("out of memory while decoding");
  for (uint32_t i = 0; i < f->label_count; i++)
    starts[f->labels[i].instruction] = 1;
  uint32_t block = 0;
  for (uint32_t i = 0; i < f->instruction_count; i++) {
    if (starts[i] || (i && ends_block(&f->instructions[i - 1]))) block++;
    s->blocks[i] = block;
  }
  free(starts);
}

static void add_loop(struct survey *s, int64_t to, uint32_t from) {
  if (to < 0 || to > from) return;
  s->loops = decode_grow(s->loops, &s->loop_capacity, s->loop_count, sizeof *s->loops);
  s->loops[s->loop_count++] = (struct loop){(uint32_t)to, from};
}

// Returns the first instruction that is a target of any table of the function; -1: there is no target.
static int64_t first_table_target(const struct survey *s) {
  const struct ptx_function *f = s->d->source;
  int64_t first = -1;
  for (uint32_t t = 0; t < f->target_count; t++) {
    for (uint32_t k = 0; k < f->targets[t].count; k++) {
      int64_t to = decode_label(s->d, f->targets[t].labels[k]);
      if (to >= 0 && (first < 0 || to < first)) first = to;
    }
  }
  return first;
}

static void find_loops(struct survey *s) {
  const struct ptx_function *f = s->d->source;
  // The target may be in the table of another branch. Then the loop is longer than the real one, which does
  // no harm.
  int64_t through_table = first_table_target(s);
  for (uint32_t i = 0; i < f->instruction_count; i++) {
    const struct ptx_instruction *in = &f->instructions[i];
    if (strcmp(in->opcode, "brx") == 0)
      add_loop(s, through_table, i);
    else if (strcmp(in->opcode, "bra") == 0 && in->operand_count &&
             in->operands[0].kind == PTX_OPERAND_SYMBOL)
      add_loop(s, decode_label(s->d, in->operands[0].name), i);
  }
}

static int compare_heads(const void *left, const void *right) {
  const struct loop *a = left, *b = right;
  return (a->head > b->head) - (a->head < b->head);
}

// Merges loops that share an instruction. The remaining loops don't overlap and are sorted.
static void merge_loops(struct survey *s) {
  uint32_t kept = 0;
  if (s->loop_count) qsort(s->loops, s->loop_count, sizeof *s->loops, compare_heads);
  for (uint32_t i = 0; i < s->loop_count; i++) {
    if (kept && s->loops[i].head <= s->loops[kept - 1].tail) {
      if (s->loops[i].tail > s->loops[kept - 1].tail) s->loops[kept - 1].tail = s->loops[i].tail;
    } else {
      s->loops[kept++] = s->loops[i];
    }
  }
  s->loop_count = kept;
}

// Returns the loop that the instruction is in; NULL: the instruction is in no loop.
static const struct loop *loop_around(const struct survey *s, uint32_t at) {
  uint32_t low = 0, high = s->loop_count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (s->loops[middle].tail < at)
      low = middle + 1;
    else
      high = middle;
  }
  return low < s->loop_count && s->loops[low].head <= at ? &s->loops[low] : NULL;
}

static void occurs(struct survey *s, uint32_t index, uint32_t at, bool written) {
  struct life *life = &s->lives[index];
  if (!life->used)
    *life = (struct life){.first = at, .last = at, .block = s->blocks[at], .used = true, .local = written};
  if (s->blocks[at] != life->block || (life->first == at && !written)) life->local = false;
  life->last = at;
  struct register_use *use = &s->d->register_uses[index];
  *(written ? &use->writer : &use->reader) = at;
  *(written ? &use->writes : &use->reads) += 1;
}

static void visit_operand(struct survey *s, const struct ptx_operand *operand, uint32_t at, bool written) {
  bool is_register = operand->kind == PTX_OPERAND_REGISTER || operand->kind == PTX_OPERAND_NOT ||
                     operand->kind == PTX_OPERAND_NEGATED;
  if (is_register) occurs(s, operand->register_index, at, written && operand->kind == PTX_OPERAND_REGISTER);
  bool addressing = operand->kind == PTX_OPERAND_ADDRESS || operand->kind == PTX_OPERAND_TENSOR;
  for (uint32_t i = 0; i < operand->count; i++)
    visit_operand(s, &operand->elements[i], at, written && !addressing);
}

// wgmma reads and writes registers later than its instruction, until a wait that may stand anywhere: these
// registers keep their places.
static void keep_operands(struct survey *s, const struct ptx_instruction *in) {
  for (uint32_t k = 0; k < in->operand_count && k < 2; k++) {
    const struct ptx_operand *o = &in->operands[k];
    for (uint32_t i = 0; o->kind == PTX_OPERAND_VECTOR && i < o->count; i++) {
      if (o->elements[i].kind != PTX_OPERAND_REGISTER) continue;
      struct life *life = &s->lives[o->elements[i].register_index];
      life->local = false;
      life->first = 0;
      life->last = s->d->source->instruction_count - 1;
    }
  }
}

static void find_lives(struct survey *s) {
  const struct ptx_function *f = s->d->source;
  for (uint32_t i = 0; i < f->instruction_count; i++) {
    const struct ptx_instruction *in = &f->instructions[i];
    bool writes = writes_first_operand(in);
    for (uint32_t k = 0; k < in->operand_count; k++)
      visit_operand(s, &in->operands[k], i, writes && k == 0);
    if (in->guard >= 0) occurs(s, (uint32_t)in->guard, i, false);
  }
  for (uint32_t i = 0; i < f->instruction_count; i++)
    if (strcmp(f->instructions[i].opcode, "wgmma") == 0) keep_operands(s, &f->instructions[i]);
}

// Extends each life that overlaps a loop over the whole loop. Control goes back in the list of instructions
// only by a backward branch. So after this extension a life covers every path from a write to a read.
static void extend_over_loops(struct survey *s) {
  for (uint32_t r = 0; r < s->d->source->register_count; r++) {
    struct life *life = &s->lives[r];
    if (!life->used || life->local) continue;
    const struct loop *begins_in = loop_around(s, life->first), *ends_in = loop_around(s, life->last);
    if (begins_in) life->first = begins_in->head;
    if (ends_in) life->last = ends_in->tail;
  }
}

// ---- sharing: in the order of their first use, registers take the place of a register that is dead --------

struct place {
  uint32_t offset, busy_until;
};
struct pool {
  struct place *places;
  uint32_t count, capacity;
}; // a heap; the place that becomes free first is on top

static void pool_sink(struct pool *p, uint32_t at) {
  for (;;) {
    uint32_t child = 2 * at + 1;
    if (child >= p->count) return;
    if (child + 1 < p->count && p->places[child + 1].busy_until < p->places[child].busy_until) child++;
    if (p->places[at].busy_until <= p->places[child].busy_until) return;
    struct place swap = p->places[at];
    p->places[at] = p->places[child];
    p->places[child] = swap;
    at = child;
  }
}

static void pool_rise(struct pool *p, uint32_t at) {
  for (; at && p->places[at].busy_until < p->places[(at - 1) / 2].busy_until; at = (at - 1) / 2) {
    struct place swap = p->places[at];
    p->places[at] = p->places[(at - 1) / 2];
    p->places[(at - 1) / 2] = swap;
  }
}

static uint32_t pool_take(struct decoder *d, struct pool *p, const struct life *life, uint32_t bytes) {
  if (p->count && p->places[0].busy_until < life->first) {
    p->places[0].busy_until = life->last;
    uint32_t offset = p->places[0].offset;
    pool_sink(p, 0);
    return offset;
  }
  p->places = decode_grow(p->places, &p->capacity, p->count, sizeof *p->places);
  uint32_t offset = decode_reserve(d, bytes);
  p->places[p->count] = (struct place){offset, life->last};
  pool_rise(p, p->count++);
  return offset;
}

struct birth {
  uint32_t first, index;
};

static int compare_births(const void *left, const void *right) {
  const struct birth *a = left, *b = right;
  if (a->first != b->first) return a->first < b->first ? -1 : 1;
  return a->index < b->index ? -1 : a->index > b->index;
}

static void share_places(struct survey *s) {
  struct decoder *d = s->d;
  uint32_t count = d->source->register_count, used = 0;
  struct birth *births = malloc((count + 1) * sizeof *births);
  if (!births) die("out of memory while decoding");
  for (uint32_t r = 0; r < count; r++)
    if (s->lives[r].used) births[used++] = (struct birth){s->lives[r].first, r};
  qsort(births, used, sizeof *births, compare_births);
  struct pool pools[4] = {0}; // predicates, words, doubles, quads
  for (int kind = 0; kind < 4; kind++) {
    for (uint32_t i = 0; i < used; i++) {
      uint32_t r = births[i].index;
      size_t storage = decode_storage(d->source->registers[r].type);
      int its = storage == 0 ? 0 : storage == 4 ? 1 : storage == 8 ? 2 : 3;
      if (its == kind)
        d->register_offsets[r] =
            pool_take(d, &pools[kind], &s->lives[r], storage ? (uint32_t)storage * WARP_LANES : 4);
    }
    free(pools[kind].places);
  }
  free(births);
}

void decode_place_registers(struct decoder *d) {
  const struct ptx_function *f = d->source;
  struct survey s = {.d = d};
  s.lives = calloc(f->register_count + 1, sizeof *s.lives);
  s.blocks = calloc(f->instruction_count + 1, sizeof *s.blocks);
  if (!s.lives || !s.blocks) die("out of memory while decoding");
  d->register_offsets = arena_allocate_array(d->arena, f->register_count + 1, sizeof *d->register_offsets);
  d->register_uses = arena_allocate_array(d->arena, f->register_count + 1, sizeof *d->register_uses);
  find_blocks(&s);
  find_loops(&s);
  find_lives(&s);
  merge_loops(&s);
  extend_over_loops(&s);
  share_places(&s);
  free(s.lives);
  free(s.blocks);
  free(s.loops);
}
