#!/bin/sh
# In: the kit that has been built; then a C compiler's arguments, in a copy of the kit. Out: what the compiler
# makes of them. Where the kit has an object of that name, and the source and every header that went into it
# are the same bytes in both, that object is taken instead. Make has the same rules in both; a copy that is to
# be compiled with other rules, or by another compiler, must not use this.
# The idea: a test of a copy is about what is in the copy, and most of what is in it has been compiled before.
set -eu
house=$1
shift
compiler=$(sed -n 's/^CC := //p' "$house/build/setup.mk")
object='' list=''
for word in "$@"; do
  [ "${before-}" != -o ] || object=$word
  before=$word
done
case $object in
build/*.o) list=$house/${object%.o}.d ;;
esac
if [ -e "$list" ] && [ -n "$(find "$house/$object" -newer "$house/build/setup.mk" 2>/dev/null)" ]; then
  # The first rule of the list: the object, and all that it was made of. What begins with / is the system's.
  files=$(sed -n 's/^[^ ]*\.o://; /\\$/!{ p; q; }; s/\\$//; p' "$list" | tr ' ' '\n' | sed '/^\//d; /^$/d')
  # shellcheck disable=SC2086 # names without blanks
  if cat $files >"$object.made-of" 2>/dev/null && (cd "$house" && cat $files) | cmp -s - "$object.made-of" &&
    (cd "$house" && [ -z "$(find $files -newer "$object")" ]); then
    rm "$object.made-of"
    cp "$list" "${object%.o}.d"
    cp "$house/$object" "$object"
    exit 0
  fi
  rm -f "$object.made-of"
fi
exec "$compiler" "$@"
