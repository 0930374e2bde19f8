// attack: 1-bulk-copy-1d
// tries: includes /dev/random, which never ends
// expect: exit 1
// expect: says compile
// expect: says No such file or directory
#include "/dev/random"
