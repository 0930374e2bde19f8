#!/bin/sh
# In: build/bin/vhopper, and the pairs of kernels of grader/tests/bench/time-mechanisms.cu. Out: exit 0 if the
# time model tells them apart as a chip does: the second of a pair takes so many percent of the first's time.
set -eu
cd "$(dirname "$0")/../../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { printf 'time-mechanisms-test: %s\n' "$1" >&2; exit 1; }
"${NVCC:-nvcc}" -std=c++17 -O2 -cudart shared -lineinfo --no-compress -Iinterface -Ilabs/lab9 -w \
  -gencode 'arch=compute_90,code=[sm_90,compute_90]' grader/tests/bench/time-mechanisms.cu -o "$work/it"

# Kernels that stand in several pairs run once.
play() { # NAME: what it says in $work/NAME, its report beside it
  [ ! -e "$work/$1" ] || return 0
  build/bin/vhopper run --time h100 --no-check --json "$work/$1.json" -- "$work/it" "$1" >"$work/said" 2>&1 ||
    fail "$1 does not run"
  mv "$work/said" "$work/$1"
}
takes() { # NAME: tenths of a microsecond
  play "$1"
  sed -n 's/.* takes \([0-9]*\)\.\([0-9]\) us.*/\1\2/p' "$work/$1"
}
steady() { # NAME: hundredths of a microsecond, without start and end
  play "$1"
  sed -n 's/.*"steady_us": \([0-9]*\)\.\([0-9][0-9]\).*/\1\2/p' "$work/$1.json"
}
pair() { # FIRST SECOND LEAST MOST [steady]
  first=$("${5:-takes}" "$1") second=$("${5:-takes}" "$2")
  percent=$((100 * second / first))
  if [ "$percent" -lt "$3" ] || [ "$percent" -gt "$4" ]; then
    fail "$2 takes $second, $1 $first parts of a us: $percent %, and not $3 to $4"
  fi
}

# A release for other blocks waits for the processor's copies.
pair narrow wide 125 300
# 30 clusters of four fit on the chip at once; 33 come in two waves.
pair fits too-many 150 210
# A small request takes the copy engine hardly any time.
pair whole small 95 150
# Who adds to memory reads it as well.
pair whole adds 148 220
# Blocks of which each waits for the one before take turns; those that tell something first don't.
pair told chained 1000 100000
# Who looks back waits for the slowest of all blocks before it, so the memory rests in between: prefix sums by
# four blocks on a processor at 3006 and 2218 GB/s on an H100 (docs/measurements/predictions.md).
pair looks-not looks-back 125 165 steady
# A jump that isn't taken ends a basic block: the load before it has come.
pair together asks 120 400
# Atomics on shared memory hold up no loads, which ptxas moves over them.
pair together counted 95 135
# Pieces that threads have to themselves leave the caches before they are whole.
pair own-16 own-128 250 700
# The memory opens a part of itself for each row from all over.
pair rows-1024 rows-64 110 220
# Lines that warps share come in two parts, at two times, where blocks stay and drift apart.
pair even-parts uneven-parts 106 150
# A thread takes a while for each arrival in another block.
pair for-two for-eight 115 300
# A copy into another block is slower than one from the L2 cache.
pair hand-64 hand-8192 150 300
# Blocks that all add to the same sums take turns.
pair adds adds-to-one 150 600
# Warps that go each at its own pace open the memory again for each line.
pair words-16 words-4 108 150
# What is copied to another block's shared memory comes no faster than from the L2 cache.
pair loaded across 98 130 steady
# Releases of many warps wait for one another, and for the processor's copies.
pair across released 115 190 steady
# A processor counts those who come to its blocks' barriers one after another.
pair meets-1 meets-16 300 700
# Lines that lie in more than 16 parts of 2 MiB are asked for one by one; nearer ones bring words for others.
pair down-near down-far 150 500
# What lies in a row is a stream, however short the words.
pair words shorts 150 178
# A special function takes a scheduler longer than three plain instructions.
pair logic population 130 500
# Warps have a processor's schedulers in turn, whichever block they are of.
pair logic logic-of-16 95 115
# What is made of a word that is loaded comes behind the load.
pair shuffles-meanwhile shuffles-behind 110 150
# A match takes its time for each value that its lanes have.
pair match-2 match-32 900 1700
# Lanes that add to one word of shared memory come one after another.
pair add-own add-shared 500 900
# A sleep ends at a tick of a clock whose period is a power of two.
pair sleep-600 sleep-1000 98 102
pair sleep-1000 sleep-1100 195 205
# A division of 64 bits is a function of a hundred instructions.
pair divide-32 divide-64 350 700
# A processor sends each word that atomics change by itself, and the L2 cache takes so many in a nanosecond.
pair change-1 change-32 900 3200
# Lanes that copy a word each by cp.async ask for a line together, as plain loads do.
pair carried carried-async 90 112
# Who waits for a group of cp.async waits until it has come, and not for the groups after it.
pair fetches-ahead fetches 250 450
# Lanes that go to two parts of the memory in turns ask for no more than one half after the other would.
pair parts-apart parts-in-turns 95 105
# Lines that other warps have brought to the L1 cache come from there; single sectors from the L2 cache take
# it longer than whole lines.
pair looks-up-near looks-up-far 170 230
# A sector that a warp stores in two parts is one to the L2 cache, if nothing was waited for in between.
pair stored-at-once stored-in-two 97 108
pair stored-in-two stored-apart 108 140
# Threads with 64 bytes of their own that store them at once find them in the L1 cache.
pair four-at-once four-in-turns 108 250
# Atomics on one word are held up by what is read from the memory meanwhile.
pair adds-apart adds-together 120 200 steady
# A release behind plain stores waits until the memory has room for them.
pair copied copied-released 115 150
# Blocks that leave most places of the chip empty are a part of a wave, though each processor has one.
play meets-1
waves=$(sed -n 's/.*"waves": \([0-9.]*\).*/\1/p' "$work/meets-1.json")
awk "BEGIN { exit !($waves < 0.1) }" || fail "132 blocks of 128 threads are $waves waves"
# A block's place is free when its bulk stores are written, whether it waits for that or not.
pair ends-read ends-written 98 102
