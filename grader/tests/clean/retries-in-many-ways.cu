// Threads that retry, count, look at the clock or wait by libcu++ in the ways that programs do. All of them
// end, and none may be accused.
#include "poll-table.h"
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/semaphore>
#include <new>

// All blocks meet, and word[8] has to be `want` then.
__device__ static void finish(int *out, int *word, int want) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(&word[9], 1);
    while (poll_load(&word[9]) < (int)gridDim.x)
      __nanosleep(64);
  }
  __syncthreads();
  out[poll_thread()] = *(volatile int *)&word[8] == want;
}

// ---- within a block and a warp

__global__ void lane_for_lane(int *out, int *word) {
  __shared__ volatile int turn;
  if (threadIdx.x == 0) turn = 0;
  __syncthreads();
  bool done = false;
  while (!done)
    if (turn == (int)threadIdx.x) {
      turn = threadIdx.x + 1;
      done = true;
    }
  __syncthreads();
  out[poll_thread()] = turn == (int)blockDim.x;
}

__global__ void warp_for_warp(int *out, int *word) {
  __shared__ int flag, value;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x == 32) {
    value = 5;
    __threadfence_block();
    atomicExch(&flag, 1);
  }
  if (threadIdx.x < 32) {
    while (atomicAdd(&flag, 0) == 0) {
    }
    __threadfence_block();
  }
  __syncthreads();
  out[poll_thread()] = value == 5;
}

__global__ void half_warps_by_shuffle(int *out, int *word) {
  int v = threadIdx.x % 32;
  for (int d = 16; d; d /= 2)
    v += __shfl_xor_sync(~0u, v, d);
  out[poll_thread()] = v == 496;
}

__global__ void any_until(int *out, int *word) {
  int n = threadIdx.x % 32 + 1, rounds = 0;
  while (__any_sync(~0u, n > 0)) {
    n--;
    rounds++;
  }
  out[poll_thread()] = rounds == 32;
}

// ---- time

__global__ void timeout_not_needed(int *out, int *word) {
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    __nanosleep(2000);
    poll_store(word, 1);
  }
  const long long begin = clock64();
  int ok = 1;
  while (poll_load(word) == 0)
    if (clock64() - begin > 1000000000ll) {
      ok = 0;
      break;
    }
  out[poll_thread()] = ok;
}

__global__ void timeout_needed(int *out, int *word) {
  const long long begin = clock64();
  int late = 0;
  while (poll_load(word) == 0)
    if (clock64() - begin > 20000) {
      late = 1;
      break;
    }
  out[poll_thread()] = late;
}

__global__ void timeout_by_clock32(int *out, int *word) {
  const unsigned begin = clock();
  int late = 0;
  while (*(volatile int *)word == 0)
    if ((unsigned)clock() - begin > 5000) {
      late = 1;
      break;
    }
  out[poll_thread()] = late;
}

__global__ void paced(int *out, int *word) {
  unsigned long long next = poll_time() + 1000;
  for (int n = 0; n < 5; n++, next += 1000)
    while (poll_time() < next)
      __nanosleep(100);
  out[poll_thread()] = 1;
}

__global__ void busy_cycles(int *out, int *word) {
  const long long begin = clock64();
  while (clock64() - begin < 3000) {
  }
  out[poll_thread()] = 1;
}

// ---- atomics

__global__ void float_max(int *out, int *word) {
  const float mine = (float)(poll_thread() * 37 % 101);
  int old = *(volatile int *)word;
  while (__int_as_float(old) < mine) {
    const int seen = atomicCAS(word, old, __float_as_int(mine));
    if (seen == old) break;
    old = seen;
  }
  word[8] = 0;
  finish(out, word, 0);
}

__global__ void double_add(int *out, int *word) {
  unsigned long long *at = (unsigned long long *)word, old = *(volatile unsigned long long *)at, seen;
  while ((seen = atomicCAS(at, old, __double_as_longlong(__longlong_as_double(old) + 1.0))) != old)
    old = seen;
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(&word[9], 1);
    while (poll_load(&word[9]) < (int)gridDim.x) {
    }
  }
  __syncthreads();
  out[poll_thread()] =
      __longlong_as_double(*(volatile unsigned long long *)at) == (double)(gridDim.x * blockDim.x);
}

