# What `make test`, `make test-gpu`, `make bench` and `make fuzz` need and run.

UNIT_PROGRAMS := $(UNIT_TESTS:%=build/tests/unit/%) $(UNIT_TESTS:%=build/asan/tests/unit/%)
TEST_PARTS     = $(GRADER_PARTS) $(UNIT_PROGRAMS) $(CUDA_TESTS)
TEST_GPU_PARTS = $(GRADER_PARTS) $(CUDA_TESTS)
ALL_PARTS      = $(TEST_PARTS)
BENCH_PARTS    = $(GRADER_PARTS) $(BENCH_PROGRAMS)
RUNS          ?= 1000000

run_tests = for t in $(UNIT_PROGRAMS); do timeout 60 $$t || exit 1; done
