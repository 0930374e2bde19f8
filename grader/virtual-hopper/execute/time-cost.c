// In: an op. Out: what it costs. One idea: a table by opcode, and what the opcode alone doesn't tell. ptxas
// folds moves and address arithmetic, so these are cheap or free here.
#include "virtual-hopper/execute/time-cost.h"

#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/execute/atomic.h"
#include "virtual-hopper/execute/footprint.h"
#include "virtual-hopper/execute/time-op.h"

enum { LONG_DIVISION_QUARTERS = 496, LONG_DIVISION_LATENCY = 301 }; // of integers of 64 bits
// Of a division by what its loop doesn't change: as many instructions as `i / width` of time-lives has.
enum { KNOWN_DIVISION_QUARTERS = 36, KNOWN_DIVISION_LATENCY = 50 };

struct time_op_table *time_ops_make(const struct program *program) {
  struct time_op_table *t = calloc(1, sizeof *t);
  if (!t) die("out of memory for the time model");
  t->program = program;
  t->functions = calloc(program->function_count, sizeof *t->functions);
  if (!t->functions) die("out of memory for the time model");
  return t;
}

void time_ops_free(struct time_op_table *t) {
  if (!t) return;
  for (uint32_t i = 0; i < t->program->function_count; i++)
    free(t->functions[i]);
  free(t->functions);
  free(t);
}

// Quarters of a cycle of one scheduler, and cycles until the result, by opcode; `wide`: of 64-bit types.
static const struct opcode_cost {
  const char *opcode;
  uint8_t class, quarters, wide_quarters;
  uint16_t latency, wide_latency, shared, special;
} opcode_costs[] = {{"mov", OP_FREE, 0, 0, 0, 0, 0, 0},
                    {"cvta", OP_FREE, 0, 0, 0, 0, 0, 0},
                    {PTX_MARK, OP_FREE, 0, 0, 0, 0, 0, 0},
                    {"isspacep", OP_PLAIN, 4, 4, 6, 6, 0, 0},
                    {"add", OP_PLAIN, 4, 6, 4, 6, 0, 0},
                    {"sub", OP_PLAIN, 4, 6, 4, 6, 0, 0},
                    {"mul", OP_PLAIN, 8, 10, 5, 8, 0, 0},
                    {"mad", OP_PLAIN, 8, 10, 5, 8, 0, 0},
                    {"fma", OP_PLAIN, 4, 8, 4, 8, 0, 0},
                    {"mul24", OP_PLAIN, 8, 8, 5, 5, 0, 0},
                    {"div", OP_PLAIN, 72, 240, 130, 300, 0, 3 * SPECIAL},
                    {"rem", OP_PLAIN, 76, 248, 132, 310, 0, 3 * SPECIAL},
                    {"sqrt", OP_PLAIN, 47, 120, 57, 120, 0, SPECIAL},
                    {"rcp", OP_PLAIN, 8, 60, 20, 60, 0, SPECIAL},
                    {"rsqrt", OP_PLAIN, 8, 60, 20, 60, 0, SPECIAL},
                    {"sin", OP_PLAIN, 8, 8, 24, 24, 0, SPECIAL},
                    {"cos", OP_PLAIN, 8, 8, 24, 24, 0, SPECIAL},
                    {"ex2", OP_PLAIN, 4, 4, 18, 18, 0, SPECIAL},
                    {"lg2", OP_PLAIN, 4, 4, 18, 18, 0, SPECIAL},
                    {"tanh", OP_PLAIN, 4, 4, 18, 18, 0, SPECIAL},
                    {"cvt", OP_PLAIN, 6, 8, 6, 8, 0, 0},
                    {"bra", OP_PLAIN, 4, 4, 10, 10, 0, 0},
                    {"setp", OP_PLAIN, 4, 8, 6, 8, 0, 0},
                    {"shfl", OP_PLAIN, 8, 8, 24, 24, 1, 0},
                    {"vote", OP_PLAIN, 8, 8, 12, 12, 0, 0},
                    {"redux", OP_PLAIN, 8, 8, 44, 44, 2, 0},
                    {"ret", OP_PLAIN, 4, 4, 4, 4, 0, 0},
                    {"exit", OP_PLAIN, 4, 4, 4, 4, 0, 0},
                    {"ld", OP_LOAD, 4, 4, 0, 0, 0, 0},
                    {"ldu", OP_LOAD, 4, 4, 0, 0, 0, 0},
                    {"st", OP_STORE, 4, 4, 0, 0, 0, 0},
                    {"atom", OP_ATOMIC, 4, 4, 0, 0, 0, 0},
                    {"red", OP_ATOMIC, 4, 4, 0, 0, 0, 0},
                    {"fence", OP_FENCE, 4, 4, 0, 0, 0, 0},
                    {"membar", OP_FENCE, 4, 4, 0, 0, 0, 0},
                    {"cp", OP_PLAIN, 16, 16, 8, 8, 1, 0},
                    {"mbarrier", OP_PLAIN, 8, 8, 12, 12, 1, 0},
                    {"elect", OP_PLAIN, 8, 8, 12, 12, 0, 0},
                    {"ldmatrix", OP_PLAIN, 4, 4, 30, 30, 4, 0},
                    {"stmatrix", OP_PLAIN, 4, 4, 30, 30, 4, 0},
                    {"mma", OP_PLAIN, 64, 64, 33, 33, 0, 0},
                    {"popc", OP_PLAIN, 4, 8, 17, 22, 0, SPECIAL},
                    {"clz", OP_PLAIN, 8, 12, 23, 28, 0, SPECIAL},
                    {"bfind", OP_PLAIN, 4, 8, 17, 22, 0, SPECIAL},
                    {"brev", OP_PLAIN, 4, 8, 17, 22, 0, SPECIAL},
                    {NULL, OP_PLAIN, 4, 6, 5, 7, 0, 0}};

