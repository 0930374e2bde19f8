# In: a rule's page; kind=wrong or mended; alone: where the block itself goes, whose lines reports then name.
# Out: the program around that kernel, or nothing when the page has none. The idea: a page's code blocks are
# the kernels that the tests compile and run, so they can't drift apart. A block begins with `// wrong:
# <<<blocks, threads>>>` or `// mended: ...`; its function is `kernel(int *data)`, or with a map of data, 32
# by 32 ints in boxes of 16 by 16, `kernel(int *data, const __grid_constant__ CUtensorMap map)`; or it is
# `host(int *data)`.
/^```/ { inside = 0; next }
index($0, "// " kind ": ") == 1 {
  inside = found = 1
  launch = substr($0, length(kind) + 6)
  print "#include \"grader/tests/clean/corpus.h\""
  print "#line 1 \"" alone "\""
  printf "" > alone
  next
}
inside {
  print > alone
  if ($0 ~ /CUtensorMap map/) map = 1
  if ($0 ~ /host\(int \*data\)/) host = 1
  print
}
END {
  if (!found) exit
  print "#line 1 \"the harness\""
  print "int main() {"
  print "  guarded<int> data(1024);"
  print "  CUDA_CHECK(cudaMemset(data.data(), 0, data.bytes()));"
  if (host) print "  host(data.data());"
  else if (map) print "  kernel" launch "(data.data(), corpus_map(data.data(), 32, 32, 16, 16));"
  else print "  kernel" launch "(data.data());"
  if (!host) print "  CUDA_CHECK(cudaGetLastError());"
  print "  CUDA_CHECK(cudaDeviceSynchronize());"
  print "  return self_check_result();"
  print "}"
}
