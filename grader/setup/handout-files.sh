#!/bin/sh
# In: a lab. Out: the files that an archive for this lab is chosen from, one a line: those that git knows, and
# those of the lab that aren't committed yet; without git, all that make has not made. Nothing of other labs.
# The idea: a lab is packed as it lies here, committed or not.
#   handout-files.sh LAB
set -eu
cd "$(dirname "$0")/../.."
lab=${1:?handout-files.sh LAB}

list() {
  if ! git ls-files --error-unmatch Makefile >/dev/null 2>&1; then
    find . -type f ! -path './build/*' ! -path './.kit/*' ! -path './grades/*' | sed 's,^\./,,'
    return
  fi
  git ls-files
  # By their endings, so that what an editor or make reset-N has kept stays here.
  git ls-files --others --exclude-standard -- "labs/$lab" "grader/exercises/$lab" |
    grep -E '\.(cu|cuh|h|c|cfg|md|svg)$' || true
}

list | awk -F/ -v lab="$lab" '
  ($1 == "labs" && NF > 2 || $1 == "solutions" && NF > 2) && $2 != lab { next }
  $1 == "grader" && ($2 == "exercises" || $2 == "hidden") && NF > 3 && $3 != lab { next }
  { print }'
