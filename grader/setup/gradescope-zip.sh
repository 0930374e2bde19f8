#!/bin/sh
# In: a lab and the zip file to write. Out: an autograder for Gradescope: setup.sh and run_autograder at its
# root, and the kit with this lab's hidden cases but without solutions and tests.
# The idea: Gradescope builds the kit by `make`, as everybody does.
#   gradescope-zip.sh LAB [FILE]
set -eu
cd "$(dirname "$0")/../.."
lab=${1:?gradescope-zip.sh LAB [FILE]}
zip=${2:-build/gradescope/$lab-autograder.zip}
[ -e "labs/$lab/lab.cfg" ] ||
  { echo "gradescope-zip: there is no lab $lab: labs/$lab/lab.cfg is missing" >&2; exit 2; }
command -v zip >/dev/null || { echo 'gradescope-zip: zip is missing: apt-get install zip' >&2; exit 2; }
[ ! -d "$zip" ] || { echo "gradescope-zip: -o $zip: is a folder; name the zip file to write" >&2; exit 2; }
mkdir -p "$(dirname "$zip")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

sh grader/setup/handout-files.sh "$lab" |
  grep -e '^Makefile$' -e '^LICENSE$' -e '^interface/' -e "^labs/$lab/" -e '^grader/' -e '^docs/rules/' |
  grep -v -e '^grader/tests/' -e '^grader/hidden/' -e '^grader/setup/handout' -e '^grader/setup/derive' \
    >"$work/list"
find "grader/hidden/$lab" -name '*.cfg' -type f >>"$work/list"
LC_ALL=C tar --sort=name --format=ustar --mtime=@1767225600 --owner=0 --group=0 \
  --numeric-owner -czf "$work/kit.tar.gz" -T "$work/list"

cat >"$work/setup.sh" <<'END'
#!/bin/sh
# Run once, when Gradescope makes the image: unpacks and builds the kit, which gets what it needs by itself.
set -eu
autograder=${AUTOGRADER:-/autograder}
command -v make >/dev/null || { apt-get update && apt-get install -y make; }
mkdir -p "$autograder/kit"
tar -xzf "$autograder/source/kit.tar.gz" -C "$autograder/kit"
cd "$autograder/kit"
make build/bin/grader grader-parts
# A submission runs as another user, so only root may read what is secret.
chmod -R go-rwx grader/hidden "$autograder/source"
chmod go+rx "$autograder" "$autograder/kit"
END
cat >"$work/run_autograder" <<'END'
#!/bin/sh
# Run for each submission. First a result that says "error" is written; the grader replaces it by its own.
autograder=${AUTOGRADER:-/autograder}
results=$autograder/results/results.json
mkdir -p "$autograder/results"
echo '{"score": 0, "visibility": "visible",' \
  '"output": "The autograder did not finish. This is not your fault; tell your instructor."}' >"$results"
cd "$autograder/kit" || exit 1
build/bin/grader grade @LAB@ --submission "$autograder/submission" --trusted --format gradescope -o "$results"
# 1 is a submission that falls short: graded all the same.
[ $? -le 1 ]
END
sed -i "s/@LAB@/$lab/" "$work/run_autograder"
chmod 755 "$work/setup.sh" "$work/run_autograder"
touch -d @1767225600 "$work"/*
rm -f "$zip"
case $zip in /*) target=$zip ;; *) target=$PWD/$zip ;; esac
(cd "$work" && TZ=UTC zip -q -X "$target" kit.tar.gz run_autograder setup.sh)
echo "$zip: upload it as the autograder; the base image must be Debian or Ubuntu"
