// Blocks that wait for one another in the ways that programs do: locks, scans, meetings, queues, turns. All
// of them end, and none may be accused.
#include "poll-table.h"

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

// ---- locks

__global__ void ticket_lock(int *out, int *word) {
  if (threadIdx.x == 0)
    for (int n = 0; n < 3; n++) {
      const int me = atomicAdd(&word[0], 1);
      while (*(volatile int *)&word[1] != me) {
      }
      __threadfence();
      word[8] = word[8] + 1;
      __threadfence();
      *(volatile int *)&word[1] = me + 1;
    }
  finish(out, word, 3 * gridDim.x);
}

__global__ void cas_lock_backoff(int *out, int *word) {
  if (threadIdx.x == 0)
    for (int n = 0; n < 3; n++) {
      unsigned ns = 8;
      while (atomicCAS(&word[0], 0, 1) != 0) {
        __nanosleep(ns);
        ns = ns < 256 ? ns * 2 : ns;
      }
      __threadfence();
      word[8] += 1;
      __threadfence();
      atomicExch(&word[0], 0);
    }
  finish(out, word, 3 * gridDim.x);
}

__global__ void ttas_ldcg(int *out, int *word) {
  if (threadIdx.x == 0) {
    for (;;) {
      while (__ldcg(&word[0]) != 0) {
      }
      if (atomicExch(&word[0], 1) == 0) break;
    }
    __threadfence();
    const int was = __ldcg(&word[8]);
    __stcg(&word[8], was + 1);
    __threadfence();
    atomicExch(&word[0], 0);
  }
  finish(out, word, gridDim.x);
}

__global__ void mcs_lock(int *out,
                         int *word) { // word[0]: tail; word[16 + b]: next of b; word[80 + b]: locked
  if (threadIdx.x == 0) {
    const int me = blockIdx.x + 1;
    word[16 + me] = 0;
    word[80 + me] = 1;
    __threadfence();
    const int before = atomicExch(&word[0], me);
    if (before) {
      *(volatile int *)&word[16 + before] = me;
      while (*(volatile int *)&word[80 + me]) {
      }
    }
    __threadfence();
    word[8] += 1;
    __threadfence();
    if (atomicCAS(&word[0], me, 0) != me) {
      int next;
      while (!(next = *(volatile int *)&word[16 + me])) {
      }
      *(volatile int *)&word[80 + next] = 0;
    }
  }
  finish(out, word, gridDim.x);
}

__global__ void lock_per_thread(int *out,
                                int *word) { // lanes of one warp contend: the branch lets the holder go on
  bool done = false;
  while (!done) {
    if (atomicCAS(&word[0], 0, 1) == 0) {
      __threadfence();
      *(volatile int *)&word[8] = *(volatile int *)&word[8] + 1;
      __threadfence();
      atomicExch(&word[0], 0);
      done = true;
    }
  }
  finish(out, word, gridDim.x * blockDim.x);
}

__global__ void reader_writer(int *out, int *word) { // word[0]: -1 writer, n readers
  if (threadIdx.x == 0) {
    if (blockIdx.x % 2) {
      while (atomicCAS(&word[0], 0, -1) != 0)
        __nanosleep(20);
      __threadfence();
      word[8] += 2;
      __threadfence();
      atomicExch(&word[0], 0);
    } else {
      int n;
      do {
        n = *(volatile int *)&word[0];
      } while (n < 0 || atomicCAS(&word[0], n, n + 1) != n);
      __threadfence();
      if (word[8] % 2) word[9] = -100000;
      __threadfence();
      atomicSub(&word[0], 1);
    }
  }
  finish(out, word, gridDim.x / 2 * 2);
}

__global__ void seqlock(int *out, int *word) {
  int ok = 1;
  if (threadIdx.x == 0) {
    if (blockIdx.x == 0) {
      for (int n = 1; n <= 6; n++) {
        atomicAdd(&word[0], 1);
        __threadfence();
        atomicExch(&word[1], n);
        atomicExch(&word[2], -n);
        __threadfence();
        atomicAdd(&word[0], 1);
      }
    } else {
      for (int n = 0; n < 3; n++) {
        int a, b, s0, s1;
        do {
          s0 = poll_load(&word[0]);
          a = *(volatile int *)&word[1];
          b = *(volatile int *)&word[2];
          __threadfence();
          s1 = *(volatile int *)&word[0];
        } while (s0 != s1 || s0 & 1);
        ok &= a == -b;
      }
    }
  }
  out[poll_thread()] = __syncthreads_and(ok);
}

