// submission: lab10/4-multicast
// after: solutions/lab10/4-multicast.cu
// change: s/_to_shared_multicast(/_to_shared(/
// change: s/^    const uint32_t slice = .*/    for (uint32_t slice = 0; slice < HEIGHT; slice += SLICE)/
// change: s/(slice), &s.full\[at.stage\],/(slice), \&s.full[at.stage]);/
// change: /(1 << CLUSTER) - 1);/d
// expect: exit 1
// expect: says the blocks of a cluster have to share what they load
// Each block loads all of its tiles.
