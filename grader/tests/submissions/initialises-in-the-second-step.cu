// submission: 1-bulk-copy-1d
// after: solutions/lab9/1-bulk-copy-1d.cu
// change: /SOLUTION\|init_barrier\|_fence();$\|^  wait/d;s/^    exp/init_barrier(\&loaded, 1);&/
// expect: exit 1
// expect: says rule tile-before-phase
// expect: edits wait until the tile has landed
// expect: says ) is not begun)
