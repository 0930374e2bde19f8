# Layout, lint and the compilation database for clangd. A file's lint is run again only when it or a header it
# includes has changed: its mark, build/lint/FILE.ok, hangs on the object that the compiler's dependencies
# remake.

FORMATTED  = $(foreach ending,c h cu cuh,$(call find_files,interface labs solutions grader,$(ending)))
SCRIPTS    = $(call find_files,grader,sh) .ci/run
LINTED_C   = $(foreach room,virtual-hopper $(REFEREE_ROOMS) runner tests/unit,$(call find_c,grader/$(room)))
LINT_MARKS = $(LINTED_C:%=build/lint/%.ok) build/lint/cppcheck.ok $(SCRIPTS:%=build/lint/%.ok)
TIDY_FLAGS = -std=c17 $(CPPFLAGS) $(KIT_TIDY_FLAGS)

# A lint is kept quiet when it finds nothing; what it finds is in the log beside the mark, and is shown.
lint_into = mkdir -p $(@D); $(call say,LINT  $(@:build/lint/%.ok=%)); \
            if { $1; } >$(@:.ok=.log) 2>&1; then touch $@; else cat $(@:.ok=.log); exit 1; fi

SHIM_LINTED = $(filter $(SHIM)/%,$(LINTED_C))
PLAIN_LINTED = $(filter-out $(SHIM)/%,$(LINTED_C))
$(PLAIN_LINTED:%=build/lint/%.ok): build/lint/%.c.ok: %.c build/obj/%.o .clang-tidy
	@$(call lint_into,$(CLANG_TIDY) --quiet $< -- $(TIDY_FLAGS))
$(SHIM_LINTED:%=build/lint/%.ok): build/lint/%.c.ok: %.c build/pic/%.o .clang-tidy
	@$(call lint_into,$(CLANG_TIDY) --quiet $< -- $(TIDY_FLAGS))

$(SCRIPTS:%=build/lint/%.ok): build/lint/%.ok: % $(call find_files,grader/setup,sh)
	@$(call lint_into,shellcheck -x $<)

build/lint/cppcheck.ok: $(LINTED_C) $(call find_files,grader,h)
	@mkdir -p build/lint/cppcheck
	@$(call lint_into,cppcheck -q -j 2 --std=c11 --enable=warning$(COMMA)performance$(COMMA)portability \
	    --error-exitcode=1 --inline-suppr --cppcheck-build-dir=build/lint/cppcheck \
	    --suppress=missingIncludeSystem --suppress=ctuuninitvar -D_GNU_SOURCE -D__x86_64__ \
	    -Igrader -Iinterface -Ibuild '-D_Noreturn=__attribute__((noreturn))' $(LINTED_C))
COMMA := ,

.PHONY: check-format
check-format:
	@$(CLANG_FORMAT) --dry-run -Werror $(FORMATTED) >build/format.log 2>&1 || \
	  { sed -n 's/: error: .*//p' build/format.log; \
	    echo 'These places are laid out otherwise: run make format.'; exit 1; }

# ---- clangd ------------------------------------------------------------------------------------------------

# In quotes for the shell, whatever quotes there are in it.
one_word = '$(subst ','\'',$1)'

COMMANDED_C  = $(call find_c,grader)
COMMANDED_CU = $(call find_files,interface labs solutions grader,cu)
CLANG_CUDA   = clang++ -x cuda -std=c++17 --cuda-gpu-arch=sm_90 --cuda-path='$(CUDA_HOME)' -nocudalib \
               -Wno-unknown-cuda-version

# Prints one object of the array, for the shell's $$file.
command_entry = printf '%s{"directory":"%s","file":"%s","command":"%s"}\n' "$$separator" '$(CURDIR)' $$file \
                  $(call one_word,$1)$$file; separator=,

build/compile_commands.json: ALWAYS
	@{ echo '['; separator=; \
	  for file in $(COMMANDED_C); do \
	    $(call command_entry,$(CC) $(CFLAGS) $(CPPFLAGS) -c ); done; \
	  for file in $(COMMANDED_CU); do \
	    $(call command_entry,$(CLANG_CUDA) -Iinterface -c ); done; \
	  echo ']'; } >$@.$$$$; if cmp -s $@.$$$$ $@; then rm $@.$$$$; else mv $@.$$$$ $@; fi

.PHONY: print-lint-marks
print-lint-marks:
	@printf '%s\n' $(LINT_MARKS)
