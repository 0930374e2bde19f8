// submission: 2-tiles-2d
// after: solutions/lab9/2-tiles-2d.cu
// change: /^  async_proxy_fence();$/{n;d}
// expect: exit 1
// expect: says rule shared-race
// expect: edits async_proxy_fence();
// expect: silent about (a guess)
// The synchronisation is missing behind the fence, and not where the result is written.
