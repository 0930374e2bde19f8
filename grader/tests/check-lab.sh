#!/bin/sh
# In: virtual or gpu, and an exercise as LAB/EXERCISE. Out: exit 0 if the solution passes, and the skeleton
# compiles and falls short. derive-labs.sh checks that the two differ in the TODO regions only.
set -eu
device=$1
exercise=$2
lab=${exercise%%/*}

# check FOLDER STATUS: the grader's status for it must be that one (0 passed, 1 fell short, 2 grader error).
check() {
  status=0
  output=$(build/bin/grader check "$exercise" --submission "$1/$lab" --device "$device" --deadline 100 2>&1) \
    || status=$?
  if [ "$status" != "$2" ]; then
    echo "$1/$exercise: exit $status, not $2"
    echo "$output"
    exit 1
  fi
}

check solutions 0
check labs 1
if echo "$output" | grep -q 'build failed'; then
  echo "labs/$exercise: the skeleton does not compile"
  echo "$output"
  exit 1
fi
