#!/bin/sh
# In: solutions of lab9 and lab10, each changed as typical slow attempts are; build/bin/vhopper. Out: exit 0
# if the model finds each of them slow and says what is true of it. An attempt: its name, its exercise, the
# change by sed, what is said, what is not said.
set -eu
cd "$(dirname "$0")/../../.."
vhopper=build/bin/vhopper bench=grader/tests/bench
work=$(sh grader/tests/work-folder.sh slow-attempts $$)
trap 'rm -rf "$work"' EXIT
fail() { printf 'slow-attempts-test: %s\n' "$1" >&2; cat "$work/said" >&2; exit 1; }

lab=lab9 main=$bench/time-solution.cu architecture=90 chip=h100
attempt() { # NAME EXERCISE CHANGE SAID [NOT-SAID]: the change is made to the solution and to what is given
  it=$work/$1 changed=
  mkdir "$it"
  for file in "solutions/$lab/$2"-*.cu "labs/$lab"/*.cuh; do
    [ -f "$file" ] || continue
    sed -E "$3" "$file" >"$it/${file##*/}"
    cmp -s "$file" "$it/${file##*/}" || changed=yes
  done
  [ "$changed" ] || fail "$1: the change finds nothing to change"
  "${NVCC:-nvcc}" -std=c++17 -O2 -cudart shared -lineinfo --no-compress -I"$it" -Iinterface -Ilabs/$lab -w \
    -gencode "arch=compute_$architecture,code=[sm_$architecture,compute_$architecture]" "$it"/*.cu $main \
    -DEXERCISE="$2" -o "$it/program"
  $vhopper run --time $chip --no-check --json "$work/json" --timeline "$work/it.svg" -- "$it/program" 16 \
    >"$work/said" 2>&1 || fail "$1 does not run"
  grep -qF -e "$4" "$work/said" || fail "$1: does not say: $4"
  [ -z "${5:-}" ] || ! grep -qF -e "$5" "$work/said" || fail "$1: says, and it is not true: $5"
  ! grep -q '"bound_by": "memory"' "$work/json" || fail "$1: is not found slow"
}

attempt few-blocks 1 's/THREADS, 0, stream/THREADS, 43 << 10, stream/' \
  'So loading, computing and storing take turns.' 'stores hold up loads'
attempt one-thread 1 's/(for .*i = )threadIdx.x(; i < length; i \+= )THREADS/if (threadIdx.x == 0) \10\21/' \
  'because this warp is busy, with 1 of its 32 threads as a mean. Let all threads' 'stores hold up loads'
attempt banks 1 's/tile\[i\] \+= 1;/tile[(i * 32 + i \/ 32) % TILE] += 1;/' \
  'Bank conflicts make its accesses take 32.0 times as long' 'stores hold up loads'
attempt flat-tiles 2 's/TILE_HEIGHT = 20;/TILE_HEIGHT = 2;/' 'The shared memory of a block' 'buffer result'
attempt small-loads 3 's/CONSUMER_WARPS = 8;/CONSUMER_WARPS = 2;/' \
  'So the loads are started too slowly: a load has 1024 bytes as a mean.' 'Let all threads'
attempt small-stages 3 's/STAGE_BYTES = 48 \* 1024/STAGE_BYTES = 4 * 1024/' \
  'So loads wait for the readers to give a stage back.'
attempt sleepy-readers 3 's/(if .rows == 0. return sum;)/\1 __nanosleep(3000);/' \
  'So loads wait for the readers to give a stage back.' 'works 100 %'
attempt serial 4 's/(for .*i = )threadIdx.x(; i < array.*; i \+= )THREADS/if (threadIdx.x == 64) \10\21/' \
  'Warp 2 works 100 % of the time, with 1 of its 32 threads as a mean.' 'because this warp is busy'
attempt full-wait 4 's/(TILE_QUADS) = 7 \* /\1 = /; s/(STAGES) = 3;/\1 = 2;/; s/(BLOCKS_PER_.*) = 2/\1 = 1/
  s/UNREAD = 1;/UNREAD = 0;/; s/tma_wait_until_read_pending<UNREAD>/tma_wait_until_pending<0>/' \
  'for its stores to have written' 'take turns'

lab=lab10 main=$bench/time-solution-lab10.cu architecture=90a
adds='for (uint32_t i = 0; i < mine.width; i++) part[i] += tile[row * mine.width + i]'
attempt one-thread-adds 1 "s/(row \\+= mine.step\\))/\\1 if (threadIdx.x == 64) $adds; else/" \
  'Warp 2 works' 'keep more in flight'
attempt sleepy-planes 3 's/(const uint32_t .*= threadIdx.x.*;)/\1 __nanosleep(20000);/' \
  'So loads wait for the warp that starts them to wake up.' 'because this warp is busy'
attempt one-stage 4 's/ STAGES = 4;/ STAGES = 1;/' \
  'So loading, computing and storing take turns.' 'would only be full'
attempt wide-scope 4 's/arrive_after_reading\(map/arrive_remote(map/' \
  'it waits until other blocks see what it did' 'keep more in flight'
attempt two-stages 5 's/ STAGES = 4;/ STAGES = 2;/' \
  'More or larger stages keep more in flight.' 'product is waited for'
attempt each-product 5 's/until_pending<1>/until_pending<0>/' \
  'held up by: waiting for each product.' 'keep more in flight'
chip=h200
attempt no-swizzle 2 's/SWIZZLE_128B/SWIZZLE_NONE/; s/a \^ y % ATOMS/a/' \
  'Bank conflicts make its accesses take 4' 'keep more in flight'
