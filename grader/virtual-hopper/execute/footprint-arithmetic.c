// In: an op whose executor decode found in the tables of lanes.h. Out: the places in the frame that it reads
// or writes. One idea: the tables describe them, by a row's shape and type.
#include <string.h>

#include "virtual-hopper/execute/compare.h"
#include "virtual-hopper/execute/convert.h"
#include "virtual-hopper/execute/footprint-visitor.h"
#include "virtual-hopper/execute/logic.h"

static const struct arithmetic_handler *const shaped[] = {
    warp_integer_handlers,       warp_integer_wide_handlers, warp_integer_bits_handlers,
    warp_integer_carry_handlers, warp_logic_handlers,        warp_float_handlers,
    warp_float_other_handlers,   warp_half_handlers,         warp_half_other_handlers};
static const struct arithmetic_handler *const comparing[] = {warp_compare_handlers,
                                                             warp_compare_half_handlers};
static const struct arithmetic_handler *const converting[] = {
    warp_convert_integer_handlers, warp_convert_float_handlers, warp_convert_truncate_handlers};
enum {
  SHAPED_COUNT = sizeof shaped / sizeof *shaped,
  COMPARING_COUNT = sizeof comparing / sizeof *comparing,
  CONVERTING_COUNT = sizeof converting / sizeof *converting,
  TABLE_COUNT = SHAPED_COUNT + COMPARING_COUNT + CONVERTING_COUNT,
  ROW_BITS = 16 // a row's number is table << ROW_BITS + row
};

static const struct arithmetic_handler *table_numbered(uint32_t n) {
  if (n < SHAPED_COUNT) return shaped[n];
  n -= SHAPED_COUNT;
  return n < COMPARING_COUNT ? comparing[n] : converting[n - COMPARING_COUNT];
}

void footprint_arithmetic_add(struct name_index *executors, struct arena *arena, uint32_t first) {
  for (uint32_t t = 0; t < TABLE_COUNT; t++) {
    const struct arithmetic_handler *table = table_numbered(t);
    for (uint32_t i = 0; table[i].name; i++)
      name_index_add(executors, arena, footprint_key(table[i].execute), first + (t << ROW_BITS) + i);
  }
}

static void visit_shaped(const struct footprint_visitor *v, const struct op *op,
                         const struct arithmetic_handler *row) {
  const uint32_t places[] = {op->d, op->a, op->b, op->c, op->target};
  const uint32_t bytes = (uint32_t)ptx_type_size(row->type);
  for (uint32_t i = 0; row->shape[i]; i++) {
    const char letter = row->shape[i];
    needs(v, places[i],
          letter == 'p'   ? 0
          : letter == 'u' ? 4
                          : storage_of(letter == 'w' ? 2 * bytes : bytes));
  }
}

static void visit_comparison(const struct footprint_visitor *v, const struct op *op,
                             const struct arithmetic_handler *row) {
  needs(v, op->a, storage_of(ptx_type_size(row->type)));
  needs(v, op->b, storage_of(ptx_type_size(row->type)));
  may_use(v, op->c, 0);
  may_use(v, op->d, 0);
  may_use(v, op->target, 0);
}

// The name of a conversion begins with the type of its source; "flush" and "saturate" keep the type.
static void visit_conversion(const struct footprint_visitor *v, const struct op *op,
                             const struct arithmetic_handler *row) {
  char source[8] = "";
  size_t length = strcspn(row->name, ".");
  memcpy(source, row->name, length < sizeof source ? length : 0);
  enum ptx_type from = ptx_type_from_name(source);
  needs(v, op->d, storage_of(ptx_type_size(row->type)));
  needs(v, op->a, storage_of(ptx_type_size(from == PTX_TYPE_NONE ? row->type : from)));
}

void footprint_arithmetic_visit(const struct footprint_visitor *v, const struct op *op, uint32_t number) {
  const uint32_t t = number >> ROW_BITS;
  const struct arithmetic_handler *row = &table_numbered(t)[number & ((1u << ROW_BITS) - 1)];
  if (t < SHAPED_COUNT)
    visit_shaped(v, op, row);
  else if (t < SHAPED_COUNT + COMPARING_COUNT)
    visit_comparison(v, op, row);
  else
    visit_conversion(v, op, row);
}

static bool is_plain_table(uint32_t t) {
  return t < SHAPED_COUNT ? shaped[t] != warp_logic_handlers && shaped[t] != warp_integer_bits_handlers &&
                                shaped[t] != warp_integer_carry_handlers
                          : true;
}

bool footprint_arithmetic_plain(const struct op *op, uint32_t number, struct footprint_sources *sources) {
  const uint32_t places[] = {op->d, op->a, op->b, op->c, op->target};
  const uint32_t t = number >> ROW_BITS;
  const struct arithmetic_handler *row = &table_numbered(t)[number & ((1u << ROW_BITS) - 1)];
  if (!is_plain_table(t)) return false;
  if (t < SHAPED_COUNT) {
    if ((row->shape[0] != 't' && row->shape[0] != 'w') || strchr(row->shape, 'p')) return false;
    for (uint32_t i = 1; row->shape[i]; i++)
      sources->places[sources->count++] = places[i];
    sources->result_bytes = storage_of((row->shape[0] == 'w' ? 2 : 1) * ptx_type_size(row->type));
  } else if (t < SHAPED_COUNT + COMPARING_COUNT) {
    if (op->c != OP_NO_REGISTER) return false; // combined with another predicate
    sources->places[sources->count++] = op->a;
    sources->places[sources->count++] = op->b;
  } else {
    sources->places[sources->count++] = op->a;
    sources->result_bytes = storage_of(ptx_type_size(row->type));
  }
  return true;
}
