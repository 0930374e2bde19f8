// submission: 4-store-commit-groups
// after: solutions/lab9/4-store-commit-groups.cu
// change: s/wait(&full\[stage\], n/wait(\&full[0], n/
// expect: exit 1
// expect: says 4-store-commit-groups breaks the rule tile-before-phase
// expect: says The load completes on the
// expect: says this thread's last wait, at line
// expect: edits wait(&full[0], n / STAGES & 1)
