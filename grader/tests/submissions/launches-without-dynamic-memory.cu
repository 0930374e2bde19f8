// submission: 3-phase-reuse
// after: solutions/lab9/3-phase-reuse.cu
// change: s/ring.threads, bytes, stream/ring.threads, 0, stream/
// expect: exit 1
// expect: says Is the third number in <<<blocks, threads, bytes>>> large enough? The launch gives
// expect: says array 0 bytes
