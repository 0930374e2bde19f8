# build/bin/lean-compiler: what nvcc gets as the host's compiler when a submission is compiled. Linked with
# nothing but the C library, so that it runs behind the walls.
# build/lean/: what every source begins with, preprocessed. The arguments are those of referee/build-stage.c
# and referee/lean-build.c, since they are a part of its key. Without it everything is only slower.

LEAN_OBJECTS := $(patsubst %.c,build/obj/%.o,$(wildcard grader/lean/*.c))
GRADER_PARTS += build/bin/lean-compiler build/lean/made
build/bin/lean-compiler: $(LEAN_OBJECTS)
	@mkdir -p $(@D)
	@$(call say,LD    $@)
	@$(CC) $(CFLAGS) $^ -o $@

LEAN_FLAGS = -c -std=c++17 -lineinfo --no-compress -cudart shared -D_GLIBCXX_BITS_SPECFUN_H \
             -D__TEXTURE_INDIRECT_FUNCTIONS_H__ -D__SURFACE_INDIRECT_FUNCTIONS_H__
build/lean/made: build/bin/lean-compiler build/setup.mk
	@$(call say,LEAN  $(@D))
	@sh grader/lean/make-prefixes.sh '$(NVCC)' $(@D) $(LEAN_FLAGS)
