#!/bin/sh
# In: a lab and the name of a new exercise, NUMBER-NAME, such as 5-my-kernel. Out: all files of a working
# exercise: a copy of 1-bulk-copy-1d under the new name, to be changed part by part.
# The idea: `make validate` says from the first minute what is still missing.
#   new-exercise.sh LAB NUMBER-NAME
set -eu
cd "$(dirname "$0")/../.."
lab=${1:?new-exercise.sh LAB NUMBER-NAME}
name=${2:?new-exercise.sh LAB NUMBER-NAME}
number=${name%%-*}
case $name in [1-9]*-[a-z]*) ;; *) echo \
  "new-exercise: $name: must be a number, - and small letters, such as 5-my-kernel" >&2; exit 2 ;; esac
case $lab in [a-z]*[!a-z0-9_]* | [!a-z]*) echo \
  "new-exercise: $lab: a lab's name is small letters, digits and _, such as lab10" >&2; exit 2 ;; esac
[ ! -e "solutions/$lab/$name.cu" ] ||
  { echo "new-exercise: solutions/$lab/$name.cu is there already" >&2; exit 2; }
words=${name#*-}
identifier=$(echo "$words" | tr - _)
model=1-bulk-copy-1d

# A new lab: its folders, and files that hold no exercise yet.
new_lab() {
  mkdir -p "labs/$lab/hints" "solutions/$lab" "grader/exercises/$lab" "grader/hidden/$lab"
  guard=TMA_LAB_$(echo "$lab" | tr '[:lower:]' '[:upper:]')_H
  awk -v guard="$guard" '
    { gsub(/TMA_LAB_LAB9_H/, guard) }
    /^\/\/ [0-9]-/ { skip = 1 }
    /^#ifdef __cplusplus$/ { skip = 0 }
    !skip { print }' labs/lab9/lab9.h | sed 's/these four functions/these functions/' >"labs/$lab/$lab.h"
  cat >"labs/$lab/lab.cfg" <<END
// What the grader asks of $lab. The keys are described in docs/reference/lab-cfg.md.

lab = "$lab";
title = "$lab";

exercises = (
);
END
  cat >"labs/$lab/README.md" <<END
# $lab

What this lab is about, and how to work: see labs/lab9/README.md for one that is complete.
END
  # The judge's own kernels, for the copied exercise.
  cat >"grader/exercises/$lab/trusted.cu" <<END
// $lab's own kernels of the referee: inputs and right answers, on the GPU. What all labs share is in
// trusted.cuh, which also says what belongs here.
#include "exercises/trusted.cuh"

END
  awk '/^struct bulk_copy_1d / { print; inside = 1; next }
    /^extern "C" __global__ void trusted_bulk_copy_1d_check/ { print "\nTRUSTED(bulk_copy_1d)\n"; inside = 1 }
    inside { print } /^}/ { inside = 0 }' \
    grader/exercises/lab9/trusted.cu >>"grader/exercises/$lab/trusted.cu"
  awk -v page="labs/$lab/README.md" -v name="$lab" \
    '{ line[NR] = $0 } /^labs\// { last = NR }
     END { for (i = 1; i <= NR; i++) { print line[i]; if (i == last) printf "%-39s %s\n", page, name } }' \
    docs/contents >docs/contents.new
  mv docs/contents.new docs/contents
  awk -v row="| do $lab | [$lab](../labs/$lab/README.md) |" '
    { line[NR] = $0 } /^\|.*\]\(\.\.\/labs\// { last = NR }
    END { for (i = 1; i <= NR; i++) { print line[i]; if (i == last) print row } }' \
    docs/index.md >docs/index.new
  mv docs/index.new docs/index.md
}
[ -e "labs/$lab/lab.cfg" ] || new_lab

renamed() {
  sed "s/launch_bulk_copy_1d/launch_$identifier/g; s/lab9_bulk_copy_1d/${lab}_$identifier/g
    s/$model/$name/g; s/\"lab9\.h\"/\"$lab.h\"/" "$1"
}

renamed "solutions/lab9/$model.cu" >"solutions/$lab/$name.cu"
# The judge keeps the model's trusted kernels, so that bandwidth is graded on a GPU as well.
renamed grader/exercises/lab9/bulk-copy-1d.c |
  sed "s/\.lab = \"lab9\"/.lab = \"$lab\"/" >"grader/exercises/$lab/$words.c"
renamed "grader/exercises/lab9/$model-adapter.c" >"grader/exercises/$lab/$name-adapter.c"
awk -v text="// $name: data[i] += 1 in place. Say here what the arguments may be.
cudaError_t launch_$identifier(int32_t *data, size_t count, cudaStream_t stream);
" '/^#ifdef __cplusplus$/ { n++; if (n == 2) print text } { print }' \
  "labs/$lab/$lab.h" >"labs/$lab/$lab.h.new"
mv "labs/$lab/$lab.h.new" "labs/$lab/$lab.h"
# The list of exercises ends with the last line that is `);`.
awk -v name="$name" '
  { line[NR] = $0; if ($0 == ");") last = NR }
  END {
    for (i = 1; i <= NR; i++) {
      if (i == last - 1) { sub(/}$/, "},", line[i]) }
      if (i == last) {
        print "  {"
        print "    name = \"" name "\";"
        print "    skeleton = \"0000000000000000\";"
        print "    points = { build = 0; rules = 10; correctness = 10; bandwidth = 5; };"
        print "    bandwidth = 0.93;"
        print "    bandwidth_floor = 0.75;"
        print "  }"
      }
      print line[i]
    }
  }' "labs/$lab/lab.cfg" >"labs/$lab/lab.cfg.new"
mv "labs/$lab/lab.cfg.new" "labs/$lab/lab.cfg"
mkdir -p "grader/hidden/$lab" "labs/$lab/hints"
cp "grader/hidden/lab9/$model.cfg" "grader/hidden/$lab/$name.cfg"
# What of the model's mutants is right all the same.
entries=$(renamed grader/hidden/lab9/equivalent-mutants | sed "s/lab9\.h/$lab.h/g" |
  awk -v name="$name" '/^exercise: / { ours = $2 == name } ours')
printf '\n%s\n' "$entries" >>"grader/hidden/$lab/equivalent-mutants"

echo "Made for $name, as a copy of $model:"
printf '  %s\n' "solutions/$lab/$name.cu" "grader/exercises/$lab/$words.c" \
  "grader/exercises/$lab/$name-adapter.c" "grader/hidden/$lab/$name.cfg" \
  "its part of grader/hidden/$lab/equivalent-mutants" \
  "a declaration in labs/$lab/$lab.h" "a group in labs/$lab/lab.cfg"
echo "Now: make build/bin/grader grader-parts; sh grader/setup/derive-labs.sh $lab;" \
  "then change each of them to what you want to ask."
[ -e "grader/exercises/$lab/trusted.cu" ] || echo "$lab has no trusted kernels so far: write" \
  "grader/exercises/$lab/trusted.cu, or leave out bandwidth in $name's points."
echo "Still to be written: labs/$lab/hints/$number.md, a section of labs/$lab/README.md, mutants." \
  "make validate says what is missing."
