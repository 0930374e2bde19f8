// submission: lab10/5-matmul
// after: solutions/lab10/5-matmul.cu
// change: /wait(&s.empty\[at.stage\], at.parity ^ 1);/{N; s/\(.*\)\n\(.*\)/\2\n\1/}
// expect: exit 1
// expect: says breaks the rule unobserved-phase
// expect: says comes here again before anybody has seen the phase end. In a ring it has to wait first
// expect: edits expect_bytes_and_arrive(
// The stage is announced to be filled again before anybody says that it is empty.
