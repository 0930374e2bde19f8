#!/bin/sh
# Set-up does nothing slow when everything is there. When something is missing and can't be fetched, set-up
# names it, says what it is for and which command to run, and ends with 2. The test plays a bare machine by a
# PATH of chosen programs.
set -eu
house=$PWD
work=build/tests/setup
rm -rf "$work"
mkdir -p "$work/bin"

fail() {
  echo "$1"
  [ ! -e "$work/output" ] || cat "$work/output"
  exit 1
}

# All there: nothing is said, nothing is written again, and nothing slow is started: of compilers and whatever
# fetches packages, only nvcc, for its version. Programs of the same names, first on the PATH, keep a log and
# pass the call on.
mkdir "$work/watched"
nvcc=$(sed -n 's/^NVCC := //p' build/setup.mk)
for program in nvcc gcc g++ clang apt-get apt-cache dpkg pip pip3 python3 curl wget; do
  real=$(command -v $program || true)
  [ $program != nvcc ] || real=$nvcc
  [ -n "$real" ] || continue
  printf '#!/bin/sh\necho "%s $*" >>"%s"\nexec "%s" "$@"\n' $program "$PWD/$work/started" "$real" \
    >"$work/watched/$program"
  chmod +x "$work/watched/$program"
done
set_up_watched() {
  : >"$work/started"
  env -u NVCC -u CUDA_HOME PATH="$PWD/$work/watched:$PATH" sh grader/setup/setup.sh developer \
    "$work/setup.mk" \
    >"$work/output" 2>&1 || fail 'set-up failed where all is there'
}
set_up_watched
[ ! -s "$work/output" ] || fail 'set-up said something though all is there'
grep -q '^g++ ' "$work/started" || fail 'a compiler that set-up starts is not noticed'
touch -d '2001-01-01' "$work/setup.mk"
set_up_watched
[ "$(stat -c %Y "$work/setup.mk")" = "$(date -d '2001-01-01' +%s)" ] ||
  fail 'set-up wrote the same makefile again'
[ "$(sort -u "$work/started")" = 'nvcc --version' ] ||
  fail "though all is there, set-up started: $(cat "$work/started")"

# Nothing there, and no package manager either.
for program in sh dirname uname id tail sed cut sort tr mkdir grep readlink cat printf cmp mv rm; do
  ln -s "$(command -v $program)" "$work/bin/$program"
done
status=0
PATH=$PWD/$work/bin KIT=$PWD/$work/kit CUDA_HOME='' NVCC='' sh grader/setup/setup.sh student "$work/bare.mk" \
  >"$work/output" 2>&1 || status=$?
[ "$status" = 2 ] || fail "set-up ended with $status, not 2, where no compiler can be had"
for words in 'missing here' 'gcc  *compiles the grader' 'package bubblewrap' 'Run this'; do
  grep -q "$words" "$work/output" || fail "set-up did not say: $words"
done
[ ! -e "$work/bare.mk" ] || fail 'set-up wrote a makefile without tools'

# Files that a broken-off set-up has left half unpacked are removed.
mkdir -p "$work/kit/libraries/usr/include" "$work/kit/tools/bin"
: >"$work/kit/libraries/usr/include/jansson.h"
: >"$work/kit/unpacking"
PATH=$PWD/$work/bin KIT=$PWD/$work/kit CUDA_HOME='' NVCC='' sh grader/setup/setup.sh student "$work/bare.mk" \
  >"$work/output" 2>&1 || true
grep -q 'broken off; it is taken up again' "$work/output" || fail 'a broken-off set-up is not noticed'
for left in libraries tools; do
  [ ! -e "$work/kit/$left" ] || fail "what a broken-off set-up has left is kept: $left"
done

# A compiler that the caller names and that isn't there is the caller's error.
status=0
NVCC=/nowhere/nvcc sh grader/setup/setup.sh student "$work/bare.mk" >"$work/output" 2>&1 || status=$?
[ "$status" = 2 ] || fail "set-up ended with $status, not 2, for an nvcc that is not there"
grep -q 'NVCC=/nowhere/nvcc: no such program' "$work/output" ||
  fail 'set-up did not name the nvcc that is not there'

