// submission: lab10/2-transpose
// after: solutions/lab10/2-transpose.cu
// change: s/^  CUtensorMap in_map = {}, out_map = {};/  static CUtensorMap in_map, out_map;\n  AGAIN;/
// change: s/^  AGAIN;/  static const void *last;\n  static size_t size[2];\n  TEST;\n  LAST;/
// change: s/TEST/const bool again = SAME/
// change: s/SAME/last == in \&\& size[0] == width \&\& size[1] == height/
// change: s/^  LAST;/  last = in, size[0] = width, size[1] = height;/
// change: s/^  error = encode/  if (!again) error = encode/
// change: s/^  if (error == cudaSuccess)$/  if (!again \&\& error == cudaSuccess)/
// expect: exit 1
// The same input may come again with another place for the output.
