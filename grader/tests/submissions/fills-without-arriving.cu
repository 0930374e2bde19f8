// submission: 3-phase-reuse
// after: solutions/lab9/3-phase-reuse.cu
// change: s/expect_bytes_and_arrive/expect_bytes/
// expect: exit 1
// expect: says 3-phase-reuse breaks the rule deadlock
// expect: says phase 0 of the barrier `full[0]`
// expect: says expect_bytes() is no
// expect: edits expect_bytes(&full[stage]
