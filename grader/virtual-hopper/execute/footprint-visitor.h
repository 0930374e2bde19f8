// How the files of the footprint say which places an op touches. Private to them.
#ifndef VIRTUAL_HOPPER_EXECUTE_FOOTPRINT_VISITOR_H
#define VIRTUAL_HOPPER_EXECUTE_FOOTPRINT_VISITOR_H

#include "virtual-hopper/base/arena.h"
#include "virtual-hopper/execute/footprint.h"

struct footprint_visitor {
  footprint_visit *visit;
  void *context;
};

// Visits a place that must exist.
static inline void needs(const struct footprint_visitor *v, uint32_t place, uint32_t lane_bytes) {
  v->visit(v->context, place, lane_bytes);
}
// Visits a place that may be absent.
static inline void may_use(const struct footprint_visitor *v, uint32_t place, uint32_t lane_bytes) {
  if (place != OP_NO_REGISTER) needs(v, place, lane_bytes);
}
static inline uint32_t storage_of(size_t bytes) {
  return bytes <= 4 ? 4 : (uint32_t)bytes;
}
static inline const char *footprint_key(op_execute *execute) {
  return (const char *)(uintptr_t)execute;
}

// footprint-arithmetic.c: executors that decode found in the tables of lanes.h. They are numbered; `number`
// is one of theirs.
// Adds all of them, from the number `first` on.
void footprint_arithmetic_add(struct name_index *executors, struct arena *arena, uint32_t first);
void footprint_arithmetic_visit(const struct footprint_visitor *v, const struct op *op, uint32_t number);
// As footprint_plain; the sources are zeroed.
bool footprint_arithmetic_plain(const struct op *op, uint32_t number, struct footprint_sources *sources);

#endif
