#!/bin/sh
# In: a lab. Out: exit 0 if the lab is sound; otherwise one line for each fault.
# The idea: four kinds of submissions show whether a lab is sound, so each kind is graded. Solutions get all
# points. Untouched skeletons are recognised. Skeletons with changes fall short, with a message. Every mutant
# breaks the rule that it names and loses the points. Besides, single changes of the solutions are made by
# rule, and each must be found out. Hidden cases, hints and the handout are checked as well.
# $VALIDATE_IN: a folder that is made for what is graded, and removed; a temporary one if it isn't set.
#   validate.sh LAB [N]      N: how many single changes are tried per exercise; 0: all
set -eu
cd "$(dirname "$0")/../.."
lab=${1:?validate.sh LAB [N]}
changes=${2:-}
grader=${GRADER:-build/bin/grader}
device=${DEVICE:-auto}
work=${VALIDATE_IN:-$(mktemp -d)}
mkdir -p "$work"
trap 'rm -rf "$work"' EXIT
failed=0

complain() {
  echo "  not sound: $*"
  failed=1
}
# What may be meant so.
doubt() { echo "  doubtful: $*"; }
# Prints a number and its noun: 1 exercise, 2 exercises.
count() { if [ "$1" = 1 ]; then echo "$1 $2"; else echo "$1 $2s"; fi; }

[ -e "labs/$lab/lab.cfg" ] ||
  { echo "validate: there is no lab $lab: labs/$lab/lab.cfg is missing" >&2; exit 2; }
$grader cases "$lab" >"$work/cases" || exit 2
exercises=$(cut -d'|' -f1 "$work/cases" | awk '!seen[$0]++')

# grade WHAT FOLDER NAME: grades one submission into $work/NAME.json. If there is no record afterwards, the
# lab itself can't be read, and nothing else is tried.
grade() {
  rm -f "$work/$3.json"
  $grader grade "$1" --submission "$2" --device "$device" --trusted --seed 1 --deadline 100 --format json \
    -o "$work/$3.json" 2>"$work/said" || true
  [ -s "$work/$3.json" ] || { cat "$work/said" >&2; exit 2; }
}

