// Loops that read memory in which nothing changes, and yet end: by a count, by values seen, by data.
#include "poll-table.h"

__global__ void volatile_reads(int *out, int *word) {
  const volatile int *flag = word;
  int seen = 0;
  for (int i = 0; i < 2040; i++)
    seen += *flag == 0;
  out[poll_thread()] = seen;
}

__global__ void volatile_reads_of_an_array(int *out, int *word) {
  const volatile int *all = word;
  int sum = 0;
  for (int i = 0; i < 3000; i++)
    sum += all[i] + 1;
  out[poll_thread()] = sum;
}

__global__ void atomic_max_over_data(int *out, int *word) {
  for (int i = static_cast<int>(threadIdx.x); i < 4096; i += static_cast<int>(blockDim.x))
    atomicMax(word, word[i & 4095] & 0);
  out[poll_thread()] = 1;
}

__global__ void atomic_max_with_result(int *out, int *word) {
  int most = 0;
  for (int i = 0; i < 1500; i++)
    most = max(most, atomicMax(word, 0));
  out[poll_thread()] = most + 1;
}

__global__ void atomic_add_of_nothing(int *out, int *word) {
  int polls = 0;
  while (atomicAdd(word, 0) == 0 && polls < 1200)
    polls++;
  out[poll_thread()] = polls;
}

__global__ void failed_exchanges(int *out, int *word) {
  int tries = 0;
  while (atomicCAS(word, 5, 6) != 5 && tries < 900)
    tries++;
  out[poll_thread()] = tries;
}

__global__ void same_exchanges(int *out, int *word) {
  int tries = 0;
  while (atomicExch(word, 0) == 0 && ++tries < 700) {
  }
  out[poll_thread()] = tries;
}

__global__ void sleeps_between_polls(int *out, int *word) {
  int polls = 0;
  while (poll_load(word) == 0 && polls < 300) {
    __nanosleep(100);
    polls++;
  }
  out[poll_thread()] = polls;
}

__global__ void sleeps_twice_as_long_each_time(int *out, int *word) {
  unsigned pause = 8;
  int polls = 0;
  while (poll_load(word) == 0 && polls++ < 40) {
    __nanosleep(pause);
    if (pause < 100000) pause *= 2;
  }
  out[poll_thread()] = polls;
}

__global__ void tests_a_barrier(int *out, int *) {
  __shared__ uint64_t bar;
  if (threadIdx.x == 0) init_barrier(&bar, 1);
  __syncthreads();
  int polls = 0;
  while (!test_wait(&bar, 0) && polls < 1000)
    polls++;
  out[poll_thread()] = polls;
}

__global__ void tries_a_barrier(int *out, int *) {
  __shared__ uint64_t bar;
  if (threadIdx.x == 0) init_barrier(&bar, 1);
  __syncthreads();
  int polls = 0;
  while (!try_wait(&bar, 0) && polls < 500)
    polls++;
  out[poll_thread()] = polls;
}

__global__ void gives_up_together(int *out, int *word) { // a vote in each turn
  int polls = 0;
  while (__any_sync(0xffffffff, poll_load(word) == 0 && polls < 250))
    polls++;
  out[poll_thread()] = polls;
}

__global__ void lanes_give_up_apart(int *out, int *word) {
  int polls = 0;
  while (poll_load(word) == 0 && polls < poll_thread() * 7)
    polls++;
  out[poll_thread()] = polls / 7;
}

__global__ void looks_at_many_flags(int *out, int *word) { // more of them than anybody keeps in mind
  int rounds = 0, set = 0;
  while (set == 0 && rounds < 100) {
    for (int i = 0; i < 12; i++)
      set += poll_load(&word[i]);
    rounds++;
  }
  out[poll_thread()] = rounds;
}

