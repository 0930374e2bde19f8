// submission: lab10/4-multicast
// after: solutions/lab10/4-multicast.cu
// change: /TODO(5)/,/END SOLUTION/{/^  cluster_/d;/SOLUTION/d;}
// expect: exit 1
// expect: says breaks the rule absent-block
