#!/bin/sh
# In: a folder. Out, there: the guide's pictures of pipelines, as the time model draws them now from the
# guide's samples, and overlap.txt, the figures that go with them.
#   timelines.sh FOLDER
set -eu
cd "$(dirname "$0")/../.."
to=$1
mkdir -p "$to"
trap 'rm -f "$to/json"' EXIT
draw() { # PICTURE PROGRAM [ARGUMENT]
  picture=$to/$1.svg
  shift
  build/bin/vhopper run --time h100 --no-check --quiet --json "$to/json" --timeline "$picture" -- \
    build/docs-samples/"$@" >"$to/said" || { cat "$to/said" >&2; exit 1; }
  rm "$to/said"
}
row() { # NAME: of the picture that was drawn last
  rate=$(sed -n 's/.*"gb_per_s": \([0-9]*\).*/\1/p' "$to/json" | tail -n 1)
  flight=$(sed -n 's/.*>\([0-9.]* KiB\) in flight,<.*/\1/p' "$picture")
  wanted=$(sed -n 's/.*>wanted: \([0-9.]* KiB\)<.*/\1/p' "$picture")
  printf '%-28s %4s GB/s   %8s of %s\n' "$1" "$rate" "$flight" "$wanted"
}

{
  printf '%-28s %9s   %s\n' 'overlap ..' predicted 'in flight, of what is wanted'
  for shape in one ring groups blocks; do
    draw "overlap-$shape" overlap "$shape"
    row "$shape"
  done
} >"$to/overlap.txt"
number=1
{
  printf '%-28s %9s   %s\n' 'picture' predicted 'in flight, of what is wanted'
  for shape in one-warp two-stages written three-blocks; do
    draw "quiz-$number" overlap "$shape"
    row "$number, $shape"
    number=$((number + 1))
  done
} >"$to/quiz.txt"
draw ranges ranges