__global__ void meets_in_each_turn(int *out, int *word) {
  __shared__ int done;
  int rounds = 0;
  do {
    if (threadIdx.x == 0) done = poll_load(word) != 0 || rounds >= 150;
    __syncthreads();
    rounds++;
    const int stop = done;
    __syncthreads();
    if (stop) break;
  } while (true);
  out[poll_thread()] = rounds;
}

__global__ void counts_by_a_barriers_sum(int *out, int *word) {
  int rounds = 0;
  while (__syncthreads_count(poll_load(word) == 0) == static_cast<int>(blockDim.x) && rounds < 200)
    rounds++;
  out[poll_thread()] = rounds;
}

__global__ void searches_by_shared_atomics(int *out, int *) {
  __shared__ int most;
  if (threadIdx.x == 0) most = 1 << 20;
  __syncthreads();
  for (int i = 0; i < 800; i++)
    atomicMax(&most, i);
  __syncthreads();
  out[poll_thread()] = most >> 20;
}

__global__ void walks_a_list(int *out, int *word) { // each link by a volatile load, and all of them alike
  const volatile int *next = word;
  int at = 0, steps = 0;
  while (steps < 2500) {
    at = next[at & 1];
    steps++;
  }
  out[poll_thread()] = steps;
}

__global__ void computes_for_long(int *out, int *) { // nothing to be seen from outside
  unsigned state = 1;
  for (int i = 0; i < 200000; i++)
    state = state * 1664525u + 1013904223u;
  out[poll_thread()] = static_cast<int>(state & 1);
}

__global__ void runs_through_a_full_period(int *out, int *) { // comes back to its first state, and counts
  unsigned short state = 1;
  int steps = 0;
  do {
    state = static_cast<unsigned short>(state >> 1 ^ (-(state & 1) & 0xb400));
    steps++;
  } while (state != 1);
  out[poll_thread()] = steps;
}

int main() {
  static const poll_case table[] = {
      {"volatile_reads", volatile_reads, 2, 64, [](int, int) { return 2040; }},
      {"volatile_reads_of_an_array", volatile_reads_of_an_array, 1, 32, [](int, int) { return 3000; }},
      {"atomic_max_over_data", atomic_max_over_data, 1, 128, poll_one},
      {"atomic_max_with_result", atomic_max_with_result, 3, 32, poll_one},
      {"atomic_add_of_nothing", atomic_add_of_nothing, 2, 32, [](int, int) { return 1200; }},
      {"failed_exchanges", failed_exchanges, 2, 32, [](int, int) { return 900; }},
      {"same_exchanges", same_exchanges, 1, 32, [](int, int) { return 700; }},
      {"sleeps_between_polls", sleeps_between_polls, 2, 64, [](int, int) { return 300; }},
      {"sleeps_twice_as_long_each_time", sleeps_twice_as_long_each_time, 1, 32, [](int, int) { return 41; }},
      {"tests_a_barrier", tests_a_barrier, 2, 64, [](int, int) { return 1000; }},
      {"tries_a_barrier", tries_a_barrier, 2, 64, [](int, int) { return 500; }},
      {"gives_up_together", gives_up_together, 2, 64, [](int, int) { return 250; }},
      {"lanes_give_up_apart", lanes_give_up_apart, 1, 64, poll_index},
      {"looks_at_many_flags", looks_at_many_flags, 3, 32, [](int, int) { return 100; }},
      {"meets_in_each_turn", meets_in_each_turn, 2, 64, [](int, int) { return 151; }},
      {"counts_by_a_barriers_sum", counts_by_a_barriers_sum, 2, 64, [](int, int) { return 200; }},
      {"searches_by_shared_atomics", searches_by_shared_atomics, 1, 64, poll_one},
      {"walks_a_list", walks_a_list, 2, 32, [](int, int) { return 2500; }},
      {"computes_for_long", computes_for_long, 1, 32, [](int, int) { return 1; }},
      {"runs_through_a_full_period", runs_through_a_full_period, 1, 32, [](int, int) { return 65535; }},
  };
  return poll_check(table);
}
