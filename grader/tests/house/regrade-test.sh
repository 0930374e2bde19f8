#!/bin/sh
# The same batch again grades exactly the submissions that have changed, or whose cases, targets or grader
# have changed. One thing after another is changed in a copy of everything that a batch reads; the batch's
# output says who is graded. All other result files keep their bytes.
set -eu
cd "$(dirname "$0")/../../.."
house=$PWD
work=$(sh grader/tests/work-folder.sh regrade $$)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/kit[2]/build" "$work/kit[2]/grader"
for part in bin lib lean runner; do cp -a "build/$part" "$work/kit[2]/build/"; done
cp -a labs interface "$work/kit[2]/"
cp -a grader/hidden "$work/kit[2]/grader/"
cd "$work/kit[2]"

fail() {
  echo "$1"
  cat "$work/said"
  exit 1
}

# A right one, an untouched one with a header of its own, and one that doesn't compile.
mkdir -p "$work/class/ann" "$work/class/bob" "$work/class/cyd"
cp "$house/solutions/lab9/1-bulk-copy-1d.cu" "$work/class/ann/"
cp labs/lab9/1-bulk-copy-1d.cu "$work/class/bob/"
echo '// mine' >"$work/class/bob/mine.cuh"
cp "$house/grader/tests/submissions/does-not-compile.cu" "$work/class/cyd/1-bulk-copy-1d.cu"

# graded WHAT "NAMES" [WORDS..]: runs the batch, which must grade those names alone.
graded() {
  what=$1
  names=$2
  shift 2
  mkdir -p "$work/before"
  rm -f "$work"/before/*
  cp "$work"/out/results/* "$work/before/" 2>/dev/null || true
  status=0
  timeout 1200 build/bin/grader batch lab9/1 "$work/class" --out "$work/out" --device virtual "$@" \
    >"$work/said" 2>&1 || status=$?
  [ "$status" = 1 ] || fail "$what: the batch ended with $status, not 1"
  got=$(sed -n 's/^\([a-z]*\)  *\(pass\|fail\) .* points$/\1/p' "$work/said" | sort | tr '\n' ' ')
  [ "$got" = "$names" ] || fail "$what: graded were $got, not $names"
  for result in "$work"/before/*; do
    [ -e "$result" ] || continue
    name=$(basename "$result" .json)
    case " $names" in *" $name "*) continue ;; esac
    cmp -s "$result" "$work/out/results/$name.json" ||
      fail "$what: the result of $name is another, though nothing of theirs has changed"
  done
}
everybody='ann bob cyd '

graded 'at first' "$everybody"
graded 'again' ''
graded 'other columns, more jobs' '' --columns submission,score --jobs 3

# ---- submissions ----

echo '// begun' >>"$work/class/bob/1-bulk-copy-1d.cu"
graded 'a source has changed' 'bob '
echo '// more of mine' >>"$work/class/bob/mine.cuh"
graded 'a header has changed' 'bob '
echo 'how it went' >"$work/class/ann/notes.txt"
touch "$work/class/ann/1-bulk-copy-1d.cu"
graded 'a file that is not graded has come, and a time has changed' ''
(cd "$work/class/ann" && tar -cf ../ann.tar 1-bulk-copy-1d.cu)
rm -r "$work/class/ann"
graded 'the same file in an archive' ''
mkdir "$work/class/dee"
cp "$work/class/cyd/1-bulk-copy-1d.cu" "$work/class/dee/"
graded 'somebody has come' 'dee '
rm -r "$work/class/dee"
graded 'somebody has gone' ''
! grep -q dee "$work/out/grades.csv" || fail 'somebody who has gone is in grades.csv'
rm "$work/out/results/cyd.json"
graded 'a result was taken away' 'cyd '
echo '{' >"$work/out/results/cyd.json"
graded 'a result was spoilt' 'cyd '

# ---- cases, targets, the grader ----

echo '// a remark for students' >>labs/lab9/README.md
graded 'the handout has changed' ''
sed -i 's/\[1016\]/[1020]/' grader/hidden/lab9/1-bulk-copy-1d.cfg
graded 'a hidden case has changed' "$everybody"
sed -i '0,/bandwidth = 0.93/s//bandwidth = 0.95/' labs/lab9/lab.cfg
graded 'a target has changed' "$everybody"

# Other points need no new grading: nobody is graded, and every file says what a new grading would write. One
# submission is right in some of the cases and earns a part of the points.
mkdir "$work/class/eve"
sed 's/if (count == 0/if (count == 4) return cudaSuccess;\n  if (count == 0/' \
  "$house/solutions/lab9/1-bulk-copy-1d.cu" >"$work/class/eve/1-bulk-copy-1d.cu"
rm "$work/out/results/dee.json" "$work"/out/former/dee.*
rmdir "$work/out/former" || fail 'pages of others than dee were moved away'
sed -i '0,/result_step/s//correctness_floor = 0.1; result_step/' labs/lab9/lab.cfg
graded 'a floor has come' 'ann bob cyd eve '
sed -i -e '0,/rules = 10; correctness = 10/s//rules = 0.5; correctness = 33 \/* more *\//' \
  -e 's/^title = .*/title = "Bulk copies";/' labs/lab9/lab.cfg
seed=$(sed -n 's/.*"seed": "\([0-9]*\)".*/\1/p' "$work/out/batch.json")
batch() {
  status=0
  timeout 1200 build/bin/grader batch lab9/1 "$work/class" --out "$work/out" --device virtual --seed "$seed" \
    >"$work/said" 2>&1 || status=$?
  [ "$status" = 1 ] || fail "other points: the batch ended with $status, not 1"
}
batch
! grep -q ' points$' "$work/said" || fail 'points have changed, and somebody is graded anew'
grep -q 'other points than before: 4 of them are scored' "$work/said" ||
  fail 'that other points count is not said'
mv "$work/out" "$work/scored"
batch
grep -q '^"ann",pass,33.5,33.5,' "$work/out/grades.csv" || fail 'new points do not count'
for folder in out scored; do
  # One of the two has an earlier report to be compared with, and names of submissions that were there before.
  rm -rf "${work:?}/$folder/logs" "$work/$folder/last.json" "$work/$folder/changes.csv" \
    "$work/$folder/names.json"
  sed -i '/<h2>Changed since/,/^<\/ul>/d' "$work/$folder/report.html"
  sed -i -e '/Fell behind since the last/d' -e '/^<p>Nobody\.<\/p>$/d' "$work/$folder/report.html"
  find "$work/$folder" -type f -exec sed -i -E \
    's/[0-9.]+ s\b|"seconds": [0-9.]+|data-time="[0-9.]+"/TIME/g; /: TIME<\/li>$/d' {} +
done
diff -r "$work/out" "$work/scored" >"$work/said" ||
  fail 'scored by other points, results are not those of grading anew'
grep -q '"credit": 0\.' "$work/out/results/eve.json" || fail 'nobody has earned a part of the points'
rm -r "$work/class/eve" "$work/out" "$work/scored"
graded 'from the start' "$everybody"
printf 'x' >>build/bin/grader
graded 'the grader has changed' "$everybody"
printf 'x' >>build/lib/libcudart.so.13
graded "the virtual Hopper's library has changed" "$everybody"
graded 'another deadline' "$everybody" --deadline 9
graded 'the same deadline again' '' --deadline 9
graded 'another seed' "$everybody" --deadline 9 --seed 5
graded 'that seed is kept' '' --deadline 9
