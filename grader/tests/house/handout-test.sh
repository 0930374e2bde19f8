#!/bin/sh
# Makes the students' archive twice: the bytes are the same, and nothing hidden is in them. Plants hidden
# files, which the check must notice. Then unpacks the archive and uses it as its own README says, in a folder
# that is no git repository and has no build/.
set -eu
cd "$(dirname "$0")/../../.."
work=$(sh grader/tests/work-folder.sh handout $$)
trap 'rm -rf "$work"' EXIT
export KIT="$PWD/.kit" # what set-up has fetched once is not fetched again

fail() {
  echo "$1"
  [ ! -e "$work/said" ] || tail -n 40 "$work/said"
  exit 1
}

build/bin/grader handout lab9 -o "$work/first.tar.gz" >"$work/said" 2>&1 || fail 'no handout was made'
(umask 077 &&
  TZ=Asia/Tokyo LC_ALL=C build/bin/grader handout lab9 -o "$work/second.tar.gz" >"$work/said" 2>&1)
cmp -s "$work/first.tar.gz" "$work/second.tar.gz" || fail 'made twice, the archive differs'

# The archive is made again in another folder, which is no git repository, from files with other times and
# modes, and by another user if this one can become another.
mkdir -p "$work/elsewhere/build/bin"
git ls-files -z | xargs -0 cp --parents -t "$work/elsewhere" 2>/dev/null || true
find "$work/elsewhere" -type f -exec touch -d '2001-02-03' {} + -exec chmod 600 {} +
as_another='setpriv --reuid 65534 --regid 65534 --clear-groups'
if $as_another true 2>/dev/null; then
  chmod 755 "$work"
  chown -R 65534:65534 "$work/elsewhere"
else
  as_another=
fi
(cd "$work/elsewhere" && umask 002 &&
  LC_ALL=C.UTF-8 HOME=/nowhere USER=nobody $as_another sh grader/setup/handout.sh lab9 \
  "$work/elsewhere/third.tar.gz") >"$work/said" 2>&1 || fail 'no handout was made in another folder'
cmp -s "$work/first.tar.gz" "$work/elsewhere/third.tar.gz" ||
  fail 'made in another folder, the archive differs'

mkdir "$work/given"
tar -xzf "$work/first.tar.gz" -C "$work/given"
given=$work/given/tma-lab9
for path in solutions grader/hidden grader/tests .git; do
  [ ! -e "$given/$path" ] || fail "the handout holds $path"
done

# Everything that its pages link to, show or name is in the handout.
(cd "$given" && find . -name '*.md' -exec grep -noE '\]\([^)# ]+' {} + |
  while IFS=: read -r page line link; do
  case $link in *"(https://"*) continue ;; esac
  [ -e "$(dirname "$page")/${link#*(}" ] || echo "$page:$line: leads to ${link#*(}"
done
grep -rnoE '(docs|labs|interface|solutions|grader)/[a-zA-Z0-9_/.-]+\.(md|cu|cuh|h|svg)\b' README.md \
  interface labs docs --include='*.md' --include='*.cu*' --include='*.h' |
  while IFS=: read -r page line path; do [ -e "$path" ] ||
    echo "$page:$line: names $path"; done) >"$work/dead"
[ ! -s "$work/dead" ] || fail "not in the handout: $(cat "$work/dead")"

