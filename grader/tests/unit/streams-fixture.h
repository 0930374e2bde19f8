// Two streams and some memory, for the tests of their order. Included after cmocka.h.
#ifndef TESTS_UNIT_STREAMS_FIXTURE_H
#define TESTS_UNIT_STREAMS_FIXTURE_H

#include "virtual-hopper/base/budget.h"
#include "virtual-hopper/memory/memory.h"
#include "virtual-hopper/order/streams.h"

enum { A = 3, B = 4, EVENT = 77, WORD = 0x1000 };

struct fixture {
  struct budget budget;
  struct memory *memory;
  struct fault_report *report;
  struct stream_order *order;
  uint64_t address;
};

static inline void begin(struct fixture *f) {
  *f = (struct fixture){0};
  f->memory = memory_create(1 << 20, NULL);
  f->report = fault_report_create();
  f->order = stream_order_create(f->memory, f->report, &f->budget, true);
  assert_int_equal(memory_allocate(f->memory, 4096, 256, &f->address), 0);
  stream_order_make(f->order, A, false);
  stream_order_make(f->order, B, true);
}

static inline void end(struct fixture *f, size_t faults) {
  assert_int_equal(fault_count(f->report), faults);
  for (size_t i = 0; i < faults; i++)
    assert_int_equal(fault_at(f->report, i)->rule, RULE_STREAM_ORDER);
  stream_order_destroy(f->order);
  fault_report_destroy(f->report);
  memory_destroy(f->memory);
}

static inline void fill(const struct fixture *f, uint32_t stream, uint64_t at, uint64_t bytes) {
  const struct stream_region region = {f->address + at, bytes, bytes, 1};
  stream_order_copy(f->order, stream, STREAM_FILL, false, NULL, &region);
}

static inline void read_back(const struct fixture *f, uint32_t stream, uint64_t at, uint64_t bytes) {
  const struct stream_region region = {f->address + at, bytes, bytes, 1};
  stream_order_copy(f->order, stream, STREAM_COPY_TO_HOST, false, &region, NULL);
}

static inline void host_touches(const struct fixture *f, uint64_t at, bool writes) {
  const struct stream_region byte = {f->address + at, 1, 1, 1};
  stream_order_host_touches(f->order, &byte, writes);
}

#endif
