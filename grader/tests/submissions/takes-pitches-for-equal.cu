// submission: lab10/2-transpose
// after: solutions/lab10/2-transpose.cu
// change: s/in, width, height, in_pitch_bytes/in, width, height, PITCH/
// change: s/PITCH/width == height ? out_pitch_bytes : in_pitch_bytes/
// asks: grade
// expect: exit 1
// The rows of a square matrix and those of its transpose need not be as far apart.
