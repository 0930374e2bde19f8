// A program's file -> how it reaches CUDA, so that one that can't reach this device is told why.
// The file may be anything: every offset is checked.
#ifndef VIRTUAL_HOPPER_EXECUTABLE_H
#define VIRTUAL_HOPPER_EXECUTABLE_H

#include <stdbool.h>
#include <stddef.h>

struct executable {
  bool is_elf;
  bool has_kernels; // a section .nv_fatbin
  bool needs_cuda;  // asks for libcudart.so.N or libcuda.so.1 when it starts
  char runtime[32]; // "libcudart.so.13"; "" none
};

// Looks for `name` as execvp does. Returns false when there is no such file; path is then as given.
bool executable_find(const char *name, char *path, size_t size);
struct executable executable_inspect(const char *path);

#endif
