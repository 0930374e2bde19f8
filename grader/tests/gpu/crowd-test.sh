#!/bin/sh
# In: a GPU, the built kit, NVCC and CUDA_HOME. Out: exit 0 when another program on the GPU is named and turns
# no pass into a fail: one that copies all the time makes the stage ungradable, for a good and for a slow
# kernel; an idle one is only mentioned. Programs that take the processors make no right kernel fall short.
set -u
cd "$(dirname "$0")/../../.." || exit 2
scratch=$(mktemp -d)
crowd=
trap 'test -z "$crowd" || kill $crowd 2>/dev/null; rm -rf "$scratch"' EXIT
export LD_LIBRARY_PATH="$CUDA_HOME/lib64${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
"$NVCC" -O2 -cudart shared -arch=sm_90 grader/tests/gpu/crowd.cu -o "$scratch/crowd" || exit 1
sh grader/tests/gpu/slowed/make.sh || exit 1
failed=0

# crowded KIND FOLDER STATUS TEXT
crowded() {
  "$scratch/crowd" "$1" 60 >"$scratch/ready" &
  crowd=$!
  until grep -q ready "$scratch/ready"; do kill -0 $crowd 2>/dev/null || exit 2; done
  status=0
  build/bin/grader grade lab9/1-bulk-copy-1d --submission "$2" --device gpu >"$scratch/output" 2>&1 ||
    status=$?
  kill $crowd
  wait $crowd 2>/dev/null
  crowd=
  if [ "$status" = "$3" ] && grep -qF "$4" "$scratch/output"; then
    echo "$1, $2: ok"
  else
    echo "$1, $2: exit $status, expected $3 and \"$4\""
    sed 's/^/    /' "$scratch/output"
    failed=1
  fi
}

crowded idle solutions/lab9 0 "1 other program computes on it"
crowded busy solutions/lab9 2 "1 other program computes on it"
crowded busy build/slowed/lab9 2 "1 other program computes on it"

# Eight for each processor.
burners=
for _ in $(seq $((8 * $(nproc)))); do
  while :; do :; done &
  burners="$burners $!"
done
for _ in 1 2 3; do
  status=0
  build/bin/grader grade lab9/1 --submission solutions/lab9 --device gpu >"$scratch/output" 2>&1 || status=$?
  echo "processors are taken: exit $status, $(grep -m 1 'build ok' "$scratch/output")"
  [ "$status" != 1 ] || { sed 's/^/    /' "$scratch/output" && failed=1; }
done
# shellcheck disable=SC2086 # a list of numbers
kill $burners
exit $failed
