// In: each op, before and after it runs. Out: the time room's events. One idea: an op's cost is a fact of the
// op, looked up by its opcode once; what it waits for follows from the places in the frame that it uses.
// ptxas folds moves and address arithmetic, so these are cheap or free here. And it gives the instructions of
// a basic block a new order: loads first, so that one is on its way while another is waited for. So an op of
// a basic block is issued when its operands are there; the block ends when all of its ops are.
#include "virtual-hopper/execute/time-op.h"

#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/execute/atomic.h"
#include "virtual-hopper/execute/banks.h"
#include "virtual-hopper/execute/footprint.h"
#include "virtual-hopper/execute/memory.h"
#include "virtual-hopper/machine/program.h"
#include "virtual-hopper/time/record.h"

enum { MOST_PLACES = 24, PLACE_UNIT = 4, SHARED_LATENCY = 30, LONG_RUN = 256, UNROLLED_TURNS = 4 };

enum { REMOTE_LATENCY = 180, RANK_SHIFT = 24, NUMBER_LATENCY = 25 };
enum { LONG_DIVISION_QUARTERS = 496, LONG_DIVISION_LATENCY = 301 }; // of integers of 64 bits
// Of a division by what its loop doesn't change, and of the reciprocal, which is taken when the loop begins:
// as many instructions as `i / width` of time-lives has.
enum { KNOWN_DIVISION_QUARTERS = 36, KNOWN_DIVISION_LATENCY = 50 };
enum { RECIPROCAL_QUARTERS = 44, RECIPROCAL_LATENCY = 100 };
// Of a remainder whose quotient is known: the number less a product.
enum { PRODUCT_QUARTERS = 8, PRODUCT_LATENCY = 10 };
enum { SPECIAL = 8, MATCH_ALONE = 110 }; // cycles: of a special function; of match beyond its values

enum op_class {
  OP_UNKNOWN,
  OP_FREE,
  OP_PLAIN,
  OP_LOAD,
  OP_STORE,
  OP_ATOMIC,
  OP_FENCE,
};

struct op_cost {
  uint8_t class;
  bool ends_block; // nothing moves over it
  bool publishes;  // what the thread did before has to be seen beyond its block first
  bool jumps;
  bool unrolled;     // the jump of a loop that ptxas unrolls
  bool tells;        // it reads or writes words by which threads tell each other something
  bool matches;      // it takes so long for each value that its lanes have
  bool counts;       // an atomic that adds one: lanes with the same word come together
  bool number;       // it reads a number of the thread, its block or its processor, or where shared memory is
  bool swaps;        // an atomic that compares and swaps
  uint16_t quarters; // of a cycle, of a scheduler's issue slots
  uint16_t latency;  // cycles until its result can be used
  uint16_t shared;   // cycles of the shared memory's pipe
  uint16_t special;  // cycles of a scheduler's part for special functions
  uint16_t loop;     // ops of the loop in which it divides by the same; 0: it doesn't
  uint16_t place_count, result_count;
  uint32_t places[MOST_PLACES];
  uint32_t results[ACCESS_MOST_ELEMENTS];
};

struct time_op_table {
  const struct program *program;
  struct op_cost **functions; // [program->function_count], NULL until one of its ops has run
  uint64_t addresses[WARP_LANES];
  uint32_t lanes;
};

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

// ---- what an op costs -------------------------------------------------------------------------------------

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

static const struct op_cost *cost_of(struct time_op_table *t, const struct function *f, const struct op *op) {
  struct op_cost **costs = &t->functions[f->index];
  if (!*costs && !(*costs = calloc(f->op_count, sizeof **costs))) die("out of memory for the time model");
  struct op_cost *cost = &(*costs)[op - f->ops];
  if (cost->class == OP_UNKNOWN) find_cost(cost, t->program, f, op);
  return cost;
}

// ---- what it waits for ------------------------------------------------------------------------------------

static void begin_frame(struct time_warp *record, const struct frame *frame) {
  const uint32_t count = frame->function->register_bytes / PLACE_UNIT + 1;
  if (record->result_count < count) {
    free(record->results);
    record->results = calloc(count, sizeof *record->results);
    if (!record->results) die("out of memory for the time model");
    record->result_count = count;
  } else {
    memset(record->results, 0, record->result_count * sizeof *record->results);
  }
  record->frame = frame;
  record->owed_count = record->behind = 0;
  record->block++;
}

