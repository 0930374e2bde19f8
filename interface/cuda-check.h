// In: the result of any call of the CUDA runtime or driver. Out: nothing on success; else a message on stderr
// with file, line, call and the error's name, and exit status 1. The idea: one macro for both cudaError_t and
// CUresult.
#ifndef TMA_LAB_CUDA_CHECK_H
#define TMA_LAB_CUDA_CHECK_H

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>

// A statement that evaluates `call` once. For programs of your own; a graded launcher returns its error
// instead. A program that has defined its own CUDA_CHECK before keeps that one.
#ifndef CUDA_CHECK
#define CUDA_CHECK(call) tma_lab_check((call), #call, __FILE__, __LINE__)
#endif

static inline void tma_lab_check_runtime(cudaError_t error, const char *call, const char *file, int line) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "%s:%d: %s\n    %s: %s\n", file, line, call, cudaGetErrorName(error),
          cudaGetErrorString(error));
  exit(1);
}

// The driver's error names are in libcuda, which the runtime loads but programs are not linked with. So
// cuGetErrorName is looked up by name, and a machine without a driver still gets the number.
static inline void tma_lab_check_driver(CUresult error, const char *call, const char *file, int line) {
  typedef CUresult (*describe_function)(CUresult, const char **);
  const char *name = "CUresult";
  void *found = NULL;
  enum cudaDriverEntryPointQueryResult status;
  if (error == CUDA_SUCCESS) return;
#if CUDART_VERSION >= 12050
  if (cudaGetDriverEntryPointByVersion("cuGetErrorName", &found, 12000, cudaEnableDefault, &status) !=
      cudaSuccess)
    found = NULL;
#else
  if (cudaGetDriverEntryPoint("cuGetErrorName", &found, cudaEnableDefault, &status) != cudaSuccess)
    found = NULL;
#endif
  if (found != NULL && ((describe_function)found)(error, &name) != CUDA_SUCCESS) name = "CUresult";
  fprintf(stderr, "%s:%d: %s\n    %s (%d)\n", file, line, call, name, (int)error);
  exit(1);
}

#ifdef __cplusplus
static inline void tma_lab_check(cudaError_t error, const char *call, const char *file, int line) {
  tma_lab_check_runtime(error, call, file, line);
}
static inline void tma_lab_check(CUresult error, const char *call, const char *file, int line) {
  tma_lab_check_driver(error, call, file, line);
}
#else
// C has no overloading, so _Generic chooses by the type.
#define tma_lab_check(error, call, file, line) \
  _Generic((error), CUresult                   \
           : tma_lab_check_driver, default     \
           : tma_lab_check_runtime)((error), (call), (file), (line))
#endif

#endif
