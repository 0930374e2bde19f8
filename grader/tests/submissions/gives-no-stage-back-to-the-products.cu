// submission: lab10/5-matmul
// after: solutions/lab10/5-matmul.cu
// change: /TODO(4)/,/END SOLUTION/{/if (done > 0/d;}
// expect: exit 1
// expect: says Nobody has ever arrived on the barrier at shared offset
