#!/bin/sh
# In: a GPU and the built kit. Out: exit 0 when plain loads without overlap stay below the floor of lab.cfg,
# so far that no luck lifts them over it, and what they reach.
set -eu
cd "$(dirname "$0")/../../.."
floor=$(sed -n 's/ *bandwidth_floor = \([0-9.]*\);/\1/p' labs/lab9/lab.cfg | sort -n | head -1)
build/bin/repeat-verdicts 1 grader/tests/gpu/no-overlap |
  awk -v floor="$floor" '{ print }
    {
      for (i = 1; i < NF; i++)
        if ($i == "to") {
          seen++
          if (!($(i + 1) > 0 && $(i + 1) < floor - 0.1)) bad = 1
        }
    }
    END { exit bad || seen != 4 }'
