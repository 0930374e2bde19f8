#!/bin/sh
# In: a root folder, a user's number, yes or no for user namespaces, and a command. The caller has made mount,
# PID, UTS and IPC namespaces. Out: the status of the command, run in that root as that user.
# The idea: the steps of a container, in their necessary order. The first process stays, to reap the others.
#   fresh-enter.sh ROOT USER NAMESPACES COMMAND ..
set -eu
root=$1
user=$2
namespaces=$3
shift 3

mount --make-rprivate /
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount -t sysfs -o ro sysfs "$root/sys"
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
for device in null zero full random urandom tty; do
  : >"$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device"
done
mkdir "$root/dev/pts" "$root/dev/shm"
mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts "$root/dev/pts"
mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
ln -s pts/ptmx "$root/dev/ptmx"
ln -s /proc/self/fd "$root/dev/fd"
for stream in stdin:0 stdout:1 stderr:2; do ln -s "/proc/self/fd/${stream#*:}" "$root/dev/${stream%:*}"; done
hostname fresh
ip link set lo up 2>/dev/null || true
mkdir -p "$root/.old"
cd "$root"
pivot_root . .old
umount -l /.old
rmdir /.old

# A user namespace with every user in it and none to be made inside, as an administrator's sysctl has it.
if [ "$namespaces" = no ]; then
  unshare --user sleep infinity &
  holder=$!
  while [ "$(readlink "/proc/$holder/ns/user")" = "$(readlink /proc/self/ns/user)" ]; do sleep 0.1; done
  echo '0 0 65536' >"/proc/$holder/uid_map"
  echo '0 0 65536' >"/proc/$holder/gid_map"
  # shellcheck disable=SC2016 # that shell's own
  nsenter --user --target "$holder" sh -c '
    echo 0 >/proc/sys/user/max_user_namespaces
    user=$1
    shift
    exec setpriv --reuid "$user" --regid "$user" --clear-groups "$@"' sh "$user" "$@" &
  inner=$!
else
  setpriv --reuid "$user" --regid "$user" --clear-groups "$@" &
  inner=$!
fi
status=0
wait "$inner" || status=$?
exit "$status"
