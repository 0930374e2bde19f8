#!/bin/sh
# install.sh install|uninstall DESTDIR PREFIX FILE|FOLDER[|NAME] ..
# In: files, and the folder below the prefix that each belongs into. Out: the files there; or gone, with those
# folders that are only vhopper's.
# The idea: one list for both, made by grader/make/install.mk, so nothing is forgotten when it is taken away.
set -eu
what=$1
root=$2
prefix=$3
shift 3
case $prefix in
/*) ;;
*)
  echo "install: PREFIX=$prefix must begin with /" >&2
  exit 2
  ;;
esac
for one in "$@"; do
  file=${one%%|*}
  folder=$root$prefix/$(echo "$one" | cut -d'|' -f2)
  name=$(echo "$one" | cut -d'|' -f3)
  place=$folder/${name:-${file##*/}}
  if [ "$what" = uninstall ]; then
    rm -f "$place"
    continue
  fi
  mkdir -p "$folder"
  mode=644
  [ ! -x "$file" ] || mode=755
  case $file in
  *.pc) sed "s,@PREFIX@,$prefix,g" "$file" >"$place" && chmod $mode "$place" ;;
  *) install -m $mode "$file" "$place" ;;
  esac
done
if [ "$what" = uninstall ]; then
  for folder in lib/vhopper include/vhopper share/vhopper/rules share/vhopper lib/cmake/vhopper; do
    rmdir "$root$prefix/$folder" 2>/dev/null || true
  done
  echo "Taken away from $root$prefix"
else
  echo "Installed below $root$prefix"
fi
