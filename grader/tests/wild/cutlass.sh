# NVIDIA/cutlass: unit tests, which need GoogleTest, and examples. Programs are files below the checkout,
# with their arguments behind a blank. Sourced by run.sh.
# shellcheck shell=sh
# shellcheck disable=SC2086,SC2154
build() {
  file=${1%% *}
  options="-std=c++17 --expt-relaxed-constexpr -I$checkout/include -I$checkout/tools/util/include -DNDEBUG
    -DCUTLASS_VERSIONS_GENERATED -I$checkout/examples/common"
  case $file in
  test/*)
    for part in test_unit common/filter_architecture; do
      object=$out/$(basename $part).o
      [ -s "$object" ] || $nvcc $flags $options -x cu -I"$checkout/test/unit" -c -o "$object" \
        "$checkout/test/unit/$part.cpp"
    done
    $nvcc $flags $options -I"$checkout/test/unit" -o "$2" "$checkout/$file" "$out/test_unit.o" \
      "$out/filter_architecture.o" -lgtest -lcuda
    ;;
  *) $nvcc $flags $options -o "$2" "$checkout/$file" -lcuda ;;
  esac
}
accepts() {
  ! grep -q 'FAILED\|Disposition: Failed' "$1.out"
}
