// submission: lab10/5-matmul
// after: solutions/lab10/5-matmul.cu
// change: s/^ *wgmma_fence();//
// expect: exit 1
// expect: says wgmma-fence
