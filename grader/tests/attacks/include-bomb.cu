// attack: 1-bulk-copy-1d
// tries: includes itself twice, again and again
// expect: exit 1
// expect: says compile
#include __FILE__
#include __FILE__
