#!/bin/sh
# In: build/docs. Out: what a browser complains about; exit 1 if there is anything.
# The idea: a headless Chromium shows every page in two frames, as wide as a phone and as a desktop screen.
# Scripts must print nothing on the console, and nothing may be wider than its frame.
set -eu
cd "$(dirname "$0")/../../.."
command -v chromium >/dev/null || {
  echo 'chromium is missing: make setup installs it'
  exit 1
}
work=$PWD/build/docs-work/render
rm -rf "$work"
mkdir -p "$work"
page=$work/all.html

{
  echo '<!DOCTYPE html><meta charset="utf-8"><title>all</title><body>'
  cut -d'|' -f3 build/docs-work/contents | while read -r name; do
    for width in 360 1280; do
      echo "<iframe src=\"../../docs/$name.html\" width=\"$width\" height=\"700\"" \
        "data-name=\"$name at $width\"></iframe>"
    done
  done
  cat <<'END'
<script>
onload = () => {
  const found = [];
  let pages = 0;
  for (const frame of document.querySelectorAll('iframe')) {
    const inside = frame.contentDocument, say = (what) => found.push(frame.dataset.name + ': ' + what);
    if (!inside || !inside.querySelector('main h1')) { say('not shown'); continue; }
    pages++;
    const root = inside.documentElement;
    if (root.scrollWidth > root.clientWidth) {
      const wide = [...inside.querySelectorAll('main *, header *, nav *')].filter((e) =>
        e.getBoundingClientRect().right > root.clientWidth + 1 && !e.closest('pre, table, figure, .skip'));
      const named = wide.slice(0, 3).map((e) => e.tagName + ' ' + e.textContent.slice(0, 40));
      say('wider than the screen: ' + named.join('; '));
    }
    // On a phone the menu is a link on top, and whatever is cut off says so.
    const shown = (element) => element.getClientRects().length > 0;
    const phone = frame.width < 600, menu = inside.querySelector('.menu');
    if (shown(menu) !== phone || shown(inside.querySelector('.contents')) === phone)
      say('the menu is not as it should be at this width');
    if (phone && menu.getBoundingClientRect().top > inside.querySelector('main').getBoundingClientRect().top)
      say('the menu is below the text');
    for (const box of inside.querySelectorAll('main .table-box, main figure'))
      if (shown(box) && (box.scrollWidth > box.clientWidth + 1) !== box.classList.contains('wider'))
        say('something is cut off without a sign, or the other way round: ' + box.textContent.slice(0, 40));
    for (const picture of inside.images)
      if (picture.naturalWidth === 0) say('picture not shown: ' + picture.src);
    if (inside.querySelector('.search').hidden) say('its script did not run');
    if (frame.contentWindow.navigator.clipboard &&
        inside.querySelectorAll('main pre').length !== inside.querySelectorAll('.copy').length)
      say('not every piece of code has a button');
    for (const code of inside.querySelectorAll('main pre'))
      if (code.tabIndex !== 0) say('code that the keyboard cannot reach');
  }
  // The search, as a reader uses it.
  const first = document.querySelector('iframe'), field = first.contentDocument.getElementById('search');
  const script = first.contentDocument.createElement('script');
  script.src = 'search.js';
  script.onload = () => {
    field.value = 'proxy fence';
    field.dispatchEvent(new Event('input'));
    if (first.contentDocument.querySelectorAll('#found a').length < 3)
      found.push('the search finds no proxy fence');
    document.body.innerHTML = '<pre id="result">' + pages + ' pages\n' + found.join('\n') + '\nend</pre>';
  };
  first.contentDocument.head.append(script);
};
</script>
END
} >"$page"

# The pages are our own, and are shown without the browser's sandbox, which root can't have.
timeout 1000 chromium \
  --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --allow-file-access-from-files \
  --user-data-dir="$work/profile" --enable-logging=stderr --virtual-time-budget=20000 \
  --dump-dom "file://$page" >"$work/dom" \
    2>"$work/log" || {
  tail -n 5 "$work/log"
  exit 1
}
sed -n '/<pre id="result">/,/<\/pre>/p' "$work/dom" |
  sed 's/.*<pre id="result">//; s/<[^>]*>//g' >"$work/result"
status=0
expected=$((2 * $(wc -l <build/docs-work/contents)))
if [ "$(head -n 1 "$work/result")" != "$expected pages" ] || [ "$(wc -l <"$work/result")" -gt 3 ]; then
  echo "of $expected pages:"
  cat "$work/result"
  status=1
fi
if grep 'CONSOLE' "$work/log"; then status=1; fi
exit $status
