#!/bin/sh
# In: build/bin/vhopper, and the kernels of time-measured.txt, whose bandwidth a chip has measured. Out: a
# line for each: chip, kernel, predicted and measured ratio to cudaMemcpy in a long launch, the error in
# percent; then time-accuracy.awk's summary for each chip. A long launch is 2 GiB an array: one of 48 MiB, and
# its steady middle so many times over, as in the grader's predictions.
#   time-accuracy.sh [PART-OF-A-LINE]
set -eu
cd "$(dirname "$0")/../../.."
bench=grader/tests/bench work=build/bench/time part=${1:-}
mkdir -p "$work"
export TIME_VARIANTS_NO_CHECK=1 MIB=48

compile() { # PROGRAM SOURCE [OPTION]..
  program=$1
  shift
  "${NVCC:-nvcc}" -std=c++17 -O2 -cudart shared -lineinfo --no-compress \
    -gencode 'arch=compute_90,code=[sm_90,compute_90]' -Iinterface -Ilabs/lab9 "$@" -o "$work/$program"
}
constant() { printf 's/constexpr uint32_t %s = [^;]*;/constexpr uint32_t %s = %s;/;' "$1" "$1" "$2"; }

# The solution of an exercise, or a kernel without overlap, with some constants replaced.
program_of() { # KERNEL EXERCISE FOLDER SED
  [ ! -x "$work/$1" ] || return 0
  sed "$4" "$3/$2"-*.cu >"$work/$1.cu"
  compile "$1" "$work/$1.cu" $bench/time-solution.cu -DEXERCISE="$2"
}

build_one() { # KERNEL
  kernel=$1
  # shellcheck disable=SC2046 # the parts of a name
  set -- $(echo "$kernel" | tr - ' ')
  case $kernel in
  lab9-1-*) program_of "$kernel" 1 solutions/lab9 "$(constant TILE $(($3 / 4)))" ;;
  lab9-2-*) program_of "$kernel" 2 solutions/lab9 "$(constant TILE_HEIGHT "$3")" ;;
  lab9-3-*)
    program_of "$kernel" 3 solutions/lab9 "$(constant STAGES "$4")$(constant STAGE_BYTES "$3 * 1024")"
    ;;
  lab9-4-*)
    program_of "$kernel" 4 solutions/lab9 \
      "$(constant STAGES "$4")$(constant TILE_QUADS "$3 * 64")$(constant BLOCKS_PER_PROCESSOR "$5")"
    ;;
  floor-*) program_of "$kernel" "$2" grader/tests/gpu/no-overlap '' ;;
  esac
}

# us and steady_us of the kernel that came last
times_of() { # CHIP KERNEL
  if [ -x "$work/$2" ]; then
    set -- "$1" "$2" "$work/$2" $MIB
  else
    set -- "$1" "$2" "$work/variants" $MIB 1 "$2"
  fi
  chip=$1 json=$work/$1-$2.json
  shift 2
  build/bin/vhopper run --time "$chip" --no-check --quiet --json "$json" -- "$@" >"$json.out" 2>&1 ||
    { cat "$json.out" >&2; exit 1; }
  awk -F '[:,]' '$1 ~ /"us"/ { us = $2 } $1 ~ /"steady_us"/ { steady = $2 } END { print us, steady }' "$json"
}

if [ "$part" = --one ]; then
  echo "$2 $3 $4 $5 $(times_of "$2" "$3") ${6:-}"
  exit
fi
compile variants $bench/time-variants.cu
grep -v '^#' $bench/time-measured.txt | grep -F -e "$part" >"$work/wanted"
cut -d' ' -f2 "$work/wanted" | sort -u | while read -r kernel; do build_one "$kernel"; done
xargs -P "$(nproc)" -L 1 sh "$0" --one <"$work/wanted" | sort >"$work/times"
for chip in h100 h200; do
  sed -n "s/^CONSTANT(\([a-z0-9_]*\), \([0-9.]*\),.*/$chip \1 \2/p" grader/virtual-hopper/time/$chip.def
done | awk -v mib=$MIB -f $bench/time-accuracy.awk - "$work/times"
