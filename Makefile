# What a student, an instructor and a developer type. `make help` lists it all.
# The rules themselves are in grader/make/: tools (what set-up found), programs (everything compiled), docs,
# tests, quality. Everything is built under build/, found by name: a new .c, .cu or test needs no line here.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules --no-print-directory \
             $(if $(filter 0,$(MAKELEVEL)),-j$(or $(JOBS),$(shell nproc)))

# What is given on the command line and read by nobody would be lost without a word.
VARIABLES := LAB SUBMISSION SUBMISSIONS STEP RULE MUTANTS JOBS CC CXX NVCC CUDA_HOME CFLAGS CPPFLAGS LDFLAGS \
             LDLIBS RUNS FUZZ SANITIZE PANDOC CLANG% NO_COLOR KIT WATCH_ONCE SHELL MAKE% -*-%
typed      = $(filter command,$(firstword $(origin $1)))
UNKNOWN   := $(filter-out $(VARIABLES),$(foreach name,$(.VARIABLES),$(if $(call typed,$(name)),$(name))))
WHAT_CAN_BE_SET := make help lists what can be typed, docs/reference/make.md what can be set
$(if $(and $(UNKNOWN),$(filter 0,$(MAKELEVEL))),$(error nothing here reads $(UNKNOWN); $(WHAT_CAN_BE_SET)))

# Labs and their exercises are what labs/ holds: labs/LAB/lab.cfg, labs/LAB/N-NAME.cu.
LABS       := $(patsubst labs/%/lab.cfg,%,$(wildcard labs/*/lab.cfg))
LAB        ?= $(firstword $(filter lab9,$(LABS)) $(LABS))
SUBMISSION ?= labs/$(LAB)
number_of   = $(firstword $(subst -, ,$(notdir $1)))
NUMBERS    := $(sort $(foreach source,$(wildcard labs/*/[0-9]*.cu),$(call number_of,$(source))))
checks_of   = $(foreach source,$(wildcard labs/$1/[0-9]*.cu),$1-$(call number_of,$(source)))
CHECKS     := $(foreach lab,$(LABS),$(call checks_of,$(lab)))

include grader/make/tools.mk
include grader/make/programs.mk
include grader/make/quality.mk
include grader/make/docs.mk
include grader/make/tests.mk

# ---- for everyone ------------------------------------------------------------------------------------------

.PHONY: help
help: ## this list
	@sed -e 's/$$(LABS)/$(LABS)/; s/$$(CHECKS)/$(CHECKS)/; s/$$(HINTS)/$(HINTS)/; s/$$(WATCHES)/$(WATCHES)/' \
	      -e 's/$$(RESETS)/$(RESETS)/' Makefile | \
	  awk -F ':.*## ' '/^[a-z0-9%-]+( [a-z0-9% -]+)?:.*## / { printf "  make %-36s %s\n", $$1, $$2 } \
	                   /^## For instructors/ && students { exit } \
                   /^## / { printf "\n%s\n", substr($$0, 4) }' students=$(if $(wildcard solutions),,1) -

## For students

# The folder checked by a lab's targets: its own, or SUBMISSION where that was given.
submission_of = $(if $(filter file,$(origin SUBMISSION)),labs/$1,$(SUBMISSION))

.PHONY: $(LABS) $(CHECKS)
$(LABS): grader-built ## check the exercises of a lab [SUBMISSION=labs/LAB]
	@$(call run_grader,check $@ --submission $(call submission_of,$@))

# LAB-N: the exercise is what stands after the last -.
exercise_of = $(lastword $(subst -, ,$1))
lab_of      = $(patsubst %-$(call exercise_of,$1),%,$1)
$(CHECKS): grader-built ## check one exercise [SUBMISSION=labs/LAB]
	@$(call run_grader,check $(call lab_of,$@)/$(call exercise_of,$@) \
	    --submission $(call submission_of,$(call lab_of,$@)))

# A number that no exercise has.
$(LAB)-% hint-% watch-% reset-%:
	@echo "make: there is no exercise $* in $(LAB); make help lists all that can be typed" >&2; exit 2

.PHONY: explain
explain: grader-built ## the page of a rule: make explain RULE=proxy-fence
	@$(call run_grader,explain $(RULE))

STUDENT  = LAB='$(LAB)' sh grader/cli/student.sh $(subst -, ,$@)
HINTS   := $(NUMBERS:%=hint-%)
WATCHES := $(NUMBERS:%=watch-%)
RESETS  := $(NUMBERS:%=reset-%)
.PHONY: $(HINTS) $(WATCHES) $(RESETS)
$(HINTS): ## the next hint for an exercise; STEP=1 shows an earlier one [LAB=lab9]
	@STEP='$(STEP)' $(STUDENT)
$(WATCHES): grader-built ## check an exercise whenever its file is saved [LAB=lab9]
	@$(STUDENT)
$(RESETS): grader-built ## put a skeleton back; yours is kept beside it [LAB=lab9]
	@$(STUDENT)

.PHONY: handin
handin: grader-built ## check once more and pack what is handed in [LAB=lab9 SUBMISSION=labs/lab9]
	@sh grader/setup/handin.sh $(LAB) $(SUBMISSION)

.PHONY: docs
docs: $(DOCS_ALL) ## the site, build/docs/index.html, and the PDF, build/docs/tma-lab.pdf
	@echo 'The docs are in build/docs/: index.html, tma-lab.pdf, man/'

## For instructors

.PHONY: grade
grade: grader-built ## grade a class: make grade LAB=lab9 SUBMISSIONS=dir; results in build/grades/
	@$(call run_grader,batch $(LAB) $(if $(SUBMISSIONS),'$(SUBMISSIONS)') --out build/grades) || [ $$? = 1 ]

.PHONY: handout
handout: grader-built ## the students' archive: build/handout/tma-LAB.tar.gz [LAB=lab9]
	@$(call run_grader,handout $(LAB))

.PHONY: validate
validate: grader-built ## prove a lab sound: solutions, skeletons, mutants, cases, hints [LAB=lab9 MUTANTS=30]
	@$(call run_grader,validate $(LAB) $(if $(MUTANTS),--mutants $(MUTANTS)))

## For developers

.PHONY: test
test: build/setup.mk ## every test that needs no GPU; ends in 'N passed, N failed'
	+@$(call run_tests,virtual)

.PHONY: test-gpu
test-gpu: ## programs, conformance and labs on a Hopper GPU, compared with the virtual one
	+@$(call run_tests,gpu)

.PHONY: bench
bench: $(BENCH_PARTS) ## throughput of the virtual Hopper, grading time; on a GPU also bandwidth
	@$(call run_bench)

.PHONY: fuzz
fuzz: $(FUZZERS) $(SEEDS) ## fuzz every front end [RUNS=1000000]
	@$(call run_fuzzers)

.PHONY: all
all: $(ALL_PARTS) grader-parts ## build everything, run nothing

.PHONY: kit
kit: ## unpack libraries and compilers into .kit/, to carry to a machine without a network
	@sh grader/setup/setup.sh kit

.PHONY: format
format: ## lay out every C and CUDA file
	@$(CLANG_FORMAT) -i $(FORMATTED)

.PHONY: lint
lint: $(LINT_MARKS) ## clang-tidy, cppcheck, shellcheck; only what changed since the last time

.PHONY: setup
setup: ## say what is missing and install it, for everything here
	@echo 'Everything needed is here.'

.PHONY: clean
clean: ## remove build/
	rm -rf build
