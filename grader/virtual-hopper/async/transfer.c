// Carries out copies. In: a record. Out: moved bytes, and a signal to the barrier. One idea: a load reads
// global memory only when it lands; a store reads at one moment and writes at another.
#include "virtual-hopper/async/internal.h"

#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/async/mbarrier-fault.h"
#include "virtual-hopper/async/mbarrier.h"
#include "virtual-hopper/async/reduce.h"
#include "virtual-hopper/memory/memory.h"
#include "virtual-hopper/order/order.h"

static void load_into(const struct async_copy *copy, uint8_t *shared) {
  const struct async_entry *e = entry_of(copy);
  if (copy->kind == ASYNC_TENSOR_LOAD)
    tensor_box_load(&e->box, e->host, shared, copy->shared_offset);
  else
    memcpy(shared, e->host, copy->bytes);
}

static void visit_live(const struct copy_span *span, void *context) {
  const struct async_copy **copy = context;
  if (*copy && !memory_host((*copy)->block->launch->memory, span->address, span->bytes)) *copy = NULL;
}

bool async_is_live(const struct async_copy *copy) {
  if (!copy->block->launch->frees) return true;
  const struct async_copy *live = copy;
  copy_each_global_span(copy, visit_live, &live);
  return live != NULL;
}

static void land_in(const struct async_copy *copy, struct block *to) {
  uint8_t *shared = memory_shared(to, copy->shared_offset, copy->bytes);
  switch (copy->kind) {
  case ASYNC_BULK_LOAD:
  case ASYNC_TENSOR_LOAD:
    if (async_is_live(copy))
      load_into(copy, shared);
    else
      async_fault_freed(copy);
    break;
  case ASYNC_BULK_CLUSTER:
    // within one block the two may overlap; what the destination then holds is the kernel's own doing
    memmove(shared, memory_shared(copy->block, copy->source_offset, copy->bytes), copy->bytes);
    break;
  case ASYNC_BULK_CLUSTER_REDUCE:
    async_reduce((enum async_operation)copy->operation, (enum ptx_type)copy->element, shared,
                 memory_shared(copy->block, copy->source_offset, copy->bytes), copy->bytes);
    break;
  case ASYNC_REMOTE_STORE:
    if (copy->operation == ASYNC_STORE)
      memcpy(shared, copy->value, copy->bytes);
    else
      async_reduce((enum async_operation)copy->operation, (enum ptx_type)copy->element, shared, copy->value,
                   copy->bytes);
    break;
  default: die("a copy of kind %d can't land on a barrier", (int)copy->kind);
  }
  if (mbarrier_may_overlap(to, copy->shared_offset, copy->footprint))
    mbarrier_restore(to, copy->shared_offset, copy->footprint);
}

void async_land(struct cluster *c, struct async_copy *copy) {
  if (entry_of(copy)->is_arrival) {
    async_cp_land_until(copy->block, copy->thread, entry_of(copy)->cp_sequence);
    mbarrier_deferred_arrive(copy->destination[0], copy->mbarrier_offset, copy);
    async_free(c, copy);
    return;
  }
  for (uint32_t i = 0; i < copy->destination_count; i++)
    if (!copy->destination[i]->exited) land_in(copy, copy->destination[i]);
  copy->source_read = copy->written = true;
  for (uint32_t i = 0; i < copy->destination_count; i++)
    if (!copy->destination[i]->exited)
      mbarrier_complete_tx(copy->destination[i], copy->mbarrier_offset, copy->bytes, copy);
  async_free(c, copy);
}

void async_read_source(struct async_copy *copy) {
  struct async_entry *e = entry_of(copy);
  uint32_t bytes = copy->footprint;
  if (e->buffer_bytes < bytes || !e->buffer) {
    free(e->buffer);
    e->buffer = malloc(bytes ? bytes : 1);
    if (!e->buffer) die("out of memory for the source of a bulk store");
    copy->block->cluster->async->buffer_bytes += bytes - e->buffer_bytes;
    budget_count(copy->block->launch->budget, BUDGET_COPIES, bytes - e->buffer_bytes);
    e->buffer_bytes = bytes;
  }
  e->staged = e->buffer;
  e->staged_bytes = bytes;
  memcpy(e->staged, memory_shared(copy->block, copy->shared_offset, bytes), bytes);
  copy->source_read = true;
}

