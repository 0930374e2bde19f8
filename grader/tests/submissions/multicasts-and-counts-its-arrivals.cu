// submission: lab10/4-multicast
// after: solutions/lab10/4-multicast.cu
// change: s/% 32 == 0)/% 32 == 0 \&\& n + STAGES < tile_count(w))/
// change: /^  cluster_arrive();/,/^  cluster_wait();/d
// expect: exit 0
// A stage is given back only where it is loaded again. The loading thread awaits all arrivals, so the block
// may leave without asking.
