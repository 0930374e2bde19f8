// submission: 2-tiles-2d
// after: solutions/lab9/2-tiles-2d.cu
// change: s/^  CUtensorMap in_map.*/  static size_t last[3];\n  static CUtensorMap in_map, out_map;/
// change: s/^  error = tensor/  const bool again = AGAIN;\n  LAST;\n  if (!again) error = tensor/
// change: s/^  if (error == cudaSuccess)$/  if (!again \&\& error == cudaSuccess)/
// change: s/AGAIN/last[0] == width \&\& last[1] == height \&\& last[2] == pitch_bytes/
// change: s/LAST/last[0] = width, last[1] = height, last[2] = pitch_bytes/
// expect: exit 1
// Maps are made only for sizes other than those of the launch before. But they are maps of its buffers, too.
