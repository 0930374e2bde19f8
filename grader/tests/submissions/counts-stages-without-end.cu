// submission: 3-phase-reuse
// after: solutions/lab9/3-phase-reuse.cu
// change: s/turn % STAGES/turn/
// expect: exit 1
// expect: says place lies behind the barriers of `empty`: is the index too large?
// The stage's number is never brought back into the ring.
