// submission: lab10/1-reduce
// after: solutions/lab10/1-reduce.cu
// change: s/tile.row..t/(blockIdx.x%5<4 ? tile[row] : matrix + (first_row + row) * columns + first_column)[t/
// expect: exit 1
// expect: says the numbers have to reach the threads by bulk copies alone
// Every tile is loaded, but the numbers of every fifth one are read from global memory.
