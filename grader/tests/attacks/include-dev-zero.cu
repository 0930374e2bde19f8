// attack: 1-bulk-copy-1d
// tries: includes /dev/zero, which never ends
// expect: exit 1
// expect: says compile
#include "/dev/zero"
