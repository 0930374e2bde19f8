// submission: 3-phase-reuse
// after: solutions/lab9/3-phase-reuse.cu
// change: s/expect_bytes_and_arrive(&full\[/expect_bytes_and_arrive(\&empty[/
// expect: exit 1
// expect: says 3-phase-reuse breaks the rule deadlock
// expect: says announces as many on the barrier `empty[0]`
// expect: edits expect_bytes_and_arrive(&empty[stage]
