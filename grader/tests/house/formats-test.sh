#!/bin/sh
# Checks what `grader grade --format` writes for real submissions: one passes, one hangs, one makes the
# compiler print bytes that are no text, one floods its output, one prints escape sequences. Programs of other
# people read the reports; that those programs refuse wrong reports is checked as well.
set -eu
cd "$(dirname "$0")/../../.."
work=$(sh grader/tests/work-folder.sh formats $$)
trap 'rm -rf "$work"' EXIT
tests=grader/tests

fail() {
  echo "$1"
  [ ! -e "$work/said" ] || tail -n 30 "$work/said"
  exit 1
}

# hand_in NAME FILE: a submission of the first exercise alone.
hand_in() {
  mkdir -p "$work/class/$1"
  cat "$2" >"$work/class/$1/1-bulk-copy-1d.cu"
}
hand_in passes solutions/lab9/1-bulk-copy-1d.cu
hand_in hangs $tests/submissions/loops-on-host.cu
hand_in floods $tests/attacks/megabyte-line.cu
hand_in escapes $tests/attacks/terminal-escapes.cu
printf '// \377\376 Gr\303\266\303\237e \033[2J\001\n#error "]]> </failure> & \303\244 \377 \033[31m"\n' \
  >"$work/no-text.cu"
hand_in no-text "$work/no-text.cu"

export CLASSROOM=gpu ASSIGNMENT=tma OWNER=ann SUBMISSION_TAG=submit/1 COMMIT_URL=https://example.org/1 \
  RELEASE_URL=https://example.org/2
mkdir "$work/reports"
for name in passes hangs floods escapes no-text; do
  wanted=1
  [ $name != passes ] || wanted=0
  for format in gradescope junit autolab classroom50 prairielearn; do
    case $name$format in floodsg* | floodsc* | floodsp* | escapesg* | escapesc* | escapesp*) continue ;; esac
    case $name$format in hangs[!gj]*) continue ;; esac # two kinds of reader are enough for its deadlines
    deadline=100
    [ $name != hangs ] || deadline=2 # spent in full
    status=0
    build/bin/grader grade lab9/1 --submission "$work/class/$name" --device virtual --deadline $deadline \
      --format $format \
      -o "$work/reports/$format-$name" >"$work/said" 2>&1 || status=$?
    [ "$status" = "$wanted" ] || fail "$name as $format ended with $status, not $wanted"
    [ ! -s "$work/said" ] || fail "$name as $format: something was said beside the report"
  done
done
sh $tests/formats/consume.sh "$work/reports" >"$work/said" 2>&1 || fail 'a report is refused'
grep -q 'Gr\|ä' "$work/reports/gradescope-no-text" || fail 'what is text in a message did not come through'

# Outside its workflow Classroom 50's report lacks who and where: said, and graded all the same.
(unset RELEASE_URL &&
  build/bin/grader grade lab9/1 --submission "$work/class/passes" --device virtual --format classroom50 \
  -o "$work/alone") >"$work/said" 2>&1 ||
  fail 'outside its workflow nothing is graded for Classroom 50'
grep -q 'RELEASE_URL is not set' "$work/said" || fail 'a workflow that said nothing is not noticed'

# must_refuse WHAT FORMAT SED: the report of one that passes, spoilt.
must_refuse() {
  rm -rf "$work/spoilt"
  mkdir "$work/spoilt"
  sed "$3" "$work/reports/$2-passes" >"$work/spoilt/$2-passes"
  ! cmp -s "$work/spoilt/$2-passes" "$work/reports/$2-passes" || fail "$1: nothing was spoilt"
  if sh $tests/formats/consume.sh "$work/spoilt" >"$work/said" 2>&1; then fail "consume.sh takes $1"; fi
}
must_refuse 'a field that Gradescope does not know' gradescope 's/"stdout_visibility"/"colour"/'
must_refuse 'a status that Gradescope does not know' gradescope 's/"passed"/"pass"/'
must_refuse 'points as text' gradescope 's/"score": \([0-9.]*\)/"score": "\1"/'
must_refuse 'a score above one' prairielearn 's/"score": 1.0/"score": 20.0/'
must_refuse 'a refusal without reasons' prairielearn \
  's/"gradable": true/"gradable": false/; s/"format_errors"/"message2"/'
must_refuse 'half a point' classroom50 's/"max-score": 20/"max-score": 20.5/'
must_refuse 'a result of nobody' classroom50 's/"owner": "ann"/"owner": ""/'
must_refuse 'words after the scores' autolab '$ s/$/ done/'
must_refuse 'a lone byte' junit '$ i\
\xff'
must_refuse 'more cases than there are' junit 's/tests="4"/tests="5"/'
must_refuse 'two outcomes of one case' junit \
  's,<skipped[^>]*></skipped>,&&,
    s,<skipped\(.*\)</skipped>,<skipped\1</skipped><skipped message="again">x</skipped>,'
