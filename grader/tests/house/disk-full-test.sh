#!/bin/sh
# In: the built grader. Out: exit 0 if a full disk, or a file that a power cut has torn, leads to a message
# that names the place; if no result is lost, torn or invented; and if the next run goes on. Left out where
# nothing can be mounted.
# The idea: a file system of a few pages, in a mount namespace of its own, is a disk that fills up soon.
set -u
scratch=$(mktemp -d)
trap 'umount "$scratch"/disk "$scratch"/small "$scratch"/packed 2>/dev/null; rm -rf "$scratch"' EXIT
failed=0

complain() {
  echo "$1"
  sed 's/^/    /' "$scratch/output"
  failed=1
}

if [ "${1-}" != --inside ]; then
  own_user=$([ "$(id -u)" = 0 ] || echo --map-root-user)
  # shellcheck disable=SC2086
  if unshare --mount $own_user mount -t tmpfs -o size=64k none "$scratch" 2>"$scratch/output"; then
    exec unshare --mount $own_user sh "$0" --inside
  fi
  echo "left out, nothing can be mounted here: $(cat "$scratch/output")"
  exit 0
fi

# fill FOLDER: fills its file system to the last page.
fill() {
  dd if=/dev/zero of="$1/filling" bs=4k 2>/dev/null
  dd if=/dev/zero of="$1/filling-2" bs=1 count=4096 2>/dev/null
  : >"$scratch/output"
}

# run STATUS COMMAND..: the command ends with that status; its output is in $scratch/output.
run() {
  expected=$1
  shift
  status=0
  timeout 1000 "$@" >"$scratch/output" 2>&1 || status=$?
  [ "$status" = "$expected" ] || complain "exit $status, expected $expected: $*"
}

says() {
  grep -qF -- "$1" "$scratch/output" || complain "does not say: $1"
}

mkdir "$scratch/disk" "$scratch/small" "$scratch/packed" "$scratch/class" "$scratch/class/ann" \
  "$scratch/class/bob"
cp solutions/lab9/1-bulk-copy-1d.cu "$scratch/class/ann"
cp solutions/lab9/1-bulk-copy-1d.cu "$scratch/class/bob"
export TMPDIR="$scratch/small"

# One report: the old file stays whole, and no pass is written.
mount -t tmpfs -o size=64k none "$scratch/disk"
set -- build/bin/grader grade lab9/1 --submission "$scratch/class/ann" --device virtual --seed 1 \
  --format json -o "$scratch/disk/ann.json"
echo '{"old": true}' >"$scratch/disk/ann.json"
fill "$scratch/disk"
run 2 "$@"
says "$scratch/disk/ann.json cannot be written: No space left on device"
[ "$(cat "$scratch/disk/ann.json")" = '{"old": true}' ] || complain 'the old report is gone'
[ -z "$(find "$scratch/disk" -name '*.new')" ] || complain 'half a report was left'
rm "$scratch"/disk/filling*
run 0 "$@"
grep -q '"verdict": *"pass"' "$scratch/disk/ann.json" || complain 'the next run wrote no pass'
umount "$scratch/disk"

# Where the submission is copied to there is no room; or no file may have more than 1024 bytes (512 at a time
# are counted), which is no reason to die of, nor to do without a header. Neither is the submission's fault.
mount -t tmpfs -o size=64k none "$scratch/small"
fill "$scratch/small"
run 2 build/bin/grader check lab9/1 --submission "$scratch/class/ann" --device virtual
says 'No space left on device'
says "This is the grader's fault"
umount "$scratch/small"
mkdir "$scratch/headers"
cp solutions/lab9/1-bulk-copy-1d.cu "$scratch/headers/"
for header in "" "$scratch/headers/a.h"; do
  [ -z "$header" ] || yes '// a comment' | head -n 200 >"$header"
  run 2 sh -c 'ulimit -f 2 && exec "$@"' limited build/bin/grader check lab9/1 \
    --submission "$scratch/headers" --device virtual
  says 'the source cannot be copied into the scratch directory'
  says 'File too large'
  head -c 900 solutions/lab9/1-bulk-copy-1d.cu >"$scratch/headers/1-bulk-copy-1d.cu"