// ---- scans

__global__ void look_back(int *out, int *word) { // packed status: 0 none, 1 own, 2 prefix in the upper half
  unsigned long long *status = reinterpret_cast<unsigned long long *>(word);
  __shared__ int prefix;
  if (threadIdx.x == 0) {
    const unsigned own = blockIdx.x + 1;
    unsigned before = 0;
    if (blockIdx.x == 0)
      atomicExch(&status[0], 2ull << 32 | own);
    else {
      atomicExch(&status[blockIdx.x], 1ull << 32 | own);
      for (int b = blockIdx.x - 1; b >= 0;) {
        const unsigned long long s = *(volatile unsigned long long *)&status[b];
        if (s >> 32 == 0) continue;
        before += (unsigned)s;
        if (s >> 32 == 2) break;
        b--;
      }
      atomicExch(&status[blockIdx.x], 2ull << 32 | (before + own));
    }
    prefix = before;
  }
  __syncthreads();
  out[poll_thread()] = prefix == (int)(blockIdx.x * (blockIdx.x + 1) / 2);
}

__global__ void look_back_by_ticket(int *out, int *word) {
  __shared__ int b, before;
  if (threadIdx.x == 0) b = atomicAdd(&word[0], 1);
  __syncthreads();
  if (threadIdx.x == 0) {
    int v = 0;
    if (b > 0) {
      while ((v = poll_load(&word[16 + b - 1])) == 0)
        __nanosleep(40);
    }
    before = v;
    poll_store(&word[16 + b], v + b + 1);
  }
  __syncthreads();
  out[poll_thread()] = before == b * (b + 1) / 2;
}

// ---- meetings

__global__ void sense_reversal(int *out, int *word) {
  int sense = 0, ok = 1;
  for (int round = 0; round < 4; round++) {
    sense ^= 1;
    __syncthreads();
    if (threadIdx.x == 0) {
      __threadfence();
      if (atomicAdd(&word[0], 1) == (int)gridDim.x - 1) {
        word[0] = 0;
        __threadfence();
        *(volatile int *)&word[1] = sense;
      } else
        while (*(volatile int *)&word[1] != sense) {
        }
      __threadfence();
    }
    __syncthreads();
  }
  out[poll_thread()] = ok;
}

__global__ void wrap_barrier(int *out, int *word) {
  for (int round = 0; round < 3; round++) {
    __syncthreads();
    if (threadIdx.x == 0) {
      __threadfence();
      const unsigned goal = (round + 1) * gridDim.x;
      atomicAdd((unsigned *)word, 1);
      while (*(volatile unsigned *)word < goal)
        __nanosleep(32);
      __threadfence();
    }
    __syncthreads();
    word[32 + round * 1024 + poll_thread()] = round;
  }
  out[poll_thread()] = 1;
}

__global__ void cooperative_bit_barrier(int *out, int *word) { // as CG does: the top bit flips
  for (int round = 0; round < 3; round++) {
    __syncthreads();
    if (threadIdx.x == 0) {
      const unsigned add = blockIdx.x == 0 ? 0x80000000u - (gridDim.x - 1) : 1;
      __threadfence();
      const unsigned old = atomicAdd((unsigned *)word, add);
      while (((old ^ *(volatile unsigned *)word) & 0x80000000u) == 0) {
      }
      __threadfence();
    }
    __syncthreads();
  }
  out[poll_thread()] = 1;
}

__global__ void dissemination(int *out, int *word) {
  int round = 0;
  for (unsigned d = 1; d < gridDim.x; d *= 2, round++) {
    if (threadIdx.x == 0) {
      poll_store(&word[round * 64 + (blockIdx.x + d) % gridDim.x], 1);
      while (poll_load(&word[round * 64 + blockIdx.x]) == 0) {
      }
    }
    __syncthreads();
  }
  out[poll_thread()] = 1;
}

__global__ void two_way(int *out, int *word) {
  for (int n = 1; n <= 3; n++) {
    if (threadIdx.x == 0) {
      if (blockIdx.x == 0) {
        while (poll_load(&word[0]) < n * ((int)gridDim.x - 1)) {
        }
        poll_store(&word[1], n);
      } else {
        __threadfence();
        atomicAdd(&word[0], 1);
        while (poll_load(&word[1]) < n) {
        }
      }
    }
    __syncthreads();
  }
  out[poll_thread()] = 1;
}

