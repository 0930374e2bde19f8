#!/bin/sh
# In: the built grader. Out: exit 0 if the grader refuses strangers' code where the sandbox can't be built,
# says what is missing, and runs it with --trusted; and if a student's commands still work there.
# The idea: bubblewrap itself makes a place where bubblewrap can't work.
set -u
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

# Runs the grader where no namespace can be made.
walled_off() {
  bwrap --unshare-user --disable-userns --dev-bind / / build/bin/grader "$@" >"$scratch/output" 2>&1
}

# expect STATUS TEXT ARGUMENTS
expect() {
  wanted=$1
  text=$2
  shift 2
  status=0
  walled_off "$@" || status=$?
  [ "$status" = "$wanted" ] && grep -qF -- "$text" "$scratch/output" && return
  echo "grader $*: exit $status, expected $wanted and: $text"
  sed 's/^/    /' "$scratch/output"
  failed=1
}

mkdir -p "$scratch/class/ann"
cp solutions/lab9/1-bulk-copy-1d.cu "$scratch/class/ann"
expect 2 "can't keep a stranger's program behind walls" grade lab9/1 --submission solutions/lab9 \
  --device virtual
expect 2 'bubblewrap cannot build its walls here' grade lab9/1 --submission solutions/lab9 --device virtual
expect 2 'are not run without walls' batch lab9 "$scratch/class" --out "$scratch/grades" --device virtual
expect 0 'passes' grade lab9/1 --submission solutions/lab9 --device virtual --trusted
expect 0 'passes' check lab9/1 --submission solutions/lab9 --device virtual
expect 0 'grade and batch need --trusted' doctor

# Too few descriptors are named as that, and not as missing walls. A low soft limit is raised.
status=0
prlimit --nofile=64:64 build/bin/grader cases lab9 >"$scratch/output" 2>&1 || status=$?
if [ $status != 2 ] || ! grep -q 'ulimit -n 1024' "$scratch/output"; then
  echo "with 64 descriptors: exit $status, $(cat "$scratch/output")"
  failed=1
fi
prlimit --nofile=20: build/bin/grader grade lab9/1 --submission solutions/lab9 --device virtual \
  >"$scratch/output" 2>&1 || { echo "a soft limit of 20: $(cat "$scratch/output")"; failed=1; }
exit $failed
