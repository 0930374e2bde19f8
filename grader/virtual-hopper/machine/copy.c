// In: a copy. Out: the runs of global memory that it reads or writes.
#include "virtual-hopper/machine/copy.h"

#include "virtual-hopper/machine/tensor-box.h"

struct span_visit {
  const struct tensor_map *map;
  void (*visit)(uint64_t address, uint64_t bytes, void *context);
  void *context;
};

static void visit_row(const struct tensor_row *row, void *context) {
  const struct span_visit *v = context;
  if (row->inside) v->visit(row->address, (uint64_t)row->inside * v->map->unit_bytes, v->context);
}

void copy_each_global_span(const struct async_copy *copy,
                           void (*visit)(uint64_t address, uint64_t bytes, void *context), void *context) {
  if (copy->box) {
    struct span_visit v = {.map = &copy->box->map, .visit = visit, .context = context};
    tensor_box_each_row(copy->box, visit_row, &v);
  } else if (copy->bytes) {
    visit(copy->global_address, copy->kind == ASYNC_CP_ASYNC ? copy->source_bytes : copy->bytes, context);
  }
}
