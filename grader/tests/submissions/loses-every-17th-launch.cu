// submission: 4-store-commit-groups
// after: solutions/lab9/4-store-commit-groups.cu
// change: s/^  const ring ring = {/  static int launches;\n&/
// change: s/  const ring ring = {/  if (++launches % 17 == 0) return cudaSuccess;\n&/
// asks: grade
// expect: exit 1
// What a program counts from launch to launch may go wrong late.
