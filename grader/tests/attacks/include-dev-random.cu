// attack: 1-bulk-copy-1d
// tries: includes /dev/random, which never ends
// expect: exit 1
// expect: says compile
#include "/dev/random"
