#!/bin/sh
# In: the archives of seeds, and seeds.sh, which changes them. Out: exit 0 if every fuzzer has its archive, if
# each archive is as seeds.sh would make it anywhere, if a seed can be added and removed, and if a seed that
# is not replayed is noticed.
set -eu
cd "$(dirname "$0")/../../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
originals=grader/tests/fuzz/seeds
script=grader/tests/fuzz/seeds.sh
export SEEDS="$work/seeds" UNPACKED="$work/unpacked"

fail() {
  echo "$1"
  [ ! -e "$work/said" ] || tail -n 30 "$work/said"
  exit 1
}

# run STATUS WORDS ..: seeds.sh with these words ends with that status.
run() {
  wanted=$1
  shift
  status=0
  sh $script "$@" >"$work/said" 2>&1 || status=$?
  [ "$status" = "$wanted" ] || fail "seeds.sh $*: exit $status, expected $wanted"
}
says() { grep -qF -- "$1" "$work/said" || fail "seeds.sh does not say: $1"; }

# ---- every fuzzer has an archive, and the same seeds make the same bytes, whoever packs them, when and where
# ----

for fuzzer in grader/tests/fuzz/*-fuzz.c; do
  name=$(basename "$fuzzer" -fuzz.c)
  [ -s "$originals/$name.tar" ] || fail "$fuzzer has no seeds: $originals/$name.tar is missing"
  SEEDS=$originals run 0 unpack "$name"
  (umask 077 && TZ=Asia/Tokyo LC_ALL=C.UTF-8 sh $script add "$name" "$UNPACKED/$name"/* >"$work/said" 2>&1) ||
    fail "the seeds of $name cannot be packed"
  cmp "$originals/$name.tar" "$SEEDS/$name.tar" ||
    fail "$originals/$name.tar is not what seeds.sh makes of its seeds"
done
[ "$(cd $originals && echo *)" = "$(cd "$SEEDS" && echo *)" ] ||
  fail "$originals holds something that no fuzzer reads"

# ---- one is added, listed, unpacked and removed ----

count=$(tar -tf $originals/sheet.tar | wc -l)
echo 'Student,ID' >"$work/a-new-one.csv"
run 0 add sheet "$work/a-new-one.csv"
says '     11  a-new-one.csv'
says "$((count + 1)) seeds in $SEEDS/sheet.tar"
run 0 list sheet
says a-new-one.csv
run 0 unpack sheet
cmp "$work/a-new-one.csv" "$UNPACKED/sheet/a-new-one.csv" || fail 'the new seed is not unpacked as it was'
run 0 replay sheet
says "$((count + 1)) inputs taken"
run 0 remove sheet a-new-one.csv
cmp "$originals/sheet.tar" "$SEEDS/sheet.tar" ||
  fail 'added and removed again, a seed leaves something in the archive'

# ---- what is refused changes no archive ----

echo 'another' >"$work/canvas.csv"
: >"$work/two words"
run 2 add sheet "$work/canvas.csv"
says 'holds another seed of that name'
run 2 add sheet "$work/two words"
says 'rename it first'
run 2 add sheet "$work"
says 'is no file'
run 2 add nothing "$work/a-new-one.csv"
says 'there is no fuzzer grader/tests/fuzz/nothing-fuzz.c'
run 2 remove sheet a-new-one.csv
says 'holds no a-new-one.csv'
run 2 replay nothing
says "there is no $SEEDS/nothing.tar"
run 2 frobnicate sheet
cmp "$originals/sheet.tar" "$SEEDS/sheet.tar" || fail 'what was refused has changed the archive'

# ---- an entry that is not replayed is noticed ----

mkdir "$work/hidden"
cp "$work/a-new-one.csv" "$work/hidden/.hidden.csv"
tar -rf "$SEEDS/sheet.tar" -C "$work/hidden" .hidden.csv
run 1 replay sheet
says "not each of the $((count + 1)) seeds was replayed"