// Jumps, and what has an effect for others: ptxas moves nothing over them.
static bool ends_block(const char *opcode) {
  static const char *const ends[] = {
      "bra", "brx",      "call",      "ret",   "exit",  "trap",           "bar",       "barrier",
      "cp",  "mbarrier", "nanosleep", "elect", "wgmma", "griddepcontrol", "setmaxnreg"};
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
    if (strcmp(opcode, ends[i]) == 0) return true;
  return false;
}

// A release for others than the block's own threads. ptxas puts a fence for the whole chip before it, whether
// it says cluster, gpu or sys. An mbarrier's initialisation is told to the cluster without one.
static bool publishes(const struct ptx_instruction *in) {
  const bool membar = strcmp(in->opcode, "membar") == 0, fence = strcmp(in->opcode, "fence") == 0;
  if (membar) return !ptx_has_modifier(in, "cta") && !ptx_has_modifier(in, "proxy");
  if (strcmp(in->opcode, "barrier") == 0)
    return ptx_has_modifier(in, "cluster") && ptx_has_modifier(in, "arrive") &&
           !ptx_has_modifier(in, "relaxed");
  const bool wide =
      ptx_has_modifier(in, "cluster") || ptx_has_modifier(in, "gpu") || ptx_has_modifier(in, "sys");
  if (!wide || ptx_has_modifier(in, "mbarrier_init")) return false;
  if (fence) return !ptx_has_modifier(in, "proxy") && !ptx_has_modifier(in, "acquire");
  // an arrival releases unless it says something else
  if (strcmp(in->opcode, "mbarrier") == 0 && !ptx_has_modifier(in, "acquire"))
    return !ptx_has_modifier(in, "relaxed");
  return ptx_has_modifier(in, "release") || ptx_has_modifier(in, "acq_rel");
}

// An atomic on shared memory that orders nothing else. ptxas moves loads of global memory over it.
static bool adds_alone(const struct op_cost *cost, const struct op *op) {
  static const char *const orders[] = {"acquire", "release", "acq_rel"};
  if (cost->class != OP_ATOMIC || op->space != PTX_SHARED || !op->source) return false;
  for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
    if (ptx_has_modifier(op->source, orders[i])) return false;
  return true;
}

