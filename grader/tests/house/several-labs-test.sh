#!/bin/sh
# A further lab, made by new-exercise.sh and not committed, in a copy of the kit: every archive holds its own
# lab and nothing of others, and makes a grader that knows it. validate doubts what is likely a slip. Grades
# lie by lab, outside build/.
set -eu
cd "$(dirname "$0")/../../.."
house=$PWD
work=$(sh grader/tests/work-folder.sh several-labs $$)
trap 'rm -rf "$work"' EXIT
kit=$work/kit
mkdir "$kit"
export KIT="$house/.kit"

fail() {
  echo "$1"
  [ ! -e "$work/said" ] || tail -n 30 "$work/said"
  exit 1
}
targets() { env -u MAKELEVEL -u MAKEFLAGS make -s CFLAGS='-std=c17 -O1 -w' "$@" >"$work/said" 2>&1; }

git ls-files -z | xargs -0 cp -p --parents -t "$kit"
cd "$kit"
git init -q . && git add -A && git -c user.name=a -c user.email=a@example.org commit -q -m all
sh grader/setup/new-exercise.sh lab77 1-other >"$work/said" 2>&1 || fail 'new-exercise.sh makes no lab'
# A lab may have headers beside LAB.h: what is given for an exercise. They come with whatever is judged.
echo 'constexpr uint32_t GIVEN_TILE = 1024;' >labs/lab77/given.cuh
sed -i 's/^#include "lab77.h"/&\n#include "given.cuh"/; s/TILE = 1024;/TILE = GIVEN_TILE;/' \
  solutions/lab77/1-other.cu
grep -q 'TILE = GIVEN_TILE;' solutions/lab77/1-other.cu || fail 'the model of new exercises has another tile'
sh grader/setup/derive-labs.sh >"$work/said" 2>&1 || fail 'derive-labs.sh does not derive all labs'
[ -s labs/lab77/1-other.cu ] || fail 'derive-labs.sh has left the new lab out'

# Nothing is built yet, and make handout needs nothing built.
env -u MAKELEVEL -u MAKEFLAGS PATH=/usr/bin:/bin CC=false NVCC=false make -s handout LAB=lab77 >"$work/said" \
  2>&1 || fail 'make handout of a lab that is not committed'
[ ! -e build/obj ] || fail 'make handout has compiled something'
targets handout || fail 'make handout of the committed lab'
sh grader/setup/gradescope-zip.sh lab77 "$work/lab77.zip" >"$work/said" 2>&1 || fail 'no zip for Gradescope'
mkdir "$work/lab77" "$work/lab9" "$work/zip"
tar -xzf build/handout/tma-lab77.tar.gz -C "$work/lab77"
tar -xzf build/handout/tma-lab9.tar.gz -C "$work/lab9"
unzip -q "$work/lab77.zip" -d "$work/zip"
mkdir "$work/autograder"
tar -xzf "$work/zip/kit.tar.gz" -C "$work/autograder"

# holds FOLDER LAB HEADER OTHER
holds() {
  for path in "labs/$2/lab.cfg" "labs/$2/$2.h" "labs/$2/$3" "grader/exercises/$2"; do
    [ -e "$1/$path" ] || fail "$1 lacks $path"
  done
  [ "$(find "$1" -path "*/$4" | wc -l)" = 0 ] || fail "$1 holds $(find "$1" -path "*/$4")"
}
holds "$work/lab77/tma-lab77" lab77 given.cuh lab9
holds "$work/lab9/tma-lab9" lab9 phase-reuse.cuh lab77
holds "$work/autograder" lab77 given.cuh lab9
for given in "$work"/lab77/tma-lab77 "$work"/lab9/tma-lab9; do
  (cd "$given" && find . -name '*.md' -exec grep -noE '\]\([^)# ]+' {} + |
    while IFS=: read -r page line link; do
    case $link in *"(https://"*) continue ;; esac
    [ -e "$(dirname "$page")/${link#*(}" ] || echo "$page:$line: leads to ${link#*(}"
  done) >"$work/dead"
  [ ! -s "$work/dead" ] || fail "a page leads to what is not there: $(cat "$work/dead")"
done

