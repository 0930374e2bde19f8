# Fetches what is missing: Debian packages as root, the same unpacked under .kit/ without root, nvcc from
# PyPI. Each function returns 1 when it fails; what the tools said is in $log. Needs $kit, $triple and
# find.sh. .kit/libraries holds headers and libraries, .kit/tools programs with all they need (and, where
# there was no compiler at all, a compiler with its system root), .kit/cuda the CUDA compiler.
# shellcheck shell=sh disable=SC2154

# shellcheck disable=SC2034 # setup.sh says them
cuda_packages='nvidia-cuda-nvcc==13.0.* nvidia-cuda-crt==13.0.* nvidia-nvvm==13.0.*'
cuda_packages="$cuda_packages nvidia-cuda-runtime==13.0.* nvidia-cuda-cccl==13.0.*"

# patiently COMMAND ..: runs it, what it says goes into the log; every ten seconds a line tells what it is at.
patiently() {
  (
    seconds=0
    while sleep 10 >/dev/null 2>&1 && kill -0 $$ 2>/dev/null; do
      seconds=$((seconds + 10))
      printf '  %3d s: %s\n' "$seconds" "$(tail -n 1 "$log" | tr -d '\r' | cut -c 1-90)"
    done
  ) 9>&- & # it must not hold the lock
  watcher=$!
  outcome=0
  "$@" >>"$log" 2>&1 || outcome=$?
  kill "$watcher" 2>/dev/null || true
  wait "$watcher" 2>/dev/null || true
  return "$outcome"
}

# announce URIS FOLDER: reads the output of `apt-get --print-uris` and prints how much is to be fetched and,
# once unpacked into that folder, four times as much.
announce() {
  # shellcheck disable=SC2046
  set -- "$2" $(echo "$1" |
    awk '/^\047/ { bytes += $3; count++ } END { printf "%d %d", count, bytes / 1e6 + 1 }')
  [ "$2" != 0 ] || return 0
  echo "  $2 packages, $3 MB to fetch; then they are unpacked. Its log: .kit/setup.log"
  need_room "$1" $((5 * $3))
}

# The package lists may be empty (in containers) or too old (the file is gone): then they are updated. An
# installation that was broken off is finished first.
install_packages() {
  # shellcheck disable=SC2086
  list() { uris=$(apt-get install -y -qq --no-install-recommends --print-uris $1 2>>"$log"); }
  # shellcheck disable=SC2086
  # shellcheck disable=SC2317 # called by name
  try_install() { apt-get install -y -q --no-install-recommends -o DPkg::Lock::Timeout=300 $1; }
  # shellcheck disable=SC2317
  repair() { dpkg --configure -a && apt-get update -q && try_install "$1"; }
  export DEBIAN_FRONTEND=noninteractive
  list "$1" || { patiently apt-get update -q && list "$1"; } || return 1
  announce "$uris" /usr
  patiently try_install "$1" || patiently repair "$1"
}

# apt-get with its state under .kit/, where an ordinary user may write.
private_apt() {
  mkdir -p "$kit/apt/lists/partial" "$kit/apt/archives/partial"
  true >>"$kit/apt/everywhere"
  apt-get -q -o Debug::NoLocking=1 -o Dir::State::Lists="$kit/apt/lists" -o Dir::Cache="$kit/apt" \
    -o APT::Sandbox::User= -o Acquire::Languages=none \
    -o Dir::State::status="${installed-/var/lib/dpkg/status}" "$@"
}

# Once per set-up, because the lists are in .kit/ only that long.
read_lists() {
  [ -z "${lists_read-}" ] || return 0
  patiently private_apt update && lists_read=yes
}

# Returns 0 if the distribution has that package, 1 if not, 2 if nobody can tell.
has_package() {
  if [ "$(id -u)" = 0 ]; then
    apt-cache show "$1" >/dev/null 2>&1 || { patiently apt-get update -q && has_lists /var/lib/apt/lists ||
      return 2; }
    apt-cache show "$1" >/dev/null 2>&1
  else
    read_lists && has_lists "$kit/apt/lists" || return 2
    apt-cache -o Dir::State::Lists="$kit/apt/lists" -o Dir::Cache="$kit/apt" show "$1" >/dev/null 2>&1
  fi
}