# With a strict umask the grader still works. When root checks, a submission runs as another user.
(umask 077 && build/bin/grader check lab9/1 --submission solutions/lab9 --device virtual) \
  >"$work/output" 2>&1 ||
  fail 'with a umask of 077, the solution does not pass'

# ---- what a program on the PATH plays ----

# play NAME: makes a program of that name, whose text is the standard input.
play() {
  mkdir -p "$work/plays"
  { echo '#!/bin/sh' && cat; } >"$work/plays/$1"
  chmod +x "$work/plays/$1"
}
# set_up STATUS VARIABLE=VALUE ..: runs set-up with the played programs; it ends with that status.
set_up() {
  expected=$1
  shift
  status=0
  env -u NVCC -u CUDA_HOME PATH="$PLAYS:$PATH" "$@" timeout 1000 sh grader/setup/setup.sh student \
    "$work/played/setup.mk" \
    >"$work/output" 2>&1 || status=$?
  [ "$status" = "$expected" ] || fail "set-up ended with $status, not $expected: $*"
}
said() { grep -q "$1" "$work/output" || fail "set-up did not say: $1"; }
export PLAYS="$PWD/$work/plays"
own=$PWD/$work/kit
rm -rf "$own"

# An nvcc that is too old, and one that says its version and compiles nothing: neither is taken, the second is
# tried and named once.
echo 'echo "Cuda compilation tools, release 11.8, V11.8.89"' | play nvcc
set_up 2 NVCC=nvcc
said 'NVCC=nvcc: no nvcc 12.4 or later that runs'
set_up 2 CUDA_HOME=/nowhere
said 'CUDA_HOME=/nowhere: there is no nvcc 12.4 or later'
set_up 0
grep -qF "NVCC := $nvcc" "$work/played/setup.mk" || fail 'an nvcc that is too old is taken'
play nvcc <<'END_OF_PLAY'
case $* in
*--version*) echo 'Cuda compilation tools, release 13.0, V13.0.88' ;;
*) echo 'nvcc fatal: no ptxas' && exit 1 ;;
esac
END_OF_PLAY
set_up 0
said "$work/plays/nvcc is left alone: it can't compile an empty kernel: nvcc fatal: no ptxas"
grep -qF "NVCC := $nvcc" "$work/played/setup.mk" || fail 'an nvcc that compiles nothing is taken'
set_up 0
[ ! -s "$work/output" ] || fail 'an nvcc that is left alone is named again'
rm "$work/plays/nvcc"

# Too little room, and no place to write.
echo 'echo "Filesystem 1048576-blocks Used Available Capacity Mounted on" && echo "/dev/x 100 90 10 90% /"' |
  play df
set_up 2 KIT="$own" CC=no-such-compiler
said 'Set-up needs .00 MB for what is missing, and .* has 10 MB left'
rm "$work/plays/df"
: >"$work/a-file"
set_up 2 KIT="$PWD/$work/a-file" CC=no-such-compiler
said "can't write .*/a-file"

# A set-up is killed during a download. The next one waits for the processes that it has left, starts the work
# again, and says at its end what to type.
echo 'echo 1000' | play id
play apt-get <<'END_OF_PLAY'
case $* in
*--print-uris*) echo "'http://nowhere/gcc_1_all.deb' gcc_1_all.deb 1000" ;;
*download*)
  [ -e "$PLAYS/hangs" ] || { echo 'Could not connect to nowhere' && exit 1; }
  echo $$ >"$PLAYS/download"
  exec sleep 3600
  ;;
esac
END_OF_PLAY
play df <<'END_OF_PLAY'
echo "Filesystem 1048576-blocks Used Available Capacity Mounted on"
echo "/dev/x 9000 8000 1000 90% /"
END_OF_PLAY
sed -i 's/ 1000"/ 300000000"/' "$PLAYS/apt-get"
set_up 2 KIT="$own" CC=no-such-compiler
said '1 packages, 301 MB to fetch'
said 'Set-up needs 1505 MB for what is missing, and .* has 1000 MB left'
sed -i 's/ 300000000"/ 1000"/' "$PLAYS/apt-get"
rm "$PLAYS/df"
# until_there FILE: it is there, and has something in it.
until_there() {
  tries=0
  until [ -s "$1" ]; do
    tries=$((tries + 1))
    [ "$tries" -lt 6000 ] || fail "nothing comes to $1"
    sleep 0.1
  done
}
: >"$PLAYS/hangs"
PATH="$PLAYS:$PATH" KIT="$own" CC=no-such-compiler sh grader/setup/setup.sh student "$work/played/setup.mk" \
  >"$work/killed" 2>&1 &
