// submission: 3-phase-reuse
// after: solutions/lab9/3-phase-reuse.cu
// change: /init_barrier(&empty/d
// expect: exit 1
// expect: says No thread has initialised the barrier `empty[0]`
// expect: says Is its
// expect: says initialisation missing? Or was a barrier of `full` meant
