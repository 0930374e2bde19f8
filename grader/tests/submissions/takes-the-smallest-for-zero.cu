// submission: 2-tiles-2d
// after: solutions/lab9/2-tiles-2d.cu
// change: s/^    result\[y\]\[x\] = .*/&\n    asm("add.ftz.f32 %0, %0, 0f00000000;" : "+f"(result[y][x]));/
// expect: exit 1
// expect: says computes a wrong result
// Numbers below the smallest normal float are taken for zero (.ftz).