killed=$!
until_there "$PLAYS/download"
kill -9 "$killed"
wait "$killed" 2>/dev/null || true
rm "$PLAYS/hangs" "$work/output"
PATH="$PLAYS:$PATH" KIT="$own" CC=no-such-compiler sh grader/setup/setup.sh student "$work/played/setup.mk" \
  >"$work/output" 2>&1 &
second=$!
until_there "$work/output"
said 'another one is at work in this kit; waiting for it'
kill "$(cat "$PLAYS/download")"
status=0
wait "$second" || status=$?
[ "$status" = 2 ] || fail "the second set-up ended with $status, not 2"
said 'broken off; it is taken up again'
said 'the network cannot be reached'
said 'apt-get install -y .*gcc'
said 'make kit there'

# Two makes of one kit take turns building.
sh grader/setup/turn.sh "$work/turn" sh -c 'echo $$ >"$PLAYS/turn"; exec sleep 3600' &
until_there "$PLAYS/turn"
rm "$work/output"
sh grader/setup/turn.sh "$work/turn" echo 'my turn' >"$work/output" 2>&1 &
second=$!
until_there "$work/output"
said 'another one is building in this kit; waiting for it'
kill "$(cat "$PLAYS/turn")"
wait "$second" || fail 'the second to build failed'
said 'my turn'

# Where nothing has changed since the stamp, make does not look at every list of headers. What counts is when
# a file was changed, whatever time it pretends to have.
unchanged=$PWD/grader/setup/unchanged.sh
mkdir -p "$work/built/grader/room" "$work/built/interface" "$work/built/labs/lab1" "$work/built/build" \
  "$work/built/cuda/include"
cd "$work/built"
touch Makefile grader/room/a.c interface/i.h labs/lab1/lab1.h labs/lab1/1-a.cu build/setup.mk build/out
find . -exec touch -d '2001-01-01' {} +
look() {
  found=unchanged
  sh "$unchanged" build/stamp cuda build/out || found=changed
  [ "$found" = "$1" ] || fail "$2: said to be $found"
}
look changed 'what has no stamp'
touch -d '2002-01-01' build/stamp
look changed 'what was unpacked after the stamp with old times'
touch -d '1 hour' build/stamp
look unchanged 'what is older than the stamp'
rm build/out
look changed 'what is not built'
cd "$house"

# A program unpacked into .kit/ hands on a PATH on which set-up finds what it found before, by the same names.
(
  kit=$own/wrapped
  export triple=none log="$work/output"
  mkdir -p "$kit/tools/usr/bin"
  # shellcheck disable=SC2016 # that program's own
  printf '#!/bin/sh\necho "$PATH"\n' >"$kit/tools/usr/bin/tells"
  chmod +x "$kit/tools/usr/bin/tells"
  # shellcheck source=grader/setup/fetch.sh
  . grader/setup/fetch.sh
  wrap_tools
)
[ "$("$own/wrapped/tools/bin/tells" | cut -d: -f1)" = "$own/wrapped/tools/bin" ] ||
  fail 'a wrapped program names its folder otherwise'

# A path with blanks and umlauts works. A path with quotes is refused with the reason, by make as well.
odd="$PWD/$work/Übung 9/it's"
mkdir -p "$odd"
for folder in "$odd" "${odd%/*}"; do
  cp -r Makefile "$folder/"
  mkdir -p "$folder/grader"
  cp -r grader/make grader/setup "$folder/grader/"
done
status=0
(cd "$odd" && MAKEFLAGS='' make explain) >"$work/output" 2>&1 || status=$?
[ "$status" = 2 ] || fail "make ended with $status, not 2, in a folder with a quote in its name"
said 'compilers stumble over some marks in a path'
(cd "${odd%/*}" && KIT="$house/.kit" sh grader/setup/setup.sh student build/setup.mk) >"$work/output" 2>&1 ||
  fail 'set-up failed in a folder with blanks and umlauts'
