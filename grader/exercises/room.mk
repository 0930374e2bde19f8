# build/exercise-list.h: EXERCISE(LAB_NAME) for each adapter LAB/N-NAME-adapter.c, lab by lab and in order.
EXERCISE_ADAPTERS := $(wildcard grader/exercises/*/*-adapter.c)

build/exercise-list.h: ALWAYS
	@mkdir -p $(@D)
	@printf '%s\n' $(EXERCISE_ADAPTERS:grader/exercises/%-adapter.c=%) | sort -V | \
	  sed 's,/[0-9]*-,_,; s,-,_,g; s,.*,EXERCISE(&),' >$@.$$$$; \
	  if cmp -s $@.$$$$ $@; then rm $@.$$$$; else mv $@.$$$$ $@; fi

$(addsuffix /obj/grader/exercises/list.o,build build/asan build/fuzz): build/exercise-list.h

# build/lib/LAB-trusted.fatbin: the referee's own kernels, loaded on a GPU by the driver. The driver of a
# newer chip compiles its PTX. A Hopper gets the code with the instructions that only it has.

TRUSTED_MODULES := $(patsubst grader/exercises/%/trusted.cu,build/lib/%-trusted.fatbin, \
                     $(wildcard grader/exercises/*/trusted.cu))
GRADER_PARTS    += $(TRUSTED_MODULES)

build/lib/%-trusted.fatbin: grader/exercises/%/trusted.cu build/setup.mk
	@mkdir -p $(@D)
	@$(call say,NVCC  $<)
	@"$(NVCC)" -fatbin -std=c++17 -gencode 'arch=compute_90a,code=sm_90a' \
	    -gencode 'arch=compute_90,code=compute_90' -Igrader -Iinterface -MMD -MP -MF $@.d -MT $@ $< -o $@
