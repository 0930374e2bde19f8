#!/bin/sh
# In: the built grader and vhopper, docs/reference/*.1.md. Out: each place where a man page, --help and the
# program differ; exit 1 if there is any.
# The idea: the synopsis is compared with --help, commands and options with the sources that read them, and
# every exit status on the page is produced once.
set -eu
cd "$(dirname "$0")/../../.."
work=$(sh grader/tests/work-folder.sh docs-commands $$)
trap 'rm -rf "$work"' EXIT
failed=0
fail() {
  echo "$1"
  failed=1
}
page=docs/reference/grader.1.md
section() { awk -v wanted="# $2" '/^# / { inside = $0 == wanted; next } inside' "$1"; }

# The synopsis is the usage, without what each is for. A command's lines end at a backslash.
section $page SYNOPSIS | awk 'NF { printf "%s%s", $0, /\\$/ ? "\n" : " " } END { print "" }' |
  sed 's/[*\\]//g' | sed 's/  */ /g; s/ $//' | grep . >"$work/synopsis"
build/bin/grader --help | sed -n '1,/^$/p' |
  sed 's/^usage: /       /; s/^       //; s/\([^ ]\)   *[a-z].*/\1/' |
  awk '/^ / { sub(/^ +/, ""); line = line " " $0; next }
    { if (line) print line; line = $0 }
    END { if (line) print line }' >"$work/usage"
diff "$work/usage" "$work/synopsis" || fail "$page: the synopsis is another than --help's"

# Every command and every option that the sources take.
sed -n 's/^    {"\([a-z-]*\)", command_.*/\1/p' grader/cli/grader-main.c | sort >"$work/commands"
[ -s "$work/commands" ] || fail 'no command found in grader/cli/grader-main.c'
sed -n 's/^grader \([a-z-]*\).*/\1/p' "$work/synopsis" | sort | diff "$work/commands" - ||
  fail "$page: the commands are others than those of the program"
section $page DESCRIPTION | sed -n 's/^\*\*\([a-z-]*\)\*\*$/\1/p' | sort | diff "$work/commands" - ||
  fail "$page: DESCRIPTION is to have every command, once"
grep -ohE '"--?[a-z-]+"\) [!=]= 0' grader/cli/*.c | sed 's/"\(.*\)".*/\1/' | grep -v '^-h$' |
  sort -u >"$work/options-taken"
echo --help >>"$work/options-taken"
sed -n 's/^OPTION([A-Z_]*, "\([a-z-]*\)",.*/--\1/p' grader/virtual-hopper/command/options.def \
  >"$work/vhopper-taken"
sort -u -o "$work/options-taken" "$work/options-taken"
sort -u -o "$work/vhopper-taken" "$work/vhopper-taken"
for program in grader vhopper; do
  section docs/reference/$program.1.md OPTIONS | sed -n 's/^\*\*\(--*[a-z-]*\)\*\*.*/\1/p' |
    sort >"$work/described"
  uniq -d "$work/described" | grep . && fail "docs/reference/$program.1.md describes an option twice"
  case $program in grader) set -- --help ;; *) set -- run --help ;; esac
  build/bin/$program "$@" | grep -oE '(^|[ [(])(-o|--[a-z-]+)' | tr -d ' [(' | sort -u >"$work/helped"
  echo --help | sort -u -o "$work/helped" - "$work/helped"
  diff "$work/helped" "$work/described" ||
    fail "docs/reference/$program.1.md and $program --help differ in their options"
  case $program in grader) taken=options-taken ;; *) taken=vhopper-taken ;; esac
  diff "$work/$taken" "$work/described" ||
    fail "docs/reference/$program.1.md: the options are others than those that $program reads"
done
# As roff, an option has two dashes that can be copied, and not one long one.
for program in grader vhopper; do
  if grep -nE '(em|en)\]|[^\]--' build/docs/man/$program.1 | grep -v '^[0-9]*:[.]'; then
    fail "build/docs/man/$program.1: an option without its two dashes"
  fi
  grep -qF '\-\-help' build/docs/man/$program.1 || fail "build/docs/man/$program.1 lacks --help"
