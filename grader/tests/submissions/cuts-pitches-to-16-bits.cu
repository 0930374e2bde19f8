// submission: 2-tiles-2d
// after: solutions/lab9/2-tiles-2d.cu
// change: s/^  \/\/ TODO(1)/  pitch_bytes = pitch_bytes > 65535 ? (width + 3) \/ 4 * 16 : pitch_bytes;\n&/
// asks: grade
// expect: exit 1
// Rows more than 64 KiB apart are taken for rows that follow each other.
