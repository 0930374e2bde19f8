#!/bin/sh
# In: lab10's solutions, changed as typical slow attempts are. Out: exit 0 if slow-attempts.sh finds each
# right, slow, and explained by a true sentence.
set -eu
# shellcheck disable=SC2034 # for slow-attempts.sh
LAB=10 ARCHITECTURE=90a name=slow-attempts-lab10-test
# shellcheck source=grader/tests/house/slow-attempts.sh
. "$(dirname "$0")/slow-attempts.sh"

solution 1
lanes='if (threadIdx.x == 64) for (uint32_t c = 0; c < mine.width; c++)
  for (uint32_t row = n ? 0 : part[c] = 0; row < rows; row++)'
attempt one-thread-adds "s/for \\(uint32_t row = mine.first; .*/$(one_line "$lanes")/
  s/sum \\+= tile.*/part[c] += tile[row * mine.width + c];/; s/^  part\\[threadIdx.x\\] = total;//" \
  'So loads wait for the slowest thread of the block. Share its work' 'keep more in flight'
attempt flat-tiles 's/TILE_WORDS = 22/TILE_WORDS = 1/' 'All stages on a processor hold only' 'stores hold up'
attempt small-copies 's/row < rows .. !whole; row \+= 32\)/& for (uint32_t w = 0; w < mine.width; w += 16)/
  s/tile \+ row \* mine.width,/tile + row * mine.width + w,/
  s/from \+ row \* cut.columns, row_bytes/from + row * cut.columns + w, 64/' \
  'a load has 64 bytes as a mean' 'take turns'
attempt one-block "s/^  kernel<<<.*/$(room kernel)\\n&/; s/WIDTH, 0, stream/WIDTH, 180 << 10, stream/" \
  'So loading, computing and storing take turns.'
attempt a-quarter-of-the-chip 's/if \(shares == 0\) shares = 1;/shares = 8;/' \
  "so 100 of the chip's 132 processors have nothing to do"

solution 2
attempt one-block "s/(return launch_tiles.transpose)/$(room transpose) \\1/
  s/threads, 0, stream/threads, 180 << 10, stream/" 'So loading, computing and storing take turns.'
attempt small-tiles 's/SIDE = 64;/SIDE = 8;/; s/SWIZZLE_128B/SWIZZLE_NONE/' \
  'they end as fast as new ones start' 'take turns'
four='uint32_t none = 0; if (threadIdx.x < 4)
  for (uint32_t id = threadIdx.x; id < THREADS; id += 4) { const uint32_t y = id % SIDE, a = id \/ SIDE;'
attempt four-threads "s/uint32_t y = threadIdx.x % SIDE, a = threadIdx.x . SIDE;.*/$(one_line "$four")/
  s/(turned\\[x . 3\\].*)/\\1 }/" 'because this warp is busy'

solution 3
attempt sleepy-planes 's/(const uint32_t .*= threadIdx.x.*;)/\1 __nanosleep(20000);/' \
  'So loads wait for the warp that starts them to wake up.' 'because this warp is busy'
attempt three-planes 's/STAGES = 7;/STAGES = 3;/' 'is kept or empty' 'stands empty 7'
attempt long-columns 's/STAGES = 7;/STAGES = 3;/; s/COLUMN_DEPTH = 10/COLUMN_DEPTH = 32/' \
  'So too few loads are on their way while it waits.'
lanes='if (threadIdx.x < 16) for (uint32_t x = threadIdx.x; x < TILE_WIDTH; x += 16) {
  const uint32_t first = 0, end = TILE_HEIGHT, at = x + MARGIN;'
attempt half-a-warp "s/const uint32_t (x = threadIdx.x|first =) .*//; s/^ *end = x < .*//
  s/const uint32_t at = x .*/$(one_line "$lanes")/; s/here = down;/& }/" \
  'or let more warps share its work: as a mean, one works'

solution 4
attempt one-stage 's/ STAGES = 4;/ STAGES = 1;/' \
  'So loading, computing and storing take turns.' 'would only be full'
attempt wide-scope 's/arrive_after_reading\(map/arrive_remote(map/' \
  'it waits until other blocks see what it did' 'keep more in flight'
attempt late-back 's/for \(uint32_t rank = 0; rank/if (n > 0) for (uint32_t rank = 0; rank/
  s/s.empty\[at.stage\], rank/s.empty[(n - 1) % STAGES], rank/; s/ STAGES = 4/ STAGES = 2/' \
  'These keep a stage while they wait for the next load'
attempt small-tiles 's/HEIGHT = 48/HEIGHT = 4/' \
  'So the loads are started too slowly: a load has 1040 bytes as a mean.' 'take turns'

solution 5
attempt two-stages 's/ STAGES = 4;/ STAGES = 2;/' \
  'These keep a stage while they wait for the next load' 'product is waited for'
attempt each-product 's/until_pending<1>/until_pending<0>/' \
  'held up by: waiting for each product.' 'keep more in flight'
each='wgmma_commit_group(); wgmma_wait_until_pending<0>(); }'
attempt each-step "s/(wgmma_m64n256k16_f32_bf16.sums.*)/{ \\1 $each/" \
  'held up by: waiting for each product.' 'keep more in flight'
attempt waits-itself 's/(cp_async_bulk_tensor_2d.*stage..b, .*)/\1 wait(\&s.full[at.stage], at.parity);/' \
  'So too few loads are on their way while it waits.' 'take turns'

# The model finds it 5 % slower, an H200 12 (docs/measurements.md).
solution 2 h200
changed no-swizzle 's/SWIZZLE_128B/SWIZZLE_NONE/; s/a \^ y % ATOMS/a/' \
  'Bank conflicts make its accesses take 4' 'keep more in flight'
