// submission: lab10/4-multicast
// after: solutions/lab10/4-multicast.cu
// change: s/for (uint32_t rank = 0; rank < CLUSTER; rank++)//
// change: s/arrive_after_reading(map_to_block(\(.*\), rank));/arrive(\1);/
// expect: exit 1
// expect: says breaks the rule deadlock
// expect: says Let those of the other blocks arrive
// expect: silent about with the number of arrivals
// expect: edits arrive(&s.empty[at.stage]);
// Half of the arrivals are missing, all those of the other block. The count is right.
