# Everything that is compiled, found by its place:
#   grader/virtual-hopper/**.c       build/lib/libvhopper.a; neither shim/ nor *-main.c
#   grader/virtual-hopper/shim/*.c   build/lib/libcudart.so.13, libcudart.so.12, libcuda.so.1
#   grader/virtual-hopper/vhopper-main.c            build/bin/vhopper
#   grader/virtual-hopper/rules/rules-page-main.c   build/bin/rules-page, for the docs
#   grader/{referee,report,sandbox,lean,device,exercises,hidden,mutants,class,cli}/**.c
#                                    build/lib/libreferee.a; neither *-main.c nor *-adapter.c
#   grader/cli/grader-main.c         build/bin/grader
#   grader/tests/unit/NAME-test.c    build/tests/unit/NAME-test, and under build/asan/ with the sanitizers
#   grader/tests/{programs,conformance}/NAME.cu     build/tests/programs/NAME ...
#   grader/tests/{clean,mutants}, docs/rules        build/corpus/, by grader/tests/corpus-build.sh
#   grader/tests/fuzz/NAME-fuzz.c    build/fuzz/NAME-fuzz (libFuzzer); build/asan/fuzz/NAME-fuzz replays seeds
#   grader/tests/bench/bench-NAME.{c,cu}            build/bin/bench-NAME
# A room that needs flags or rules of its own has grader/ROOM/room.mk, read at the end of this file.

# Files ending in $2 under those of the folders $1 that exist.
find_files = $(if $(wildcard $1),$(sort $(shell find $(wildcard $1) -type f -name '*.$2')))
find_c = $(call find_files,$1,c)