static bool is_pending(const struct time_warp *record, const struct time_result *r) {
  return r->load && (!r->block || r->block == record->block);
}

// A move or the like: its result comes when its source comes.
static bool passes_on(struct time_warp *record, const struct op_cost *cost) {
  if (cost->class != OP_FREE || cost->result_count != 1) return false;
  struct time_result from = {0};
  for (uint32_t i = 0; i < cost->place_count; i++) {
    const struct time_result *r = &record->results[cost->places[i]];
    if (cost->places[i] != cost->results[0] && (is_pending(record, r) || r->run == record->run)) from = *r;
  }
  record->results[cost->results[0]] = from;
  return true;
}

// ptxas reads a number once, before the loops that want it.
static void read_number(struct time_warp *record, const struct op_cost *cost, const struct op *op) {
  for (uint32_t i = 0; i < record->number_count; i++)
    if (record->numbers[i] == op) return;
  if (record->number_count < TIME_NUMBERS) record->numbers[record->number_count++] = op;
  record->reads++;
  record->results[cost->results[0]] =
      (struct time_result){.ready = record->block_begin + NUMBER_LATENCY, .run = record->run};
}

// What an op's operands are made of: the newest load that may still be on its way, plus one (0: of none), and
// how many cycles behind it they are there.
struct behind {
  uint32_t load, cycles;
};

// Notes which loads these are.
static struct behind owe_loads(struct time_warp *record, const struct op_cost *cost, const struct op *op) {
  struct behind newest = {0};
  for (uint32_t i = 0; i < cost->place_count; i++) {
    struct time_result *r = &record->results[cost->places[i]];
    if (!is_pending(record, r)) continue;
    const uint32_t behind = r->block ? r->behind : 0;
    if (r->load > newest.load || (r->load == newest.load && behind > newest.cycles))
      newest = (struct behind){r->load, behind};
    if (!r->block && record->owed_count < TIME_MOST_OWED)
      record->owed[record->owed_count++] = (struct time_owed){r->load - 1, op};
    r->block = record->block;
  }
  return newest;
}

static void await_owed(struct warp *w, struct time_warp *record) {
  for (uint32_t i = 0; i < record->owed_count; i++)
    time_emit(w, (struct time_event){.kind = TIME_USE, .a = record->owed[i].load, .op = record->owed[i].op});
  if (record->behind) time_emit(w, (struct time_event){.kind = TIME_RUN, .b = record->behind});
  record->owed_count = record->behind = 0;
  record->block++; // what was made of them is there now
}

static void end_block(struct time_warp *record) {
  record->block_begin = record->longest;
  record->block_slots = 0;
}

// What must have come before the op is waited for: a store to global memory can't pass a load, nor can the
// address of a load be anything but known. Other ops only keep the block open.
static struct behind await_loads(struct warp *w, struct time_warp *record, const struct op_cost *cost,
                                 const struct op *op) {
  const struct behind newest = owe_loads(record, cost, op);
  const bool stores = cost->class == OP_STORE && op->space != PTX_SHARED;
  const bool loads = cost->class == OP_LOAD || (cost->class == OP_ATOMIC && cost->result_count > 0);
  const bool must = cost->ends_block || (newest.load && (stores || loads));
  if (!must && record->owed_count < TIME_MOST_OWED) return newest;
  await_owed(w, record);
  end_block(record);
  return (struct behind){0};
}

// Different values that the lanes of a match bring.
static uint32_t values_of(const struct warp *w, const struct op *op) {
  const uint32_t *value = warp_register32(w, op->a);
  uint32_t count = 0;
  for (uint32_t left = w->lanes; left; count++) {
    const uint32_t first = value[__builtin_ctz(left)];
    for (uint32_t i = left; i; i &= i - 1)
      if (value[__builtin_ctz(i)] == first) left &= ~(i & -i);
  }
  return count;
}

// What a division by the same adds to its multiplications. ptxas takes the reciprocal of a divisor once, when
// the loop begins: more was executed since the last division by it than the loop has. A quotient and a
// remainder of the same numbers share the division.
enum division { DIVIDES, TAKES_RECIPROCAL, HAS_QUOTIENT };

