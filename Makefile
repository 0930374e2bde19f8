# What a student, an instructor and a developer type. `make help` lists it all.
# The rules themselves are in grader/make/: tools (what set-up found), programs (everything compiled), docs, tests, quality.
# Everything is built under build/, found by name: a new .c, .cu or test needs no line here.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules --no-print-directory $(if $(filter 0,$(MAKELEVEL)),-j$(or $(JOBS),$(shell nproc)))

SUBMISSION ?= labs/lab9
EXERCISES  := 1-bulk-copy-1d 2-tiles-2d 3-phase-reuse 4-store-commit-groups

include grader/make/tools.mk
include grader/make/programs.mk
include grader/make/quality.mk
include grader/make/docs.mk
include grader/make/tests.mk

# ---- for everyone ---------------------------------------------------------------------------------------------

.PHONY: help
help: ## this list
	@awk -F ':.*## ' '/^[a-z0-9%-]+( [a-z0-9% -]+)?:.*## / { printf "  make %-36s %s\n", $$1, $$2 } \
	                  /^## / { printf "\n%s\n", substr($$0, 4) }' Makefile

## For students

.PHONY: lab9
lab9: $(GRADER_PARTS) build/compile_commands.json ## check the exercises of lab9 [SUBMISSION=labs/lab9]
	@$(call run_grader,check lab9 --submission $(SUBMISSION))

LAB9_TARGETS := lab9-1 lab9-2 lab9-3 lab9-4
.PHONY: $(LAB9_TARGETS)
lab9-1 lab9-2 lab9-3 lab9-4: $(GRADER_PARTS) ## check one exercise [SUBMISSION=labs/lab9]
	@$(call run_grader,check lab9/$(filter $(@:lab9-%=%)-%,$(EXERCISES)) --submission $(SUBMISSION))

.PHONY: explain
explain: $(GRADER_PARTS) ## the page of a rule: make explain RULE=proxy-fence
	@$(call run_grader,explain $(RULE))

STUDENT = sh grader/cli/student.sh $(subst -, ,$@)
HINTS   := hint-1 hint-2 hint-3 hint-4
WATCHES := watch-1 watch-2 watch-3 watch-4
RESETS  := reset-1 reset-2 reset-3 reset-4
.PHONY: $(HINTS) $(WATCHES) $(RESETS)
hint-1 hint-2 hint-3 hint-4: ## the next hint for an exercise; STEP=1 shows an earlier one
	@STEP='$(STEP)' $(STUDENT)
watch-1 watch-2 watch-3 watch-4: $(GRADER_PARTS) ## check an exercise whenever its file is saved
	@$(STUDENT)
reset-1 reset-2 reset-3 reset-4: $(GRADER_PARTS) ## put a skeleton back; yours is kept beside it
	@$(STUDENT)

.PHONY: handin
handin: $(GRADER_PARTS) ## check once more and pack what is handed in [LAB=lab9 SUBMISSION=labs/lab9]
	@sh grader/setup/handin.sh $(or $(LAB),lab9) $(SUBMISSION)

## For instructors

.PHONY: grade
grade: $(GRADER_PARTS) ## grade a class: make grade LAB=lab9 SUBMISSIONS=dir; results in build/grades/
	@$(call run_grader,batch $(or $(LAB),lab9) $(SUBMISSIONS) --out build/grades)

.PHONY: docs
docs: $(DOCS_ALL) ## the site, build/docs/index.html, and the PDF, build/docs/tma-lab.pdf
	@echo 'The docs are in build/docs/: index.html, tma-lab.pdf, man/'

.PHONY: handout
handout: $(GRADER_PARTS) ## the students' archive: build/handout/tma-LAB.tar.gz [LAB=lab9]
	@$(call run_grader,handout $(or $(LAB),lab9))

.PHONY: validate
validate: $(GRADER_PARTS) ## prove a lab sound: solutions, skeletons, mutants, hidden cases, hints [LAB=lab9]
	@$(call run_grader,validate $(or $(LAB),lab9))

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
fuzz: $(FUZZERS) ## fuzz every front end [RUNS=1000000]
	@$(call run_fuzzers)

.PHONY: all
all: $(ALL_PARTS) ## build everything, run nothing

.PHONY: kit
kit: ## unpack the libraries into .kit/, to carry to a machine without a network
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
