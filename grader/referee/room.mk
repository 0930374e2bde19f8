# build/bin/exported-names: which functions of a library's a submission's program replaces. Linked with
# nothing but the C library, so that it runs behind the walls.

GRADER_PARTS += build/bin/exported-names
build/bin/exported-names: $(addprefix build/obj/grader/,referee/exported-names-main.o referee/code-key.o \
  virtual-hopper/base/elf-image.o virtual-hopper/base/fatbin-entry.o virtual-hopper/base/sha256.o)
	@mkdir -p $(@D)
	@$(call say,LD    $@)
	@$(CC) $(CFLAGS) $^ -o $@
