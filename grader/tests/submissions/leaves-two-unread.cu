// submission: 4-store-commit-groups
// after: solutions/lab9/4-store-commit-groups.cu
// change: s/uint32_t UNREAD = 1;/uint32_t UNREAD = 2;/
// expect: exit 0
// Another legal number of pending stores.
