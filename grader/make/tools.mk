# What set-up found: build/setup.mk, written by grader/setup/setup.sh, which installs what is missing first.
# It is an included makefile with a rule, so make runs set-up before anything else and reads what it wrote.

GOALS := $(or $(MAKECMDGOALS),help)
NEEDS_NO_TOOLS := help clean explain-% hint-1 hint-2 hint-3 hint-4 docs handout
NEEDS_DEVELOPER_TOOLS := test test-gpu fuzz format lint setup all build/%

ifneq ($(filter-out $(NEEDS_NO_TOOLS),$(GOALS)),)
SETUP_LEVEL := $(if $(filter $(NEEDS_DEVELOPER_TOOLS),$(GOALS)),developer,student)
include build/setup.mk
build/setup.mk: ALWAYS
	@CC='$(CC_GIVEN)' NVCC='$(NVCC_GIVEN)' CUDA_HOME='$(CUDA_HOME)' sh grader/setup/setup.sh $(SETUP_LEVEL) $@
endif

.PHONY: ALWAYS

# A variable given on the command line or in the environment wins over what set-up would find.
given = $(if $(filter command environment,$(firstword $(origin $1))),$($1))
CC_GIVEN   := $(call given,CC)
NVCC_GIVEN := $(call given,NVCC)
export CUDA_HOME

not_in_this_release = echo 'make $@: this release has no $1.' >&2; exit 2
