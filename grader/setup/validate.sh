#!/bin/sh
# In: a lab. Out: exit 0 if it is sound, else what isn't, a line each. The idea: a lab is a claim about four kinds of submissions, so each kind is
# handed in: the solutions get all points, the skeletons are known as such and fall short with a message once they are begun, every
# mutant breaks the rule it is there for and loses those points; and the rest is compared: hidden cases, hints, handout.
#   validate.sh LAB
set -eu
cd "$(dirname "$0")/../.."
lab=${1:?validate.sh LAB}
grader=${GRADER:-build/bin/grader}
device=${DEVICE:-auto}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

complain() {
  echo "  not sound: $1"
  failed=1
}

[ -e "labs/$lab/lab.cfg" ] || { echo "validate: there is no lab $lab: labs/$lab/lab.cfg is missing" >&2; exit 2; }
$grader cases "$lab" >"$work/cases" || exit 2
exercises=$(cut -d'|' -f1 "$work/cases" | awk '!seen[$0]++')

# grade WHAT FOLDER NAME: the record of one submission, in $work/NAME.json; $status is the grader's.
grade() {
  status=0
  $grader grade "$1" --submission "$2" --device "$device" --trusted --seed 1 --deadline 5 --format json -o "$work/$3.json" 2>"$work/said" || status=$?
}
# of FIELD NAME: the first such number in a record.
of() { sed -n "s/^  \"$1\": \([0-9.]*\),*\$/\1/p" "$work/$2.json" | head -n 1; }

echo "$lab: solutions"
grade "$lab" "solutions/$lab" solutions
if [ "$status" != 0 ]; then
  complain "solutions/$lab does not pass (exit $status): build/bin/grader grade $lab --submission solutions/$lab"
elif [ "$(of score solutions)" != "$(of max_score solutions)" ]; then
  complain "solutions/$lab gets $(of score solutions) of $(of max_score solutions) points"
fi

echo "$lab: skeletons"
sh grader/setup/derive-labs.sh --check "$lab" >"$work/said" 2>&1 || complain "labs/$lab is not derived from solutions/$lab: $(tail -n 1 "$work/said")"
mkdir "$work/begun"
for exercise in $exercises; do
  { cat "labs/$lab/$exercise.cu"; echo '// begun'; } >"$work/begun/$exercise.cu"
done
grade "$lab" "labs/$lab" untouched
[ "$(grep -c '"not_started": true' "$work/untouched.json")" = "$(echo "$exercises" | wc -l)" ] ||
  complain "not every skeleton is known as untouched: run grader/setup/derive-labs.sh $lab"
grade "$lab" "$work/begun" begun
[ "$status" = 1 ] || complain "skeletons that are begun end with $status, not 1"
for exercise in $exercises; do
  grade "$lab/$exercise" "$work/begun" one
  grep -q '"verdict": "fail"' "$work/one.json" || complain "$exercise: the skeleton, begun, does not fail"
  ! grep -A 8 '"name": "build"' "$work/one.json" | grep -q '"verdict": "fail"' || complain "$exercise: the skeleton does not compile"
done

echo "$lab: mutants"
mutants=0
for mutant in grader/tests/mutants/"$lab"-*.mutant; do
  [ -e "$mutant" ] || continue
  mutants=$((mutants + 1))
  from=$(sed -n 's,^// from: ,,p' "$mutant")
  exercise=$(basename "$from" .cu)
  rm -rf "$work/mutant"
  mkdir "$work/mutant"
  awk -f grader/tests/corpus/mutate.awk "$mutant" "$from" >"$work/mutant/$exercise.cu" || { complain "$mutant does not fit $from"; continue; }
  grade "$lab/$exercise" "$work/mutant" one
  if [ "$status" != 1 ]; then
    complain "$(basename "$mutant") ends with $status: it should fall short"
    continue
  fi
  rules=$(sed -n 's,^// expect: fault ,,p' "$mutant")
  for rule in $rules; do
    grep -q "\"rule\": \"$rule\"" "$work/one.json" || complain "$(basename "$mutant") is not told of $rule"
  done
done
for exercise in $exercises; do
  grep -q -l "^// from: solutions/$lab/$exercise.cu" grader/tests/mutants/*.mutant 2>/dev/null || complain "$exercise has no mutant in grader/tests/mutants"
done

echo "$lab: hidden cases, hints, words"
for exercise in $exercises; do
  awk -F'|' -v exercise="$exercise" '$1 == exercise && $2 != "hidden" { known[$4] = $3 }
    $1 == exercise && $2 == "hidden" { n++; if ($4 in known) print "the hidden case \"" $3 "\" is the case \"" known[$4] "\" again: sizes " $4 }
    END { if (!n) print "has no hidden cases: grader/hidden is to have NAME.cfg" }' "$work/cases" >"$work/said"
  while IFS= read -r line; do complain "$exercise: $line"; done <"$work/said"
  hints=labs/$lab/hints/${exercise%%-*}.md
  [ "$(grep -c '^## [123]$' "$hints" 2>/dev/null)" = 3 ] || complain "$exercise: $hints has not three steps"
  grep -q "$exercise" "labs/$lab/README.md" || complain "$exercise: labs/$lab/README.md says nothing of it"
done
sh grader/setup/handout.sh "$lab" "$work/handout.tar.gz" >"$work/said" 2>&1 || { complain 'the handout would tell what is hidden:'; sed 's/^/    /' "$work/said"; }

[ "$failed" = 0 ] || exit 1
echo "$lab is sound: $(echo "$exercises" | wc -l) exercises, $mutants mutants, $(grep -c '|hidden|' "$work/cases") hidden cases"