# Each makes a grader that knows its lab alone. Objects are taken along, so that little has to be compiled.
for built in "$work/lab77/tma-lab77" "$work/lab9/tma-lab9" "$work/autograder"; do
  mkdir "$built/build"
  for part in obj setup.mk setup.h; do cp -a "$house/build/$part" "$built/build/"; done
  lab=$(basename "$built"/labs/*)
  (cd "$built" && targets build/bin/grader "build/runner/$lab/$(basename "$built/labs/$lab"/1-*.cu .cu).o") ||
    fail "$built does not build"
  "$built/build/bin/grader" cases "$lab" >"$work/said" 2>&1 || fail "$built does not know $lab"
done
# Its docs are complete in themselves: each page is made, which finds a link or a picture that is missing. The
# book is that of the labs, and the code has no colours: what only the whole book shows, the kit's own shows.
if command -v pandoc >/dev/null && command -v weasyprint >/dev/null; then
  (cd "$work/lab77/tma-lab77" && targets docs PANDOC_OPTIONS=--no-highlight BOOK_PARTS='-M parts=Labs') ||
    fail 'make docs fails in the archive of the new lab'
  [ -s "$work/lab77/tma-lab77/build/docs/tma-lab.pdf" ] || fail 'make docs makes no book of the new lab'
fi
[ "$(sh "$work/lab77/tma-lab77/grader/setup/kit-version.sh" lab77)" = \
  "$(sh grader/setup/kit-version.sh lab77)" ] || fail 'the handout is of another version than its kit'

# A handout without the lab's own files is none.
cp -a labs/lab77 "$work/kept"
rm labs/lab77/lab77.h
! sh grader/setup/handout.sh lab77 "$work/none.tar.gz" >"$work/said" 2>&1 || fail 'an empty lab is packed'
grep -q 'handout: labs/lab77/lab77.h is missing' "$work/said" || fail 'what is missing is not named'
cp "$work/kept/lab77.h" labs/lab77/

# A lab with one exercise: when it passes, what comes next is handing in. Its hints are asked for by its name.
for part in obj lib bin lean runner setup.mk setup.h; do cp -a "$house/build/$part" build/; done
mkdir -p "$house/build/compiled" && chmod 700 "$house/build/compiled"
ln -s "$house/build/compiled" build/compiled
targets build/bin/grader grader-parts || fail 'the kit with two labs does not build'
targets lab77 SUBMISSION=solutions/lab77 || fail 'the solution of the new lab does not pass'
packs='make handin LAB=lab77 SUBMISSION=solutions/lab77 packs what you hand in.'
[ "$(tail -n 1 "$work/said")" = "$packs" ] ||
  fail 'a lab of one exercise does not end in handing it in'

# Grades: by lab, outside build/, so that make clean leaves them, or where OUT= says.
mkdir -p "$work/class/ann"
cp solutions/lab77/1-other.cu "$work/class/ann/"
targets grade LAB=lab77 SUBMISSIONS="$work/class" || fail 'make grade LAB=lab77 fails'
targets grade SUBMISSIONS="$work/class" OUT="$work/else where/now" || fail 'make grade OUT= fails'
mv build "$work/built" && mkdir build
targets clean || fail 'make clean fails'
[ ! -e build ] || fail 'make clean leaves build/'
mv "$work/built" build
for grades in grades/lab77 "$work/else where/now"; do
  [ -s "$grades/grades.csv" ] || fail "there are no grades in $grades"
done

# What validate doubts: an input that repeats itself, no requirements, an empty hint, a page without a link.
# And what only a GPU would miss: the referee's own kernels.
grep -q 'trusted_bulk_copy_1d_check' grader/exercises/lab77/trusted.cu || fail 'the new lab has no kernels'
! grep -q 'tiles_2d' grader/exercises/lab77/trusted.cu || fail 'the new lab has the kernels of others'
sed -i '/^TRUSTED/d' grader/exercises/lab77/trusted.cu
sed -i 's/memcpy(data + i, words, .*/for (size_t j = i; j < i + count; j++) data[j] = (uint32_t)(j % 8);/' \
  grader/exercises/lab77/other.c
printf '## 1\nSet it up.\n## 2\n\n## 3\nStore.\n' >labs/lab77/hints/1.md
echo '1-other' >>labs/lab77/README.md
sed -i '/labs\/lab77/d' docs/index.md
targets build/bin/grader || fail 'the kit with a periodic input does not build'
DEVICE=virtual build/bin/grader validate lab77 --mutants 1 >"$work/said" 2>&1 || true
grep -q 'not sound: 1-other: it is timed, but .*/trusted.cu lacks TRUSTED(bulk_copy_1d)' "$work/said" ||
  fail 'validate does not miss the referee'"'"'s own kernels'
for doubt in '1-other: the input of the case "less than a warp" repeats itself every 8 elements' \
  '1-other: labs/lab77/lab.cfg has no requirements' '1-other: hint 2 in labs/lab77/hints/1.md is empty' \
  'docs/index.md does not lead to labs/lab77/README.md'; do
  grep -qF "doubtful: $doubt" "$work/said" || fail "validate does not say: $doubt"
done
