#!/bin/sh
# In: a copy of the kit, as the current folder. Out: its lab9 has its first exercise alone. For tests of
# commands that grade a whole lab: what they do for one exercise, they do for each.
set -eu
rm -f labs/lab9/[2-9]*.cu solutions/lab9/[2-9]*.cu grader/hidden/lab9/[2-9]* grader/tests/mutants/lab9-[2-9]*
awk '/^exercise: / { ours = $2 == "1-bulk-copy-1d" } ours' grader/hidden/lab9/equivalent-mutants >list
mv list grader/hidden/lab9/equivalent-mutants
awk '/^  },$/ { print "  }\n);"; exit } { print }' labs/lab9/lab.cfg >lab.cfg
mv lab.cfg labs/lab9/lab.cfg
for other in 2-tiles-2d 3-phase-reuse 4-store-commit-groups; do
  rm grader/exercises/lab9/$other-adapter.c grader/exercises/lab9/${other#?-}.c
done