__global__ void last_block(int *out, int *word) {
  __shared__ int sum, last;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, 1);
  __syncthreads();
  if (threadIdx.x == 0) {
    word[64 + blockIdx.x] = sum;
    __threadfence();
    last = atomicInc((unsigned *)word, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  int all = 0;
  if (last) {
    __threadfence();
    for (unsigned b = 0; b < gridDim.x; b++)
      all += *(volatile int *)&word[64 + b];
  }
  out[poll_thread()] = !last || all == (int)(gridDim.x * blockDim.x);
}

__global__ void stealing(int *out, int *word) { // each block has 10 items at word[16 + b]
  int done = 0;
  if (threadIdx.x == 0) {
    for (unsigned v = 0; v < gridDim.x; v++) {
      const unsigned of = (blockIdx.x + v) % gridDim.x;
      while (atomicAdd(&word[16 + of], 1) < 10)
        done++;
    }
    atomicAdd(&word[8], done);
  }
  finish(out, word, 10 * gridDim.x);
}

__global__ void trylock_then_other(int *out, int *word) {
  if (threadIdx.x == 0) {
    int tries = 0;
    while (tries < 10 && atomicCAS(&word[0], 0, 1) != 0)
      tries++;
    if (tries < 10) {
      __threadfence();
      atomicAdd(&word[8], 1);
      __threadfence();
      atomicExch(&word[0], 0);
    } else
      atomicAdd(&word[8], 1);
  }
  finish(out, word, gridDim.x);
}

__global__ void hash_insert(int *out, int *word) {
  const int key = poll_thread() + 1;
  unsigned at = key * 2654435761u % 1024;
  while (true) {
    const int old = atomicCAS(&word[1024 + at], 0, key);
    if (old == 0 || old == key) break;
    at = (at + 1) % 1024;
  }
  atomicAdd(&word[8], 1);
  finish(out, word, gridDim.x * blockDim.x);
}

__device__ static int root_of(int *p, int i) {
  int q;
  while ((q = *(volatile int *)&p[i]) != i) {
    const int r = *(volatile int *)&p[q];
    if (r != q) atomicCAS(&p[i], q, r);
    i = q;
  }
  return i;
}

__global__ void union_find(int *out, int *word) { // all of 0..n-1 joined in a line; parents made first
  int *p = word + 1024;
  const int me = poll_thread(), n = gridDim.x * blockDim.x;
  p[me] = me;
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(&word[0], 1);
    while (poll_load(&word[0]) < (int)gridDim.x) {
    }
    __threadfence();
  }
  __syncthreads();
  if (me + 1 < n)
    for (;;) {
      int a = root_of(p, me), b = root_of(p, me + 1);
      if (a == b) break;
      if (a < b) {
        const int t = a;
        a = b;
        b = t;
      }
      if (atomicCAS(&p[a], a, b) == a) break;
    }
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(&word[0], 1);
    while (poll_load(&word[0]) < 2 * (int)gridDim.x) {
    }
    __threadfence();
  }
  __syncthreads();
  out[poll_thread()] = root_of(p, me) == 0;
}

__global__ void relax_until_stable(int *out, int *word) { // within a block: distances on a line
  __shared__ int d[64];
  const int me = threadIdx.x;
  d[me] = me == 0 ? 0 : 1000;
  bool changed = true;
  while (changed) {
    __syncthreads();
    const int left = me ? d[me - 1] + 1 : 0;
    const bool mine = left < d[me];
    __syncthreads();
    if (mine) d[me] = left;
    changed = __syncthreads_or(mine);
  }
  out[poll_thread()] = d[me] == me;
}

__global__ void short_flag(int *out, int *word) {
  volatile unsigned short *f = (volatile unsigned short *)word;
  if (poll_thread() == 0) {
    __threadfence();
    f[3] = 77;
  }
  while (f[3] != 77) {
  }
  out[poll_thread()] = 1;
}

__global__ void long_flag(int *out, int *word) {
  volatile unsigned long long *f = (volatile unsigned long long *)word;
  if (poll_thread() == 0) f[1] = 0x100000005ull;
  unsigned long long v;
  while (!((v = f[1]) >> 32)) {
  }
  out[poll_thread()] = (int)v == 5;
}

__global__ void sys_flag(int *out, int *word) {
  if (poll_thread() == 0) asm volatile("st.release.sys.u32 [%0], 1;" ::"l"(word) : "memory");
  unsigned v;
  do
    asm volatile("ld.relaxed.sys.u32 %0, [%1];" : "=r"(v) : "l"(word) : "memory");
  while (!v);
  asm volatile("fence.acq_rel.sys;" ::: "memory");
  out[poll_thread()] = 1;
}

__global__ void exch_as_load(int *out, int *word) { // the flag is taken and handed on
  if (threadIdx.x == 0) {
    if (blockIdx.x == 0) atomicExch(word, 1);
    while (atomicExch(word, 0) == 0) {
    }
    atomicAdd(&word[8], 1);
    atomicExch(word, 1);
  }
  finish(out, word, gridDim.x);
}

