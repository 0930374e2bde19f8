#!/bin/sh
# Kernels that the time model has not been calibrated by. A set's predictions are kept before a GPU measures
# it.
#   held-out.sh predict SET CHIP [NAME]..  ratios to a plain copy of 2 GiB, predicted by build/bin/vhopper
#   held-out.sh measure SET [MIB [ROUNDS]] the same ratios of the GPU at hand
#   held-out.sh join PREDICTED MEASURED    a line for each kernel of both files, and a summary
# A line of predictions or measurements is "KERNEL RATIO". A long launch is predicted from one of 48 MiB,
# whose steady middle is taken so many times over, as in the grader's predictions. A call's kernels are added
# up; those that move less than 1 MiB do as much for a long array. Where the blocks of 48 MiB don't fill the
# chip, and 96 MiB have more of them, 384 MiB are played.
set -eu
cd "$(dirname "$0")/../../../.."
here=grader/tests/bench/held-out work=build/bench/held-out
mkdir -p "$work"

# Compiles what has not been compiled as it is now: that takes longer than most predictions.
compile() {
  { "${NVCC:-nvcc}" --version; cat $here/held-out.sh $here/*.cu $here/*.cuh $here/*.h $here/*.def \
    interface/*.cuh interface/*.h labs/lab9/*.cuh; } | cksum >"$work/sum.new"
  ! cmp -s "$work/sum" "$work/sum.new" || return 0
  rm -f "$work/sum"
  "${NVCC:-nvcc}" -std=c++17 -O2 -cudart shared -lineinfo --no-compress -Iinterface -Ilabs/lab9 \
    -gencode 'arch=compute_90,code=[sm_90,compute_90]' $here/held-out.cu $here/library.cu \
    -o "$work/held-out" 2>"$work/said" ||
    { cat "$work/said" >&2; exit 1; }
  mv "$work/sum.new" "$work/sum"
}

play() { # SET CHIP NAME MIB
  json=$work/$2-$3.json
  HELD_OUT_NO_CHECK=1 build/bin/vhopper run --time "$2" --no-check --quiet --json "$json" -- \
    "$work/held-out" "$1" "$4" 1 "$3" >"$json.out" 2>&1 || { cat "$json.out" >&2; exit 1; }
  waves=$(awk -F '[:,]' '$1 ~ /"waves"/ { waves = $2 } END { print waves }' "$json")
}

fewer() { awk "BEGIN { exit !($1 < $2) }"; }

predict_one() { # SET CHIP NAME MOVED NTH
  mib=48
  case $3 in
  shares-*) mib=2016 ;; # few large blocks: how they end matters
  steps-*) mib=672 ;;   # where a block's part begins in a sector follows from the array's size
  esac
  play "$1" "$2" "$3" $mib
  few=$waves
  if fewer "$few" 0.999; then
    play "$1" "$2" "$3" $((2 * mib))
    ! fewer "$few" "$waves" || mib=384
    play "$1" "$2" "$3" $mib
  fi
  awk -F '[:,]' '$1 ~ /"us"/ { one = $2 }
    $1 ~ /"steady_us"/ { middle = $2 }
    $1 ~ /"name"/ { prepares = $2 ~ /fill_places/ }
    $1 ~ /"memory_bytes"/ && !prepares { us += one; if ($2 >= 1048576) steady += middle }
    END { print us, steady }' "$json" |
    awk -v mib=$mib -v name="$3" -v moved="$4" -v nth="$5" '
      FILENAME != "-" { if (match($0, /^CONSTANT\([a-z_]*, [0-9.]*/)) {
          split(substr($0, 10, RLENGTH - 9), part, ", ")
          constant[part[1]] = part[2]
        }
        next
      }
      {
        times = 2048 / mib
        bytes = mib * 1048576 * times / 1000
        copy = constant["launch_us"] + 2 * bytes / constant["memory_gbs"] / constant["memcpy_share"]
        printf "%s %.3f\n", name, moved / nth * bytes / ($1 + (times - 1) * $2) / (2 * bytes / copy)
      }' "grader/virtual-hopper/time/$2.def" -
}

case ${1:-} in
predict)
  set=$2 chip=$3
  shift 3
  compile
  build/bin/vhopper run --quiet --no-check -- "$work/held-out" "$set" 0 >"$work/list-$chip"
  while read -r of name moved nth; do
    case " $* " in "  " | *" $name "*) predict_one "$of" "$chip" "$name" "$moved" "$nth" ;; esac
  done <"$work/list-$chip"
  ;;
measure)
  compile
  "$work/held-out" "$2" "${3:-2016}" "${4:-7}" | awk '{ print $1, $NF }'
  ;;
join) awk -f $here/join.awk "$2" "$3" ;;
*)
  sed -n '2,/^set -eu/s/^# *//p' "$0" >&2
  exit 2
  ;;
esac
