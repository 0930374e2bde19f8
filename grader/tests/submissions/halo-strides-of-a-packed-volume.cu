// submission: lab10/3-halo-3d
// after: solutions/lab10/3-halo-3d.cu
// change: s/pitch_bytes \* height;/width * 4 * height;/
// expect: exit 1
// The pitch of a row holds more than its numbers.
