// What lets a loop go on (loop.h). In: a function's ops. Out: for each place the loop that it lies in, and
// the registers that decide there. One idea: a thread that comes back to a place has been in the ops from
// which that place can be reached again, and in no others: a strongly connected part of the flow. There a
// register decides if a branch, an address or an effect depends on it, directly or by way of others; what a
// loop only counts doesn't.
#include "virtual-hopper/schedule/loop.h"

#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/execute/flow.h"
#include "virtual-hopper/schedule/live.h"

enum {
  NO_PART = UINT32_MAX,
  NOT_HERE = UINT32_MAX - 1,
  MOST_STEPS = 8 << 20
}; // from op to op, and ops looked at for one loop

struct part { // all ops that can reach one another
  bool is_known, gives_up;
  uint64_t *decides; // [words]
};

struct loops {
  const struct function *function;
  size_t words;
  uint32_t *part_of; // [op_count]; NULL: the function is too long
  struct part *parts;
  uint32_t part_count;
};

// ---- parts of the flow: Tarjan's algorithm, without recursion ---------------------------------------------

struct search {
  uint32_t *index, *low, *stack, *path, *next; // [op_count] each
  bool *on_stack;
  uint32_t counter, depth, path_length;
};

// The op's successor of this number; NO_PART: there are no more. NOT_HERE: none in this place.
static uint32_t successor(const struct function *f, uint32_t pc, uint32_t number) {
  const struct op *op = &f->ops[pc];
  const bool branches = op->execute == flow_branch, table = op->execute == flow_branch_table;
  const bool leaves =
      branches || table || op->execute == flow_return || op->execute == flow_exit || op->execute == flow_trap;
  if (number == 0)
    return pc + 1 < f->op_count && (!leaves || op->guard != OP_NO_REGISTER) ? pc + 1 : NOT_HERE;
  if (branches && number == 1) return op->target;
  const uint32_t *targets = op->extra;
  if (table && (int64_t)number <= op->immediate) return targets[number - 1];
  return NO_PART;
}

static void enter(struct search *s, uint32_t pc) {
  s->index[pc] = s->low[pc] = ++s->counter;
  s->next[pc] = 0;
  s->stack[s->depth++] = pc;
  s->on_stack[pc] = true;
  s->path[s->path_length++] = pc;
}

static void leave(struct loops *l, struct search *s, uint32_t pc) {
  s->path_length--;
  if (s->path_length) {
    const uint32_t before = s->path[s->path_length - 1];
    if (s->low[pc] < s->low[before]) s->low[before] = s->low[pc];
  }
  if (s->low[pc] != s->index[pc]) return;
  uint32_t at;
  do {
    at = s->stack[--s->depth];
    s->on_stack[at] = false;
    l->part_of[at] = l->part_count;
  } while (at != pc);
  l->part_count++;
}

static void search_from(struct loops *l, struct search *s, uint32_t start) {
  enter(s, start);
  while (s->path_length) {
    const uint32_t pc = s->path[s->path_length - 1], to = successor(l->function, pc, s->next[pc]);
    if (to == NO_PART) {
      leave(l, s, pc);
      continue;
    }
    s->next[pc]++;
    if (to >= l->function->op_count) continue;
    if (!s->index[to])
      enter(s, to);
    else if (s->on_stack[to] && s->index[to] < s->low[pc])
      s->low[pc] = s->index[to];
  }
}

static void find_parts(struct loops *l) {
  const uint32_t count = l->function->op_count;
  uint32_t *room = calloc((size_t)count * 5, sizeof *room);
  struct search s = {.on_stack = calloc(count, sizeof *s.on_stack)};
  if (!room || !s.on_stack) die("out of memory for a proof");
  s.index = room, s.low = room + count, s.stack = room + 2 * (size_t)count;
  s.path = room + 3 * (size_t)count, s.next = room + 4 * (size_t)count;
  for (uint32_t pc = 0; pc < count; pc++)
    if (!s.index[pc]) search_from(l, &s, pc);
  free(room);
  free(s.on_stack);
}

static bool is_short(const struct function *f) {
  uint64_t steps = f->op_count;
  for (uint32_t pc = 0; pc < f->op_count && steps <= MOST_STEPS; pc++)
    if (f->ops[pc].execute == flow_branch_table) steps += (uint64_t)f->ops[pc].immediate;
  return steps <= MOST_STEPS;
}

