// submission: 4-store-commit-groups
// after: solutions/lab9/4-store-commit-groups.cu
// change: /^    for (uint32_t stage = 0; stage < STAGES; stage++)$/{N;s/.*load(stage);/    load(0);/}
// expect: exit 1
// expect: says no load was ever
// expect: edits load(0);
// expect: says (a guess)