static void reduce_row(uint8_t *destination, const uint8_t *source, uint32_t bytes, void *context) {
  const struct async_copy *copy = context;
  async_reduce((enum async_operation)copy->operation, (enum ptx_type)copy->element, destination, source,
               bytes);
}

struct comparison {
  const struct async_copy *copy;
  const struct order_landing *landing;
};

static void compare_row(uint8_t *destination, const uint8_t *source, uint32_t bytes, void *context) {
  const struct comparison *c = context;
  const struct async_entry *e = entry_of(c->copy);
  const uint64_t first = c->copy->box ? c->copy->box->map.address : c->copy->global_address;
  order_store_compare(c->copy, c->landing, first + (uint64_t)(destination - e->host), destination, source,
                      bytes);
}

// Other clusters may have stored to the same bytes.
static void compare_with_rivals(const struct async_copy *copy, const uint8_t *source) {
  const struct async_entry *e = entry_of(copy);
  struct order_landing landing;
  if (!order_store_lands(copy, &landing)) return;
  struct comparison c = {copy, &landing};
  if (copy->kind == ASYNC_BULK_STORE)
    compare_row(e->host, source, copy->bytes, &c);
  else
    tensor_box_store(&e->box, e->host, source, copy->shared_offset, compare_row, &c);
}

// A store of zeros clears; any other one writes values.
static void count_values(struct cluster *c, const struct async_copy *copy, const uint8_t *source) {
  const uint64_t first = copy->box ? copy->box->map.address : copy->global_address;
  if (copy->kind != ASYNC_BULK_STORE && copy->kind != ASYNC_TENSOR_STORE) return;
  if (copy->bytes == 0 || (source[0] == 0 && memcmp(source, source + 1, copy->bytes - 1) == 0)) return;
  if (!memory_is_handed(c->launch->memory, first)) return;
  c->observed.value_store_bytes += copy->box ? tensor_box_bytes_inside(copy->box) : copy->bytes;
}

void async_write(struct cluster *c, struct async_copy *copy) {
  struct async_entry *e = entry_of(copy);
  const uint8_t *source =
      e->staged ? e->staged : memory_shared(copy->block, copy->shared_offset, copy->bytes);
  if (!async_is_live(copy)) {
    async_fault_freed(copy);
    copy->source_read = copy->written = true;
    if (async_is_ordered(copy)) c->async->ordered_count--;
    c->async->stores_in_flight[copy->block->rank]--;
    return;
  }
  const bool check = copy->block->launch->check;
  const uint64_t locks = check ? order_stores_lock(copy) : 0;
  if (check) compare_with_rivals(copy, source);
  count_values(c, copy, source);
  switch (copy->kind) {
  case ASYNC_BULK_STORE: memcpy(e->host, source, copy->bytes); break;
  case ASYNC_BULK_REDUCE: reduce_row(e->host, source, copy->bytes, copy); break;
  case ASYNC_TENSOR_STORE: tensor_box_store(&e->box, e->host, source, copy->shared_offset, NULL, NULL); break;
  case ASYNC_TENSOR_REDUCE:
    tensor_box_store(&e->box, e->host, source, copy->shared_offset, reduce_row, copy);
    break;
  default: die("a copy of kind %d is no store", (int)copy->kind);
  }
  if (check) {
    order_store_landed(copy);
    order_stores_unlock(copy, locks);
  }
  copy->source_read = copy->written = true;
  if (async_is_ordered(copy)) c->async->ordered_count--;
  c->async->stores_in_flight[copy->block->rank]--;
}
