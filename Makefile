# What a student, an instructor and a developer type. `make help` lists it all.
# The rules themselves are in grader/make/: tools (what set-up found), programs (everything compiled), docs,
# tests, quality. Everything is built under build/, found by name: a new .c, .cu or test needs no line here.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules --no-print-directory \
             $(if $(filter 0,$(MAKELEVEL)),-j$(or $(JOBS),$(shell nproc)))

# What is given on the command line and read by nobody would be lost without a word.
VARIABLES := LAB SEED SUBMISSION SUBMISSIONS OUT WATCH BOARD ONLY REGRADE AGAINST STEP RULE MUTANTS JOBS CC \
             CXX NVCC CUDA_HOME CFLAGS CPPFLAGS LDFLAGS LDLIBS RUNS FUZZ SANITIZE PANDOC PANDOC_OPTIONS \
             BOOK_PARTS CLANG% NO_COLOR KIT WATCH_ONCE PREFIX DESTDIR SHELL MAKE% -*-%
typed      = $(filter command,$(firstword $(origin $1)))
UNKNOWN   := $(filter-out $(VARIABLES),$(foreach name,$(.VARIABLES),$(if $(call typed,$(name)),$(name))))
WHAT_CAN_BE_SET := make help lists what can be typed, docs/reference/make.md what can be set
$(if $(and $(UNKNOWN),$(filter 0,$(MAKELEVEL))),$(error nothing here reads $(UNKNOWN); $(WHAT_CAN_BE_SET)))

