#!/bin/sh
# In one run of a batch the same files are graded once, and everybody who has them gets that verdict. All that
# is written is the same as with --each, which grades every submission. Another source, another header beside
# it and --regrade have it graded for itself; a source that asks what its file is called learns nothing that
# another submission is not told; and nobody's report names the other. Code that is the same is run once: if
# it passes, whatever its source says beside, and else if that is nothing that a report would show.
set -eu
cd "$(dirname "$0")/../../.."
work=$(sh grader/tests/work-folder.sh same-files $$)
trap 'rm -rf "$work"' EXIT
grader=build/bin/grader

fail() {
  echo "$1"
  [ ! -e "$work/said" ] || tail -n 30 "$work/said"
  exit 1
}

$grader doctor >"$work/said" 2>&1 || true
if grep -q 'bubblewrap cannot build its walls here' "$work/said"; then
  echo 'no walls, so nothing is shared'
  exit 0
fi

# batch OUT WORDS..: grades the class into it.
batch() {
  out=$1
  class=class
  [ "${out#alike}" = "$out" ] || class=alike-class
  shift
  status=0
  timeout 2000 $grader batch lab9 "$work/$class" --out "$work/$out" --device virtual --seed 7 "$@" \
    >"$work/said" 2>&1 || status=$?
  [ "$status" = 1 ] || fail "batch ended with $status, not 1"
}

# shared OUT NAME: how many of the exercises were taken from somebody else.
shared() { grep -c 'so is the verdict$' "$work/$1/logs/$2.log" || true; }

# expect OUT NAME COUNT
expect() {
  got=$(shared "$1" "$2")
  [ "$got" = "$3" ] || fail "$1: $2 has $got shared verdicts, not $3"
}

# ran OUT NAME COUNT WHAT: so many of NAME's exercises were not run, since the code was, and WHAT is shared.
ran() {
  got=$(grep -c "the code is that of .*; so is $4\$" "$work/$1/logs/$2.log" || true)
  [ "$got" = "$3" ] || fail "$1: of $2, $got exercises share '$4', not $3"
}

# ann's and bob's files are the same but for the one that bob has begun; cyd's are ann's, with a header that
# nothing includes. dee's and eve's break a rule in the same way; fay's, too, on another line. gus and hal
# have a kernel that is right for him alone whose folder's name ends with an `l`. ivy's and jon's give the
# same wrong values. In the class `alike-class`, kim's program is ann's with a comment behind it, lee's with
# one before it, and max's with another name, as long, for what has none in the code; nan's has more threads
# in a block, oda's launcher has one check more. pam's and pat's break a rule in one line; ray's, quo's and
# sue's give the same wrong values. pat's and sue's have other lines of comment, quo's says more behind its
# code.
one=1-bulk-copy-1d
for name in ann bob cyd dee eve fay gus hal ivy jon; do mkdir -p "$work/class/$name"; done
for name in ann kim lee max nan oda pam pat quo ray sue; do mkdir -p "$work/alike-class/$name"; done
for name in ann bob cyd; do
  cp solutions/lab9/$one.cu labs/lab9/4-store-commit-groups.cu "$work/class/$name/"
done
echo '// begun' >>"$work/class/bob/4-store-commit-groups.cu"
echo '#define MINE 1' >"$work/class/cyd/mine.cuh"
awk -f grader/tests/corpus/mutate.awk grader/tests/mutants/lab9-1-no-fence.mutant solutions/lab9/$one.cu \
  >"$work/class/dee/$one.cu"
sed 's/+= 1/+= 2/' solutions/lab9/$one.cu >"$work/wrong.cu"
! cmp -s "$work/wrong.cu" solutions/lab9/$one.cu || fail 'the solution has changed: nothing is wrong'
cp "$work/class/dee/$one.cu" "$work/class/eve/"
for name in ivy jon; do cp "$work/wrong.cu" "$work/class/$name/$one.cu"; done
{ echo '//' && cat "$work/class/dee/$one.cu"; } >"$work/class/fay/$one.cu"
sed 's/+= 1;/+= (__FILE__[sizeof __FILE__ - 20] == '"'l'"') ? 1 : 2;/' solutions/lab9/$one.cu \
  >"$work/class/hal/$one.cu"