# must_notice WHAT: the check notices what was planted. The plant is removed again. One is noticed among all
# files of the handout, the others among a few of them, which alone are clean: it takes a tenth of the time.
must_notice() {
  if sh grader/setup/handout-check.sh lab9 "$planted" >"$work/said" 2>&1; then fail \
    "handout-check.sh does not notice $1"; fi
  rm -f "$few/planted" "$given/planted"
}
sh grader/setup/handout-check.sh lab9 "$work/given" >"$work/said" 2>&1 || fail 'the handout is not clean'
few=$given
planted=$work/given
cp solutions/lab9/3-phase-reuse.cu "$given/planted"
must_notice 'a solution under another name, among all files'
planted=$work/few
few=$planted/tma-lab9
mkdir -p "$few"
(cd "$given" && cp --parents README.md labs/lab9/* interface/tma-interface.cuh "$few" 2>/dev/null) || true
[ -e "$few/labs/lab9/1-bulk-copy-1d.cu" ] || fail 'nothing was planted among files of the handout'
sh grader/setup/handout-check.sh lab9 "$planted" >"$work/said" 2>&1 || fail 'a few files are not clean'
cp solutions/lab9/3-phase-reuse.cu "$few/planted"
must_notice 'a solution under another name'
grep -v SOLUTION solutions/lab9/4-store-commit-groups.cu | sed 's/^ */\t/; s,//.*,,' >"$few/planted"
must_notice 'a solution without its markers and comments, laid out otherwise'
for solution in solutions/lab9/*.cu; do
  awk '/BEGIN SOLUTION/ { n++; next } /END SOLUTION/ { n = n; inside = 0 } { print }' "$solution" \
    >"$few/planted"
  must_notice "the answers of $solution"
done
sed 's,//.*,,' solutions/lab9/4-store-commit-groups.cu | tr '\n' ' ' >"$few/planted"
must_notice 'a solution in one line'
sed 's,//.*,,; s/"/\\"/g; s/.*/  "&\\n"/' solutions/lab9/4-store-commit-groups.cu >"$few/planted"
must_notice 'a solution as the text of a program'
iconv -t UTF-16 solutions/lab9/4-store-commit-groups.cu >"$few/planted"
must_notice 'a solution in UTF-16'
printf 'about 1501 x 3 x 6016\n' >"$few/planted"
must_notice 'the sizes of a hidden case in words'
: >"$few/planted
again"
if sh grader/setup/handout-check.sh lab9 "$planted" >"$work/said" 2>&1; then fail \
  'handout-check.sh does not notice a name that is no text'; fi
rm "$few/planted
again"
cp grader/hidden/lab9/2-tiles-2d.cfg "$few/planted"
must_notice 'hidden cases under another name'
echo 'try { 1501, 3, 6016 } or {1501, 3, 6016}' >"$few/planted"
must_notice 'the sizes of a hidden case'
echo 'a case called "just below a tile"' >"$few/planted"
must_notice 'the name of a hidden case'
grep -q '   <- "just below a tile" of a hidden case$' "$work/said" ||
  fail 'handout-check.sh does not say what the hidden case has'
cp grader/tests/mutants/lab9-1-no-fence.mutant "$few/planted"
must_notice 'a mutant'
base64 solutions/lab9/3-phase-reuse.cu >"$few/planted"
must_notice 'a solution in base64'
base64 -w 0 solutions/lab9/3-phase-reuse.cu >"$few/planted"
must_notice 'a solution in base64, in one line'
od -An -v -tx1 solutions/lab9/3-phase-reuse.cu | tr -d ' \n' >"$few/planted"
must_notice 'a solution in hexadecimal'
gzip -c solutions/lab9/3-phase-reuse.cu >"$few/planted"
must_notice 'a packed solution'
tar -cf "$few/planted" solutions/lab9/3-phase-reuse.cu
must_notice 'a solution in a tar'
ln -s /etc/passwd "$few/planted"
must_notice 'a symbolic link'

# Only the files of the archive are used. Objects are taken along: make knows what each was made of, and so
# compiles again, and fails, where a file is missing. gradescope-test.sh compiles an archive from nothing.
mkdir "$given/build"
for part in obj setup.mk setup.h; do cp -a "build/$part" "$given/build/"; done
status=0
(cd "$given" && env -u MAKEFLAGS -u MAKELEVEL make CFLAGS='-std=c17 -O0 -w' lab9-1) >"$work/said" 2>&1 ||
  status=$?
[ "$status" = 2 ] ||
  fail "make lab9-1 in the handout ended with $status, not with make's 2 for a lab not done yet"
grep -q '1-bulk-copy-1d  *not started' "$work/said" ||
  fail 'make lab9-1 in the handout does not say that nothing is done yet'
cp solutions/lab9/1-bulk-copy-1d.cu "$given/labs/lab9/"
(cd "$given" && env -u MAKEFLAGS -u MAKELEVEL make CFLAGS='-std=c17 -O0 -w' lab9-1) >"$work/said" 2>&1 ||
  fail 'a right answer does not pass in the handout'
grep -q 'The exercise passes' "$work/said" || fail 'the handout does not say that it passes'

# handin packs the files that a student may edit, and a manifest that is true.
rm -f "$given/labs/lab9/junk.o"
echo junk >"$given/labs/lab9/junk.o"
# A header of one's own lies beside the exercises.
{
  echo '#include "mine.h"'
  sed 's/tile\[i\] += 1;/tile[i] = plus_one(tile[i]);/' solutions/lab9/1-bulk-copy-1d.cu
} >"$given/labs/lab9/1-bulk-copy-1d.cu"
echo '__device__ static unsigned plus_one(unsigned n) { return n + 1; }' >"$given/labs/lab9/mine.h"
: >"$given/labs/lab9/not\"me.h"
(cd "$given" && env -u MAKEFLAGS -u MAKELEVEL make CFLAGS='-std=c17 -O0 -w' handin) >"$work/said" 2>&1 ||
  fail 'make handin failed'
grep -q '1-bulk-copy-1d .*passes' "$work/said" ||
  fail "with a header of one's own, the exercise falls short: $(cat "$work/said")"
cp "$given"/build/handin/lab9-handin.tar.gz "$work/kept.tar.gz"
cp "$work/said" "$work/packing"
mkdir "$work/whole"
if (cd "$given" && env -u MAKEFLAGS -u MAKELEVEL make CFLAGS='-std=c17 -O0 -w' handin SUBMISSION=docs) \
  >"$work/said" 2>&1; then fail 'a folder without exercises is packed'; fi
grep -q 'docs holds none of the exercises of lab9: nothing is packed' "$work/said" ||
  fail "a folder without exercises: $(cat "$work/said")"
cmp -s "$given"/build/handin/lab9-handin.tar.gz "$work/kept.tar.gz" || fail 'a good archive is lost'
mkdir "$work/handed"
tar -xzf "$given"/build/handin/lab9-handin.tar.gz -C "$work/handed"
[ "$(cd "$work/handed" && find . -type f | sort | tr '\n' ' ')" = \
  "$(printf './lab9/%s ' 1-bulk-copy-1d.cu 2-tiles-2d.cu 3-phase-reuse.cu 4-store-commit-groups.cu \
    manifest.json mine.h)" ] ||
  fail "handin packs $(cd "$work/handed" && find . -type f | sort | tr '\n' ' ')"
hash=$(sha256sum "$work/handed/lab9/1-bulk-copy-1d.cu" | cut -d' ' -f1)
grep -q "$hash" "$work/handed/lab9/manifest.json" || fail 'the manifest lacks a checksum'
grep -q 'a header is left out for the sake of its name' "$work/packing" ||
  fail 'a name that breaks the manifest is not told'
# The version in the manifest is the version of the kit that made the handout.
git ls-files -z | xargs -0 cp --parents -t "$work/whole"
grep -q "\"kit\": \"$(sh "$work/whole/grader/setup/kit-version.sh" lab9)\"" \
  "$work/handed/lab9/manifest.json" ||
  fail "the manifest names another kit than this: $(cat "$work/handed/lab9/manifest.json")"
python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$work/handed/lab9/manifest.json" ||
  fail 'the manifest is no JSON'
grep -q '"advisory": true' "$work/handed/lab9/manifest.json" ||
  fail 'the manifest does not call its result advisory'

# The batch grades what was handed in. Other files beside the exercises, or in the place of the kit's files,
# change nothing.
mkdir -p "$work/class" "$work/more/lab9" "$work/more/interface" "$work/more/grader/hidden/lab9"
cp "$given/build/handin/lab9-handin.tar.gz" "$work/class/ann.tar.gz"
cp "$work/handed"/lab9/* "$work/more/lab9/"
for file in interface/tma-interface.cuh interface/cuda-check.h lab9/lab9.h lab9/lab.cfg \
  grader/hidden/lab9/1-bulk-copy-1d.cfg Makefile; do
  echo '#error this file is not the kit' >"$work/more/$file"
done
(cd "$work/more" && tar -czf "$work/class/bob.tar.gz" .)
# A file that was changed after make handin: the batch says so, and it costs no points.
cp -r "$work/handed/lab9" "$work/class/cyd"
echo '// a last thought' >>"$work/class/cyd/1-bulk-copy-1d.cu"
build/bin/grader batch lab9/1 "$work/class" --out "$work/grades" --device virtual \
  --columns submission,verdict,score >"$work/said" 2>&1 || fail 'what was handed in is not graded'
[ "$(tail -n 3 "$work/grades/grades.csv" | tr '\n' ' ')" = '"ann",pass,20 "bob",pass,20 "cyd",pass,20 ' ] ||
  fail "handed in, it gets $(cat "$work/grades/grades.csv")"
changed='1-bulk-copy-1d.cu is not as make handin packed it: it has another checksum'
for file in report.html feedback/cyd.html results/cyd.json; do
  grep -q "$changed" "$work/grades/$file" || fail "$file does not say that a file differs from its manifest"
done
! grep -q "make handin" "$work/grades/feedback/ann.html" || fail 'a manifest that holds is complained of'
