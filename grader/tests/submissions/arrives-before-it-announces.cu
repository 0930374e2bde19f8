// submission: lab8/3-bytes
// after: solutions/lab8/3-bytes.cu
// change: s/^    expect_bytes_and_arrive/    arrive(\&loaded);\n&/
// expect: exit 1
// expect: says no load belongs to that phase: its last arrival at line
// expect: says Announce the load's bytes before the last arrival of the phase that is waited for
