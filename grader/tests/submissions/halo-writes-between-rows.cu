// submission: lab10/3-halo-3d
// after: solutions/lab10/3-halo-3d.cu
// change: s/(&out_map, out, width/(\&out_map, out, pitch_bytes \/ 4/
// expect: exit 1
// expect: says 3-halo-3d
// The map of the output has all numbers that fit into a pitch.
