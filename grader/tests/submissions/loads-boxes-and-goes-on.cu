// submission: 2-tiles-2d
// after: solutions/lab9/2-tiles-2d.cu
// change: / SOLUTION$/d;/INSTEAD/d;/^  wait(&loaded, 0);/d;/^  async_proxy_fence();/,/^  }/d
// expect: exit 1
// expect: says breaks the rule exit-before-landing
// expect: edits wait for the box. (1 line)
// Steps 1 and 2 are done. The load is right, so the first step that is not begun is the place to edit.
