# Layout, lint and the compilation database.

FORMATTED = $(foreach ending,c h cu cuh,$(call find_files,interface labs solutions grader,$(ending)))
