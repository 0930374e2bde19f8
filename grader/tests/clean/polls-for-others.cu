// Loops that wait for another thread, another block or time to pass: locks, turns, elections, the clock.
#include "poll-table.h"

__global__ void flag_of_another_block(int *out, int *word) {
  if (blockIdx.x == 0 && threadIdx.x == 0) poll_store(word, 1);
  while (poll_load(word) == 0) {
  }
  out[poll_thread()] = 1;
}

__global__ void flag_that_comes_late(int *out, int *word) { // after more polls than a suspicion takes
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    const volatile int *other = word + 8;
    for (int i = 0; i < 4000; i++)
      if (*other != 0) return;
    poll_store(word, 1);
  }
  while (poll_load(word) == 0)
    __nanosleep(50);
  out[poll_thread()] = 1;
}

__global__ void counter_of_arrivals(int *out, int *word) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(word, 1);
    while (atomicAdd(word, 0) < static_cast<int>(gridDim.x))
      __nanosleep(20);
    __threadfence();
  }
  __syncthreads();
  out[poll_thread()] = 1;
}

__global__ void turns_by_ticket(int *out, int *word) {
  if (threadIdx.x == 0) {
    const int ticket = atomicAdd(&word[0], 1);
    while (poll_load(&word[1]) != ticket) {
    }
    const int sum = poll_load(&word[2]) + 1;
    poll_store(&word[2], sum);
    poll_store(&word[1], ticket + 1);
    while (poll_load(&word[1]) != static_cast<int>(gridDim.x)) {
    }
    out[blockIdx.x * blockDim.x] = poll_load(&word[2]);
  } else {
    out[poll_thread()] = static_cast<int>(gridDim.x);
  }
}

__global__ void lock_by_exchange(int *out, int *word) {
  for (bool done = false; !done;) {
    if (atomicExch(&word[0], 1) == 0) {
      __threadfence();
      const int sum = poll_load(&word[1]);
      poll_store(&word[1], sum + 1);
      __threadfence();
      atomicExch(&word[0], 0);
      done = true;
    }
  }
  out[poll_thread()] = 1;
}

__global__ void lock_with_back_off(int *out, int *word) {
  if (threadIdx.x % 32 == 0) {
    unsigned pause = 10;
    while (atomicCAS(&word[0], 0, 1) != 0) {
      __nanosleep(pause);
      pause = pause < 640 ? pause * 2 : 640;
    }
    __threadfence();
    poll_store(&word[1], poll_load(&word[1]) + 1);
    __threadfence();
    atomicExch(&word[0], 0);
  }
  out[poll_thread()] = 1;
}

__global__ void lock_in_shared_memory(int *out, int *) {
  __shared__ int lock, sum;
  if (threadIdx.x == 0) lock = sum = 0;
  __syncthreads();
  for (bool done = false; !done;) {
    if (atomicCAS(&lock, 0, 1) == 0) {
      __threadfence_block();
      sum = sum + 1;
      __threadfence_block();
      atomicExch(&lock, 0);
      done = true;
    }
  }
  __syncthreads();
  out[poll_thread()] = sum;
}

__global__ void election(int *out, int *word) { // one is chosen, the others wait for its word
  if (atomicCAS(&word[0], 0, poll_thread() + 1) == 0) poll_store(&word[1], 77);
  while (poll_load(&word[1]) != 77) {
  }
  out[poll_thread()] = poll_load(&word[1]);
}

__global__ void retries_of_an_update(int *out, int *word) {
  int seen = poll_load(word), before;
  do {
    before = seen;
    seen = atomicCAS(word, before, before + 1);
  } while (seen != before);
  while (poll_load(word) != static_cast<int>(gridDim.x * blockDim.x))
    __nanosleep(30);
  out[poll_thread()] = poll_load(word);
}

__global__ void chain_of_blocks(int *out, int *word) { // each waits for the one before it
  if (threadIdx.x == 0) {
    while (poll_load(&word[blockIdx.x]) != static_cast<int>(blockIdx.x))
      __nanosleep(10);
    poll_store(&word[blockIdx.x + 1], static_cast<int>(blockIdx.x) + 1);
  }
  out[poll_thread()] = 1;
}

__global__ void ping_and_pong(int *out, int *word) {
  if (threadIdx.x == 0)
    for (int turn = 0; turn < 40; turn++) {
      while (poll_load(word) % 2 != static_cast<int>(blockIdx.x)) {
      }
      poll_store(word, poll_load(word) + 1);
    }
  out[poll_thread()] = 1;
}

__global__ void lane_waits_for_lane(int *out, int *) {
  __shared__ int flag;
  volatile int *view = &flag;
  if (threadIdx.x == 0) *view = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    __nanosleep(500);
    atomicExch(&flag, 1);
  } else {
    while (atomicAdd(&flag, 0) == 0) {
    }
  }
  out[poll_thread()] = 1;
}

__global__ void waits_by_the_clock(int *out, int *) {
  const long long begin = clock64();
  while (clock64() - begin < 20000) {
  }
  out[poll_thread()] = 1;
}

__global__ void waits_by_the_timer(int *out, int *) {
  const unsigned long long begin = poll_time();
  while (poll_time() - begin < 30000) {
  }
  out[poll_thread()] = 1;
}

