# find_package(vhopper) defines
#
#   VHOPPER_EXECUTABLE     the program
#   vhopper::interface     the headers with one function for each TMA instruction
#   vhopper_target(TARGET ..)
#       prepares targets with CUDA code: the shared runtime, line numbers for device code
#   vhopper_add_test(NAME name TARGET target [ARGUMENTS arg ..] [OPTIONS option ..])
#       a ctest that runs the target on the virtual Hopper. It fails if the program fails, if a kernel
#       breaks a rule, or if no kernel ran.
#   vhopper_emulate(TARGET .. [OPTIONS option ..])
#       for gtest_discover_tests and add_test(COMMAND target): both then run the target by vhopper
#
# VHOPPER_OPTIONS, a list, holds options for all of them, for example --suppressions;${PROJECT_SOURCE_DIR}/..

get_filename_component(_vhopper_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(VHOPPER_EXECUTABLE "${_vhopper_prefix}/bin/vhopper")
if(NOT EXISTS "${VHOPPER_EXECUTABLE}")
  set(vhopper_FOUND FALSE)
  set(vhopper_NOT_FOUND_MESSAGE "${VHOPPER_EXECUTABLE} is missing")
  return()
endif()

if(NOT TARGET vhopper::interface)
  add_library(vhopper::interface INTERFACE IMPORTED)
  set_target_properties(vhopper::interface PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${_vhopper_prefix}/include/vhopper")
endif()

function(vhopper_target)
  foreach(target IN LISTS ARGN)
    set_target_properties(${target} PROPERTIES CUDA_RUNTIME_LIBRARY Shared)
    get_target_property(type ${target} TYPE)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-lineinfo>)
    get_target_property(architectures ${target} CUDA_ARCHITECTURES)
    if(architectures AND NOT architectures MATCHES "(^|;)(90a?|90a?-virtual|all|all-major)(;|$)")
      message(WARNING "vhopper: CUDA_ARCHITECTURES of ${target} is ${architectures}: vhopper needs the PTX "
        "of 90 or 90a, and not 90-real alone")
    endif()
  endforeach()
endfunction()

function(vhopper_add_test)
  cmake_parse_arguments(test "" "NAME;TARGET" "ARGUMENTS;OPTIONS" ${ARGN})
  if(NOT test_NAME OR NOT test_TARGET)
    message(FATAL_ERROR "vhopper_add_test(NAME name TARGET target [ARGUMENTS ..] [OPTIONS ..])")
  endif()
  add_test(NAME ${test_NAME} COMMAND "${VHOPPER_EXECUTABLE}" run --require-kernel ${VHOPPER_OPTIONS}
    ${test_OPTIONS} -- $<TARGET_FILE:${test_TARGET}> ${test_ARGUMENTS})
endfunction()

function(vhopper_emulate)
  cmake_parse_arguments(emulate "" "" "OPTIONS" ${ARGN})
  foreach(target IN LISTS emulate_UNPARSED_ARGUMENTS)
    set_target_properties(${target} PROPERTIES CROSSCOMPILING_EMULATOR
      "${VHOPPER_EXECUTABLE};run;${VHOPPER_OPTIONS};${emulate_OPTIONS};--")
  endforeach()
endfunction()