done
run 2 sh -c 'ulimit -f 2 && exec "$@"' limited build/bin/grader batch lab9/1 "$scratch/class" \
  --out "$scratch/limited" --device virtual --trusted
says 'File too large'
run 0 build/bin/grader batch lab9/1 "$scratch/class" --out "$scratch/limited" --device virtual

# A class: the disk is full before the batch begins, then becomes full while it runs, because each result
# takes pages; then there is room again. In a user namespace a remount must not repeat the options in the
# table of mounts: they name users that don't exist there.
mount -t tmpfs -o size=40k none "$scratch/disk"
set -- build/bin/grader batch lab9 "$scratch/class" --out "$scratch/disk/grades" --device virtual --seed 1
mkdir "$scratch/disk/grades"
fill "$scratch/disk"
run 2 "$@"
says 'No space left on device'
rm -r "$scratch"/disk/*
run 2 "$@"
says 'No space left on device'
find "$scratch/disk" -name '*.new' | grep -q . && complain 'half a file was left'
for result in "$scratch"/disk/grades/results/*.json; do
  [ ! -e "$result" ] || python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$result" ||
    complain "half a result: $result"
done
mount --options-source=disable -o remount,size=4m "$scratch/disk"
run 1 "$@"
says '2 submissions: 0 passed, 2 fell short, 0 with grader errors'

# The disk becomes full while submissions are unpacked, from a folder and from an archive: then no file counts
# as missing.
mkdir "$scratch/large" "$scratch/large/dora" "$scratch/carl"
for folder in "$scratch/carl" "$scratch/large/dora"; do
  { cat solutions/lab9/1-bulk-copy-1d.cu && yes '// many words' | head -n 8000; } >"$folder/1-bulk-copy-1d.cu"
done
for who in dora carl; do
  mount -t tmpfs -o size=80k none "$scratch/packed"
  run 2 build/bin/grader batch lab9/1 "$scratch/large" --out "$scratch/packed/grades" --device virtual \
    --seed 1
  grep -q "submissions/${who}[^ ]*: No space left on device" "$scratch/output" ||
    complain "it is not said that there is no room for $who"
  [ -z "$(ls -A "$scratch/packed/grades/results")" ] || complain "$who was graded without what was handed in"
  mount --options-source=disable -o remount,size=4m "$scratch/packed"
  run 0 build/bin/grader batch lab9/1 "$scratch/large" --out "$scratch/packed/grades" --device virtual \
    --seed 1
  says '1 submission: 1 passed'
  umount "$scratch/packed"
  rm -r "$scratch/large/dora" 2>/dev/null
  tar -czf "$scratch/large/carl.tar.gz" -C "$scratch/carl" 1-bulk-copy-1d.cu
done
: >"$scratch/output"

# After a power cut a result may be half a file, an empty one, or another student's. Each is graded again, to
# the same points.
cp "$scratch/disk/grades/grades.csv" "$scratch/grades.csv"
results=$scratch/disk/grades/results
head -c 700 "$results/ann.json" >"$results/torn" && mv "$results/torn" "$results/ann.json"
: >"$results/bob.json"
run 1 "$@"
cmp "$scratch/grades.csv" "$scratch/disk/grades/grades.csv" ||
  complain 'other grades after two results were torn'
cp "$results/ann.json" "$results/bob.json"
run 1 "$@"
cmp "$scratch/grades.csv" "$scratch/disk/grades/grades.csv" ||
  complain "other grades after another's result was found"
: >"$scratch/disk/grades/batch.json"
run 2 "$@"
says 'batch.json is no batch'

# There is room for the source, and not for the program: that is no mistake of the one who handed it in.
mount -t tmpfs -o size=60k none "$scratch/small"
run 2 build/bin/grader grade lab9/1 --submission "$scratch/class/ann" --device virtual --seed 1
says 'could not be compiled: no room for its files'
says "$scratch/small"
says 'set TMPDIR to another folder'
umount "$scratch/small"

# There is no room for the grader's own scratch files.
mount -t tmpfs -o size=64k none "$scratch/small"
fill "$scratch/small"
run 2 build/bin/grader grade lab9/1 --submission "$scratch/class/ann" --device virtual --seed 1
says 'No space left on device'
says "$scratch/small"
exit $failed
