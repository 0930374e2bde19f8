# build/bin/lean-compiler: what nvcc gets as the host's compiler when a submission is compiled. Linked with
# nothing but the C library, so that it runs behind the walls.

LEAN_OBJECTS := $(patsubst %.c,build/obj/%.o,$(wildcard grader/lean/*.c))
GRADER_PARTS += build/bin/lean-compiler
build/bin/lean-compiler: $(LEAN_OBJECTS)
	@mkdir -p $(@D)
	@$(call say,LD    $@)
	@$(CC) $(CFLAGS) $^ -o $@