__global__ void cg_sync_like_or(int *out, int *word) {
  int polls = 0;
  if (blockIdx.x == 0) {
    for (int i = 0; i < 8; i++)
      __nanosleep(50);
    if (threadIdx.x == 0) atomicExch(&word[0], 1);
  }
  while (!__syncthreads_or(threadIdx.x == 0 && atomicAdd(&word[0], 0)))
    polls++;
  out[poll_thread()] = 1;
}

// ---- producers and consumers

__global__ void ring_of_eight(int *out, int *word) { // word[0] head, word[1] tail, word[16..23] slots
  int sum = 0;
  if (threadIdx.x == 0) {
    if (blockIdx.x == 0) {
      for (int n = 0; n < 24; n++) {
        while (n - *(volatile int *)&word[1] >= 8) {
        }
        __threadfence();
        word[16 + n % 8] = n;
        __threadfence();
        *(volatile int *)&word[0] = n + 1;
      }
      sum = 276;
    } else if (blockIdx.x == 1) {
      for (int n = 0; n < 24; n++) {
        while (*(volatile int *)&word[0] <= n) {
        }
        __threadfence();
        sum += word[16 + n % 8];
        __threadfence();
        *(volatile int *)&word[1] = n + 1;
      }
    } else
      sum = 276;
  }
  out[poll_thread()] = __syncthreads_or(sum == 276);
}

__global__ void many_producers(int *out, int *word) {
  int mine = -1;
  if (threadIdx.x == 0) {
    const int slot = atomicAdd(&word[0], 1);
    atomicExch(&word[256 + slot], blockIdx.x + 7);
    __threadfence();
    atomicExch(&word[512 + slot], 1);
    const int from = gridDim.x - 1 - slot;
    while (atomicOr(&word[512 + from], 0) == 0)
      __nanosleep(10);
    __threadfence();
    mine = atomicAdd(&word[256 + from], 0) >= 7;
  }
  out[poll_thread()] = __syncthreads_or(mine == 1);
}

__global__ void ping_pong(int *out, int *word) {
  if (threadIdx.x == 0 && blockIdx.x < 2)
    for (int n = 0; n < 12; n++) {
      while (poll_load(word) != 2 * n + (int)blockIdx.x) {
      }
      poll_store(word, 2 * n + (int)blockIdx.x + 1);
    }
  __syncthreads();
  out[poll_thread()] = 1;
}

__global__ void token_ring(int *out, int *word) {
  if (threadIdx.x == 0)
    for (int n = 0; n < 3; n++) {
      const int turn = n * gridDim.x + blockIdx.x;
      while (atomicCAS(word, turn, turn) != turn) {
      }
      atomicExch(word, turn + 1);
    }
  __syncthreads();
  out[poll_thread()] = 1;
}

__global__ void reversed_chain(int *out, int *word) { // block 0 waits for the last
  if (threadIdx.x == 0) {
    if (blockIdx.x + 1 < gridDim.x)
      while (*(volatile int *)&word[blockIdx.x + 1] == 0) {
      }
    __threadfence();
    *(volatile int *)&word[blockIdx.x] = 1;
  }
  __syncthreads();
  out[poll_thread()] = 1;
}
int main() {
  static const poll_case table[] = {
      {"ticket lock", ticket_lock, 7, 32, poll_one},
      {"cas lock backoff", cas_lock_backoff, 6, 64, poll_one},
      {"ttas ldcg", ttas_ldcg, 3, 32, poll_one},
      {"mcs lock", mcs_lock, 8, 32, poll_one},
      {"lock per thread", lock_per_thread, 2, 32, poll_one},
      {"reader writer", reader_writer, 6, 32, poll_one},
      {"seqlock", seqlock, 5, 32, poll_one},
      {"look back", look_back, 16, 32, poll_one},
      {"look back by ticket", look_back_by_ticket, 40, 32, poll_one},
      {"sense reversal", sense_reversal, 9, 64, poll_one},
      {"wrap barrier", wrap_barrier, 8, 64, poll_one},
      {"cooperative bit barrier", cooperative_bit_barrier, 6, 64, poll_one},
      {"dissemination", dissemination, 7, 32, poll_one},
      {"two way", two_way, 7, 32, poll_one},
      {"cg sync like or", cg_sync_like_or, 4, 64, poll_one},
      {"ring of eight", ring_of_eight, 3, 32, poll_one},
      {"many producers", many_producers, 12, 32, poll_one},
      {"ping pong", ping_pong, 2, 32, poll_one},
      {"token ring", token_ring, 6, 32, poll_one},
      {"reversed chain", reversed_chain, 8, 32, poll_one},
  };
  return poll_check(table);
}
