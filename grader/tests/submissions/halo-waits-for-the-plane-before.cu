// submission: lab10/3-halo-3d
// after: solutions/lab10/3-halo-3d.cu
// change: s/n == 0 ? 0 : n + 2; plane <= n + 2/n == 0 ? 0 : n + 1; plane <= (n == 0 ? 2 : n + 1)/
// expect: exit 1
// expect: says waits for another barrier than the load's
// expect: says one of the two
// expect: edits wait(&s.loaded[plane % STAGES]
