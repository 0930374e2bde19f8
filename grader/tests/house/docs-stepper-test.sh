#!/bin/sh
# In: build/docs. Out: what is wrong with the guide's steppers; exit 1 if anything is.
# The idea: a headless Chromium plays every preset and compares it with the table that readers without scripts
# see. Then the virtual Hopper takes the same steps, and random ones: the models on the pages must know of
# barriers, rings, proxies and swizzle what the device knows.
set -eu
cd "$(dirname "$0")/../../.."
command -v chromium >/dev/null || {
  echo 'chromium is missing: make setup installs it'
  exit 1
}
work=$PWD/build/docs-work/steppers
replay=build/tests/stepper/replay
rm -rf "$work"
mkdir -p "$work"
status=0
fail() {
  echo "$1"
  status=1
}

# Without scripts the tables are there, folded, and nothing else is.
for page in barriers proxies swizzle; do
  grep -q '<section class="stepper"' "build/docs/$page.html" || fail "$page: no stepper"
done
[ "$(grep -c '<details class="preset"' build/docs/barriers.html)" -ge 15 ] || fail 'barriers: too few presets'

{
  echo '<!DOCTYPE html><meta charset="utf-8"><title>steppers</title><body>'
  for page in barriers proxies swizzle; do
    echo "<iframe src=\"../../docs/$page.html\" width=\"390\" height=\"700\" data-name=\"$page\"></iframe>"
  done
  for script in barrier-model ring-model proxies-model swizzle-model; do
    echo "<script src=\"../../docs/$script.js\"></script>"
  done
  echo "<script src=\"../../../grader/tests/stepper/programs.js\"></script>"
  echo "<script src=\"../../../grader/tests/stepper/page.js\"></script>"
  cat <<'END'
<script>
onload = () => {
  const {said, presets} = window.stepperPages(document.querySelectorAll('iframe'));
  const show = (id, lines) => {
    const pre = document.createElement('pre');
    pre.id = id;
    pre.textContent = `\n${lines.join('\n')}\n`;
    return pre;
  };
  document.body.replaceChildren(show('said', said), show('programs', window.stepperPrograms(presets)), 'end');
};
</script>
END
} >"$work/all.html"

timeout 1000 chromium \
  --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --allow-file-access-from-files \
  --user-data-dir="$work/profile" --enable-logging=stderr --virtual-time-budget=20000 \
  --dump-dom "file://$work/all.html" >"$work/dom" 2>"$work/log" || {
  tail -n 5 "$work/log"
  exit 1
}
section() {
  sed -n "/<pre id=\"$1\">/,/<\/pre>/p" "$work/dom" |
    sed "1d; s/<\/pre>.*//; s/&amp;/\&/g; s/&lt;/</g; s/&gt;/>/g"
}
section said | grep . && status=1
section programs | grep '|' >"$work/programs" || fail 'the page brought no programs'
grep 'CONSOLE' "$work/log" && status=1
[ "$(wc -l <"$work/programs")" -gt 180 ] || fail "only $(wc -l <"$work/programs") programs"

# What a wait answers after each step, and where elements lie: all of them in one run.
grep -E '^(barrier|swizzle) ' "$work/programs" | tee "$work/answered" | cut -d'|' -f1 >"$work/steps"
sed 's/|/: /' "$work/answered" >"$work/expected"
build/bin/vhopper run --quiet -- $replay "$work/steps" >"$work/got" 2>"$work/err" || {
  cat "$work/err"
  fail 'the device breaks a rule where no model does'
}
diff "$work/expected" "$work/got" || fail 'a model (<) and the device (>) give different answers'

# Which rules are broken. For a ring the model knows whether it sleeps for ever, goes wrong, or is right.
grep -E '^(unasked|proxies|ring) ' "$work/programs" >"$work/judged"
while IFS='|' read -r steps expected; do
  echo "$steps" >"$work/steps"
  build/bin/vhopper run --quiet -- $replay "$work/steps" >"$work/got" 2>"$work/err" || true
  got=$(sed -n '/^warning:/d; s/.*(rule \([a-z-]*\), kernel.*/\1/p' "$work/err" | sort -u | tr '\n' ',')
  got=${got%,}
  [ "$got" ] || got=none
  case $steps,$expected,$got in
  ring*,broken,none) ;;
  ring*,broken,*) continue ;;
  esac
  # When a thread and a load race, which of the two the device meets first decides the name.
  case $steps in
  proxies*)
    expected=$(echo "$expected" | sed 's/buffer-still-read/shared-race/')
    got=$(echo "$got" | sed 's/buffer-still-read/shared-race/')
    ;;
  esac
  [ "$got" = "$expected" ] || fail "$steps: the model says $expected, the device $got"
done <"$work/judged"
exit $status
