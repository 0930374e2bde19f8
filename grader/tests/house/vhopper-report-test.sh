#!/bin/sh
# In: build/bin/vhopper and two of the guide's samples. Out: exit 0 if what a run writes for other programs is
# as documented, and suppressions accept what they name and nothing else.
# The idea: JSON is held against the schema in the docs, JUnit against its published one, SARIF against what
# code scanning reads. A baseline that a run has written makes the same run pass; one for another finding
# doesn't.
set -eu
cd "$(dirname "$0")/../../.."
vhopper=$PWD/build/bin/vhopper
sample=build/docs-samples/missing-fence
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
fail() {
  echo "$1"
  failed=1
}
# ends STATUS TEXT OPTIONS: of a run of the sample; TEXT is printed ('': nothing is asked for).
ends() {
  wanted=$1
  text=$2
  shift 2
  status=0
  $vhopper run "$@" -- $sample >"$work/output" 2>&1 || status=$?
  [ $status = "$wanted" ] || fail "$*: exit $status, expected $wanted"
  grep -qF -- "$text" "$work/output" || { fail "$*: doesn't say '$text'"; cat "$work/output"; }
}

ends 66 '1 fault, 0 warnings;' --write-suppressions "$work/base" --json "$work/found.json" \
  --sarif "$work/found.sarif" --junit "$work/found.xml"
sed 's/#.*/# the copy is read by nobody/' "$work/base" >"$work/reasoned"
ends 0 '0 faults, 0 warnings, 1 suppressed;' --suppressions "$work/reasoned" --json "$work/accepted.json" \
  --sarif "$work/accepted.sarif" --junit "$work/accepted.xml"
if grep -q 'rule proxy-fence' "$work/output"; then fail 'prints what is suppressed'; fi
{ echo '# findings of another kernel'; echo 'proxy-fence kernel=other # another kernel'; } >"$work/other"
ends 66 'other:2 accepts nothing here (another kernel)' --suppressions "$work/other" \
  --json "$work/unused.json"
ends 0 '1 suppressed;' --suppressions "$work/other" --suppressions "$work/reasoned"
ends 2 'no-such-file' --suppressions "$work/no-such-file"
echo 'proxy-fense # typed wrong' >"$work/wrong"
ends 2 'wrong:1: there is no such rule: proxy-fense' --suppressions "$work/wrong"
sed 's/code="[^"]*"/code="another line"/' "$work/reasoned" >"$work/moved"
ends 66 '1 fault,' --suppressions "$work/moved"

# A program that needs what isn't there: an error, not a failure.
cat >"$work/lacks.c" <<'C'
int cudaFreeMipmappedArray(void *array);
int main(void) { return cudaFreeMipmappedArray(0) ? 0 : 1; }
C
${CC:-cc} "$work/lacks.c" build/lib/libcudart.so.13 -o "$work/lacks"
status=0
$vhopper run --quiet --json "$work/lacks.json" --sarif "$work/lacks.sarif" --junit "$work/lacks.xml" \
  -- "$work/lacks" 2>/dev/null || status=$?
[ $status = 69 ] || fail "the unsupported program ended with $status"

for report in "$work"/*.xml; do
  xmllint --noout --schema grader/tests/formats/junit.xsd "$report" 2>"$work/said" ||
    fail "$(cat "$work/said")"
done
grep -q 'failures="1"' "$work/found.xml" || fail 'JUnit shows no failure'
grep -q 'failures="0"' "$work/accepted.xml" || fail 'JUnit shows what is suppressed as a failure'
grep -q 'errors="1"' "$work/lacks.xml" || fail 'JUnit shows what is unsupported as no error'

cat >"$work/check.py" <<'PYTHON'
import json, re, sys
import jsonschema
work = sys.argv[1]
load = lambda name: json.load(open(work + "/" + name))
schema = json.load(open("docs/reference/vhopper.schema.json"))
jsonschema.Draft7Validator.check_schema(schema)
wanted = {"found": (1, 0, 0), "accepted": (0, 1, 0), "unused": (1, 0, 1), "lacks": (0, 0, 0)}
for name, counts in wanted.items():
    report = load(name + ".json")
    jsonschema.Draft7Validator(schema).validate(report)
    seen = tuple(len(report[key]) for key in ("faults", "suppressed", "unused_suppressions"))
    assert seen == counts, (name, seen)
spoilt = load("found.json")
del spoilt["faults"][0]["rule"]
assert list(jsonschema.Draft7Validator(schema).iter_errors(spoilt)), "a fault without a rule is allowed"

def result(name):
    log = load(name + ".sarif")
    assert log["version"] == "2.1.0" and len(log["runs"]) == 1
    run = log["runs"][0]
    ids = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    for one in run["results"]:
        assert one["ruleId"] in ids and one["level"] in ("error", "warning") and one["message"]["text"]
        for place in one["locations"] + one["relatedLocations"]:
            where = place["physicalLocation"]
            base = run["originalUriBaseIds"][where["artifactLocation"]["uriBaseId"]]["uri"]
            uri = where["artifactLocation"]["uri"]
            assert not uri.startswith("/") and re.match(r"file:///.*/$", base), (base, uri)
            assert where["region"]["startLine"] > 0
    return run
found, accepted, graph = result("found"), result("accepted"), result("lacks")
assert len(found["results"]) == 1 and "suppressions" not in found["results"][0]
assert accepted["results"][0]["suppressions"][0]["justification"] == "the copy is read by nobody"
key = "partialFingerprints"
assert accepted["results"][0][key] == found["results"][0][key]
assert not graph["invocations"][0]["executionSuccessful"]
PYTHON
PYTHONPATH=/usr/lib/python3/dist-packages:"${KIT:-.kit}"/tools/usr/lib/python3/dist-packages \
  python3 -W ignore "$work/check.py" "$work" || fail 'a report is not as documented'
exit $failed
