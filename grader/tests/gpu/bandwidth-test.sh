#!/bin/sh
# In: names of grader/tests/gpu/submissions, none for all. Out: exit 0 when the bandwidth stage on this
# machine's GPU gives each the verdict written in it, as in submissions-test.sh; `// before: LINE` is put
# before the file named by `// after:`.
set -u
cd "$(dirname "$0")/../../.." || exit 2
folder=grader/tests/gpu/submissions
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
if [ $# -eq 0 ]; then
  for source in "$folder"/*.cu; do set -- "$@" "$(basename "$source" .cu)"; done
fi
failed=0

for name in "$@"; do
  source=$folder/$name.cu
  exercise=$(sed -n 's,^// submission: ,,p' "$source")
  rm -rf "$scratch/folder"
  mkdir "$scratch/folder"
  {
    sed -n 's,^// before: ,,p' "$source"
    cat "$(sed -n 's,^// after: ,,p' "$source")" "$source"
  } >"$scratch/folder/$exercise.cu"
  status=0
  build/bin/grader check "lab9/$exercise" --submission "$scratch/folder" --device gpu \
    >"$scratch/output" 2>&1 || status=$?
  result=ok
  sed -n 's,^// expect: ,,p' "$source" >"$scratch/expectations"
  while IFS= read -r line; do
    case $line in
    "exit "*) [ "$status" = "${line#exit }" ] || result="exit $status, expected ${line#exit }" ;;
    "says "*) grep -qF -- "${line#says }" "$scratch/output" || result="does not say: ${line#says }" ;;
    *) result="unknown expectation: $line" ;;
    esac
  done <"$scratch/expectations"
  echo "$name: $result"
  [ "$result" = ok ] || { failed=1; sed 's/^/    /' "$scratch/output"; }
done
exit $failed
