// submission: lab8/7-read-or-all
// after: solutions/lab8/7-read-or-all.cu
// change: s/    tma_wait_until_pending<0>();/    tma_wait_until_read_pending<0>();/
// change: s/= out\[first + me\] + 1;/= tile[me] + 1;/
// expect: exit 1
// expect: says the results have to be read where the store has put them
// The numbers are right, but the exercise is about something else.
