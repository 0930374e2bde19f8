# build/bin/sandbox-keep: the sandbox's outermost process. build/bin/sandbox-enter: the last step into it.
# build/bin/sandbox-escape: tries each wall, for `grader doctor`. Linked with nothing but the C library, so
# that they run in a sandbox that holds nothing but the system's own.

SANDBOX_PROGRAMS := build/bin/sandbox-keep build/bin/sandbox-enter build/bin/sandbox-escape
GRADER_PARTS     += $(SANDBOX_PROGRAMS)

build/bin/sandbox-enter: build/obj/grader/sandbox/become.o
build/bin/sandbox-keep: build/obj/grader/sandbox/descendants.o
$(SANDBOX_PROGRAMS): build/bin/sandbox-%: build/obj/grader/sandbox/%-main.o
	@mkdir -p $(@D)
	@$(call say,LD    $@)
	@$(CC) $(CFLAGS) $^ -lpthread -o $@
