#!/bin/sh
# In: docs/pictures. Out: words that collide, FILE: WORDS; exit 1 if there are any.
# The idea: a headless Chromium says where each word of a picture really is. No line, no edge of a box and no
# other word may run through it; it must lie within the picture, and be large enough for a phone. Code is set
# as code, not between back ticks.
set -eu
cd "$(dirname "$0")/../../.."
command -v chromium >/dev/null || {
  echo 'chromium is missing: make setup installs it'
  exit 1
}
work=$PWD/build/docs-work/pictures-test
rm -rf "$work"
mkdir -p "$work"

# look OUT PICTURE ..: one line for each thing that is wrong; the last line is `looked at N`.
look() {
  out=$1
  shift
  {
    echo '<!DOCTYPE html><meta charset="utf-8"><title>pictures</title><body>'
    for picture in "$@"; do
      echo "<iframe src=\"file://$picture\" data-name=\"$(basename "$picture")\" width=\"900\"></iframe>"
    done
    echo "<script src=\"file://$PWD/grader/tests/stepper/pictures.js\"></script>"
  } >"$work/all.html"
  timeout 1000 chromium \
    --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --allow-file-access-from-files \
    --user-data-dir="$work/profile" --virtual-time-budget=10000 \
    --dump-dom "file://$work/all.html" 2>"$work/log" |
    sed -n '/<pre id="said">/,/<\/pre>/p' | sed '1d; s/<\/pre>.*//; /^$/d' >"$out"
}

status=0
count=0
set --
for picture in "$PWD"/docs/pictures/*.svg; do
  set -- "$@" "$picture"
  count=$((count + 1))
done
look "$work/said" "$@"
grep -v '^looked at' "$work/said" && status=1
grep -qx "looked at $count" "$work/said" || {
  echo "not all of the $count pictures were looked at"
  status=1
}

# WeasyPrint, which makes the PDF, misplaces a part in another font if the text has its middle at x.
if grep -n 'class="[^"]*middle[^>]*>[^<]*<tspan' docs/pictures/*.svg; then
  echo 'in the PDF the words above lie over each other'
  status=1
fi

# The test itself works: it reports planted faults, each of its own kind.
head='<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 100" width="200" height="100"><title>t</title>'
plant() {
  echo "$head<style>text{font:14px sans-serif}.line{stroke:#000}.small{font-size:8px}</style>$2</svg>" \
    >"$work/$1.svg"
}
plant crossed '<text x="20" y="50">crossed</text><path class="line" d="M30 10 L30 90"/>'
plant edged '<text x="20" y="50">edged</text><rect x="10" y="20" width="30" height="60"/>'
plant doubled '<text x="20" y="50">one</text><text x="25" y="52">two</text>'
plant outside '<text x="180" y="50">outside</text>'
plant tiny '<text class="small" x="20" y="50">tiny</text>'
tick=$(printf '\140')
plant ticked "<text x=\"20\" y=\"50\">${tick}ticked$tick</text>"
plant fine '<text x="20" y="50">fine</text><rect x="10" y="20" width="80" height="60"/>'
look "$work/planted" "$work/crossed.svg" "$work/edged.svg" "$work/doubled.svg" "$work/outside.svg" \
  "$work/tiny.svg" "$work/ticked.svg" "$work/fine.svg"
for fault in 'crossed.svg: a line runs through "crossed"' 'edged.svg: an edge runs through "edged"' \
  'doubled.svg: "one" and "two" collide' 'outside.svg: "outside" is cut off' \
  'tiny.svg: "tiny" is too small' "ticked.svg: \"${tick}ticked$tick\" shows its back ticks"; do
  grep -qxF "$fault" "$work/planted" || {
    echo "does not notice: $fault"
    status=1
  }
done
grep 'fine.svg' "$work/planted" && status=1
exit $status
