# build/runner/LAB/EXERCISE.o: the runner with the adapter of one exercise in it, to be linked with a
# student's object. Position independent, since compilers differ in what they link by default.

RUNNER_SOURCES  := grader/runner/runner-main.c grader/runner/import.c
RUNNER_ADAPTERS := $(wildcard grader/exercises/*/*-adapter.c)
RUNNERS         := $(patsubst grader/exercises/%-adapter.c,build/runner/%.o,$(RUNNER_ADAPTERS))
GRADER_PARTS    += $(RUNNERS)

build/runner/obj/%.o: %.c | build/setup.mk
	@mkdir -p $(@D)
	@$(call say,CC    $<)
	@$(CC) $(CFLAGS) -fPIC $(CPPFLAGS) -Ilabs/$(notdir $(<D)) $(DEPFLAGS) -c $< -o $@

$(RUNNERS): build/runner/%.o: build/runner/obj/grader/exercises/%-adapter.o \
    $(RUNNER_SOURCES:%.c=build/runner/obj/%.o)
	@mkdir -p $(@D)
	@$(call say,LD    $@)
	@$(CC) -r -nostdlib $^ -o $@
