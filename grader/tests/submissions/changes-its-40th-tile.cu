// submission: 4-store-commit-groups
// after: solutions/lab9/4-store-commit-groups.cu
// change: s/    if (tile == NO_TILE) break;/&\n    if (n > 40) stages[stage][0].x = 1;/
// asks: grade
// expect: exit 1
// A block's first tiles are right.
