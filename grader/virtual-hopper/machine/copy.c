// In: a copy. Out: the runs of global memory that it reads or writes.
#include "virtual-hopper/machine/copy.h"

#include "virtual-hopper/machine/tensor-box.h"

struct span_visit {
  const struct tensor_box *box;
  bool stores;
  copy_span_visit *visit;
  void *context;
};

static void visit_row(const struct tensor_row *row, void *context) {
  const struct span_visit *v = context;
  if (!row->inside) return;
  const uint64_t bytes = (uint64_t)row->inside * v->box->map.unit_bytes;
  struct copy_span span = {row->address, v->stores ? tensor_row_stored(v->box, row) : bytes, 0};
  span.beyond_edge = span.bytes - bytes;
  v->visit(&span, v->context);
}

void copy_each_global_span(const struct async_copy *copy, copy_span_visit *visit, void *context) {
  if (copy->box) {
    struct span_visit v = {copy->box, copy->kind != ASYNC_TENSOR_LOAD, visit, context};
    tensor_box_each_row(copy->box, visit_row, &v);
  } else if (copy->bytes) {
    const struct copy_span span = {copy->global_address,
                                   copy->kind == ASYNC_CP_ASYNC ? copy->source_bytes : copy->bytes, 0};
    visit(&span, context);
  }
}

struct edge_search {
  uint64_t address, bytes;
  bool found;
};

static void search_edge(const struct copy_span *span, void *context) {
  struct edge_search *s = context;
  const uint64_t end = span->address + span->bytes;
  s->found |= s->address < end && end - span->beyond_edge < s->address + s->bytes;
}

bool copy_is_beyond_edge(const struct async_copy *copy, uint64_t address, uint64_t bytes) {
  struct edge_search s = {address, bytes, false};
  copy_each_global_span(copy, search_edge, &s);
  return s.found;
}
