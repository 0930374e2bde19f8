#!/bin/sh
# In: names of attacks (all of them when none is given). Out: the walls as the doctor finds them here, then
# one line for each attack, the messages of those that did not end as they should, and last of all 'N of M as
# expected'; exit 1 when one was not. Needs a Hopper GPU and a built kit.
# The idea: attacks that should end on the virtual Hopper, before the GPU is used, run side by side; those
# that reach it nevertheless wait for one another, up to minutes. The others run on the GPU one after another.
# An honest submission comes last: it shows that the GPU still works.
set -u
cd "$(dirname "$0")/../../.." || exit 2

# one FOLDER NAME: runs it, and leaves its line and its messages in the folder.
if [ "${1-}" = --one ]; then
  start=$(date +%s)
  end='NOT so'
  if timeout -k 5 500 sh grader/tests/attacks-test.sh gpu "$3" >"$2/$3.said" 2>&1; then end='as expected'; fi
  printf '%-32s %-12s %3d s\n' "$3" "$end" $(($(date +%s) - start)) | tee "$2/$3.line"
  [ "$end" = 'as expected' ] || head -n 30 "$2/$3.said"
  exit 0
fi

build/bin/grader doctor || echo 'the doctor is not content'
if [ $# = 0 ]; then
  for file in grader/tests/attacks/*; do set -- "$@" "$(basename "${file%.*}")"; done
fi
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
for name in "$@"; do
  list=early
  if grep -q -e 'expect: exit 0' -e 'expect on gpu' grader/tests/attacks/"$name".*; then list=late; fi
  echo "$name" >>"$out/$list"
done
touch "$out/early" "$out/late"
xargs -r -P "${JOBS:-$(nproc)}" -n 1 sh "$0" --one "$out" <"$out/early"
xargs -r -n 1 sh "$0" --one "$out" <"$out/late"
echo honest-own-header | xargs -n 1 sh "$0" --one "$out"
right=$(cat "$out"/*.line | grep -c 'as expected')
count=$(cat "$out"/*.line | wc -l)
echo "$right of $count as expected"
[ "$right" = "$count" ]
