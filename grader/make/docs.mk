# The docs: Markdown under docs/ and labs/ -> a static site, man pages and one PDF, all in build/docs/. What
# is on the site, and in which order, is in docs/contents; generated Markdown and the search's parts are in
# build/docs-work/.

DOCS        := build/docs
DOCS_WORK   := build/docs-work
MACHINERY   := docs/machinery
INTERFACE   := $(addprefix interface/,tma-interface.cuh tma-cluster.cuh tma-cta.cuh tma-reduce.cuh \
                 tma-wgmma.cuh tma-cache.cuh tma-map-update.cuh timeline.cuh tensor-map.h cuda-check.h)
DIAGRAMS    := $(patsubst docs/diagrams/%.c,$(DOCS_WORK)/diagrams/%.svg,$(wildcard docs/diagrams/*.c))
PICTURES    := $(patsubst docs/pictures/%,$(DOCS)/%,$(wildcard docs/pictures/*.svg))
MAN_PAGES   := $(patsubst docs/reference/%.md,$(DOCS)/man/%,$(wildcard docs/reference/*.1.md))
PANDOC      := pandoc --syntax-definition $(MACHINERY)/cuda.xml --syntax-definition $(MACHINERY)/ptx.xml \
                 --mathml -M work=$(DOCS_WORK) $(PANDOC_OPTIONS)
MARKDOWN    := markdown+autolink_bare_uris
FOCUSABLE   := sed 's/<pre\b/<pre tabindex="0"/g'
STEPPERS    := $(patsubst docs/stepper/%,$(DOCS)/%,$(wildcard docs/stepper/*.js))
DOCS_PARTS  := $(PICTURES) $(MAN_PAGES) $(STEPPERS) $(DOCS)/site.css $(DOCS)/site.js

$(DOCS_WORK)/interface.md: $(MACHINERY)/interface.awk docs/reference/mistakes $(INTERFACE)
	@mkdir -p $(@D)
	@awk -f $^ >$@

$(DOCS_WORK)/rules.md: build/bin/rules-page
	@mkdir -p $(@D)
	@build/bin/rules-page >$@.new && mv $@.new $@

$(DOCS_WORK)/contents.new: docs/contents $(MACHINERY)/contents.awk \
    $(DOCS_WORK)/interface.md $(DOCS_WORK)/rules.md ALWAYS
	@awk -f $(MACHINERY)/contents.awk docs/contents >$@
$(DOCS_WORK)/contents: $(DOCS_WORK)/contents.new
	@cmp -s $< $@ || cp $< $@

# A rule for every page, from the contents.
$(DOCS_WORK)/pages.mk: $(DOCS_WORK)/contents
	@awk -F'|' '{ print "DOCS_PAGES += $(DOCS)/" $$3 ".html"; \
	             print "DOCS_SOURCES += " $$2; print "$(DOCS)/" $$3 ".html: " $$2 }' $< >$@

ifneq ($(filter docs docs-% test-parts-virtual,$(GOALS)),)
include $(DOCS_WORK)/pages.mk
endif

$(DOCS_PAGES): $(DOCS)/%.html: $(DOCS_WORK)/contents $(wildcard $(MACHINERY)/*) grader/make/docs.mk
	@mkdir -p $(@D) $(DOCS_WORK)/search
	@$(call say,PAGE  $@)
	@$(PANDOC) -f $(MARKDOWN) -t html5 --template $(MACHINERY)/page.html --toc --toc-depth=3 \
	    --lua-filter $(MACHINERY)/page.lua \
	    -M page=$* $(firstword $(filter %.md,$^)) >$(DOCS_WORK)/$*.new
	@$(FOCUSABLE) $(DOCS_WORK)/$*.new >$@ && rm $(DOCS_WORK)/$*.new

$(DOCS)/search.js: $(DOCS_PAGES)
	@{ echo 'window.searchEntries = ['; cat $(DOCS_PAGES:$(DOCS)/%.html=$(DOCS_WORK)/search/%.js); \
	  echo '];'; } >$@

$(DIAGRAMS): $(DOCS_WORK)/diagrams/%.svg: docs/diagrams/%.c $(MACHINERY)/diagram.h
	@mkdir -p $(@D)
	@$(CC) -std=c17 $(WARNINGS) -I$(MACHINERY) $< -o $(@:.svg=)
	@$(@:.svg=) >$@

$(PICTURES): $(DOCS)/%: docs/pictures/%
	@mkdir -p $(@D)
	@cp $< $@

# What the docs quote is kept in git, so that they can be read as they lie there: reports of the grader, code
# of the samples, diagrams. Tests compare it with what would be quoted now.
.PHONY: docs-verdict
docs-verdict: $(GRADER_PARTS) corpus $(DOCS_WORK)/terminal build/docs-samples/missing-fence \
    build/docs-samples/overlap build/docs-samples/ranges $(DIAGRAMS)
	@sh $(MACHINERY)/verdict.sh first-try >docs/pictures/verdict.txt
	@sh $(MACHINERY)/verdict.sh nothing-done >docs/pictures/nothing-done.txt
	@$(DOCS_WORK)/terminal <docs/pictures/verdict.txt >docs/pictures/verdict.svg
	@build/bin/vhopper run --quiet -- build/docs-samples/missing-fence \
	  2>docs/guide/samples/missing-fence.out >/dev/null; test $$? = 66
	@cp $(DIAGRAMS) docs/pictures/
	@sh $(MACHINERY)/timelines.sh docs/pictures
	@sh $(MACHINERY)/rule-reports.sh update
	@for page in docs/*.md docs/guide/*.md; do \
	  awk -f $(MACHINERY)/quote.awk $$page >$(DOCS_WORK)/quoted && \
	  cp $(DOCS_WORK)/quoted $$page || exit 1; done

# After a change of the time model: its pictures and figures in the guide.
.PHONY: docs-timelines
docs-timelines: vhopper build/docs-samples/overlap build/docs-samples/ranges
	@sh $(MACHINERY)/timelines.sh docs/pictures
	@mkdir -p $(DOCS_WORK)
	@awk -f $(MACHINERY)/quote.awk docs/guide/bandwidth.md >$(DOCS_WORK)/quoted && \
	  cp $(DOCS_WORK)/quoted docs/guide/bandwidth.md

$(DOCS_WORK)/terminal: $(MACHINERY)/terminal.c
	@mkdir -p $(@D)
	@$(CC) -std=c17 $(WARNINGS) $< -o $@

$(DOCS)/site.css $(DOCS)/site.js: $(DOCS)/%: $(MACHINERY)/%
	@mkdir -p $(@D)
	@cp $< $@

$(STEPPERS): $(DOCS)/%: docs/stepper/%
	@mkdir -p $(@D)
	@cp $< $@

$(MAN_PAGES): $(DOCS)/man/%: docs/reference/%.md
	@mkdir -p $(@D)
	@pandoc -s -f $(MARKDOWN)-smart -t man $< | sed 's/--/\\-\\-/g' >$@

# A book lies beside the pictures while it is made, and its style beside it: in a folder of its own, since
# both books may be made at once. The students' one leaves out the reference, the rules and what is for
# instructors and developers.
BOOKS := $(DOCS)/tma-lab.pdf $(DOCS)/tma-lab-student.pdf
$(DOCS)/tma-lab-student.pdf: BOOK_PARTS = -M 'parts=Start here|Guide|Labs'

$(BOOKS): $(DOCS)/%.pdf: $(DOCS_PAGES) $(PICTURES) $(DOCS)/site.css $(wildcard $(MACHINERY)/book.*)
	@$(call say,PDF   $@)
	@mkdir -p $(DOCS_WORK)/$*
	@cp $(MACHINERY)/book.css $(DOCS)/site.css $(PICTURES) $(DOCS_WORK)/$*/
	@$(PANDOC) -f markdown -t html5 --template $(MACHINERY)/book.html --toc --toc-depth=2 \
	    --lua-filter $(MACHINERY)/book.lua $(BOOK_PARTS) \
	    -o $(DOCS_WORK)/$*/book.html /dev/null
	@weasyprint -q $(DOCS_WORK)/$*/book.html $@

DOCS_ALL = $(DOCS_WORK)/terminal $(DIAGRAMS) $(DOCS_PAGES) $(DOCS)/search.js $(DOCS_PARTS) $(BOOKS)

# ---- samples of the guide: compiled here, run by grader/tests/house/docs-samples-test.sh -------------------

DOCS_SAMPLES := $(patsubst docs/guide/samples/%.cu,build/docs-samples/%,$(wildcard docs/guide/samples/*.cu))

$(DOCS_SAMPLES): build/docs-samples/%: docs/guide/samples/%.cu docs/guide/samples/sample.h build/setup.mk
	@mkdir -p $(@D)
	@$(call say,NVCC  $<)
	@"$(NVCC)" $(call nvcc_flags,$<) $(shell sed -n 's,^// nvcc: ,,p' $<) -MMD -MP -MF $@.d -MT $@ $< -o $@

# ---- the steppers' models are held against the virtual Hopper: grader/tests/house/docs-stepper-test.sh ----

STEPPER_REPLAY := build/tests/stepper/replay

$(STEPPER_REPLAY): build/%: grader/%.cu build/setup.mk
	@mkdir -p $(@D)
	@$(call say,NVCC  $<)
	@"$(NVCC)" $(NVCCFLAGS) -MMD -MP -MF $@.d -MT $@ $< -o $@
