# Makes minimal Debian 12 roots and runs commands in them as on a machine of their own. Sourced by
# fresh-machine.sh; needs $roots and $work.
# The idea: the root is a mount point that becomes / by pivot_root, in namespaces of its own, with /proc, /sys
# and /dev: a mere chroot has no mount point at /, and bubblewrap refuses there. Package sources come from the
# machine this runs on, so nothing of them is written down here.
# shellcheck shell=sh disable=SC2154

# What is on the machine besides Debian's minimum.
first_packages=git,make,ca-certificates

make_base() {
  [ ! -e "$roots/base/.whole" ] || return 0
  command -v debootstrap >/dev/null ||
    { echo 'fresh-machine: needs debootstrap: apt-get install -y debootstrap' >&2; exit 2; }
  rm -rf "$roots/base"
  mkdir -p "$roots"
  echo "debootstrap: a minimal Debian 12 with $first_packages"
  mirror=$(sed -n 's/^URIs: *//p; s/^deb [^h]*\(http[^ ]*\) bookworm main.*/\1/p' \
    /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null |
    grep -v -e security | head -n 1)
  debootstrap --variant=minbase --include="$first_packages" bookworm "$roots/base" \
    "${mirror:-http://deb.debian.org/debian}" \
    >"$work/debootstrap.log" 2>&1 || { tail -n 5 "$work/debootstrap.log"; exit 2; }
  rm -rf "$roots/base/var/cache/apt/archives/"*.deb "$roots/base/var/lib/apt/lists/"*
  take_package_sources "$roots/base"
  echo 'student:x:1000:1000::/home/student:/bin/bash' >>"$roots/base/etc/passwd"
  echo 'student:x:1000:' >>"$roots/base/etc/group"
  install -d -o 1000 -g 1000 "$roots/base/home/student"
  : >"$roots/base/.whole"
}

# take_package_sources ROOT: this machine's mirrors, proxies, certificates and pip settings.
take_package_sources() {
  rm -f "$1/etc/apt/sources.list"
  for place in etc/apt/sources.list etc/apt/sources.list.d etc/apt/auth.conf.d etc/apt/trusted.gpg.d \
    usr/share/keyrings etc/pip.conf \
    etc/resolv.conf etc/hosts usr/local/share/ca-certificates etc/ssl/certs/ca-certificates.crt; do
    [ ! -e "/$place" ] || { rm -rf "${1:?}/$place" && mkdir -p "$(dirname "$1/$place")" &&
      cp -aL "/$place" "$1/$place"; }
  done
  apt-config dump |
    grep -E '^Acquire::(Check-|Retries|https?::|ForceIPv4)' >"$1/etc/apt/apt.conf.d/99machine" || true
  env | grep -E -e '^PIP_(CERT|INDEX_URL|EXTRA_INDEX_URL|DEFAULT_TIMEOUT|TRUSTED_HOST)=' \
    -e '^(https?_proxy|HTTPS?_PROXY|no_proxy|NO_PROXY|REQUESTS_CA_BUNDLE|GIT_SSL_CAINFO)=' -e '^SSL_CERT_' \
    >"$1/etc/machine-environment" || true
}

# new_root NAME: a fresh copy, with the kit's repository as of now in /srv/kit.git. Sets $root.
new_root() {
  root=$roots/$1
  rm -rf "$root"
  cp -a --reflink=auto "$roots/base" "$root"
  git clone -q --bare . "$root/srv/kit.git"
  chown -R "${2:-0}:${2:-0}" "$root/srv/kit.git"
  echo fresh >"$root/etc/hostname"
}

# enter USER FOLDER COMMAND: runs it in $root. $network=no takes the network away, $namespaces=no the user
# namespaces, $settings are more variables of its environment.
enter() {
  net='' id=0 home=/root
  [ "${network-yes}" = yes ] || net=--net
  [ "$1" = root ] || { id=1000 && home=/home/student; }
  {
    echo "cd '$2' || exit 125"
    cat <<'END'
prepared() {
END
    echo "$3"
    echo '}; prepared'
  } >"$root/tmp/command"
  # shellcheck disable=SC2046,SC2086
  unshare --mount --pid --fork --uts --ipc --kill-child $net sh "$house/grader/tests/house/fresh-enter.sh" \
    "$root" "$id" "${namespaces-yes}" \
    env -i HOME=$home USER="$1" LOGNAME="$1" \
      PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin TERM=dumb \
    $(cat "$root/etc/machine-environment") ${settings-} sh /tmp/command </dev/null
}