# judged NAME: prints a line for each exercise of a record: name|verdict|points|most points|untouched|how it
# was built|the first message. The indentation tells exercises from their stages.
judged() {
  awk '
    function value(line) {
      sub(/^ *"[a-z_]*": /, "", line)
      sub(/,$/, "", line)
      gsub(/^"|"$/, "", line)
      return line
    }
    /^      "(name|verdict|points|max_points|not_started)": / {
      key = $1
      gsub(/[":]/, "", key)
      of[key] = value($0)
    }
    /^          "name": / { stage = value($0) }
    /^          "verdict": / { verdict = value($0); if (stage == "build") built = verdict }
    /^          "headline": / {
      if (said == "" && (verdict == "fail" || verdict == "error")) said = value($0)
    }
    /^    }/ {
      print of["name"] "|" of["verdict"] "|" of["points"] + 0 "|" of["max_points"] + 0 "|" \
        of["not_started"] "|" built "|" said
      said = built = ""
    }' "$work/$1.json"
}

echo "$lab: solutions"
grade "$lab" "solutions/$lab" solutions
judged solutions >"$work/judged"
solutions_pass=1
while IFS='|' read -r exercise verdict points most _ _ what; do
  [ "$verdict" = pass ] || solutions_pass=0
  if [ "$verdict" = error ]; then
    complain "$exercise: the grader itself fails at the solution: it $what"
  elif [ "$points" != "$most" ] || [ "$verdict" != pass ]; then
    complain "$exercise: the solution gets $points of $most points: it $what" \
      "(build/bin/grader grade $lab/$exercise --submission solutions/$lab)"
  fi
done <"$work/judged"

echo "$lab: skeletons"
sh grader/setup/derive-labs.sh --check "$lab" >"$work/said" 2>&1 ||
  complain "labs/$lab is not derived from solutions/$lab: $(tail -n 1 "$work/said")"
mkdir "$work/begun"
for exercise in $exercises; do
  { cat "labs/$lab/$exercise.cu"; echo '// begun'; } >"$work/begun/$exercise.cu"
done
grade "$lab" "labs/$lab" untouched
judged untouched >"$work/judged"
while IFS='|' read -r exercise _ _ _ untouched _ _; do
  [ "$untouched" = true ] ||
    complain "$exercise: the skeleton is not known as untouched: its fingerprint in lab.cfg is another" \
      "(run grader/setup/derive-labs.sh $lab)"
done <"$work/judged"
grade "$lab" "$work/begun" begun
judged begun >"$work/judged"
while IFS='|' read -r exercise verdict points most _ built what; do
  if [ "$verdict" = pass ]; then
    complain "$exercise: the skeleton passes, with $points of $most points: nothing is left to do in it"
  elif [ "$verdict" = error ]; then
    complain "$exercise: the grader itself fails at the skeleton: it $what"
  elif [ "$built" != pass ]; then
    complain "$exercise: the skeleton does not compile: it $what"
  fi
done <"$work/judged"

echo "$lab: mutants"
mutants=0
for mutant in grader/tests/mutants/"$lab"-*.mutant; do
  [ -e "$mutant" ] || continue
  mutants=$((mutants + 1))
  from=$(sed -n 's,^// from: ,,p' "$mutant")
  exercise=$(basename "$from" .cu)
  rm -rf "$work/mutant"
  mkdir "$work/mutant"
  awk -f grader/tests/corpus/mutate.awk "$mutant" "$from" >"$work/mutant/$exercise.cu" ||
    { complain "$mutant does not fit $from"; continue; }
  grade "$lab/$exercise" "$work/mutant" one
  judged one >"$work/judged"
  IFS='|' read -r _ verdict points most _ _ what <"$work/judged"
  if [ "$verdict" = error ]; then
    complain "$(basename "$mutant"): the grader itself fails at it: it $what"
    continue
  elif [ "$points" = "$most" ]; then
    complain "$(basename "$mutant") loses no points: it gets $points of $most"
    continue
  fi
  # What is told first depends on the case; the mutant says which rules may be told beside the one.
  sed -n 's,^// also: \(.*\),"rule": "\1",p' "$mutant" >"$work/also"
  rules=$(sed -n 's,^// expect: fault ,,p' "$mutant")
  for rule in $rules; do
    echo "\"rule\": \"$rule\"" | cat - "$work/also" >"$work/allowed"
    grep -qF -f "$work/allowed" "$work/one.json" || complain "$(basename "$mutant") is not told of $rule"
  done
done
for exercise in $exercises; do
  grep -q -l "^// from: solutions/$lab/$exercise.cu" grader/tests/mutants/*.mutant 2>/dev/null ||
    complain "$exercise has no mutant in grader/tests/mutants"
done

echo "$lab: single changes"
if [ "$solutions_pass" = 1 ]; then
  status=0
  $grader mutants "$lab" ${changes:+--mutants "$changes"} || status=$?
  [ "$status" != 2 ] || exit 2
  [ "$status" = 0 ] || failed=1
else
  echo '  not tried, since a solution falls short'
fi

# What lab.cfg says of one exercise.
part_of_lab_cfg() {
  awk -v exercise="$1" \
    '{ sub(/(^|[ \t])(\/\/|#).*/, "") } /name *= *"/ { here = index($0, "\"" exercise "\"") } here' \
    "labs/$lab/lab.cfg"
}

