// submission: 4-store-commit-groups
// after: solutions/lab9/4-store-commit-groups.cu
// change: s/pending<UNREAD>/pending<0>/
// expect: exit 1
// expect: says breaks no rule, but does not do what is asked
// expect: says at least two store groups have to be under way at once, turn after turn
// Two groups are pending only in the first turn, where the second is committed before the first wait.
