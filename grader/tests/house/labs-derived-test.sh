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

# No hint has a line of the answer word for word, nor does the lab's page. Calls without arguments are none.
answers() {
  sed -n '/BEGIN SOLUTION/,/END SOLUTION/p' "$1" |
    sed 's,//.*,,; s,^ *,,; s,[; {]*$,,' | grep '[a-z_]*(.*[a-z].*)\|=' | grep '.\{12\}' |
    grep -v '^if (threadIdx.x == 0)$\|^if (error == \|^for ' || true
}
gives_away() { # ANSWERS TEXT: prints the answers that the text has
  tr -s ' \n' ' ' <"$2" >"$copy/text"
  grep -oFf "$1" "$copy/text" || true
}
away=''
for solution in solutions/*/*.cu; do
  lab=$(basename "$(dirname "$solution")")
  hints=labs/$lab/hints/$(basename "$solution" | cut -d- -f1).md
  answers "$solution" >"$copy/answers"
  [ -s "$copy/answers" ] || [ "$lab" = lab8 ] || { echo "$solution: no answers are found"; exit 1; }
  [ -s "$copy/answers" ] || continue
  for text in "$hints" "labs/$lab/README.md"; do
    said=$(gives_away "$copy/answers" "$text")
    [ -z "$said" ] || { echo "$text gives away: $said"; away=1; }
  done
done
[ -z "$away" ] || exit 1
printf 'wait(&filled, round %% 2)\n' >"$copy/answers"
# shellcheck disable=SC2016 # these are Markdown's backticks
printf 'Call `wait(&filled,\n  round %% 2);` there.\n' >"$copy/hint"
[ "$(gives_away "$copy/answers" "$copy/hint")" ] || { echo 'an answer in a hint is not noticed'; exit 1; }

# No message has one either. Strings that the compiler joins are joined here.
for solution in solutions/*/*.cu; do answers "$solution"; done | sort -u >"$copy/answers"
strings() { # FILE ..
  tr -s ' \n' ' ' <"$1" | sed 's/" "//g'
}
for text in grader/virtual-hopper/rules/*.c grader/virtual-hopper/rules/*.def grader/referee/*.c \
  grader/report/*.c grader/exercises/*/*.c labs/*/lab.cfg; do
  strings "$text" >"$copy/strings"
  said=$(gives_away "$copy/answers" "$copy/strings")
  [ -z "$said" ] || { echo "$text gives away: $said"; away=1; }
done

# The guide and the pages of rules show whole kernels, and a single call of theirs may be one of an answer's.
# Two lines that follow each other in an answer don't do so there, unless every kernel has them.
pairs() {
  awk 'function idiom(lines) {
      return lines ~ /__syncthreads|^init_barrier\(&loaded, 1\)|^if \(threadIdx.x == 0\) \{/
    }
    /BEGIN SOLUTION/ { inside = 1; last = ""; next }
    /END SOLUTION/ { inside = 0 }
    inside {
      sub(/\/\/.*/, ""); gsub(/[ \t]+/, " "); sub(/^ /, ""); sub(/ $/, "")
      if (length($0) < 4) next
      both = last " " $0
      if (last != "" && both ~ /\([^()]*[a-z]/ && !idiom(both)) print both
      last = $0
    }' "$1"
}
for solution in solutions/*/*.cu; do pairs "$solution"; done | sort -u >"$copy/pairs"
[ "$(wc -l <"$copy/pairs")" -gt 60 ] || { echo 'no lines of answers are found'; exit 1; }
for text in docs/guide/*.md docs/rules/*.md; do
  sed 's,//.*,,' "$text" >"$copy/bare"
  said=$(gives_away "$copy/pairs" "$copy/bare")
  [ -z "$said" ] || { echo "$text gives away: $said"; away=1; }
done
[ -z "$away" ] || exit 1

printf '"Call wait(&full[stage], "\n    "parity), then go on."\n' >"$copy/message"
strings "$copy/message" >"$copy/strings"
[ "$(gives_away "$copy/answers" "$copy/strings")" ] || { echo 'an answer in a message is missed'; exit 1; }
printf '    wgmma_fence();\n    for (uint32_t i = 0; i < STEP / 16; i++)\n' >"$copy/bare"
[ "$(gives_away "$copy/pairs" "$copy/bare")" ] || { echo 'an answer on a page is not noticed'; exit 1; }
