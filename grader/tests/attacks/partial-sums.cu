// attack: 3-phase-reuse
// tries: adds up the first half of the rows
// honest: yes
// expect: exit 1
// expect: says computes a wrong result
// expect: says wrong elements
extern "C" cudaError_t launch_phase_reuse(int32_t *sums, const int32_t *matrix, size_t rows, size_t columns,
                                          cudaStream_t stream) {
  return honest_launch(sums, matrix, (rows + 1) / 2, columns, stream);
}
