// submission: lab10/4-multicast
// after: solutions/lab10/4-multicast.cu
// change: s/^    wait(&s.full\[at.stage\], at.parity);//
// expect: exit 1
// expect: says breaks the rule tile-before-phase
// expect: says Call wait(bar, parity) in every thread that touches the tile, before it does
// expect: edits TODO(3)
// The place to edit is where the tile is read, not the load.
