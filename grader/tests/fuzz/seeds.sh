#!/bin/sh
# The seeds of the fuzzers: files that `make fuzz` starts from and `make test` replays.
# In: one archive per fuzzer, grader/tests/fuzz/seeds/NAME.tar. Out: its seeds as files under build/, or a
# changed archive.
# The idea: the same seeds always make the same bytes, because entries are sorted and carry neither time nor
# owner.
#   seeds.sh list NAME              print the size and the name of each seed
#   seeds.sh add NAME FILE ..       add files as seeds, then print what the archive holds
#   seeds.sh remove NAME SEED ..    remove seeds, then print what the archive holds
#   seeds.sh unpack NAME            write the seeds to build/fuzz/seeds/NAME
#   seeds.sh replay NAME            run the fuzzer on every seed; exit 0 if it took each of them
# SEEDS and UNPACKED name other folders for the archives and for what is unpacked.
set -eu
seeds=${SEEDS:-grader/tests/fuzz/seeds}
unpacked=${UNPACKED:-build/fuzz/seeds}

die() {
  echo "seeds.sh: $1" >&2
  exit 2
}

# unpack_to FOLDER: writes the seeds into a new folder of that name, which replaces an old one only when it is
# whole.
unpack_to() {
  rm -rf "$1.new"
  mkdir -p "$1.new"
  tar -xf "$archive" -C "$1.new" --no-same-owner -m
  rm -rf "$1"
  mv "$1.new" "$1"
}

# pack FOLDER: makes the archive anew from the files of the folder.
pack() {
  mkdir -p "$seeds"
  (cd "$1" && find . -type f -printf '%P\n' | LC_ALL=C sort) >"$1.names"
  LC_ALL=C tar --format=ustar --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=644 \
    -C "$1" -T "$1.names" -cf "$archive.new"
  rm "$1.names"
  mv "$archive.new" "$archive"
}

list() {
  tar -tvf "$archive" |
    awk '{ printf "%7d  %s\n", $3, $6; n++ } END { printf "%d seeds in %s\n", n, archive }' \
    archive="$archive"
}

# check_seed FILE: whether it can become a seed. Names are kept plain, so that lists can be read line by line.
check_seed() {
  [ -f "$1" ] || die "$1: is no file"
  case ${1##*/} in
  *[!A-Za-z0-9._-]* | -*) die "$1: rename it first: letters, digits, dots, _ and - only, and no - in front" ;;
  esac
  [ ! -e "$work/seeds/${1##*/}" ] || cmp -s "$1" "$work/seeds/${1##*/}" ||
    die "$1: $archive holds another seed of that name; rename yours, or remove that one first"
}

replay() {
  expected=$(tar -tf "$archive" | wc -l)
  unpack_to "$work/seeds"
  "build/asan/fuzz/$name-fuzz" "$work/seeds"/* >"$work/output" || exit 1
  cat "$work/output"
  grep -qx "$expected inputs taken" "$work/output" ||
    { echo "not each of the $expected seeds was replayed"; exit 1; }
}

[ $# -ge 2 ] || { sed -n 's/^#   /  /p' "$0" >&2; die 'what, and for which fuzzer?'; }
command=$1
name=$2
archive=$seeds/$name.tar
shift 2
[ -e "$archive" ] || [ "$command" = add ] || die "there is no $archive"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

case $command in
list) list ;;
unpack) unpack_to "$unpacked/$name" ;;
replay) replay ;;
add | remove)
  [ -e "grader/tests/fuzz/$name-fuzz.c" ] || die "there is no fuzzer grader/tests/fuzz/$name-fuzz.c"
  [ $# -gt 0 ] || die "$command $name: which files?"
  if [ -e "$archive" ]; then unpack_to "$work/seeds"; else mkdir "$work/seeds"; fi
  for seed in "$@"; do
    if [ "$command" = add ]; then
      check_seed "$seed"
      cp "$seed" "$work/seeds/"
    else
      [ -f "$work/seeds/$seed" ] || die "$archive holds no $seed"
      rm "$work/seeds/$seed"
    fi
  done
  [ -n "$(ls -A "$work/seeds")" ] || die "$archive would be empty"
  pack "$work/seeds"
  list
  ;;
*) die "$command: list, add, remove, unpack or replay" ;;
esac