static enum division division_of(struct time_warp *record, const struct op_cost *cost, const struct op *op) {
  struct time_divided *last = &record->divided[op->b / PLACE_UNIT % TIME_DIVISIONS];
  const bool first = !last->op || last->divisor != op->b || record->executed - last->when > cost->loop;
  if (!first && last->op != op && last->number == op->a) return HAS_QUOTIENT;
  *last = (struct time_divided){op, op->a, op->b, record->executed};
  return first ? TAKES_RECIPROCAL : DIVIDES;
}

static void add_to_run(struct warp *w, struct time_warp *record, const struct op_cost *cost,
                       const struct op *op, struct behind newest) {
  if (record->slots >= 4 * LONG_RUN || record->shared_cycles >= LONG_RUN ||
      record->special_cycles >= LONG_RUN)
    time_split_run(w);
  uint32_t issue = record->block_begin + record->block_slots / 4;
  for (uint32_t i = 0; i < cost->place_count && !newest.load; i++) {
    const struct time_result *r = &record->results[cost->places[i]];
    if (r->run == record->run && r->ready > issue) issue = r->ready;
  }
  const enum division division = cost->loop ? division_of(record, cost, op) : DIVIDES;
  const bool reciprocal = division == TAKES_RECIPROCAL, known = division == HAS_QUOTIENT;
  const uint32_t quarters =
      known ? PRODUCT_QUARTERS : cost->quarters + (reciprocal ? RECIPROCAL_QUARTERS : 0);
  record->slots += quarters;
  record->block_slots += quarters;
  record->all_slots += quarters;
  record->lane_slots += (uint64_t)quarters * (uint32_t)__builtin_popcount(w->lanes);
  record->shared_cycles += cost->shared;
  const uint32_t values = cost->matches ? values_of(w, op) : 0, matching = values * SPECIAL;
  record->special_cycles += (cost->loop && !reciprocal ? 0 : cost->special) + matching;
  const uint32_t latency = (known ? PRODUCT_LATENCY : cost->latency) +
                           (matching ? MATCH_ALONE + matching : 0) + (reciprocal ? RECIPROCAL_LATENCY : 0);
  const uint32_t fence = cost->class == OP_FENCE ? (uint32_t)w->launch->time->chip->fence_cycles : 0;
  uint32_t end = issue + (quarters + 3) / 4 + fence;
  // What is made of a load comes behind it, and not beside it.
  if (newest.load && newest.cycles + latency > record->behind) record->behind = newest.cycles + latency;
  // Instructions issue in order: a jump after all of its block, and what comes next after the jump.
  if (cost->jumps) end = (end > record->longest ? end : record->longest) + cost->latency;
  record->issued = issue;
  if (end > record->longest) record->longest = end;
  // Stores, atomics and loads of shared memory may be of the same word.
  if (cost->ends_block || cost->class == OP_STORE || cost->class == OP_ATOMIC) end_block(record);
  const uint32_t ready = newest.load ? 0 : issue + latency, behind = newest.cycles + latency;
  for (uint32_t i = 0; i < cost->result_count; i++)
    record->results[cost->results[i]] =
        (struct time_result){newest.load, record->block, ready, record->run, behind};
}

// ---- memory -----------------------------------------------------------------------------------------------

static bool in_shared(const struct op *op, uint64_t address) {
  return op->space == PTX_SHARED || address - SHARED_WINDOW < WINDOW_BYTES;
}
static bool in_global(const struct op *op, uint64_t address) {
  return op->space == PTX_GLOBAL || (op->space == PTX_SPACE_NONE && address >= GLOBAL_BASE);
}

static void gather(struct time_op_table *t, const struct warp *w, const struct op *op,
                   const struct access_plan *plan) {
  t->lanes = w->lanes;
  for (uint32_t left = w->lanes; left; left &= left - 1) {
    const uint32_t lane = (uint32_t)__builtin_ctz(left);
    const uint64_t base = plan->narrow ? warp_register32(w, op->a)[lane] : warp_register64(w, op->a)[lane];
    t->addresses[lane] = base + (uint64_t)op->immediate;
  }
}

static void set_load(struct time_warp *record, const struct op_cost *cost, uint32_t load) {
  for (uint32_t i = 0; i < cost->result_count; i++)
    record->results[cost->results[i]] = (struct time_result){.load = load + 1};
}

static bool is_remote(const struct time_op_table *t, const struct warp *w) {
  return (uint32_t)t->addresses[__builtin_ctz(t->lanes)] >> RANK_SHIFT != w->block->rank;
}