struct loops *loops_find(const struct function *f) {
  struct loops *l = calloc(1, sizeof *l);
  if (!l) die("out of memory for a proof");
  *l = (struct loops){.function = f, .words = f->source->register_count / 64 + 1};
  if (!f->op_count || !is_short(f)) return l;
  l->part_of = calloc(f->op_count, sizeof *l->part_of);
  if (!l->part_of) die("out of memory for a proof");
  find_parts(l);
  l->parts = calloc(l->part_count, sizeof *l->parts);
  if (!l->parts) die("out of memory for a proof");
  return l;
}

void loops_destroy(struct loops *l) {
  if (!l) return;
  for (uint32_t i = 0; i < l->part_count && l->parts; i++)
    free(l->parts[i].decides);
  free(l->parts);
  free(l->part_of);
  free(l);
}

// ---- what decides -----------------------------------------------------------------------------------------

static bool has_bit(const uint64_t *set, uint32_t index) {
  return set[index / 64] >> index % 64 & 1;
}

// Adds the operand's registers. True: one was new.
static bool add(uint64_t *set, const struct ptx_operand *operand) {
  bool grown = false;
  if (operand->kind == PTX_OPERAND_REGISTER || operand->kind == PTX_OPERAND_NOT ||
      operand->kind == PTX_OPERAND_NEGATED) {
    grown = !has_bit(set, operand->register_index);
    set[operand->register_index / 64] |= 1ull << operand->register_index % 64;
  }
  for (uint32_t i = 0; i < operand->count; i++)
    grown = add(set, &operand->elements[i]) || grown;
  return grown;
}

static bool meets(const uint64_t *set, const struct ptx_operand *operand) {
  const bool is_register = operand->kind == PTX_OPERAND_REGISTER || operand->kind == PTX_OPERAND_NOT ||
                           operand->kind == PTX_OPERAND_NEGATED;
  bool any = is_register && has_bit(set, operand->register_index);
  for (uint32_t i = 0; i < operand->count && !any; i++)
    any = meets(set, &operand->elements[i]);
  return any;
}

// Does nothing but compute its first operand from the others.
static bool only_computes(const struct ptx_instruction *in) {
  static const char *const effects[] = {"atom", "mbarrier", "ld", "vote", "activemask", NULL};
  for (const char *const *name = effects; *name; name++)
    if (strcmp(in->opcode, *name) == 0) return false;
  return in->operand_count > 0 && live_writes_first(in);
}

static bool add_instruction(const struct part *p, const struct ptx_instruction *in) {
  const bool computes = only_computes(in), loads = strcmp(in->opcode, "ld") == 0 && in->operand_count == 2;
  bool grown = false;
  if (in->guard >= 0 && !has_bit(p->decides, (uint32_t)in->guard)) {
    grown = true;
    p->decides[in->guard / 64] |= 1ull << in->guard % 64;
  }
  if (computes && !meets(p->decides, &in->operands[0])) return grown;
  for (uint32_t k = computes || loads; k < in->operand_count; k++)
    grown = add(p->decides, &in->operands[k]) || grown;
  return grown;
}

static bool is_call(const struct op *op) {
  return !op->source || strcmp(op->source->opcode, "call") == 0;
}

static void complete(const struct loops *l, struct part *p, uint32_t number) {
  p->is_known = true;
  p->decides = calloc(l->words, sizeof *p->decides);
  if (!p->decides) die("out of memory for a proof");
  uint64_t steps = 0;
  for (bool grown = true; grown && !p->gives_up; steps += l->function->op_count) {
    grown = false;
    p->gives_up = steps > MOST_STEPS;
    for (uint32_t pc = l->function->op_count; pc-- > 0 && !p->gives_up;) {
      const struct op *op = &l->function->ops[pc];
      if (l->part_of[pc] != number) continue;
      p->gives_up |= is_call(op);
      if (!p->gives_up) grown = add_instruction(p, op->source) || grown;
    }
  }
}

const uint64_t *loops_decide(struct loops *l, uint32_t pc) {
  if (!l->part_of || pc >= l->function->op_count) return NULL;
  struct part *p = &l->parts[l->part_of[pc]];
  if (!p->is_known) complete(l, p, l->part_of[pc]);
  return p->gives_up ? NULL : p->decides;
}
