// submission: lab8/2-parity
// after: solutions/lab8/2-parity.cu
// change: s/wait(&filled, round % 2);/wait(\&filled, round % 2);\n    wait(\&filled, (round + 1) % 2);/
// expect: exit 1
// expect: says Each phase of it takes 128 arrivals
// expect: silent about no load was ever started
// A barrier that counts threads alone: nothing is to be loaded.
