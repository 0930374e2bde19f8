// submission: lab8/9-over-the-edge
// after: solutions/lab8/9-over-the-edge.cu
// change: s/&loaded, sizeof box/\&loaded, BOX_WIDTH * BOX_HEIGHT/
// expect: exit 1
// expect: says (1024 is 4 times 256: elements instead of bytes?)
// expect: says Announce its bytes: 1024.
// expect: silent about mend the map
// expect: edits expect_bytes_and_arrive(&loaded, BOX_WIDTH * BOX_HEIGHT);
// A box counts elements, a barrier counts bytes.
