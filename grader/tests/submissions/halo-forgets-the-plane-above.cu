// submission: lab10/3-halo-3d
// after: solutions/lab10/3-halo-3d.cu
// change: s/mine.z + static_cast<int32_t>(n) - 1,/mine.z + static_cast<int32_t>(n),/
// expect: exit 1
// expect: says out[
// expect: says They are what comes out if each load brings the plane after the one that is meant
// expect: edits TODO(2)
// Plane 0 of a column is taken for its first plane of results.