echo "$lab: hidden cases, hints, words"
for exercise in $exercises; do
  awk -F'|' -v exercise="$exercise" '$1 == exercise && $2 != "hidden" { known[$4] = $3 }
    $1 == exercise && $2 == "hidden" {
      n++
      if ($4 in known) print "the hidden case \"" $3 "\" is the case \"" known[$4] "\" again: sizes " $4
      known[$4] = $3
    }
    END { if (!n) print "has no hidden cases: grader/hidden is to have NAME.cfg" }' \
    "$work/cases" >"$work/said"
  while IFS= read -r line; do complain "$exercise: $line"; done <"$work/said"
  hints=labs/$lab/hints/${exercise%%-*}.md
  if [ ! -e "$hints" ]; then
    complain "$exercise: there are no hints: $hints is missing"
  elif grep -q '^in_order = true;' "labs/$lab/lab.cfg" && grep -q '^## 1$' "$hints"; then
    : # small steps have one hint at least
  elif [ "$(grep -c '^## [123]$' "$hints")" != 3 ]; then
    complain "$exercise: $hints has not three steps (lines ## 1, ## 2, ## 3)"
  fi
  if [ -e "$hints" ]; then
    awk '/^## / { if (step && !words) print step; step = $2; words = 0; next } NF && !/^#/ { words = 1 }
      END { if (step && !words) print step }' "$hints" >"$work/said"
    while IFS= read -r step; do doubt "$exercise: hint $step in $hints is empty"; done <"$work/said"
  fi
  awk -F'|' -v exercise="$exercise" '$1 == exercise && $2 == "doubt" { print $3 }' "$work/cases" >"$work/said"
  while IFS= read -r line; do doubt "$exercise: $line"; done <"$work/said"
  # Only a GPU would miss them.
  if part_of_lab_cfg "$exercise" | grep -q '^ *bandwidth *='; then
    kernels=$(sed -n 's/.*\.trusted = "\([^"]*\)".*/\1/p' "$(grep -l "\.name = \"$exercise\"" \
      "grader/exercises/$lab"/*.c)")
    own=grader/exercises/$lab/trusted.cu
    kernels=${kernels:-NAME}
    if ! grep -qs "^TRUSTED($kernels)" "$own" || ! grep -qs "trusted_${kernels}_check" "$own"; then
      complain "$exercise: it is timed, but $own lacks TRUSTED($kernels) or trusted_${kernels}_check"
    fi
  fi
  part_of_lab_cfg "$exercise" | grep -q 'counters *=' ||
    doubt "$exercise: labs/$lab/lab.cfg has no requirements for it: any kernel with the right values passes"
  # The step to which lab.cfg sends the student.
  part_of_lab_cfg "$exercise" |
    grep -o 'step *= *[0-9]*' | sed 's/.*[= ]//' | sort -un | while IFS= read -r step; do
      grep -q "TODO($step)" "labs/$lab/$exercise.cu" || echo "$step"
    done >"$work/said"
  while IFS= read -r step; do complain \
    "$exercise: labs/$lab/lab.cfg names step $step, and there is no TODO($step) in labs/$lab/$exercise.cu"; \
    done <"$work/said"
  grep -q "$exercise" "labs/$lab/README.md" || complain "$exercise: labs/$lab/README.md says nothing of it"
done
for page in docs/contents docs/index.md; do
  [ ! -e "$page" ] || grep -q "labs/$lab/README.md" "$page" ||
    doubt "$page does not lead to labs/$lab/README.md"
done

# builds WHAT FOLDER: the unpacked archive makes a grader and its runners that know the lab. The objects made
# here are taken along, so only what depends on which labs there are is compiled.
builds() {
  mkdir -p "$2/build"
  for part in obj setup.mk setup.h; do [ ! -e "build/$part" ] || cp -a "build/$part" "$2/build/"; done
  runners=$(echo "$exercises" | sed "s,.*,build/runner/$lab/&.o,")
  # shellcheck disable=SC2086 # names without blanks
  (cd "$2" && env -u MAKELEVEL -u MAKEFLAGS KIT="${KIT:-$house/.kit}" make build/bin/grader $runners &&
    build/bin/grader cases "$lab") >"$work/said" 2>&1 ||
    { complain "$1 does not build:"; tail -n 5 "$work/said" | sed 's/^/    /'; }
}

echo "$lab: archives"
if ! sh grader/setup/handout.sh "$lab" "$work/handout.tar.gz" >"$work/said" 2>&1; then
  complain 'the handout would tell what is hidden:'
  sed 's/^/    /' "$work/said"
elif [ "$failed" = 1 ]; then
  echo '  not built, since the lab is not sound'
else
  house=$PWD
  mkdir "$work/handout" "$work/zip" "$work/gradescope"
  tar -xzf "$work/handout.tar.gz" -C "$work/handout"
  builds 'the handout' "$work/handout/tma-$lab"
  if command -v zip >/dev/null && command -v unzip >/dev/null; then
    sh grader/setup/gradescope-zip.sh "$lab" "$work/autograder.zip" >"$work/said" 2>&1 &&
      unzip -q "$work/autograder.zip" -d "$work/zip" && tar -xzf "$work/zip/kit.tar.gz" -C "$work/gradescope"
    builds "Gradescope's autograder" "$work/gradescope"
  fi
fi

[ "$failed" = 0 ] || exit 1
echo "$lab is sound: $(count "$(echo "$exercises" | wc -l)" exercise), $(count "$mutants" mutant)," \
  "$(count "$(grep -c '|hidden|' "$work/cases")" 'hidden case')"
