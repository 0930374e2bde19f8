// attack: 1-bulk-copy-1d
// tries: includes a file of the system
// expect: exit 1
// expect: says does not compile
// expect: silent about root:
#include "/etc/passwd"
