#!/bin/sh
# In: build/bin/vhopper, and the kernels of grader/tests/bench/time-variants.cu. Out: exit 0 if the pictures
# of vhopper run --timeline show the rings of 1, 2, 3 and 6 stages as they are, if overlap that is missing and
# loads that are too few are said in words, and if picture and trace are well formed.
set -eu
cd "$(dirname "$0")/../../.."
vhopper=build/bin/vhopper bench=grader/tests/bench
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"${NVCC:-nvcc}" -std=c++17 -O2 -cudart shared -lineinfo --no-compress \
  -gencode 'arch=compute_90,code=[sm_90,compute_90]' -Iinterface $bench/time-variants.cu -o "$work/variants"
export TIME_VARIANTS_NO_CHECK=1

fail() { printf 'vhopper-timeline-test: %s\n' "$1" >&2; cat "$work/err" >&2; exit 1; }
draw() { # NAME: its picture and what is said of it
  $vhopper run --time h100 --no-check --timeline "$work/it.svg" -- "$work/variants" 32 1 "$1" \
    >"$work/out" 2>"$work/err" || fail "$1 does not run"
  xmllint --noout "$work/it.svg" || fail "the picture of $1 is no XML"
  grep -q '<desc id="timeline-words">Each processor has' "$work/it.svg" || fail "$1: no text alternative"
  grep -q '<desc id="timeline-words">[^?]*</desc>' "$work/it.svg" ||
    fail "$1: ends of lines in the text alternative"
  grep -q 'prefers-color-scheme:dark' "$work/it.svg" || fail "$1: nothing for dark screens"
}
lanes() { grep -c "class=\"lane\".*>$1" "$work/it.svg" || :; }
says() { grep -qF -e "$1" "$work/err" || fail "does not say: $1"; }

draw ring-16384-1-256-1-0
[ "$(lanes 'block in place')" = 1 ] || fail 'one block with one stage is one lane'
says 'So loading, computing and storing take turns.'
says "for barrier \`full[0]\` (time-kernels.cuh:"
for stages in 2 3 6; do
  draw "ring-16384-$stages-256-1-1"
  [ "$(lanes 'stage full')" = $stages ] || fail "$stages stages are $(lanes 'stage full') lanes"
done
grep -q 'take turns' "$work/err" && fail 'a ring of six is accused of no overlap'
draw tile-4096-0-128-12
[ "$(lanes 'block in place')" = 12 ] || fail 'twelve blocks on a processor are not twelve lanes'
says 'keeps the memory busy nearly all the time'
# A chip is 4 % faster when these stores need only have read: time-advice-test has stores that hold up loads.
draw ring-full-16384-2-256-1-1
says 'So too few loads are on their way while it waits.'
draw plain-0-0-256
[ "$(lanes 'stage'):$(lanes 'warp 0')" = 0:1 ] || fail 'a plain kernel has warps and no stage'

$vhopper run --time h100 --no-check --timeline "$work/it.json" -- "$work/variants" 32 1 ring-16384-3-256-1-1 \
  >"$work/out" 2>"$work/err" || fail 'no trace'
python3 - "$work/it.json" <<'PYTHON' || fail 'the trace is no trace'
import json, sys
events = json.load(open(sys.argv[1]))["traceEvents"]
names = {e["args"]["name"] for e in events if e["name"] == "thread_name"}
assert {"stage full[0]", "stage full[1]", "stage full[2]"} <= names, names
spans = [e for e in events if e["ph"] == "X"]
assert any(e["name"] == "is being loaded" and e["args"]["bytes"] == 16384 for e in spans)
assert any(e["args"].get("line") for e in spans), "no wait has a line"
for thread in {e["tid"] for e in spans}:
    own = sorted((e["ts"], e["ts"] + e["dur"]) for e in spans if e["tid"] == thread)
    assert all(a[1] <= b[0] + 0.002 for a, b in zip(own, own[1:])), "spans of a lane overlap"
assert any(e["ph"] == "C" for e in events)
PYTHON
$vhopper run --timeline "$work/it.svg" -- true >"$work/out" 2>"$work/err" && fail 'a timeline without a chip'
says '--timeline wants --time, too'
