#!/bin/sh
# In: labs/ and solutions/. Out: exit 0 if each skeleton is its solution without the answers, and if
# derive-labs.sh notices when it isn't.
# The idea: a check that can't fail proves nothing, so both outcomes are tried.
set -eu
cd "$(dirname "$0")/../../.."
derive=grader/setup/derive-labs.sh

"$derive" --check

copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
mkdir -p "$copy/grader/setup"
cp -r labs solutions "$copy/"
cp "$derive" "$copy/grader/setup/"

# must_notice WHAT: the check of the copy has to fail.
must_notice() {
  if "$copy/$derive" --check 2>"$copy/said"; then
    echo "derive-labs.sh --check did not notice $1"
    exit 1
  fi
}

echo '// one line more' >>"$copy/labs/lab9/2-tiles-2d.cu"
must_notice 'a line that only the skeleton has'
"$copy/$derive"
"$copy/$derive" --check

touch "$copy/labs/lab9/5-nothing.cu"
must_notice 'a skeleton without a solution'
rm "$copy/labs/lab9/5-nothing.cu"

sed -i '0,/END SOLUTION/{/END SOLUTION/d}' "$copy/solutions/lab9/1-bulk-copy-1d.cu"
must_notice 'a solution that never ends'
grep -q 'BEGIN SOLUTION within a solution' "$copy/said"

# Each exercise has hints in three steps, or at least one, where each exercise is itself a step.
for solution in solutions/*/*.cu; do
  hints=${solution#solutions/}
  hints=labs/${hints%%/*}/hints/$(basename "$solution" | cut -d- -f1).md
  least=3
  if grep -q '^in_order = true;' "${hints%/hints/*}/lab.cfg"; then least=1; fi
  if [ "$(grep -c '^## [123]$' "$hints")" -lt $least ]; then
    echo "$hints has less than $least steps"
    exit 1
  fi
done
