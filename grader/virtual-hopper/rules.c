// The table of rules. In: nothing. Out: name -> title and general remedy.
// Order: proxies and order, barriers, bulk groups, addresses and maps, progress: the order of the documentation's index.
#include "virtual-hopper/rules.h"

#include <string.h>

static const struct rule rules[] = {
    // order and proxies
    {"proxy-fence", "ordinary writes reach a bulk copy without a proxy fence",
     "Call async_proxy_fence() after the writes, in every thread that wrote, before the synchronisation that leads to the copy."},
    {"tile-before-phase", "a tile is touched before its load is known to be complete",
     "Wait for the barrier phase that the load completes on, wait(bar, parity), before reading or writing the tile."},
    {"buffer-in-flight", "shared memory is overwritten while a bulk store may still read it",
     "Let the thread that committed the store call tma_wait_until_read_pending<0>(), then synchronise, before writing the buffer again."},
    {"buffer-still-read", "a load is issued into a buffer that other threads may still be reading",
     "Let every reader arrive on an empty barrier (or __syncthreads()) after its last read, and wait for it before issuing the next load."},
    {"read-wait-only", "stored data is read back before its store is known to be complete",
     "Use tma_wait_until_pending<0>() before reading what the store has written: the .read form waits for the source only."},
    {"global-proxy-fence", "global memory written by threads is read by a bulk load without a proxy fence",
     "Call async_proxy_fence_global() after the writes, then synchronise, before the load is issued."},
    {"shared-race", "two threads touch the same shared memory without synchronisation",
     "Put __syncthreads() (or __syncwarp() within a warp) between the two."},
    {"global-race", "two threads touch the same global memory without synchronisation",
     "Order the two accesses, or make both atomic."},
    {"async-race", "two asynchronous copies touch the same bytes at the same time",
     "Wait for the first copy before issuing the second, or give them different buffers."},
    {"grid-dependency", "a kernel touches what the kernel before it writes, without waiting for it",
     "Call cudaGridDependencySynchronize() before the first access to what the kernel before writes."},
    {"barrier-init-visibility", "a barrier is used before its initialisation can be seen",
     "Put __syncthreads() between init_barrier() and the first use by another thread."},
    {"tensormap-fence", "a tensor map in global memory is used without the tensormap fence",
     "Call fence_proxy_tensormap_acquire_gpu(map) in the thread that issues the copy, after the writer's release."},
    // barriers
    {"bytes-announced", "the bytes announced to a barrier are not those that its copies deliver",
     "Announce the sum of the bytes of all copies on the barrier, once: expect_bytes_and_arrive(bar, bytes)."},
    {"arrival-count", "more threads arrive on a barrier than its count",
     "Initialise the barrier with the number of arrivals of one phase."},
    {"parity", "a wait returns at once on a phase that has not begun",
     "Wait for parity 0 first, and flip the parity after every completed wait."},
    {"unobserved-phase", "a phase of a barrier ended unseen before the next arrival",
     "Wait for each phase before arriving for the next one."},
    {"barrier-reinit", "a barrier is initialised again while it is live",
     "Initialise a barrier once, or call inval_barrier(bar) before using its memory again."},
    {"barrier-not-initialised", "a barrier is used that was never initialised, or after its invalidation",
     "Call init_barrier(bar, count) in one thread, then __syncthreads()."},
    {"barrier-overwritten", "the memory of a live barrier is overwritten",
     "Keep data and barriers apart: check the size and offset of what is written here."},
    {"misaligned-barrier", "a barrier is not on a multiple of 8 bytes",
     "Declare it as uint64_t, or with alignas(8)."},
    {"barrier-value", "a count or byte number is outside what a barrier can hold",
     "Counts are 1 to 1048575; bytes in one phase at most 1048575."},
    // bulk groups
    {"store-not-committed", "a bulk store is never committed to a group, so no wait covers it",
     "Call tma_commit_group() in the issuing thread after the store."},
    {"store-not-awaited", "a bulk store is awaited by another thread than the one that committed it",
     "Commit and wait in the thread that issued the store: bulk groups belong to a thread."},
    {"exit-before-read", "a block ends while its bulk stores may still read its shared memory",
     "Call tma_wait_until_read_pending<0>() in the issuing thread before it returns."},
    // addresses and maps
    {"bulk-size", "the size of a bulk copy is not a multiple of 16 bytes",
     "Round the size to a multiple of 16, and treat the rest apart."},
    {"misaligned-address", "an address is not aligned as the instruction demands",
     "Bulk copies need 16 bytes at both ends, tensor tiles 128 bytes in shared memory: alignas(128)."},
    {"out-of-bounds", "an access leaves the memory that it belongs to",
     "Check the index, the size and the end of the data."},
    {"tensor-coordinate", "the innermost coordinate of a tile is not on a 16-byte boundary",
     "Make the innermost coordinate times the element size a multiple of 16."},
    {"tensor-store-coordinate", "a tensor store has a negative coordinate",
     "Let every tile that is stored begin inside the tensor; where it hangs over the far edges it is cut off."},
    {"swizzle-base", "a swizzled tile's buffer is not aligned to its pattern",
     "Align the buffer to 1024 bytes for 128-byte swizzle, 512 for 64, 256 for 32: else the pattern is shifted."},
    {"bad-tensor-map", "what is passed as a tensor map is not one",
     "Pass the CUtensorMap itself: const __grid_constant__, __constant__, or global memory."},
    {"bad-tensor-map-argument", "an argument of the tensor map is not allowed",
     "tensor_map_encode() of tensor-map.h checks every argument first; sizes and boxes count elements, strides bytes."},
    // progress
    {"deadlock", "nobody can go on", "See who waits for what; the likeliest cause comes first."},
    {"endless-loop", "a kernel runs on and on", "Check the loop's end condition."},
    {"divergent-barrier", "a barrier is reached by only some threads of a warp",
     "Move the barrier out of the divergent branch: all threads of the block must reach it."},
    {"warp-sync-mask", "a warp instruction names lanes that never join",
     "Name exactly the lanes that reach this instruction."},
    {"trap", "the kernel ended itself",
     "Look at the condition in this line: a failed assert(), a call of __trap(), or a branch that the compiler holds to be impossible."},
    {"illegal-instruction", "an instruction's operands are not allowed",
     "Change the operand that the message names to one that it allows."},
};

const struct rule *rule_find(const char *name) {
  for (size_t i = 0; i < rule_count(); i++) {
    if (strcmp(rules[i].name, name) == 0) return &rules[i];
  }
  return NULL;
}

size_t rule_count(void) {
  return sizeof rules / sizeof rules[0];
}

const struct rule *rule_at(size_t index) {
  return index < rule_count() ? &rules[index] : NULL;
}