# If no server can be reached, apt-get update only warns, and its status is 0.
has_lists() {
  for list in "$1"/*_Packages*; do [ ! -e "$list" ] || return 0; done
  return 1
}

# uris_of PACKAGES: a line for each of them and of what they depend on, but not for what is installed; 'URI'
# NAME_VERSION_ARCHITECTURE.deb SIZE ..
uris_of() {
  # shellcheck disable=SC2086
  private_apt install -y --no-install-recommends --print-uris $1 2>>"$log" |
    awk -v names="$kit/apt/everywhere" \
      'BEGIN { while ((getline name <names) > 0) known[name] }
       /^\047/ { split($2, part, "_"); if (!(part[1] in known)) print }'
}
names_of() { echo "$1" | sed -n "s/^'[^']*' \([^_]*\)_[^ ]*.*/\1/p"; }

# unpack FOLDER PACKAGES: unpacks them and all their dependencies that are not installed on this machine.
unpack() {
  [ -n "$2" ] || return 0
  uris=$(uris_of "$2") && [ -n "$uris" ] || return 1
  announce "$uris" "$kit"
  patiently unpack_exactly "$1" "$(names_of "$uris") $2"
}

# unpack_exactly FOLDER PACKAGES: unpacks these packages only. apt-get checks what it fetches, and resumes a
# download.
unpack_exactly() {
  mkdir -p "$1" "$kit/debs"
  # Until wrap_tools has finished, .kit/libraries and .kit/tools may be incomplete.
  : >"$kit/unpacking"
  names=$(echo "$2" | tr -s ' ' '\n' | sort -u)
  # shellcheck disable=SC2086
  (cd "$kit/debs" && private_apt download $names) || return 1
  for name in $names; do
    echo "Unpacking $name"
    for deb in "$kit/debs/$name"_*.deb; do
      dpkg -x "$deb" "$1" || return 1
    done
  done
}

# A development package's libNAME.so points at a run-time library beside it; where that one is installed on
# the system instead, the link is led there.
mend_links() {
  for link in "$1/usr/lib/$triple"/*.so; do
    if [ -L "$link" ] && [ ! -e "$link" ]; then
      target=$(readlink "$link")
      for folder in "/usr/lib/$triple" "/lib/$triple" "$1/lib/$triple"; do
        if [ -e "$folder/${target##*/}" ]; then ln -sfn "$folder/${target##*/}" "$link"; fi
      done
    fi
  done
}

unpack_missing() {
  libraries=$(echo "$1" | awk '$2 == "header" && $1 != "libc6-dev" { printf "%s ", $1 }')
  tools=$(echo "$1" | awk '$2 != "header" || $1 == "libc6-dev" { printf "%s ", $1 }')
  read_lists &&
    unpack "$kit/libraries" "$libraries" && mend_links "$kit/libraries" &&
    unpack "$kit/tools" "$tools" && wrap_tools && rm -f "$kit/unpacking"
}

# unpack_kit LINES: unpacks those packages with all dependencies, for a machine with nothing but what every
# Debian has.
unpack_kit() {
  read_lists || return 1
  installed=/dev/null
  essential=$(dpkg-query -W -f '${Essential} ${Package}\n' | sed -n 's/^yes //p' | tr '\n' ' ')
  names_of "$(uris_of "$essential")" >"$kit/apt/everywhere.new"
  mv "$kit/apt/everywhere.new" "$kit/apt/everywhere"
  unpack_missing "$1"
}

# Programs under .kit/tools/usr/bin expect to find their libraries in /usr/lib: each gets a little script in
# .kit/tools/bin that says where they are. Compilers are also told their system root, which needs the C
# library's run-time half; that one is unpacked last, so that no program is made to run with it.
wrap_tools() {
  tools=$kit/tools
  [ -d "$tools/usr/bin" ] || return 0
  mkdir -p "$tools/bin" "$tools/run"
  for library in "$tools/usr/lib/$triple"/*.so* "$tools/lib/$triple"/*.so* "$tools"/usr/lib/llvm-*/lib/*.so* \
    "$tools/usr/lib/$triple"/pulseaudio/*.so*; do
    case ${library##*/} in
    '*'* | ld-linux* | libc.so* | libm.so* | libdl.so* | libpthread.so* | librt.so* | libresolv.so*) ;;
    *) ln -sfn "..${library#"$tools"}" "$tools/run/${library##*/}" ;;
    esac
  done
  system_root=
  [ ! -e "$tools/usr/include/stdlib.h" ] || system_root="\"--sysroot=\$tools\""
  mend_data
  for program in "$tools"/usr/bin/*; do
    [ -f "$program" ] || continue
    name=${program##*/}
    interpreter='' options='' place=usr/bin/$name
    case $name in
    *gcc | *gcc-[0-9]* | *g++ | *g++-[0-9]* | clang | clang-[0-9]*) options=$system_root ;;
    pandoc) options="\"--data-dir=\$tools/usr/share/pandoc/data\"" ;;
    chromium) place=usr/lib/chromium/chromium ;;
    *) if head -n 1 "$program" | grep -aq '^#!.*python3'; then interpreter=python3; fi ;;
    esac
    cat >"$tools/bin/$name" <<END
