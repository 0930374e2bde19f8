# What set-up found: build/setup.mk, written by grader/setup/setup.sh, which installs what is missing first.
# It is an included makefile with a rule, so make runs set-up before anything else and reads what it wrote.

GOALS := $(or $(MAKECMDGOALS),help)
NEEDS_NO_TOOLS := help clean kit hint% handout
NEEDS_BUILDER_TOOLS := all build/tests/unit/% build/asan/%
NEEDS_DEVELOPER_TOOLS := test format lint setup test-parts-virtual check-format

# A variable given on the command line or in the environment is handed to set-up, which otherwise finds its
# own.
given = $(if $(filter command environment,$(firstword $(origin $1))),$($1))
CC_GIVEN   := $(call given,CC)
NVCC_GIVEN := $(call given,NVCC)
CUDA_HOME_GIVEN := $(call given,CUDA_HOME)

ifneq ($(filter-out $(NEEDS_NO_TOOLS),$(GOALS)),)
# The first of these levels that a goal asks for.
SETUP_LEVEL := $(firstword $(if $(filter fuzz setup,$(GOALS)),fuzz) \
                 $(if $(filter $(NEEDS_DEVELOPER_TOOLS),$(GOALS)),developer) \
                 $(if $(filter docs docs-%,$(GOALS)),docs) \
                 $(if $(filter $(NEEDS_BUILDER_TOOLS),$(GOALS)),builder) student)
include build/setup.mk
# A make that another one started finds it made.
ifndef SETUP_DONE
build/setup.mk: ALWAYS
	@CC='$(CC_GIVEN)' NVCC='$(NVCC_GIVEN)' CUDA_HOME='$(CUDA_HOME_GIVEN)' \
	  sh grader/setup/setup.sh $(SETUP_LEVEL) $@
endif
endif

.PHONY: ALWAYS

# What is compiled is said file by file, but to students, whose concern it is not, in one line the first time,
# and on a terminal below it in a line that changes and vanishes.
STUDENT_GOALS := $(LABS) $(LABS:%=%-%) explain grade handin handout validate watch-% reset-%
TO_STUDENTS   ?= $(if $(filter-out $(STUDENT_GOALS),$(GOALS)),,yes)
on_terminal = test ! -t 1 || test "$${TERM:-dumb}" = dumb ||
say = $(if $(TO_STUDENTS),$(on_terminal) printf '\r\033[K  %s' '$1',echo '  $1')

.PHONY: building-note
building-note:
	@$(if $(TO_STUDENTS),test -e build/bin/grader || \
	  echo 'Building the grader (once; it takes one to four minutes) ...',:)
