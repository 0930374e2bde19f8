#!/bin/sh
# In: names of attacks (all of them when none is given). Out: the walls as the doctor finds them here, then one line for each attack, the messages of
# those that did not end as they should, and last of all 'N of M as expected'; exit 1 when one was not. Needs a Hopper GPU and a built kit.
# The idea: the attacks one after another, since each has the GPU to itself, and after each of them an honest submission every now
# and then, which shows that the GPU was not left broken.
set -u
cd "$(dirname "$0")/../../.." || exit 2
make -s build/bin/grader build/bin/sandbox-enter build/bin/sandbox-climb >/dev/null || exit 2
make -s -k test-parts-gpu >/dev/null 2>&1
build/bin/grader doctor || echo 'the doctor is not content'
if [ $# = 0 ]; then
  for file in grader/tests/attacks/*; do set -- "$@" "$(basename "${file%.*}")"; done
fi
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
right=0
count=0

one() {
  count=$((count + 1))
  start=$(date +%s)
  if timeout -k 5 180 sh grader/tests/attacks-test.sh gpu "$1" >"$out/said" 2>&1; then
    right=$((right + 1))
    printf '%-32s as expected   %3d s\n' "$1" $(($(date +%s) - start))
  else
    printf '%-32s NOT so        %3d s\n' "$1" $(($(date +%s) - start))
    head -n 30 "$out/said"
  fi
}

for attack in "$@"; do
  one "$attack"
  [ $((count % 20)) != 0 ] || one honest-extra-files
done
one honest-own-header
echo "$right of $count as expected"
[ $right = $count ]