#!/bin/sh
tools=\${0%/*}
# Always the same name for this folder: with another one make would find other tools than before.
case \$tools in */bin) tools=\${tools%/bin} ;; *) tools=\$tools/.. ;; esac
export LD_LIBRARY_PATH="\$tools/run\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH}" PATH="\$tools/bin:\$PATH"
export PYTHONPATH="\$tools/usr/lib/python3/dist-packages\${PYTHONPATH:+:\$PYTHONPATH}"
$fonts
exec $interpreter "\$tools/$place" $options "\$@"
END
    chmod +x "$tools/bin/$name"
  done
  # A distribution adds these names when it installs the packages.
  for name in gcc:cc g++:c++; do
    if [ -x "$tools/bin/${name%:*}" ]; then ln -sfn "${name%:*}" "$tools/bin/${name#*:}"; fi
  done
  # cppcheck looks for its tables beside itself.
  if [ -d "$tools/usr/lib/$triple/cppcheck/cfg" ]; then ln -sfn "../lib/$triple/cppcheck/cfg" \
    "$tools/usr/bin/cfg"; fi
  if [ -n "$system_root" ]; then
    patiently unpack_exactly "$tools" 'libc6 libgcc-s1 libstdc++6'
  fi
}

# What programs look for in /usr/share and /etc: the hyphenator's words, fonts and how they are named. Sets
# $fonts, which a wrapper says.
mend_data() {
  fonts=
  hyphenator=$tools/usr/lib/python3/dist-packages/pyphen/__init__.py
  if [ -e "$hyphenator" ]; then
    sed -i "s,= '/usr/share/hyphen/',= __file__.split('/usr/lib/')[0] + '/usr/share/hyphen/'," "$hyphenator"
  fi
  [ -d "$tools/usr/share/fontconfig/conf.avail" ] || return 0
  # shellcheck disable=SC2016 # the wrapper's own
  fonts='export FONTCONFIG_FILE="$tools/fonts.conf" FONTCONFIG_PATH="$tools/usr/share/fontconfig/conf.avail"'
  {
    echo '<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>'
    echo '<dir>/usr/share/fonts</dir><dir prefix="relative">usr/share/fonts</dir>'
    echo '<cachedir prefix="xdg">fontconfig</cachedir>'
    for name in 45-latin 49-sansserif 57-dejavu-sans 57-dejavu-sans-mono 57-dejavu-serif 60-latin; do
      echo "<include ignore_missing=\"yes\">$name.conf</include>"
    done
    echo '</fontconfig>'
  } >"$tools/fonts.conf"
}

# get_wheels FOLDER WHEELS: pip compares each with the checksum that the index gives. It unpacks beside the
# folder, so that one move ends it.
get_wheels() {
  install_pip || return 1
  rm -rf "$kit/tmp" && mkdir "$kit/tmp"
  # shellcheck disable=SC2086
  TMPDIR=$kit/tmp patiently $python -m pip install \
    --disable-pip-version-check --no-deps --only-binary=:all: --upgrade --progress-bar off \
    --no-cache-dir --target "$1" $2 && rm -rf "$kit/tmp"
}

# The wheels hold no links, so the names that nvcc and ld expect are added. The last link lets nvcc find its
# compiler.
install_cuda() {
  get_wheels "$kit/cuda-packages" "$cuda_packages" || return 1
  ln -sfn lib "$kit/cuda-packages/nvidia/cu13/lib64"
  ln -sfn libcudart.so.13 "$kit/cuda-packages/nvidia/cu13/lib/libcudart.so"
  ln -sfn cuda-packages/nvidia/cu13 "$kit/cuda"
}

# install_linter NAME: the wheel holds the program only; the compiler's own headers are taken from gcc.
install_linter() {
  get_wheels "$kit/lint" "$1==14.0.6" || return 1
  options=
  [ "$1" = clang-format ] || options="--extra-arg=-isystem\"\$(gcc -print-file-name=include)\""
  mkdir -p "$kit/tools/bin"
  cat >"$kit/tools/bin/$1-14" <<END
#!/bin/sh
exec "\${0%/*}/../../lint/$(echo "$1" | tr - _)/data/bin/$1" $options "\$@"
END
  chmod +x "$kit/tools/bin/$1-14"
}

# Sets $python to a command whose pip works.
install_pip() {
  python=$(find_command python3) && $python -m pip --version >/dev/null 2>&1 && return
  echo 'Set-up: for that, pip is needed too (package python3-pip)'
  command -v apt-get >/dev/null || return 1
  if [ "$(id -u)" = 0 ]; then
    install_packages python3-pip || return 1
  else
    read_lists && unpack "$kit/tools" python3-pip && wrap_tools && rm -f "$kit/unpacking" || return 1
  fi
  python=$(find_command python3) && $python -m pip --version >/dev/null 2>&1
}
