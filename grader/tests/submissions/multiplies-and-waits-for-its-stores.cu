// submission: lab10/5-matmul
// after: solutions/lab10/5-matmul.cu
// change: s/^    store(s, sums, &c_map.*/&\n    if (threadIdx.x % GROUP == 0) tma_wait_until_pending<0>();/
// expect: exit 1
// expect: says bytes loaded while stores were under way: 0 seen
