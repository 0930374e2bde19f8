# `make vhopper`, `make install`, `make uninstall`: vhopper for projects outside the kit. What is installed
# lies under PREFIX as grader/virtual-hopper/command/place.c looks for it:
#   bin/{vhopper,grader}    lib/vhopper/libcudart.so.13 ..    share/vhopper/{rules,page.awk}   include/vhopper
#   share/man, the shells' completion, lib/pkgconfig, lib/cmake/vhopper
# The installed grader is a short script that finds a kit and runs its grader: labs and cases stay there.
# The CUDA libraries are not put into lib/ itself: there every other CUDA program would find them.

PREFIX       ?= /usr/local
DESTDIR      ?=
VHOPPER       = build/bin/vhopper $(SHIM_LIBRARIES)
INSTALL_FROM := grader/setup/install
HEADERS      := $(wildcard interface/*.h interface/*.cuh)
# The man pages need Pandoc, and are left out without it.
INSTALL_MAN   = $(if $(shell command -v pandoc),$(DOCS)/man/vhopper.1 $(DOCS)/man/grader.1)

# FILE|PLACE below the prefix.
define installed
$(foreach file,build/bin/vhopper,$(file)|bin)
$(foreach file,$(SHIM_LIBRARIES),$(file)|lib/vhopper)
$(foreach file,$(HEADERS),$(file)|include/vhopper)
$(foreach file,$(wildcard docs/rules/*.md),$(file)|share/vhopper/rules)
$(foreach file,grader/cli/page.awk docs/reference/vhopper.schema.json,$(file)|share/vhopper)
$(foreach file,$(INSTALL_MAN),$(file)|share/man/man1)
$(INSTALL_FROM)/grader.sh|bin|grader
$(INSTALL_FROM)/vhopper.bash|share/bash-completion/completions|vhopper
$(INSTALL_FROM)/grader.bash|share/bash-completion/completions|grader
$(INSTALL_FROM)/_vhopper|share/zsh/site-functions
$(INSTALL_FROM)/_grader|share/zsh/site-functions
$(INSTALL_FROM)/vhopperConfig.cmake|lib/cmake/vhopper
$(INSTALL_FROM)/vhopperConfigVersion.cmake|lib/cmake/vhopper
$(INSTALL_FROM)/vhopper.pc|lib/pkgconfig
endef

run_install = sh $(INSTALL_FROM)/install.sh $1 '$(DESTDIR)' '$(PREFIX)' $(foreach one,$(installed),'$(one)')
