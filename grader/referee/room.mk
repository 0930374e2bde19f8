# build/bin/exported-names: which functions of a library's a submission's program replaces. Linked with
# nothing but the C library, so that it runs behind the walls.

GRADER_PARTS += build/bin/exported-names
build/bin/exported-names: build/obj/grader/referee/exported-names-main.o
	@mkdir -p $(@D)
	@$(call say,LD    $@)
	@$(CC) $(CFLAGS) $^ -o $@
