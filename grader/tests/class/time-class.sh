#!/bin/sh
# In: gpu or virtual, how many submissions (100), and how many of them (20) for what follows. Out: the class
# graded on all of this machine: submissions per hour; then a part of it again, with other numbers of jobs,
# killed and resumed, and on one GPU alone, whose scores must be the same; 'passed' last, exit 1 otherwise.
# Needs a built kit. The idea: a whole class, as an instructor grades it, is timed. Points are compared, not
# ratios, which vary in the third digit.
set -u
cd "$(dirname "$0")/../../.." || exit 2
device=${1:-virtual}
count=${2:-100}
few=${3:-20}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# grade OUT WORDS...: grades the class into it, and sets $seconds.
grade() {
  out=$work/$1
  shift
  start=$(date +%s.%N)
  build/bin/grader batch lab9 "$work/class" --out "$out" --device "$device" --seed 1 "$@" >"$work/said" 2>&1
  seconds=$(echo "$(date +%s.%N) $start" | awk '{ printf "%.1f", $1 - $2 }')
  grep 'submissions: ' "$work/said" || { tail -n 5 "$work/said" && failed=1; }
}

# Who gets how many points, exercise by exercise, from a batch's results.
points() {
  python3 - "$work/$1/results" <<'END'
import glob, json, sys
for path in sorted(glob.glob(sys.argv[1] + '/*.json')):
    lab = json.load(open(path))
    print(lab['submission'], lab['score'], *(e['verdict'] + ' %g' % e['points'] for e in lab['exercises']))
END
}

# same A B: says whether both give the same points, and who differs.
same() {
  points "$1" >"$work/a"
  points "$2" >"$work/b"
  if [ -s "$work/a" ] && cmp -s "$work/a" "$work/b"; then
    echo "$2: the same points"
  else
    echo "$2: OTHER POINTS"
    diff "$work/a" "$work/b" | head -n 12
    failed=1
  fi
}

sh grader/tests/class/make-class.sh "$work/class" "$count"
[ "$device" = virtual ] || nvidia-smi -L
grade first
echo "$(nproc) jobs: $seconds s for $count, $(echo "$count $seconds" |
  awk '{ printf "%.0f", $1 * 3600 / $2 }') submissions per hour"
points first |
  awk '{ sum[$2]++ } END { for (points in sum) print "  " sum[points] " at " points " points" }' | sort
mkdir -p "${OUT:-$work}" && cp "$work/first/report.html" "$work/first/grades.csv" "${OUT:-$work}/" 2>/dev/null

# A part of the class, again: killed twice, resumed; other jobs; one GPU.
rm -rf "$work/class" && sh grader/tests/class/make-class.sh "$work/class" "$few"
grade few --jobs 4
all=$seconds
echo "4 jobs: $all s for $few"
for moment in 4 7 10; do
  build/bin/grader batch lab9 "$work/class" --out "$work/killed" --device "$device" --seed 1 \
    >"$work/said" 2>&1 &
  grader=$!
  sleep $moment
  kill -KILL $grader
  wait $grader 2>/dev/null
  echo "killed after $moment s: $(find "$work/killed/results" -name '*.json' | wc -l) results"
done
grade killed
same few killed
if [ "$device" = gpu ]; then
  export CUDA_VISIBLE_DEVICES=0
  grade one-gpu
  echo "one GPU: $seconds s for $few"
  same few one-gpu
  # Several GPUs must be clearly faster than one.
  if [ "$(nvidia-smi -L | wc -l)" -gt 1 ] && ! echo "$all $seconds" | awk '{ exit !($1 < 0.8 * $2) }'; then
    echo "all GPUs together: $all s, hardly less than one"
    failed=1
  fi
fi
points first | sed -n "1,${few}p" >"$work/firsts"
points few | cmp -s - "$work/firsts" || { echo 'the same students have other points than among all' &&
  failed=1; }
[ $failed = 0 ] && echo passed
exit $failed
