// submission: lab10/5-matmul
// after: solutions/lab10/5-matmul.cu
// change: s/^ *async_proxy_fence();//
// expect: exit 1
// expect: says proxy-fence
