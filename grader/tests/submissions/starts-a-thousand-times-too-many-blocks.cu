// submission: lab8/8-tensor-map
// after: solutions/lab8/8-tensor-map.cu
// change: s,width / BOX_WIDTH,width * BOX_WIDTH,
// asks: grade
// expect: exit 1
// expect: says breaks the rule global-race
// A launch of 8 million blocks would take minutes up to its budget. The other runs have shown all there is to
// know, so it is not made, and the kernel is not said to have no end.
// expect: says correct 0/8
// expect: silent about without an end in sight
