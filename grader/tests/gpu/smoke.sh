#!/bin/sh
# In: names of programs of grader/tests/programs, none for all; `--bandwidth` before them to measure the labs
# too.
# Out: a table of what each did when run natively on this machine's GPU; exit 1 if any failed.
# The idea: the quickest way to see on real hardware what a change broke, without the grader and the virtual
# device.
set -eu
cd "$(dirname "$0")/../../.."

bandwidth=no
if [ "${1-}" = --bandwidth ]; then bandwidth=yes; shift; fi
cuda=${CUDA_HOME:-/usr/local/cuda}
nvcc=${NVCC:-$(command -v nvcc || echo "$cuda/bin/nvcc")}
seconds=${SECONDS_PER_PROGRAM:-60}
folder=build/gpu-smoke
mkdir -p "$folder"
export LD_LIBRARY_PATH="$cuda/lib64${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
command -v "$nvcc" >/dev/null || { echo "no nvcc here: set NVCC or CUDA_HOME" >&2; exit 2; }

if [ $# -eq 0 ]; then
  for source in grader/tests/programs/*.cu; do set -- "$@" "$(basename "$source" .cu)"; done
fi

build() { # NAME: its binary, made only when a source is newer
  source=grader/tests/programs/$1.cu
  if [ -x "$folder/$1" ] &&
    [ -z "$(find interface labs solutions grader/tests/programs -newer "$folder/$1" -type f)" ]; then
    return 0
  fi
  # shellcheck disable=SC2046  # the flags named in the source are words
  "$nvcc" -cudart shared --no-compress -lineinfo -std=c++17 \
    -gencode 'arch=compute_90,code=[sm_90,compute_90]' -Iinterface \
    $(sed -n 's,^// nvcc: ,,p' "$source") "$source" -o "$folder/$1" >"$folder/$1.log" 2>&1
}

failed=0
printf '%-32s %-8s %s\n' program result 'first line of what it said'
for name in "$@"; do
  result=ok
  if ! build "$name"; then
    result=build
  else
    status=0
    timeout -k 5 "$seconds" "$folder/$name" >"$folder/$name.log" 2>&1 || status=$?
    case $status in
      0) [ "$(cat "$folder/$name.log")" = ok ] || result=noise ;;
      124 | 137) result=hangs ;;
      *) result=exit-$status ;;
    esac
  fi
  [ $result = ok ] || failed=$((failed + 1))
  printf '%-32s %-8s %s\n' "$name" $result "$(head -n 1 "$folder/$name.log")"
done

if [ $bandwidth = yes ]; then
  echo
  for name in "$@"; do
    case $name in
      lab9-[1-4]-*) timeout -k 5 120 "$folder/$name" bandwidth || failed=$((failed + 1)) ;;
    esac
  done
fi

echo
echo "$(($# - failed)) of $# are right"
[ $failed = 0 ]
