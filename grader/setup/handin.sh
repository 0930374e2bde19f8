#!/bin/sh
# In: a lab and the folder of a student's work. Out: build/handin/LAB-handin.tar.gz, with the files that a
# student may edit and manifest.json: their checksums, the kit's version, the device and the result of a last
# check. That result is advice only, because grading runs everything again.
#   handin.sh LAB [FOLDER]
set -eu
cd "$(dirname "$0")/../.."
lab=${1:?handin.sh LAB [FOLDER]}
folder=${2:-labs/$lab}
out=build/handin
tree=$out/$lab

# An archive of before stays as it is where there is nothing to pack.
found=
for source in labs/"$lab"/*.cu; do
  if [ -f "$folder/$(basename "$source")" ]; then found=yes; fi
done
[ -n "$found" ] || {
  echo "handin: $folder holds none of the exercises of $lab: nothing is packed." \
    "SUBMISSION= must name a folder with the same file names as labs/$lab" >&2
  exit 2
}
rm -rf "$tree" "$out/result.json"
mkdir -p "$tree"

# 1: falls short, which may be handed in all the same; 2: the grader itself failed, and so may that.
status=0
build/bin/grader check "$lab" --submission "$folder" || status=$?
build/bin/grader grade "$lab" --submission "$folder" --trusted --format json -o "$out/result.json" || true

for source in labs/"$lab"/*.cu; do
  name=$(basename "$source")
  if [ -f "$folder/$name" ]; then cp "$folder/$name" "$tree/$name"; else echo \
    "handin: $folder/$name is missing" >&2; fi
done
# Headers of the student's own are packed, and those that the student has changed.
for header in "$folder"/*.h "$folder"/*.cuh "$folder"/*.hpp "$folder"/*.inc; do
  name=$(basename "$header")
  # The manifest couldn't name it.
  case $name in
  *[[:cntrl:]\"\\]*)
    echo "handin: a header is left out for the sake of its name:" \
      "no quotes, backslashes and control characters in names" >&2
    continue
    ;;
  esac
  if [ ! -f "$header" ] || [ "$name" = "$lab.h" ] || [ -e "interface/$name" ]; then continue; fi
  cmp -s "$header" "labs/$lab/.given/$name" || cp "$header" "$tree/"
done

# null means that the grader itself has failed.
number_of() { sed -n "s/^  \"$1\": \([0-9.]*\),*\$/\1/p" "$out/result.json" 2>/dev/null | grep . ||
  echo null; }
text_of() { sed -n "s/^  \"$1\": \"\(.*\)\",*\$/\1/p" "$out/result.json" 2>/dev/null; }
{
  echo '{'
  echo "  \"lab\": \"$lab\","
  echo "  \"kit\": \"$(sh grader/setup/kit-version.sh "$lab")\","
  echo "  \"device\": \"$(text_of device)\","
  echo "  \"device_description\": \"$(text_of device_description)\","
  echo "  \"result\": {\"advisory\": true, \"score\": $(number_of score), \"max_score\": $(number_of \
    max_score)},"
  echo '  "files": {'
  separator=
  for file in "$tree"/*; do
    printf '%s    "%s": "%s"' "$separator" "$(basename "$file")" "$(sha256sum "$file" | cut -d' ' -f1)"
    separator=',
'
  done
  printf '\n  }\n}\n'
} >"$out/manifest.json"
mv "$out/manifest.json" "$tree/manifest.json"
LC_ALL=C tar --sort=name --format=ustar --mtime=@1767225600 --owner=0 --group=0 --numeric-owner -C "$out" \
  -cf "$out/$lab-handin.tar" "$lab"
gzip -n -9 -f "$out/$lab-handin.tar"
printf '\nHand in %s (checksums and the result above are in its manifest.json).\n' "$out/$lab-handin.tar.gz"
[ "$status" = 0 ] || echo 'Not everything passes yet: it may be handed in, and handed in again.'
