#!/bin/sh
# attack: 1-bulk-copy-1d
# tries: leaves no room for remarks on what it does: brings links for headers, and objects, and its own clock
# expect: exit 1
# expect: says falls short
# expect: says Its header a1.h is not taken, since it is a symbolic link
# expect: says Nor are 19 other headers.
# expect: says Its a1.o, a10.o, a11.o, a12.o, a13.o, a14.o, .. are not taken
# expect: says It puts functions of its own in the place of a library's: clock_gettime.
set -eu
: "${root:?}" "${solution:?}" "${exercise:?}" # exported by attacks-test.sh
mkdir "$1"
for number in 20 19 18 17 16 15 14 13 12 11 10 9 8 7 6 5 4 3 2 1; do
  ln -s /etc/passwd "$1/a$number.h"
  echo 'not an object' >"$1/a$number.o"
done
{
  grep -v '^// ' "$root/grader/tests/submissions/does-nothing-in-place.cu"
  # The clock goes right: a GPU's driver doesn't start without.
  echo '#include <sys/syscall.h>'
  echo '#include <time.h>'
  echo '#include <unistd.h>'
  echo 'extern "C" int clock_gettime(clockid_t clock, struct timespec *time) noexcept {'
  echo '  return (int)syscall(SYS_clock_gettime, clock, time);'
  echo '}'
} >"$1/$exercise.cu"
echo "$1"
