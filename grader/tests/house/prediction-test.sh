#!/bin/sh
# In: build/bin/grader and solutions/lab9. Out: exit 0 if a check without a GPU shows the predicted ratio of
# a good kernel and of a slow one, says why the slow one is slow, takes no points for it, writes its picture,
# and puts both into the record and onto the page.
set -eu
cd "$(dirname "$0")/../../.."
work=$(sh grader/tests/work-folder.sh prediction $$)
trap 'rm -rf "$work"' EXIT
fail() { printf 'prediction-test: %s\n' "$1" >&2; cat "$work/said" >&2; exit 1; }
says() { grep -qF -e "$1" "$work/said" || fail "does not say: $1"; }

check() { # FOLDER [EXERCISE]
  build/bin/grader check "${2:-lab9/4}" --submission "$1" --device virtual --seed 7 >"$work/said" 2>&1 ||
    fail 'does not pass'
}
check solutions/lab9
grep -qE 'bandwidth ~(0\.9[4-9]|1\.0[0-9]) ' "$work/said" || fail 'the solution is not predicted to be fast'
says 'enough for 0.93'
picture=$(sed -n 's/.*A picture of it: //p' "$work/said")
xmllint --noout "$picture" || fail 'its picture is no XML'
grep -q 'stage full\[2\]' "$picture" || fail 'its picture has not its three stages'

# Two stages hold as much as the memory wants; so what its warp waits for is no reason to have more.
cp -r solutions/lab9 "$work/two"
sed -i 's/STAGES = 3;/STAGES = 2;/' "$work/two/4-store-commit-groups.cu"
check "$work/two"
says 'enough for 0.93'
grep -qE 'Enough is in flight: the memory is busy|keeps the memory busy nearly all' "$work/said" ||
  fail 'a kernel that is fast enough is told to keep more in flight'
! grep -qF 'too few loads' "$work/said" || fail 'says that too few loads are on their way'

# One block with three stages of 2 KiB on a processor: too little in flight.
cp -r solutions/lab9 "$work/slow"
sed -i 's/TILE_QUADS = 7/TILE_QUADS = 1/; s/BLOCKS_PER_PROCESSOR = 2/BLOCKS_PER_PROCESSOR = 1/' \
  "$work/slow/4-store-commit-groups.cu"
check "$work/slow"
grep -qE 'bandwidth ~0\.[1-6]' "$work/said" || fail 'the slow one is not predicted to be slow'
says 'too little for 0.93'
says 'Warp 0, which starts the loads,'
says 'So the loads are started too late because this warp is busy.'
says '20 of 20 points (without bandwidth)'

# A matrix product, in operations a second: the tensor cores are what it waits for.
check solutions/lab10 lab10/5
grep -qE 'speed ~(0\.9[5-9]|1\.0[0-5]) ' "$work/said" || fail 'the product is not predicted to be fast'
says 'of our product on an H100, enough for 0.90'
mkdir "$work/waits"
sed 's/STAGES = 4;/STAGES = 2;/' labs/lab10/matmul.cuh >"$work/waits/matmul.cuh"
cp solutions/lab10/5-matmul.cu "$work/waits"
check "$work/waits" lab10/5
grep -qE 'speed ~0\.([5-8]|9[0-3])' "$work/said" || fail 'two stages are not predicted to be slower'
says 'So loads wait for the readers to give a stage back.'
says 'These keep a stage while they wait for the next load, and give it back only then (5-matmul.cu:'

# In a class: its record and its page.
mkdir -p "$work/class/one" && cp "$work/slow/4-store-commit-groups.cu" "$work/class/one/"
build/bin/grader batch lab9/4 "$work/class" --out "$work/grades" --device virtual --trusted \
  >"$work/said" 2>&1 || [ $? = 1 ] || fail 'no class'
python3 - "$work/grades/results/one.json" <<'PYTHON' || fail 'the record lacks the prediction'
import json, sys
stage = json.load(open(sys.argv[1]))["exercises"][0]["stages"][3]
assert stage["verdict"] == "ungraded" and stage["ratio"] is None and stage["max_points"] == 0
assert 0.1 < stage["predicted_ratio"] < 0.7 and stage["picture"].startswith("<svg")
PYTHON
grep -rq --include='*.html' 'src="data:image/svg+xml;base64,PHN2ZyB4' "$work/grades" ||
  fail 'no picture on a page'

# A lab may count the prediction: the solution earns the points of the stage by it, a slow one doesn't, and
# the report still calls it a prediction. Or no prediction is made at all.
kit=$work/kit
mkdir -p "$kit/build" "$kit/grader"
for part in bin lib lean runner; do cp -a "build/$part" "$kit/build/"; done
cp -a labs interface solutions "$kit/"
cp -a grader/hidden "$kit/grader/"
counted() { # WORD FOLDER: grades exercise 4 with that word in lab.cfg
  sed '1,/^title/s/^\(title.*\)$/\1\nbandwidth_without_gpu = "'"$1"'";/' labs/lab9/lab.cfg \
    >"$kit/labs/lab9/lab.cfg"
  (cd "$kit" && build/bin/grader grade lab9/4 --submission "$2" --device virtual --seed 7 --format json \
    --trusted -o "$work/report.json") >"$work/said" 2>&1 || [ $? = 1 ] || fail "$1: is not graded"
}
points() { # EXPECTATION in Python, of the stage and the exercise
  python3 -c '
import json, sys
exercise = json.load(open(sys.argv[1]))["exercises"][0]
stage = exercise["stages"][3]
assert '"$1"', (stage["headline"], stage["points"], exercise["points"], exercise["max_points"])' \
    "$work/report.json" || fail "not: $1"
}
counted grade solutions/lab9
points 'stage["verdict"] == "pass" and exercise["points"] == exercise["max_points"] > 20'
points '"is predicted to reach" in stage["headline"] and stage["ratio"] is None'
counted grade "$work/slow"
points 'stage["verdict"] == "fail" and 20 <= exercise["points"] < exercise["max_points"]'
points '0.1 < stage["predicted_ratio"] < 0.93 and stage["points"] < stage["max_points"]'
points 'stage["picture"].startswith("<svg")'
[ ! -e "$work/report.json.4-store-commit-groups.svg" ] || fail 'a file beside a report for programs'
counted off solutions/lab9
points 'stage["verdict"] == "ungraded" and stage.get("predicted_ratio") is None and exercise["points"] == 20'
