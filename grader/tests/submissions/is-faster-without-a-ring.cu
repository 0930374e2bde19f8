// submission: 4-store-commit-groups
// after: solutions/lab9/faster/4-store-commit-groups.cu
// expect: exit 1
// expect: says breaks no rule, but does not do what is asked: at least two store groups
// The faster variant breaks no rule, but the exercise asks for a ring.