__global__ void atomic_wait_notify(int *out, int *word) {
  cuda::atomic_ref<int, cuda::thread_scope_device> f(word[0]);
  if (poll_thread() == 0) {
    f.store(1, cuda::memory_order_release);
    f.notify_all();
  }
  f.wait(0, cuda::memory_order_acquire);
  out[poll_thread()] = f.load() == 1;
}

__global__ void semaphore_of_two(int *out, int *word) {
  auto *s = reinterpret_cast<cuda::counting_semaphore<cuda::thread_scope_device, 2> *>(word + 64);
  if (poll_thread() == 0) {
    new (s) cuda::counting_semaphore<cuda::thread_scope_device, 2>(2);
    __threadfence();
    poll_store(&word[0], 1);
  }
  if (threadIdx.x == 0) {
    while (!poll_load(&word[0])) {
    }
    s->acquire();
    atomicAdd(&word[8], 1);
    s->release();
  }
  finish(out, word, gridDim.x);
}

__global__ void latch_of_blocks(int *out, int *word) {
  auto *l = reinterpret_cast<cuda::latch<cuda::thread_scope_device> *>(word + 64);
  if (poll_thread() == 0) {
    new (l) cuda::latch<cuda::thread_scope_device>(gridDim.x);
    __threadfence();
    poll_store(&word[0], 1);
  }
  if (threadIdx.x == 0) {
    while (!poll_load(&word[0])) {
    }
    l->arrive_and_wait();
  }
  __syncthreads();
  out[poll_thread()] = 1;
}

__global__ void barrier_of_blocks(int *out, int *word) {
  auto *b = reinterpret_cast<cuda::barrier<cuda::thread_scope_device> *>(word + 64);
  if (poll_thread() == 0) {
    init(b, gridDim.x);
    __threadfence();
    poll_store(&word[0], 1);
  }
  if (threadIdx.x == 0) {
    while (!poll_load(&word[0])) {
    }
    for (int i = 0; i < 3; i++)
      b->arrive_and_wait();
  }
  __syncthreads();
  out[poll_thread()] = 1;
}

__global__ void count_down(int *out, int *word) {
  volatile int n = 50000;
  while (n > 0)
    n = n - 1;
  out[poll_thread()] = 1;
}

__global__ void collatz(int *out, int *word) {
  unsigned long long n = 27 + poll_thread();
  int steps = 0;
  while (n != 1) {
    n = n & 1 ? 3 * n + 1 : n / 2;
    steps++;
  }
  out[poll_thread()] = steps > 0;
}

__global__ void lcg_until(int *out, int *word) { // a generator of period 2^16: looks alike for a long time
  unsigned x = 1, n = 0;
  do {
    x = (x * 25173u + 13849u) & 0xffff;
    n++;
  } while (x != 1);
  out[poll_thread()] = n == 65536;
}
int main() {
  static const poll_case table[] = {
      {"lane for lane", lane_for_lane, 2, 64, poll_one},
      {"warp for warp", warp_for_warp, 2, 64, poll_one},
      {"half warps by shuffle", half_warps_by_shuffle, 1, 64, poll_one},
      {"any until", any_until, 1, 64, poll_one},
      {"timeout not needed", timeout_not_needed, 2, 32, poll_one},
      {"timeout needed", timeout_needed, 2, 32, poll_one},
      {"timeout by clock32", timeout_by_clock32, 1, 32, poll_one},
      {"paced", paced, 2, 32, poll_one},
      {"busy cycles", busy_cycles, 2, 64, poll_one},
      {"float max", float_max, 4, 64, poll_one},
      {"double add", double_add, 3, 32, poll_one},
      {"last block", last_block, 12, 64, poll_one},
      {"stealing", stealing, 6, 32, poll_one},
      {"trylock then other", trylock_then_other, 8, 32, poll_one},
      {"hash insert", hash_insert, 4, 64, poll_one},
      {"union find", union_find, 4, 64, poll_one},
      {"relax until stable", relax_until_stable, 2, 64, poll_one},
      {"short flag", short_flag, 3, 32, poll_one},
      {"long flag", long_flag, 3, 32, poll_one},
      {"sys flag", sys_flag, 3, 32, poll_one},
      {"exch as load", exch_as_load, 5, 32, poll_one},
      {"atomic wait notify", atomic_wait_notify, 3, 32, poll_one},
      {"semaphore of two", semaphore_of_two, 5, 32, poll_one},
      {"latch of blocks", latch_of_blocks, 6, 32, poll_one},
      {"barrier of blocks", barrier_of_blocks, 6, 32, poll_one},
      {"count down", count_down, 1, 32, poll_one},
      {"collatz", collatz, 2, 64, poll_one},
      {"lcg until", lcg_until, 1, 32, poll_one},
  };
  return poll_check(table);
}