static bool tells(const struct ptx_instruction *in) {
  static const char *const words[] = {"volatile", "relaxed", "acquire", "release"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (ptx_has_modifier(in, words[i])) return true;
  return false;
}

// Places of the frame serve one value after another; ptxas gives each value a register of its own. So what
// was at the place of a result before is not waited for, unless the op reads it, too: then it is there twice.
static void forget_results(struct op_cost *cost) {
  for (uint32_t i = 0; i < cost->result_count; i++) {
    uint32_t at = 0;
    while (at < cost->place_count && cost->places[at] != cost->results[i])
      at++;
    if (at < cost->place_count) cost->places[at] = cost->places[--cost->place_count];
  }
}

static void add_place(void *context, uint32_t place, uint32_t lane_bytes) {
  struct op_cost *cost = context;
  (void)lane_bytes;
  if (cost->place_count < MOST_PLACES) cost->places[cost->place_count++] = place / PLACE_UNIT;
}

static bool is_wide(const struct ptx_instruction *in) {
  static const char *const types[] = {"s64", "u64", "b64", "f64"};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (ptx_has_modifier(in, types[i])) return true;
  return false;
}

static void find_results(struct op_cost *cost, const struct op *op) {
  if (cost->class == OP_LOAD && op->extra) {
    const struct access_plan *plan = op->extra;
    for (uint32_t n = 0; n < op->count && n < ACCESS_MOST_ELEMENTS; n++)
      if (plan->registers[n] != OP_NO_REGISTER)
        cost->results[cost->result_count++] = plan->registers[n] / PLACE_UNIT;
  } else if (cost->class == OP_ATOMIC && op->execute == atomic_run) {
    const struct atomic_plan *plan = op->extra;
    for (uint32_t n = 0; n < op->count && plan->tells; n++) // ptxas drops what nobody reads
      if (plan->destinations[n] != OP_NO_REGISTER)
        cost->results[cost->result_count++] = plan->destinations[n] / PLACE_UNIT;
  } else if (cost->class != OP_STORE && op->d != OP_NO_REGISTER) {
    cost->results[cost->result_count++] = op->d / PLACE_UNIT;
  }
}

// A loop that counts by a constant is unrolled by ptxas: few of its tests, jumps and additions to the counter
// are left. Finds the jump back, if the op is one of these.
static bool is_unrolled(const struct function *f, const struct op *op) {
  const struct op *jump = op, *const last = &f->ops[f->op_count - 1];
  while (jump < last && jump < op + 3 && !(jump->source && strcmp(jump->source->opcode, "bra") == 0))
    jump++;
  const bool jumps = jump->source && strcmp(jump->source->opcode, "bra") == 0;
  if (!jumps || jump->guard == OP_NO_REGISTER || &f->ops[jump->target] >= jump) return false;
  const struct op *test = NULL, *step = NULL;
  for (const struct op *o = &f->ops[jump->target]; o < jump; o++)
    if (o->source && strcmp(o->source->opcode, "setp") == 0 && o->d == jump->guard) test = o;
  for (const struct op *o = &f->ops[jump->target]; test && o < jump; o++)
    if (o->source && strcmp(o->source->opcode, "add") == 0 && o->d == test->a &&
        o->source->operands[2].kind == PTX_OPERAND_INTEGER)
      step = o;
  return step && (op == jump || op == test || op == step);
}

// The first and last op of the smallest loop around an op, or false.
static bool loop_around(const struct function *f, const struct op *op, const struct op **first,
                        const struct op **last) {
  for (const struct op *o = op; o < &f->ops[f->op_count]; o++) {
    const bool jumps = o->source && strcmp(o->source->opcode, "bra") == 0;
    if (!jumps || &f->ops[o->target] > op) continue;
    *first = &f->ops[o->target];
    *last = o;
    return true;
  }
  return false;
}

// A division of 32 bits by what a loop doesn't change: ptxas takes the reciprocal once, before the loop.
// Then a few multiplications are left.
// Returns how many ops the loop has, or 0.
static uint16_t divides_by_same(const struct function *f, const struct op *op) {
  const struct op *first, *last;
  if (strcmp(op->source->opcode, "div") != 0 && strcmp(op->source->opcode, "rem") != 0) return 0;
  if (!ptx_has_modifier(op->source, "u32") && !ptx_has_modifier(op->source, "s32")) return 0;
  if (op->b == OP_NO_REGISTER || !loop_around(f, op, &first, &last)) return 0;
  for (const struct op *o = first; o <= last; o++)
    if (o->d == op->b) return 0;
  return last - first < UINT16_MAX ? (uint16_t)(last - first + 1) : 0;
}

// A special register; how many threads or blocks there are is a constant. A variable in shared memory (its
// address has 32 bits) is found by the number of its block in the cluster.
static bool reads_number(const struct ptx_instruction *in) {
  if (strcmp(in->opcode, "mov") != 0 || in->operand_count != 2) return false;
  const struct ptx_operand *from = &in->operands[1];
  if (from->kind == PTX_OPERAND_SYMBOL) return !is_wide(in);
  static const char *const constants[] = {"%ntid", "%nctaid", "WARP_SZ", "%clock", "%globaltimer"};
  for (size_t i = 0; i < sizeof constants / sizeof *constants; i++)
    if (from->name && strncmp(from->name, constants[i], strlen(constants[i])) == 0) return false;
  return from->kind == PTX_OPERAND_SPECIAL;
}

// What the opcode alone doesn't tell.
static void find_special(struct op_cost *cost, const struct ptx_instruction *in) {
  if (!in) return;
  const struct ptx_operand *last = in->operand_count ? &in->operands[in->operand_count - 1] : NULL;
  const bool one = last && last->kind == PTX_OPERAND_INTEGER && last->integer == 1;
  cost->counts = cost->class == OP_ATOMIC && one && ptx_has_modifier(in, "add");
  cost->swaps = cost->class == OP_ATOMIC && ptx_has_modifier(in, "cas");
  cost->number = reads_number(in);
  cost->matches = strcmp(in->opcode, "match") == 0;
  const bool divides = strcmp(in->opcode, "div") == 0 || strcmp(in->opcode, "rem") == 0;
  if (divides && (ptx_has_modifier(in, "u64") || ptx_has_modifier(in, "s64"))) {
    cost->quarters = LONG_DIVISION_QUARTERS;
    cost->latency = LONG_DIVISION_LATENCY;
  }
  if (strcmp(in->opcode, "cvt") == 0 && (ptx_has_modifier(in, "rzi") || ptx_has_modifier(in, "rni") ||
                                         ptx_has_modifier(in, "rmi") || ptx_has_modifier(in, "rpi"))) {
    cost->special = SPECIAL; // from a float to an integer
    cost->latency = 17;
  }
}

static void find_cost(struct op_cost *cost, const struct program *program, const struct function *f,
                      const struct op *op) {
  const struct ptx_instruction *in = op->source;
  const struct opcode_cost *c = opcode_costs;
  while (in && c->opcode && strcmp(c->opcode, in->opcode) != 0)
    c++;
  const bool wide = in && is_wide(in);
  *cost = (struct op_cost){.class = c->class,
                           .quarters = wide ? c->wide_quarters : c->quarters,
                           .latency = wide ? c->wide_latency : c->latency,
                           .shared = c->shared,
                           .special = c->special};
  find_special(cost, in);
  const bool plain = op->execute == memory_load || op->execute == memory_store || op->execute == atomic_run;
  if (!plain && cost->class >= OP_LOAD && cost->class <= OP_ATOMIC)
    cost->class = op->execute == memory_load_parameter ? OP_FREE : OP_PLAIN;
  if (plain && op->execute != atomic_run && ((const struct access_plan *)op->extra)->is_call_slot)
    cost->class = OP_FREE;
  if (op->execute == memory_load_parameter) cost->quarters = 0;
  // of instructions that are made of several accesses (wmma)
  if (op->execute == memory_load && cost->class == OP_PLAIN) cost->class = OP_LOAD;
  if (op->execute == memory_store && cost->class == OP_PLAIN) cost->class = OP_STORE;
  cost->publishes = in && publishes(in);
  cost->ends_block = (cost->class == OP_ATOMIC && !adds_alone(cost, op)) || cost->class == OP_FENCE ||
                     cost->publishes || (in && ends_block(in->opcode));
  cost->jumps = in && strcmp(in->opcode, "bra") == 0;
  cost->tells = in && tells(in);
  if (in && cost->class == OP_PLAIN && is_unrolled(f, op)) {
    cost->unrolled = cost->jumps;
    cost->jumps = false;
    cost->quarters = cost->latency = 1;
  }
  if (in && !wide && cost->class == OP_PLAIN && (cost->loop = divides_by_same(f, op)) > 0) {
    cost->quarters = KNOWN_DIVISION_QUARTERS;
    cost->latency = KNOWN_DIVISION_LATENCY;
  }
  footprint_visit_op(&program->executors, op, add_place, cost);
  find_results(cost, op);
  forget_results(cost);
}

const struct op_cost *time_cost_of(struct time_op_table *t, const struct function *f, const struct op *op) {
  struct op_cost **costs = &t->functions[f->index];
  if (!*costs && !(*costs = calloc(f->op_count, sizeof **costs))) die("out of memory for the time model");
  struct op_cost *cost = &(*costs)[op - f->ops];
  if (cost->class == OP_UNKNOWN) find_cost(cost, t->program, f, op);
  return cost;
}
