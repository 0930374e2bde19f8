#!/bin/sh
# In: a built kit. Out: exit 0 if what a submission does at the size that is timed is judged, too: the
# solution keeps its points, and one that uses ordinary loads and stores there loses those of the rules.
# The idea: a build of the grader looks at a timed size of 96 MiB, though it has no GPU to time anything. That
# is more than any other case has.
set -u
work=$(sh grader/tests/work-folder.sh timed-size $$)
trap 'rm -rf "$work"' EXIT
mkdir "$work/honest" "$work/other"
cp solutions/lab9/1-bulk-copy-1d.cu "$work/honest/"
{
  echo '#define launch_bulk_copy_1d launch_by_tiles'
  cat solutions/lab9/1-bulk-copy-1d.cu
  cat <<'END'
#undef launch_bulk_copy_1d
__global__ void add_plainly(int32_t *data, size_t count) {
  const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) data[i] += 1;
}
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  if (count < (80u << 20) / 4) return launch_by_tiles(data, count, stream);
  add_plainly<<<static_cast<uint32_t>((count + 255) / 256), 256, 0, stream>>>(data, count);
  return cudaGetLastError();
}
END
} >"$work/other/1-bulk-copy-1d.cu"

failed=0
# expect STATUS FOLDER GRADER [TEXT]
expect() {
  status=0
  "$3" check lab9/1 --submission "$work/$2" --device virtual >"$work/said" 2>&1 || status=$?
  [ "$status" = "$1" ] && grep -qF -- "${4:-}" "$work/said" && return
  echo "$3, $2: exit $status, expected $1${4:+, with \"$4\"}"
  sed 's/^/    /' "$work/said"
  failed=1
}
expect 0 honest build/timed/bin/grader
expect 0 other build/bin/grader
expect 1 other build/timed/bin/grader 'case "timed": count 25165824'
expect 1 other build/timed/bin/grader 'does not do what is asked'
exit $failed