WARNINGS   := -Wall -Wextra -Werror
CFLAGS     := -std=c17 -O2 -g $(WARNINGS)
CPPFLAGS    = -D_GNU_SOURCE -Igrader -Iinterface $(patsubst %/,-I%,$(wildcard labs/*/)) -Ibuild \
              $(KIT_CPPFLAGS) -isystem '$(CUDA_HOME)/include'
LDFLAGS     = $(KIT_LDFLAGS) -Wl,--as-needed
LDLIBS     := -ljansson -lconfig -lseccomp -larchive -lyaml -lzstd -llz4 -lpthread -ldl -lm
DEPFLAGS    = -MMD -MP
# Under the sanitizers the compiler sees sizes and paths that aren't there; the plain build has these
# warnings. Optimised less, with lines but no variables for a debugger, it compiles in half of the time, and
# tests run as fast.
SANITIZE   := -O1 -g1 -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer \
              -Wno-format-truncation -Wno-maybe-uninitialized
NVCCFLAGS   = -cudart shared --no-compress -lineinfo -std=c++17 -Iinterface \
              -gencode 'arch=compute_90,code=[sm_90,compute_90]'

VHOPPER_SOURCES := $(filter-out %-main.c grader/virtual-hopper/shim/%,$(call find_c,grader/virtual-hopper))
REFEREE_ROOMS   := referee report sandbox lean device exercises hidden mutants class cli
REFEREE_SOURCES := $(filter-out %-main.c %-adapter.c,$(call find_c,$(REFEREE_ROOMS:%=grader/%)))
UNIT_TESTS      := $(patsubst grader/tests/unit/%.c,%,$(wildcard grader/tests/unit/*-test.c))
UNIT_HELPERS    := $(filter-out %-test.c,$(wildcard grader/tests/unit/*.c))
CUDA_TESTS      := $(patsubst grader/%.cu,build/%, \
                     $(call find_files,grader/tests/programs grader/tests/conformance,cu))
# Nothing made on the way is taken away again.
.SECONDARY:

# ---- C: objects, once plain and once with the sanitizers ---------------------------------------------------

build/obj/%.o: %.c build/setup.mk | building-note
	@mkdir -p $(@D)
	@$(call say,CC    $<)
	@$(CC) $(CFLAGS) $(CPPFLAGS) $(DEPFLAGS) -c $< -o $@

build/asan/obj/%.o: %.c build/setup.mk
	@mkdir -p $(@D)
	@$(call say,CC    $< (sanitized))
	@$(CC) $(CFLAGS) $(SANITIZE) $(CPPFLAGS) $(DEPFLAGS) -c $< -o $@

build/pic/%.o: %.c build/setup.mk
	@mkdir -p $(@D)
	@$(call say,CC    $< (shared))
	@$(CC) $(CFLAGS) -fPIC -fvisibility=hidden $(CPPFLAGS) $(DEPFLAGS) -c $< -o $@

# ---- libraries ---------------------------------------------------------------------------------------------

# $1: plain or asan prefix (build or build/asan)
define variant
$1/lib/libvhopper.a: $(VHOPPER_SOURCES:%.c=$1/obj/%.o)
$1/lib/libreferee.a: $(REFEREE_SOURCES:%.c=$1/obj/%.o)
$(UNIT_TESTS:%=$1/tests/unit/%): $1/tests/unit/%: $1/obj/grader/tests/unit/%.o \
    $(UNIT_HELPERS:%.c=$1/obj/%.o) $1/lib/libreferee.a $1/lib/libvhopper.a
$1/bin/grader: $1/obj/grader/cli/grader-main.o $1/lib/libreferee.a $1/lib/libvhopper.a
$1/bin/vhopper: $1/obj/grader/virtual-hopper/vhopper-main.o $1/lib/libvhopper.a
$1/bin/rules-page: $1/obj/grader/virtual-hopper/rules/rules-page-main.o $1/lib/libvhopper.a
endef
$(eval $(call variant,build))
$(eval $(call variant,build/asan))

# An archive is made anew, so that no object of a file since removed stays in it.
$(foreach prefix,build build/asan,$(prefix)/lib/libvhopper.a $(prefix)/lib/libreferee.a):
	@mkdir -p $(@D)
	@$(call say,AR    $@)
	@ar rcsD $@.$$$$ $^ && mv $@.$$$$ $@

link = mkdir -p $(@D) && $(call say,LD    $@) && $(CC) $(CFLAGS) $1 $(LDFLAGS) $^ $(LDLIBS) -o $@
build/bin/grader build/bin/vhopper build/bin/rules-page:
	@$(call link)
build/asan/bin/grader build/asan/bin/vhopper build/asan/bin/rules-page:
	@$(call link,$(SANITIZE))
$(UNIT_TESTS:%=build/tests/unit/%): LDLIBS += -lcmocka
$(UNIT_TESTS:%=build/tests/unit/%):
	@$(call link)
$(UNIT_TESTS:%=build/asan/tests/unit/%): LDLIBS += -lcmocka
$(UNIT_TESTS:%=build/asan/tests/unit/%):
	@$(call link,$(SANITIZE))

# ---- the shim: what stands in for the CUDA libraries in a program's process --------------------------------
# Both runtimes are one source under two names and version nodes; files named driver-* are libcuda's alone,
# files named client-* belong to both sides.

SHIM            := grader/virtual-hopper/shim
SHIM_CLIENT     := $(wildcard $(SHIM)/client-*.c)
SHIM_DRIVER     := $(wildcard $(SHIM)/driver-*.c)
SHIM_RUNTIME    := $(filter-out $(SHIM_DRIVER) $(SHIM_CLIENT),$(wildcard $(SHIM)/*.c))
SHIM_LIBRARIES  := $(if $(SHIM_RUNTIME),build/lib/libcudart.so.13 build/lib/libcudart.so.12) \
                   $(if $(SHIM_DRIVER),build/lib/libcuda.so.1 build/lib/libvhopper-audit.so)

build/lib/libcudart.so.13: $(patsubst %.c,build/pic/%.o,$(SHIM_RUNTIME) $(SHIM_CLIENT)) \
    $(SHIM)/libcudart.so.13.map
build/lib/libcudart.so.12: $(patsubst %.c,build/pic/%.o,$(SHIM_RUNTIME) $(SHIM_CLIENT)) \
    $(SHIM)/libcudart.so.12.map
build/lib/libcuda.so.1: $(patsubst %.c,build/pic/%.o,$(SHIM_DRIVER) $(SHIM_CLIENT)) $(SHIM)/libcuda.so.1.map
build/lib/libvhopper-audit.so: $(patsubst %.c,build/pic/%.o,$(wildcard $(SHIM)/audit/*.c))
	@mkdir -p $(@D)
	@$(call say,LD    $@)
	@$(CC) -shared $(LDFLAGS) -Wl,-soname,$(@F) -Wl,-z,defs $^ -ldl -o $@
build/lib/libcudart.so.13 build/lib/libcudart.so.12 build/lib/libcuda.so.1:
	@mkdir -p $(@D)
	@$(call say,LD    $@)
	@$(CC) -shared $(LDFLAGS) -Wl,-soname,$(@F) -Wl,-z,defs -Wl,--version-script=$(filter %.map,$^) \
	    $(filter %.o,$^) -lpthread -ldl -o $@

# The sanitized device serves the same libraries.
SHIM_LINKS := $(SHIM_LIBRARIES:build/%=build/asan/%)
$(SHIM_LINKS): build/asan/lib/%: build/lib/%
	@mkdir -p $(@D)
	@ln -sfn ../../lib/$* $@

# ---- CUDA programs of the tests ----------------------------------------------------------------------------

# A program that says `// target: sm_90a` is built for that, with the instructions that only it has.
nvcc_flags = $(if $(shell grep '^// target: sm_90a' $1),$(subst _90,_90a,$(NVCCFLAGS)),$(NVCCFLAGS))

nvcc_words = $(call nvcc_flags,$<) $(shell sed -n 's,^// nvcc: ,,p' $<)

# As submissions are compiled, in two thirds of the time. Device code in parts, or for a debugger, is left to
# nvcc alone.
$(CUDA_TESTS): build/%: grader/%.cu build/setup.mk | build/lean/made
	@mkdir -p $(@D)
	@$(call say,NVCC  $<)
	@$(if $(filter -G -rdc%,$(nvcc_words)), \
	  "$(NVCC)" $(nvcc_words) -MMD -MP -MF $@.d -MT $@ $< -o $@, \
	  sh grader/tests/lean-nvcc.sh grader:interface:labs -c $(nvcc_words) -MMD -MP -MF $@.d -MT $@ $< \
	    -o $@.o && \
	  "$(NVCC)" $(nvcc_words) $@.o -o $@ && rm $@.o)

# ---- what the other makefiles name -------------------------------------------------------------------------

GRADER_PARTS := $(if $(wildcard grader/cli/grader-main.c),build/bin/grader) \
                $(if $(wildcard grader/virtual-hopper/vhopper-main.c),build/bin/vhopper) $(SHIM_LIBRARIES)
run_grader = test -e grader/cli/grader-main.c || \
               { echo 'make $@: there is no grader/cli/grader-main.c to build the grader from.' >&2; \
                 exit 2; }; \
             $(if $(TO_STUDENTS),{ $(on_terminal) printf '\r\033[K'; };) build/bin/grader $1

-include $(wildcard grader/*/room.mk)

.PHONY: grader-parts
grader-parts: $(GRADER_PARTS) build/compile_commands.json
	@$(open_to_all)

# Where root checks, a submission runs as a user of its own, who has to read this whatever root's umask is.
# What may be read already stays as it is: chmod would make it look changed.
open_to_all = test "$$(id -u)" != 0 || \
                find interface build/bin build/lib build/runner ! -type l \
                  \( ! -perm -44 -o -perm -100 ! -perm -11 \) -exec chmod go+rX {} + 2>/dev/null || :

# By a make of its own, so that two at the same time take turns. The stamp is from before the building: what
# is changed meanwhile is newer.
GRADER_STAMP := build/grader-parts.stamp
.PHONY: grader-built
grader-built: build/setup.mk
	+@sh grader/setup/unchanged.sh $(GRADER_STAMP) '$(CUDA_HOME)' $(GRADER_PARTS) || { \
	  touch $(GRADER_STAMP).$$$$ && \
	  TO_STUDENTS=$(TO_STUDENTS) SETUP_DONE=yes sh grader/setup/turn.sh build/lock $(MAKE) grader-parts && \
	  mv $(GRADER_STAMP).$$$$ $(GRADER_STAMP) || { rm -f $(GRADER_STAMP).$$$$; exit 2; }; }

# A kit that was moved has dependencies that don't fit: make clean must not read them. What students type
# leaves building to the make of grader-built, which does.
ifneq ($(filter-out $(NEEDS_NO_TOOLS) $(STUDENT_GOALS) similar grader-built,$(GOALS)),)
-include $(call find_files,build,d)
endif
