# build/bin/sandbox-enter: the last step into the sandbox. build/bin/sandbox-escape: tries each wall, for
# `grader doctor`. Linked with nothing but the C library, so that they run in a sandbox that holds nothing but
# the system's own.

SANDBOX_PROGRAMS := build/bin/sandbox-enter build/bin/sandbox-escape
GRADER_PARTS     += $(SANDBOX_PROGRAMS)

build/bin/sandbox-enter: build/obj/grader/sandbox/become.o
$(SANDBOX_PROGRAMS): build/bin/sandbox-%: build/obj/grader/sandbox/%-main.o
	@mkdir -p $(@D)
	@$(call say,LD    $@)
	@$(CC) $(CFLAGS) $^ -lpthread -o $@