done
# What `make help` lists is on the page of what can be typed.
make -s help | sed -n 's/^  make \([a-z][a-z0-9-]*\).*/\1/p' | sed 's/-[0-9]$/-2/' >"$work/targets"
[ "$(wc -l <"$work/targets")" -gt 20 ] || fail 'make help lists too little'
while read -r target; do
  grep -qE "\`make ${target}[\` ]" docs/reference/make.md ||
    fail "docs/reference/make.md does not describe make $target"
done <"$work/targets"

# make takes every variable that its help and the pages name; a variable that nothing reads ends it.
{ make -s help; cat docs/reference/make.md docs/instructor/*.md; } | grep -oE '\b[A-Z]{2,}=' |
  sort -u >"$work/variables"
[ "$(wc -l <"$work/variables")" -gt 9 ] || fail 'the pages name too few variables of make'
while read -r variable; do
  ! env -u MAKELEVEL -u MAKEFLAGS make -n "${variable}x" help 2>&1 | grep -F 'nothing here reads' ||
    fail "a page names $variable"
done <"$work/variables"

# ends STATUS WORDS COMMAND ..: the command ends with that status, and the page describes that status in these
# words.
ends() {
  wanted=$1 words=$2 status=0
  shift 2
  (timeout 1000 "$@") >"$work/said" 2>&1 || status=$?
  [ "$status" = "$wanted" ] || fail "$*: exit $status, but $page says $wanted: $(tail -n 3 "$work/said")"
  section $page 'EXIT STATUS' | awk -v wanted="$wanted" '/^[0-9]+$/ { inside = $0 == wanted; next } inside' |
    tr -d '*' | tr -s ' \n' '  ' | grep -qF "$words" ||
    fail "$page does not say \"$words\" at status $wanted"
}
grader=build/bin/grader
first=1-bulk-copy-1d
mkdir -p "$work/class/ada" "$work/class/bob" "$work/good/ada"
cp solutions/lab9/$first.cu "$work/class/ada/"
cp solutions/lab9/$first.cu "$work/good/ada/"
cp labs/lab9/$first.cu "$work/class/bob/"
ends 0 'everything asked for passed' $grader check lab9/1 --submission solutions/lab9 --device virtual
ends 0 'everything asked for passed' $grader grade lab9/1 --submission solutions/lab9 --device virtual \
  --format json -o "$work/report"
ends 0 'everything asked for passed' $grader batch lab9/1 "$work/good" --out "$work/good-grades" \
  --device virtual
ends 0 'this machine can judge exercises' $grader doctor
ends 0 'The others: done' $grader explain
ends 0 'The others: done' $grader explain parity
ends 0 'The others: done' $grader hint lab9/1 --step 1
ends 0 'The others: done' $grader fingerprint labs/lab9/$first.cu
ends 0 'The others: done' $grader cases lab9
ends 1 'check, grade: the submission fell short' $grader check lab9/1 --submission labs/lab9 --device virtual
ends 1 'check, grade: the submission fell short' $grader grade lab9/1 --submission labs/lab9 --device virtual
ends 1 'batch: some submission did' $grader batch lab9/1 "$work/class" --out "$work/grades" --device virtual
ends 2 'wrong usage' $grader
ends 2 'wrong usage' $grader judge
ends 2 'wrong usage' $grader check lab9 --sed 1
ends 2 'a lab' $grader grade lab7 --submission labs/lab9
ends 2 'a lab' $grader validate lab7
ends 2 'a lab' $grader handout lab7
ends 2 'a lab' $grader gradescope-zip lab7
ends 2 'a lab' $grader cases lab7
ends 2 'an exercise' $grader hint lab9/7
ends 2 'a rule' $grader explain no-such-rule
ends 2 'a file that is not there' $grader fingerprint "$work/none"
# The same grader in a kit that has no compiler, no library and a solution among the lab's files.
mkdir -p "$work/kit/build/bin" "$work/bin"
git ls-files -z | xargs -0 cp --parents -t "$work/kit" 2>/dev/null || true
cp build/bin/grader build/bin/sandbox-* "$work/kit/build/bin/"
ends 2 'something that judging needs is missing' "$work/kit/build/bin/grader" doctor
ends 2 'Grader error' "$work/kit/build/bin/grader" check lab9/1 --submission "$work/good/ada" --device virtual
cp solutions/lab9/$first.cu "$work/kit/labs/lab9/"
ends 1 'something that students must not see' "$work/kit/build/bin/grader" handout lab9 \
  -o "$work/handout.tar.gz"
[ ! -e "$work/handout.tar.gz" ] || fail 'a handout with a solution in it was written'
ends 0 'The others: done' $grader handout lab9 -o "$work/handout.tar.gz"
# The counters and keys of lab.cfg, and every key of both JSON reports.
# shellcheck disable=SC2016 # these are Markdown's backticks
table() { awk -v wanted="$2" '/^## / { inside = $0 == wanted; next } (inside || wanted == "") && /^\| `/' \
  "$1" | cut -d'|' -f2 | grep -o '`[a-z_]*`' | tr -d '`' | sort -u; }
# A counter that lab.cfg may ask for: one of observed.def, or detour_bytes, which requirements.c makes of two.
{
  grep -v LEVEL_NOT_ASKED grader/virtual-hopper/rules/observed.def |
    sed -n 's/^OBSERVED([a-z0-9_]*, [A-Z]*, \([a-z_]*\), [A-Z_]*,.*/\1/p'
  sed -n 's/^static const char detour\[\] = "\([a-z_]*\)";$/\1/p' grader/referee/requirements.c
} | sort >"$work/counters"
[ "$(wc -l <"$work/counters")" -gt 20 ] || fail 'too few counters found in observed.def'
table docs/reference/lab-cfg.md '## Counters' | diff "$work/counters" - ||
  fail 'docs/reference/lab-cfg.md: the counters are others than those of observed.def'