__global__ void waits_long_by_the_timer(int *out, int *) { // half a second, asleep most of it
  const unsigned long long begin = poll_time();
  while (poll_time() - begin < 500000000)
    __nanosleep(1000000);
  out[poll_thread()] = poll_time() - begin < 520000000;
}

__global__ void gives_up_by_the_timer(int *out, int *word) {
  const unsigned long long begin = poll_time();
  bool late = false;
  while (poll_load(word) == 0 && !late)
    late = poll_time() - begin > 500000000;
  const unsigned long long passed = poll_time() - begin;
  out[poll_thread()] = late && passed < 1000000000;
}

__global__ void does_not_give_up_too_early(int *out,
                                           int *word) { // the other one needs 2000 polls, and not a second
  if (threadIdx.x / 32 == 0) {
    const unsigned long long begin = poll_time();
    while (poll_load(word) == 0)
      if (poll_time() - begin > 1000000000) break;
    out[poll_thread()] = poll_load(word);
  } else {
    const volatile int *never = word + 8;
    int polls = 0;
    while (*never == 0 && polls < 2000)
      polls++;
    if (threadIdx.x == 32) poll_store(word, 1);
    out[poll_thread()] = polls / 2000;
  }
}

__global__ void counts_clock_readings(int *out, int *word) { // the clock is read, the count ends it
  int polls = 0;
  long long last = 0;
  while (poll_load(word) == 0 && polls < 6000) {
    last = clock64();
    polls++;
  }
  out[poll_thread()] = last != 0 ? polls : 0;
}

__global__ void heart_beats(int *out, int *word) { // one counts while the other one waits
  if (threadIdx.x / 32 == 1) {
    for (int i = 0; i < 500; i++)
      atomicAdd(&word[1], 1);
    __threadfence();
    atomicAdd(&word[0], 1);
  }
  while (poll_load(&word[0]) < 32) {
  }
  out[poll_thread()] = 1;
}

__global__ void __cluster_dims__(2, 1, 1) flag_across_a_cluster(int *out, int *word) {
  if (blockIdx.x % 2 == 0) {
    while (poll_load(&word[blockIdx.x / 2]) == 0) {
    }
  } else if (threadIdx.x == 0) {
    __nanosleep(2000);
    poll_store(&word[blockIdx.x / 2], 1);
  }
  out[poll_thread()] = 1;
}

__global__ void sums_by_atomics(int *out, int *word) {
  __shared__ int part;
  if (threadIdx.x == 0) part = 0;
  __syncthreads();
  atomicAdd(&part, 1);
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(&word[0], part);
    while (atomicAdd(&word[0], 0) != static_cast<int>(gridDim.x * blockDim.x)) {
    }
  }
  __syncthreads();
  out[poll_thread()] = atomicAdd(&word[0], 0);
}

__global__ void last_block_ends_it(int *out, int *word) {
  __shared__ int last;
  out[poll_thread()] = 1;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) last = atomicAdd(&word[0], 1) == static_cast<int>(gridDim.x) - 1;
  __syncthreads();
  if (last && threadIdx.x == 0) poll_store(&word[1], 1);
}

int main() {
  static const poll_case table[] = {
      {"flag_of_another_block", flag_of_another_block, 6, 32, poll_one},
      {"flag_that_comes_late", flag_that_comes_late, 4, 32, poll_one},
      {"counter_of_arrivals", counter_of_arrivals, 12, 64, poll_one},
      {"turns_by_ticket", turns_by_ticket, 8, 32, [](int, int) { return 8; }},
      {"lock_by_exchange", lock_by_exchange, 3, 32, poll_one},
      {"lock_with_back_off", lock_with_back_off, 4, 64, poll_one},
      {"lock_in_shared_memory", lock_in_shared_memory, 2, 64, [](int, int) { return 64; }},
      {"election", election, 3, 64, [](int, int) { return 77; }},
      {"retries_of_an_update", retries_of_an_update, 2, 32, poll_count},
      {"chain_of_blocks", chain_of_blocks, 20, 32, poll_one},
      {"ping_and_pong", ping_and_pong, 2, 32, poll_one},
      {"lane_waits_for_lane", lane_waits_for_lane, 2, 32, poll_one},
      {"waits_by_the_clock", waits_by_the_clock, 2, 32, poll_one},
      {"waits_by_the_timer", waits_by_the_timer, 2, 32, poll_one},
      {"waits_long_by_the_timer", waits_long_by_the_timer, 1, 32, poll_one},
      {"gives_up_by_the_timer", gives_up_by_the_timer, 2, 32, poll_one},
      {"does_not_give_up_too_early", does_not_give_up_too_early, 1, 64, poll_one},
      {"counts_clock_readings", counts_clock_readings, 2, 32, [](int, int) { return 6000; }},
      {"heart_beats", heart_beats, 1, 64, poll_one},
      {"flag_across_a_cluster", flag_across_a_cluster, 4, 32, poll_one},
      {"sums_by_atomics", sums_by_atomics, 5, 64, poll_count},
      {"last_block_ends_it", last_block_ends_it, 5, 64, poll_one},
  };
  return poll_check(table);
}
