// submission: 1-bulk-copy-1d
// after: solutions/lab9/1-bulk-copy-1d.cu
// expect: exit 1
// expect: says does not link: main is there twice
// expect: says The grader has a main() of its own, which calls your launcher. Take yours out.
// expect: edits int main(
int main() {
  return 0;
}
