// submission: lab10/1-reduce
// after: solutions/lab10/1-reduce.cu
// change: s/^__global/#define AT (mine.row + n * cut.height + row) * cut.columns + mine.column + mine.x\n&/
// change: s/sum += tile.*/sum += blockIdx.x % 5 < 4 ? tile[row * mine.width + mine.x] : matrix[AT];/
// expect: exit 1
// expect: says the numbers have to reach the threads by bulk copies alone
// Every tile is loaded, but the numbers of every fifth block are read from global memory.
