// submission: 4-store-commit-groups
// after: solutions/lab9/4-store-commit-groups.cu
// change: s|^__global__ void|__constant__ float kept[2];\
// change: &|
// change: s|a \* v.x + b|kept[0] * v.x + kept[1]|
// change: s|^  const ring ring = .*|  static float last;\
// change:   const float both[2] = {a, b};\
// change:   if (a != last)\
// change:     cudaMemcpyToSymbolAsync(kept, both, sizeof both, 0, cudaMemcpyHostToDevice, stream);\
// change:   last = a;\
// change: &|
// expect: exit 1
// expect: says computes a wrong result
// What changes from launch to launch may be the other number alone.
