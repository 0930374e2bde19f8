#!/bin/sh
# In: lab9's solutions, changed as typical slow attempts are. Out: exit 0 if slow-attempts.sh finds each
# right, slow, and explained by a true sentence.
set -eu
# shellcheck disable=SC2034 # for slow-attempts.sh
LAB=9 ARCHITECTURE=90 name=slow-attempts-lab9-test
# shellcheck source=grader/tests/house/slow-attempts.sh
. "$(dirname "$0")/slow-attempts.sh"

solution 1
attempt few-blocks 's/THREADS, 0, stream/THREADS, 43 << 10, stream/' \
  'All stages on a processor hold only 16.0 KiB together.' 'stores hold up loads'
attempt one-thread 's/(for .*i = )threadIdx.x(; i < length; i \+= )THREADS/if (threadIdx.x == 0) \10\21/' \
  'because this warp is busy, with 1 of its 32 threads as a mean. Let all threads' 'stores hold up loads'
attempt banks 's/tile\[i\] \+= 1;/tile[(i * 32 + i \/ 32) % TILE] += 1;/' \
  'Bank conflicts make its accesses take 32.0 times as long' 'stores hold up loads'
attempt small-tiles 's/TILE = 1024;/TILE = 64;/; s/THREADS = 160/THREADS = 32/' \
  'A processor has room for 32 blocks, but' 'take turns'
pieces='for (uint32_t i = 0; i < length; i += 8)
  cp_async_bulk_global_to_shared(tile + i, data + first + i, 32, \&loaded);'
attempt pieces "s/cp_async_bulk_global_to_shared_hint\\(tile, data . first, .*/$(one_line "$pieces")/" \
  'a load has 32 bytes as a mean' 'take turns'

solution 2
attempt flat-tiles 's/TILE_HEIGHT = 20;/TILE_HEIGHT = 2;/' 'The shared memory of a block' 'buffer result'
columns='for (uint32_t i = threadIdx.x; i < TILE_WIDTH * TILE_HEIGHT; i += THREADS) {
  const uint32_t y = i % TILE_HEIGHT, x = i \/ TILE_HEIGHT;'
attempt columns "s/const uint32_t x = threadIdx.x % TILE_WIDTH;//
  s/for \\(uint32_t y = .*/$(one_line "$columns")/" \
  'Bank conflicts make its accesses take 17.6 times' 'keep more in flight'
lanes='if (threadIdx.x < 32) for (uint32_t x = threadIdx.x; x < TILE_WIDTH; x += 32)
  for (uint32_t y = 0; y < TILE_HEIGHT; y++) {'
attempt one-warp "s/const uint32_t x = threadIdx.x % TILE_WIDTH;//
  s/for \\(uint32_t y = .*/$(one_line "$lanes")/" \
  'or let more warps share its work: as a mean, one works'
attempt narrow 's/TILE_WIDTH = 240/TILE_WIDTH = 16/' 'Of the bytes that it loads, 54 % come from the L2 cache'
attempt one-block "s/^  stencil<<<.*/$(room stencil)\\n&/; s/THREADS, 0, stream/THREADS, 180 << 10, stream/" \
  'So loading, computing and storing take turns.'

solution 3
attempt small-loads 's/CONSUMER_WARPS = 8;/CONSUMER_WARPS = 2;/' \
  'So the loads are started too slowly: a load has 1024 bytes as a mean.' 'Let all threads'
attempt small-stages 's/STAGE_BYTES = 48 \* 1024/STAGE_BYTES = 4 * 1024/' \
  'So loads wait for the readers to give a stage back.'
attempt sleepy-readers 's/(if .rows == 0. return sum;)/\1 __nanosleep(3000);/' \
  'So loads wait for the readers to give a stage back.' 'works 100 %'
attempt one-stage 's/STAGES = 2;/STAGES = 1;/; s/48 \* 1024/16 * 1024/' \
  'So loading, computing and storing take turns.'
attempt late-back 's/48 \* 1024/8 * 1024/
  s/if \(threadIdx.x % 32 == 0\) arrive/if (threadIdx.x % 32 == 0 \&\& turn > 0) arrive/
  s/arrive\(&empty\[stage\]\)/arrive(\&empty[(turn - 1) % STAGES])/' \
  'These keep a stage while they wait for the next load'
attempt waits-itself 's/48 \* 1024/12 * 1024/
  s/(^ +)&full\[stage\]\);/\1\&full[stage]); wait(\&full[stage], parity);/' \
  'All stages on a processor hold only 24.0 KiB together.'
attempt half-the-chip 's/shares = processors \/ panels/shares = 64/' \
  "so 68 of the chip's 132 processors have nothing to do"

solution 4
attempt serial 's/(for .*i = )threadIdx.x(; i < array.*; i \+= )THREADS/if (threadIdx.x == 64) \10\21/' \
  'So loads wait for the slowest thread of the block. Share its work' 'because this warp is busy'
attempt full-wait 's/(TILE_QUADS) = 7 \* /\1 = 4 * /; s/(STAGES) = 3;/\1 = 2;/; s/(BLOCKS_PER_.*) = 2/\1 = 1/
  s/UNREAD = 1;/UNREAD = 0;/; s/tma_wait_until_read_pending<UNREAD>/tma_wait_until_pending<0>/' \
  'for its stores to have written' 'take turns'
attempt one-stage 's/STAGES = 3;/STAGES = 1;/; s/UNREAD = 1;/UNREAD = 0;/; s/(BLOCKS_PER_.*) = 2/\1 = 1/' \
  'So loading, computing and storing take turns.'
attempt small-tiles 's/TILE_QUADS = 7 . THREADS/TILE_QUADS = THREADS \/ 4/' \
  'a load has 512 bytes as a mean, and for each this warp executes'
attempt each-store-awaited 's/(BLOCKS_PER_.*) = 2/\1 = 1/
  s/UNREAD = 1;/UNREAD = 0;/; s/STAGES = 3/STAGES = 2/' 'So stores hold up loads.'
