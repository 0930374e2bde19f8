// submission: lab10/2-transpose
// after: solutions/lab10/2-transpose.cu
// change: s/out, height, width, out_pitch/out, width, height, out_pitch/
// expect: exit 1
// expect: says encodes a tensor map that is not allowed
// expect: silent about /source/transpose.cuh
// expect: edits encode_tiles(
// Width and height of the transpose are not exchanged. The lab's header calls the encoder.
