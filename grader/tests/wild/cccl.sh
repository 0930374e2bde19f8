# NVIDIA/cccl: tests of libcu++ (a file that ends in .pass.cpp: its main runs on the host, then on the
# device), and examples. Programs are files below libcudacxx/test/libcudacxx, examples of CUB and Thrust below
# the checkout. Sourced by run.sh.
# shellcheck shell=sh
# shellcheck disable=SC2086,SC2154
build() {
  tests=$checkout/libcudacxx/test
  headers="-I$checkout/libcudacxx/include -I$checkout/cub -I$checkout/thrust"
  case $1 in
  cuda/* | std/* | heterogeneous/*)
    $nvcc $flags -std=c++17 --extended-lambda --expt-relaxed-constexpr -x cu $headers -I"$tests/support" \
      -include "$tests/libcudacxx/force_include.h" -o "$2" "$tests/libcudacxx/$1"
    ;;
  *) $nvcc $flags -std=c++17 --extended-lambda -x cu $headers -o "$2" "$checkout/$1" ;;
  esac
}
