// submission: lab10/2-transpose
// after: solutions/lab10/2-transpose.cu
// change: s/out, height, width, out_pitch/out, width, height, out_pitch/
// expect: exit 1
// The map of the output has the width of the input.
