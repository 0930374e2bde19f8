#!/bin/sh
# In: solutions/LAB/*.cu, where answers stand between `// BEGIN SOLUTION` and `// END SOLUTION`. Out:
# labs/LAB/*.cu without the answers. A line `// INSTEAD: code` within an answer leaves its code in the
# skeleton.
# The idea: a skeleton that is derived can't drift away from its solution.
#   derive-labs.sh [--check] [LAB ..]     all labs if none is named; --check compares instead of writing, and
#                                         exits with 1 if anything differs
#   derive-labs.sh --print SOLUTION       prints one skeleton, writes nothing
# The grader recognises an untouched skeleton by its fingerprint in labs/LAB/lab.cfg. The fingerprints are
# updated, too, if the grader is built.
set -eu
cd "$(dirname "$0")/../.."

# A solution, without its answers.
derive() {
  awk '
    function fail(message) {
      printf "%s:%d: %s\n", FILENAME, FNR, message > "/dev/stderr"
      failed = 1
      exit 1
    }
    /^ *\/\/ BEGIN SOLUTION$/ { if (inside) fail("BEGIN SOLUTION within a solution"); inside = 1; next }
    /^ *\/\/ END SOLUTION$/   { if (!inside) fail("END SOLUTION without its BEGIN"); inside = 0; next }
    inside && /^ *\/\/ INSTEAD: / { sub(/\/\/ INSTEAD: /, ""); print; next }
    /\/\/ (BEGIN|END) SOLUTION/ { fail("a marker must have a line to itself") }
    !inside { print }
    END { if (inside && !failed) fail("BEGIN SOLUTION without its END") }
  ' "$1"
}

if [ "${1-}" = --print ]; then
  derive "$2"
  exit
fi
check=no
if [ "${1-}" = --check ]; then check=yes; shift; fi
if [ $# = 0 ]; then
  for folder in solutions/*/; do set -- "$@" "$(basename "$folder")"; done
fi
grader=${GRADER:-build/bin/grader}
status=0
derived=$(mktemp)
trap 'rm -f "$derived"' EXIT

for lab in "$@"; do
  for solution in solutions/"$lab"/*.cu; do
    skeleton=labs/$lab/$(basename "$solution")
    derive "$solution" > "$derived"
    if [ "$check" = no ]; then
      cp "$derived" "$skeleton"
    elif ! diff -u --label "$skeleton" --label "derived from $solution" "$skeleton" "$derived" >&2; then
      echo "$skeleton differs from $solution outside its TODO regions: run grader/setup/derive-labs.sh $lab" \
        >&2
      status=1
    fi
  done
  if [ "$check" = no ] && [ -x "$grader" ]; then
    for skeleton in labs/"$lab"/*.cu; do
      name=$(basename "$skeleton" .cu)
      sed -i "/name = \"$name\";/,/skeleton = /s/skeleton = \"[0-9a-f]*\"/skeleton = \"$("$grader" \
        fingerprint "$skeleton")\"/" \
        "labs/$lab/lab.cfg"
    done
  fi
  for skeleton in labs/"$lab"/*.cu; do
    if [ ! -e "solutions/$lab/$(basename "$skeleton")" ]; then
      echo "$skeleton has no solution" >&2
      status=1
    fi
  done
done
exit $status
