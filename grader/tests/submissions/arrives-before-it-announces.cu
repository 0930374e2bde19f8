// submission: lab8/3-bytes
// after: solutions/lab8/3-bytes.cu
// change: s/^    expect_bytes_and_arrive/    arrive(\&loaded);\n&/
// expect: exit 1
// expect: says this thread's last wait, at line
// expect: says was for phase 0, which is over without
// expect: says Does an arrival too many end the phase