grep -q __FILE__ "$work/class/hal/$one.cu" || fail 'the solution has changed: nobody asks for the name'
cp "$work/class/hal/$one.cu" "$work/class/gus/"

batch once --jobs 2
expect once ann 0
expect once bob 1
expect once cyd 0
expect once fay 0
[ $(($(shared once dee) + $(shared once eve))) = 1 ] || fail 'the same wrong kernel is graded twice'
[ $(($(shared once gus) + $(shared once hal))) = 1 ] || fail 'the same files are graded twice'
batch each --each --jobs 1
! grep -q 'so is' "$work"/each/logs/*.log || fail '--each grades not each'
for name in gus hal; do
  grep -q "^\"$name\",fail" "$work/each/grades.csv" || fail "$name's program is told whose it is"
done

# compare ONE OTHER: everything that is written, but for the seconds that it took.
compare() {
  for out in "$1" "$2"; do
    rm -rf "${work:?}/$out/logs" "$work/$out/last.json"
    find "$work/$out" -type f -exec sed -i -E \
      's/[0-9.]+ s\b|"seconds": [0-9.e-]+|data-time="[0-9.]+"/TIME/g; /: TIME<\/li>$/d' {} +
    find "$work/$out" -type f -exec sed -i "s,$work/$out,OUT,g" {} +
  done
  diff -r "$work/$1" "$work/$2" >"$work/said" || fail 'a verdict used again is not that of grading again'
}
compare once each

# The line to edit, and how to see the numbers again, name one's own folder.
for pair in 'dee eve' 'eve dee' 'ivy jon' 'jon ivy'; do
  ! grep -q "submissions/${pair#* }" "$work/once/results/${pair% *}.json" || fail "${pair% *}'s names another"
done
for name in ivy jon; do
  grep -q "submission [^ ]*submissions/$name --seed\|SUBMISSION=[^ ]*submissions/$name SEED" \
    "$work/once/results/$name.json" || fail "$name's result doesn't say how to see the numbers again"
done
grep -q '1-bulk-copy-1d.cu:[0-9]' "$work/once/feedback/eve.txt" || fail "eve's report names no line"

# Anew means anew, and what was kept from an earlier run is not used.
batch once --regrade bob
expect once bob 0

# ---- the same code ----

cp solutions/lab9/$one.cu "$work/alike-class/ann/"
{ cat solutions/lab9/$one.cu && echo '// mine'; } >"$work/alike-class/kim/$one.cu"
{ echo '// mine' && cat solutions/lab9/$one.cu; } >"$work/alike-class/lee/$one.cu"
sed 's/\<length\>/extent/g' solutions/lab9/$one.cu >"$work/alike-class/max/$one.cu"
sed 's/THREADS = 160/THREADS = 192/' solutions/lab9/$one.cu >"$work/alike-class/nan/$one.cu"
sed 's/count == 0 ||/count == 0 || count % 2 != 0 ||/' solutions/lab9/$one.cu >"$work/alike-class/oda/$one.cu"
for name in max nan oda; do
  ! cmp -s "$work/alike-class/$name/$one.cu" solutions/lab9/$one.cu || fail "$name has the solution itself"
done
cp "$work/class/dee/$one.cu" "$work/alike-class/pam/"
{ cat "$work/class/dee/$one.cu" && echo '// mine'; } >"$work/alike-class/pat/$one.cu"
sed 's/^  async_proxy_fence();.*/& \/\/ mine/' "$work/wrong.cu" >"$work/alike-class/quo/$one.cu"
cp "$work/wrong.cu" "$work/alike-class/ray/$one.cu"
sed '1s/.*/\/\/ sue/' "$work/wrong.cu" >"$work/alike-class/sue/$one.cu"

batch alike --jobs 1
! cmp -s "$work/alike-class/quo/$one.cu" "$work/wrong.cu" || fail "the solution has changed: quo has ray's"
for name in kim max pat sue; do ran alike $name 1 'all that it shows'; done
ran alike lee 1 'its pass' # a prediction names lines, which are others
for name in ann nan oda pam quo ray; do
  ran alike $name 0 'all that it shows'
  ran alike $name 0 'its pass'
done
batch alike-each --each --jobs 2
compare alike alike-each
batch alike --regrade kim
ran alike kim 0 'all that it shows'
