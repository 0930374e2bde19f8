#!/bin/sh
# In: a folder of reports, each named FORMAT-ANYTHING. Out: exit 0 if every one is taken by readers that are
# not ours: JSON by a validator with the format's schema beside this file, the last line of Autolab's output
# likewise, JUnit's XML by xmllint with a schema and by junitparser, which counts again. Else what was
# refused, and 1; 2 where a reader is missing. What a schema can't say (sums) is checked by
# unit/formats-matrix-test.c.
set -eu
folder=$1
here=$(dirname "$0")
kit=${KIT:-$PWD/.kit}
PYTHONPATH=/usr/lib/python3/dist-packages:$kit/tools/usr/lib/python3/dist-packages
export PYTHONPATH
failed=0

python3 -c 'import jsonschema, junitparser' ||
  { echo 'consume: make setup installs what is missing' >&2; exit 2; }

# Autolab reads the last line of what an autograder prints; all of it is shown, so all of it must be text.
for file in "$folder"/autolab-*; do
  [ -e "$file" ] || continue
  tail -n 1 "$file" >"$folder/last-line-of-$(basename "$file")"
  iconv -f UTF-8 -t UTF-8 "$file" >/dev/null || { echo "$file is no UTF-8"; failed=1; }
  ! tr -d '\t' <"$file" | LC_ALL=C grep -q '[[:cntrl:]]' ||
    { echo "$file holds control characters"; failed=1; }
done

validate() {
  format=$1
  shift
  [ -e "$1" ] || return 0
  for file in "$@"; do set -- "$@" -i "$file" && shift; done
  python3 -W ignore -m jsonschema "$@" "$here/$format.schema.json" || failed=1
}
validate autolab "$folder"/last-line-of-autolab-*
for format in gradescope prairielearn classroom50; do
  validate $format "$folder/$format"-*
done

for file in "$folder"/junit-*; do
  [ -e "$file" ] || continue
  xmllint --noout --schema "$here/junit.xsd" "$folder"/junit-* 2>"$folder/said" ||
    { grep -v validates "$folder/said"; failed=1; }
  # The counts of every suite, computed again from its cases.
  python3 -c '
import sys
from junitparser import JUnitXml
def counts(suite):
    return suite.tests, suite.failures, suite.errors, suite.skipped
for path in sys.argv[1:]:
    suites = list(JUnitXml.fromfile(path))
    assert suites, path + ": no suites"
    for suite in suites:
        said = counts(suite)
        suite.update_statistics()
        assert said == counts(suite), "%s: %s says %s, has %s" % (path, suite.name, said, counts(suite))
' "$folder"/junit-* || failed=1
  break
done
exit $failed