static void shared_access(struct time_op_table *t, struct warp *w, struct time_warp *record,
                          const struct op_cost *cost, const struct op *op, uint32_t bytes) {
  struct time_totals *totals = &w->launch->time->totals;
  struct bank_cycles banks = bank_cycles(t->addresses, t->lanes, bytes);
  // Lanes that add to one word come one after another, unless all that they do is count.
  if (cost->class == OP_ATOMIC && (!cost->counts || cost->result_count))
    banks.all = bank_atomic_cycles(t->addresses, t->lanes) * (cost->swaps ? 2 : 1);
  const bool remote = is_remote(t, w);
  const uint32_t cycles = banks.all + (remote ? REMOTE_LATENCY : 0);
  totals->shared += banks.all;
  totals->lost += banks.lost;
  record->shared_cycles += banks.all;
  for (uint32_t i = 0; i < cost->result_count; i++)
    record->results[cost->results[i]] =
        (struct time_result){.ready = record->issued + 1 + SHARED_LATENCY + cycles, .run = record->run};
  if (remote) time_remote(w, op, (uint32_t)__builtin_popcount(t->lanes) * bytes, cost->class == OP_STORE);
}

void time_before_op(struct warp *w, const struct op *op) {
  struct time_op_table *t = w->launch->time->ops;
  const struct op_cost *cost = cost_of(t, w->splits[0].frame->function, op);
  const bool memory = cost->class >= OP_LOAD && cost->class <= OP_ATOMIC;
  t->lanes = 0;
  if (memory) {
    const bool atomic = op->execute == atomic_run;
    gather(t, w, op, atomic ? &((const struct atomic_plan *)op->extra)->access : op->extra);
  }
  struct time_warp *record = time_warp_of(w);
  if (!record) return;
  record->executed++;
  if (record->frame != w->splits[0].frame) begin_frame(record, w->splits[0].frame);
  if (passes_on(record, cost)) {
    if (cost->number) read_number(record, cost, op);
    return;
  }
  if (cost->unrolled && ++record->turns % UNROLLED_TURNS) return; // the block goes on
  add_to_run(w, record, cost, op, await_loads(w, record, cost, op));
  if (cost->publishes) time_emit(w, (struct time_event){.kind = TIME_FENCE, .op = op});
}

// A jump that no lane takes ends its basic block, too: what was computed before it has been waited for.
void time_not_taken(struct warp *w, const struct op *op) {
  const struct op_cost *cost = cost_of(w->launch->time->ops, w->splits[0].frame->function, op);
  struct time_warp *record = time_warp_of(w);
  if (!record || !(cost->jumps || cost->unrolled)) return;
  record->turns = 0;
  if (record->frame != w->splits[0].frame) begin_frame(record, w->splits[0].frame);
  struct op_cost falls_through = *cost;
  falls_through.latency = 0;
  add_to_run(w, record, &falls_through, op, await_loads(w, record, cost, op));
}

void time_after_op(struct warp *w, const struct op *op) {
  struct time_op_table *t = w->launch->time->ops;
  if (!t->lanes || w->block->cluster->wants_turn || w->block->cluster->device_error) return;
  const struct op_cost *cost = cost_of(t, w->splits[0].frame->function, op);
  const bool atomic = cost->class == OP_ATOMIC;
  const struct access_plan *plan = atomic ? &((const struct atomic_plan *)op->extra)->access : op->extra;
  const uint64_t address = t->addresses[__builtin_ctz(t->lanes)];
  struct time_warp *record = time_warp_of(w);
  if (in_global(op, address)) {
    const uint32_t load = record ? record->loads : 0;
    const bool loads = cost->class != OP_STORE && cost->result_count > 0;
    if (cost->tells && !atomic) time_tell(w, t->addresses, t->lanes, cost->class == OP_STORE);
    if (record && loads) record->loads++;
    if (record && loads) set_load(record, cost, load);
    if (atomic)
      time_atomic(w, op, t->addresses, t->lanes, loads ? load : UINT32_MAX);
    else
      time_access(w, op, t->addresses, t->lanes, plan->bytes, cost->class == OP_STORE, load);
  } else if (record && in_shared(op, address)) {
    shared_access(t, w, record, cost, op, plan->bytes);
  } else if (record) {
    record->shared_cycles++;
  }
}
