// In: a built program. Out: its bytes in flight. The idea: a case that is large enough for full tiles and for
// blocks on every processor, and small enough to take only a moment.
#include "referee/bytes-in-flight.h"

#include "referee/cases.h"
#include "virtual-hopper/rules/fault.h"

static const size_t CASE_BYTES = (size_t)24 << 20;
// Limits of a processor of compute capability 9.0 (CUDA programming guide, technical specifications).
enum { THREADS = 2048, SHARED_BYTES = 228 << 10, RESERVED_BYTES = 1 << 10, BLOCKS = 32 };

static unsigned least(unsigned a, unsigned b) {
  return a < b ? a : b;
}

unsigned bytes_in_flight_blocks(const struct bytes_in_flight *in_flight, unsigned processors) {
  unsigned threads = (in_flight->block_threads + 31) / 32 * 32;
  if (threads == 0 || processors == 0) return 0;
  unsigned each = (in_flight->grid_blocks + processors - 1) / processors;
  return least(least(BLOCKS, THREADS / threads),
               least(each, SHARED_BYTES / (in_flight->block_shared_bytes + RESERVED_BYTES)));
}

struct bytes_in_flight bytes_in_flight_of(const struct fault_report *report) {
  const struct observed *found = NULL;
  for (size_t i = 0; i < observed_count(report); i++) {
    const struct observed *kernel = observed_at(report, i);
    uint64_t bytes = kernel->bulk_load_bytes + kernel->tensor_load_bytes;
    if (!found || bytes > found->bulk_load_bytes + found->tensor_load_bytes) found = kernel;
  }
  if (!found) return (struct bytes_in_flight){0};
  return (struct bytes_in_flight){.block_bytes = found->max_load_bytes_in_flight,
                                  .block_threads = found->block_threads,
                                  .block_shared_bytes = found->block_shared_bytes,
                                  .grid_blocks = found->grid_blocks};
}

struct bytes_in_flight bytes_in_flight_observe(const struct task *task) {
  const struct grading *grading = task->grading;
  struct device_options options = {
      .workers = grading->workers, .seed = 1, .launch_deadline = grading->launch_deadline};
  struct exercise_case the_case = task->exercise->bandwidth_case(CASE_BYTES);
  struct bytes_in_flight in_flight = {0};
  struct session session;
  struct run_result result;
  struct case_run run;
  if (session_open(&session, task, DEVICE_VIRTUAL, &options, &result) &&
      case_prepare(&run, task->exercise, &the_case, false, 1, NULL)) {
    if (case_load(&run, &session) == 0) case_launch(&run, &session, 1, &result);
    in_flight = bytes_in_flight_of(device_report(session.device));
    case_free(&run);
  }
  session_close(&session);
  return in_flight;
}
