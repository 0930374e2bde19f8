// submission: lab10/3-halo-3d
// after: solutions/lab10/3-halo-3d.cu
// change: s/^  CUtensorMap in_map/  pitch_bytes = (width * 4 + 15) \/ 16 * 16;\n&/
// expect: exit 1
// expect: says 3-halo-3d
// Rows are taken to follow each other, but for rounding up to 16 bytes.
