# What `make test`, `make test-gpu`, `make bench` and `make fuzz` build and run. What to run is decided in
# grader/tests/plan.sh; running and counting is grader/tests/run-tests.sh.

UNIT_PROGRAMS   := $(UNIT_TESTS:%=build/tests/unit/%) $(UNIT_TESTS:%=build/asan/tests/unit/%)
FUZZ_TARGETS    := $(patsubst grader/tests/fuzz/%.c,%,$(wildcard grader/tests/fuzz/*-fuzz.c))
FUZZERS         := $(FUZZ_TARGETS:%=build/fuzz/%)
REPLAYERS       := $(FUZZ_TARGETS:%=build/asan/fuzz/%)
SEEDS           := $(patsubst grader/tests/fuzz/%.tar,build/fuzz/%,$(wildcard grader/tests/fuzz/seeds/*.tar))
BENCH_PROGRAMS  := $(patsubst grader/tests/bench/%,build/bin/%,$(basename $(wildcard \
                     grader/tests/bench/bench-*.c grader/tests/bench/bench-*.cu)))

TEST_PARTS       = $(GRADER_PARTS) $(UNIT_PROGRAMS) $(CUDA_TESTS) $(REPLAYERS) $(LINT_MARKS) corpus \
                   build/compile_commands.json build/asan/bin/vhopper build/asan/bin/grader \
                   build/asan/bin/virtual-device build/planted/bin/grader build/hurried/bin/grader \
                   build/timed/bin/grader build/thrifty/bin/grader build/tests/delays.so \
                   $(SHIM_LINKS) $(DOCS_SAMPLES) $(STEPPER_REPLAY) $(DOCS_ALL)
TEST_GPU_PARTS   = $(GRADER_PARTS) $(CUDA_TESTS) build/bin/repeat-verdicts
ALL_PARTS        = $(GRADER_PARTS) $(UNIT_PROGRAMS) $(CUDA_TESTS) $(REPLAYERS) \
                   $(BENCH_PROGRAMS) build/compile_commands.json
# What bench-programs runs on the virtual Hopper.
BENCH_CUDA      := $(patsubst grader/tests/bench/%.cu,build/bench/%, \
                     $(wildcard grader/tests/bench/programs/*.cu))
BENCH_PARTS      = $(GRADER_PARTS) $(BENCH_PROGRAMS) $(BENCH_CUDA)

# What doesn't build is a failure among the others, and everything else still runs.
export NVCC CUDA_HOME CLANG_FORMAT
need_gpu  = test -e /dev/nvidiactl || test -e /dev/dxg || { echo 'make $@: no NVIDIA GPU here.' >&2; exit 2; }
run_tests = $(if $(filter gpu,$1),$(need_gpu);) built=0; \
            SETUP_DONE=yes sh grader/setup/turn.sh build/lock $(MAKE) -k test-parts-$1 || built=$$?; \
            MAKEFLAGS= sh grader/tests/run-tests.sh $1 $$built

.PHONY: test-parts-virtual test-parts-gpu
test-parts-virtual: $(TEST_PARTS) grader-parts
test-parts-gpu: $(TEST_GPU_PARTS) grader-parts

# Many small kernels, some right and some wrong on purpose; the script sees for itself what has changed.
.PHONY: corpus
corpus: build/setup.mk build/lean/made
	@$(if $(wildcard grader/tests/corpus-build.sh),sh grader/tests/corpus-build.sh)

build/tests/delays.so: build/pic/grader/tests/delays/delays.o
	@mkdir -p $(@D)
	@$(call say,LD    $@)
	@$(CC) -shared $(LDFLAGS) $^ -ldl -o $@

# ---- fuzzing: clang with libFuzzer to look for new inputs, gcc with the sanitizers to replay those kept ----

# Bounds are small in these builds, so that the short inputs of a fuzzer meet them.
FUZZ_CFLAGS = -std=c17 -O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all \
              -DVHOPPER_FUZZ_LIMITS

build/fuzz/obj/%.o: %.c build/setup.mk
	@mkdir -p $(@D)
	@$(call say,CLANG $<)
	@$(CLANG) $(FUZZ_CFLAGS) $(CPPFLAGS) $(DEPFLAGS) -c $< -o $@

$(FUZZERS): build/fuzz/%: build/fuzz/obj/grader/tests/fuzz/%.o \
    $(patsubst %.c,build/fuzz/obj/%.o,$(REFEREE_SOURCES) $(VHOPPER_SOURCES))
	@$(call say,LD    $@)
	@$(CLANG) -fsanitize=fuzzer,address,undefined $(LDFLAGS) $^ $(LDLIBS) -o $@

# Those that take PTX change it token by token.
build/fuzz/ptx-fuzz build/fuzz/kernel-fuzz: build/fuzz/obj/grader/tests/fuzz/ptx-mutate.o

# The fuzzer of PTX counts comparisons.
build/fuzz/ptx-fuzz build/asan/fuzz/ptx-fuzz: private LDFLAGS += -Wl,--wrap=memcmp

$(REPLAYERS): build/asan/fuzz/%: build/asan/obj/grader/tests/fuzz/%.o \
    build/asan/obj/grader/tests/fuzz/replay.o build/asan/lib/libreferee.a build/asan/lib/libvhopper.a
	@mkdir -p $(@D)
	@$(call link,$(SANITIZE))

# The seeds as files: for the fuzzers, and for the unit test that reads some of them. seeds.sh adds and
# removes them.
$(SEEDS): build/fuzz/seeds/%: grader/tests/fuzz/seeds/%.tar
	@sh grader/tests/fuzz/seeds.sh unpack $*
build/tests/unit/fatbin-test build/asan/tests/unit/fatbin-test: | build/fuzz/seeds/fatbin

RUNS ?= 1000000
FUZZ ?= $(FUZZ_TARGETS:%-fuzz=%)
run_fuzzers = for name in $(FUZZ); do \
    mkdir -p build/fuzz/corpus/$$name build/fuzz/crashes; echo "fuzzing $$name, $(RUNS) runs"; \
    build/fuzz/$$name-fuzz -runs=$(RUNS) -max_len=8192 -len_control=0 -timeout=10 \
      -print_final_stats=1 -verbosity=0 \
      $$(dict=grader/tests/fuzz/$$name.dict; test -e $$dict && echo -dict=$$dict) \
      -artifact_prefix=build/fuzz/crashes/$$name- build/fuzz/corpus/$$name \
      build/fuzz/seeds/$$name || exit 1; done

# ---- bench -------------------------------------------------------------------------------------------------

build/bin/bench-%: build/obj/grader/tests/bench/bench-%.o build/lib/libreferee.a build/lib/libvhopper.a
	@$(call link)
build/bin/bench-%: grader/tests/bench/bench-%.cu build/setup.mk
	@mkdir -p $(@D)
	@$(call say,NVCC  $<)
	@"$(NVCC)" $(NVCCFLAGS) -MMD -MP -MF $@.d -MT $@ $< -o $@

$(BENCH_CUDA): build/bench/%: grader/tests/bench/%.cu build/setup.mk
	@mkdir -p $(@D)
	@$(call say,NVCC  $<)
	@"$(NVCC)" $(NVCCFLAGS) -O2 -Xptxas -w -MMD -MP -MF $@.d -MT $@ $< -o $@

# On a GPU only, by hand: how often a verdict flips when it is repeated.
build/bin/repeat-verdicts: build/obj/grader/tests/gpu/repeat-verdicts.o \
    build/lib/libreferee.a build/lib/libvhopper.a
	@$(call link)

run_bench = sh grader/tests/bench/run-bench.sh