table docs/reference/lab-cfg.md '' >"$work/described"
for key in $(sed -n '/known\[\] = {/{:list; /};/!{N; b list}; p}' grader/referee/lab-config.c |
  grep -o '"[a-z_]*"' | tr -d '"' | grep -v -x -e build -e rules -e correctness -e exercises | sort -u); do
  grep -qx "$key" "$work/described" || fail "docs/reference/lab-cfg.md does not describe the key $key"
done
status=0
build/bin/vhopper run --json "$work/run.json" -- build/docs-samples/missing-fence >/dev/null 2>&1 || status=$?
[ $status = 66 ] || fail "vhopper run of the sample without its fence ends with $status"
# shellcheck disable=SC2016
{ table docs/reference/json.md ''; grep -o '`[a-z_]*`' docs/reference/json.md |
  tr -d '`'; cat "$work/counters"; } | sort -u >"$work/described"
$grader grade lab9/1 --submission labs/lab9 --device virtual --format json -o "$work/report" \
  >"$work/said" 2>&1 || true
for key in $(grep -oh '^ *"[a-z_]*":' "$work/run.json" "$work/report" | tr -d ' ":' | sort -u); do
  grep -qx "$key" "$work/described" || fail "docs/reference/json.md does not describe the key $key"
done
# validate's 1: new-exercise-test.sh; its 0 takes minutes and is left to `make validate`. vhopper's:
# vhopper-run-test.sh.
for status in 66 69 2 126 127 '128 + '; do
  section docs/reference/vhopper.1.md 'EXIT STATUS' | grep -qF "$status" ||
    fail "docs/reference/vhopper.1.md does not tell of status $status"
  [ "$status" = '128 + ' ] || grep -q "^expect $status " grader/tests/house/vhopper-run-test.sh ||
    fail "vhopper-run-test.sh does not bring about $status"
done
exit $failed