# Labs and their exercises are what labs/ holds: labs/LAB/lab.cfg, labs/LAB/N-NAME.cu.
LABS       := $(shell printf "%s\n" $(patsubst labs/%/lab.cfg,%,$(wildcard labs/*/lab.cfg)) | sort -V)
# Without LAB=, what is typed for one exercise means the only lab, or the one among several that is graded.
LAB        ?= $(firstword $(filter lab9,$(LABS)) $(LABS))
SUBMISSION ?= labs/$(LAB)
OUT        := grades/$(LAB)
number_of   = $(firstword $(subst -, ,$(notdir $1)))
numbers_of  = $(foreach source,$(wildcard labs/$1/[0-9]*.cu),$(call number_of,$(source)))
in_order    = $(shell printf '%s\n' $1 | sort -nu)
NUMBERS    := $(call in_order,$(call numbers_of,*))
checks_of   = $(addprefix $1-,$(call in_order,$(call numbers_of,$1)))
CHECKS     := $(foreach lab,$(LABS),$(call checks_of,$(lab)))

include grader/make/tools.mk
include grader/make/programs.mk
include grader/make/quality.mk
include grader/make/docs.mk
include grader/make/tests.mk
include grader/make/install.mk

# ---- for everyone ------------------------------------------------------------------------------------------

# The first and the last of many words.
ends_of = $(if $(word 5,$1),$(firstword $1) .. $(lastword $1),$1)

.PHONY: help
help: ## this list
	@sed -e 's/$$(LABS)/$(LABS)/; s/$$(CHECKS)/$(call ends_of,$(CHECKS))/' \
	      -e 's/$$(HINTS)/$(call ends_of,$(HINTS))/; s/$$(WATCHES)/$(call ends_of,$(WATCHES))/' \
	      -e 's/$$(RESETS)/$(call ends_of,$(RESETS))/; s/$$(LAB)/$(LAB)/g' Makefile | \
	  awk -F ':.*## ' '/^[a-z0-9%-]+( [a-z0-9% .-]+)?:.*## / { printf "  make %-36s %s\n", $$1, $$2 } \
	                   /^## For instructors/ && students { exit } \
                   /^## / { printf "\n%s\n", substr($$0, 4) }' students=$(if $(wildcard solutions),,1) -

## For students

# The folder checked by a lab's targets: its own, or SUBMISSION where that was given.
submission_of = $(if $(filter file,$(origin SUBMISSION)),labs/$1,$(SUBMISSION))

# A message about wrong values gives the seed with which the same numbers come again.
seed_option = $(if $(SEED), --seed $(SEED))

.PHONY: $(LABS) $(CHECKS)
$(LABS): grader-built ## check the exercises of a lab [SUBMISSION=labs/LAB]
	@$(call run_grader,check $@ --submission $(call submission_of,$@)$(seed_option))

# LAB-N: the exercise is what stands after the last -.
exercise_of = $(lastword $(subst -, ,$1))
lab_of      = $(patsubst %-$(call exercise_of,$1),%,$1)
$(CHECKS): grader-built ## check one exercise [SUBMISSION=labs/LAB]
	@$(call run_grader,check $(call lab_of,$@)/$(call exercise_of,$@) \
	    --submission $(call submission_of,$(call lab_of,$@))$(seed_option))

# A number that no exercise has.
$(LABS:=-%) hint-% watch-% reset-%:
	@echo "make: there is no exercise $* in $(or $(patsubst %-$*,%,$(filter $(LABS:=-%),$@)),$(LAB));" \
	  "make help lists all that can be typed" >&2; exit 2

.PHONY: explain
explain: grader-built ## the page of a rule: make explain RULE=proxy-fence
	@$(call run_grader,explain $(RULE))

STUDENT  = LAB='$(LAB)' sh grader/cli/student.sh $(subst -, ,$@)
HINTS   := $(NUMBERS:%=hint-%)
WATCHES := $(NUMBERS:%=watch-%)
RESETS  := $(NUMBERS:%=reset-%)
.PHONY: $(HINTS) $(WATCHES) $(RESETS) $(HINTS:hint-%=hint%) $(WATCHES:watch-%=watch%) $(RESETS:reset-%=reset%)
$(HINTS:hint-%=hint%): hint%: hint-%
$(WATCHES:watch-%=watch%): watch%: watch-%
$(RESETS:reset-%=reset%): reset%: reset-%
$(HINTS): ## the next hint for an exercise; STEP=1 shows an earlier one [LAB=$(LAB)]
	@STEP='$(STEP)' $(STUDENT)
$(WATCHES): grader-built ## check an exercise whenever its file is saved [LAB=$(LAB)]
	@$(STUDENT)
$(RESETS): grader-built ## put a skeleton back; yours is kept beside it [LAB=$(LAB)]
	@$(STUDENT)

.PHONY: handin
handin: grader-built ## check once more and pack what is handed in [LAB=$(LAB) SUBMISSION=labs/$(LAB)]
	@sh grader/setup/handin.sh $(LAB) $(SUBMISSION)

.PHONY: docs
docs: $(DOCS_ALL) ## the site, build/docs/index.html, and the PDF, build/docs/tma-lab.pdf
	@echo 'The docs are in build/docs/: index.html, tma-lab.pdf, man/'

## For instructors

.PHONY: grade
grade: grader-built ## grade a class [LAB=$(LAB) SUBMISSIONS=dir OUT=.. WATCH=1 BOARD=1 ONLY=.. REGRADE=..]
	@mkdir -p "$$(dirname '$(OUT)')"
	@$(call run_grader,batch $(LAB) $(if $(SUBMISSIONS),'$(SUBMISSIONS)') --out '$(OUT)' \
	  $(if $(WATCH),--watch) $(if $(BOARD),--board) $(ONLY:%=--only '%') $(REGRADE:%=--regrade '%')) \
	  || [ $$? = 1 ]

.PHONY: similar
similar: grader-built ## files of a graded class that are alike [LAB=$(LAB) OUT=.. AGAINST=dir]
	@$(call run_grader,similar $(LAB) '$(OUT)' $(AGAINST:%=--against '%'))

.PHONY: handout
handout: ## the students' archive: build/handout/tma-LAB.tar.gz [LAB=$(LAB)]
	@sh grader/setup/handout.sh $(LAB)

.PHONY: validate
validate: grader-built ## prove a lab sound: solutions, mutants, cases, archives [LAB=$(LAB) MUTANTS=30]
	@$(call run_grader,validate $(LAB) $(if $(MUTANTS),--mutants $(MUTANTS)))

## For kernels of your own

.PHONY: vhopper
vhopper: $(VHOPPER) ## vhopper and its CUDA libraries alone: build/bin/vhopper
	@echo 'Built: $(VHOPPER)'

.PHONY: install uninstall
install: $(VHOPPER) $(INSTALL_MAN) ## install vhopper and grader [PREFIX=/usr/local DESTDIR=]
	@$(call run_install,install)
uninstall: ## take away what make install has put there [PREFIX=/usr/local DESTDIR=]
	@$(call run_install,uninstall)

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

.PHONY: calibrate
calibrate: build/setup.mk ## on a Hopper GPU: read the time model's constants, write a chip file
	@sh grader/tests/bench/calibrate.sh

.PHONY: fuzz
fuzz: $(FUZZERS) $(SEEDS) build/bin/virtual-device build/bin/unpack ## fuzz every front end [RUNS=1000000]
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
