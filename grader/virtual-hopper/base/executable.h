// Reads from a program's file how the program reaches CUDA. So a program that can't reach this device gets a
// message with the reason. The file may contain any bytes: every offset is checked.
#ifndef VIRTUAL_HOPPER_BASE_EXECUTABLE_H
#define VIRTUAL_HOPPER_BASE_EXECUTABLE_H

#include <stdbool.h>
#include <stddef.h>

struct executable {
  bool is_elf;
  bool has_kernels; // the file has a section .nv_fatbin
  bool needs_cuda;  // the program loads libcudart.so.N or libcuda.so.1 when it starts
  char runtime[32]; // "libcudart.so.13"; "" when it loads none
};

// Looks for `name` as execvp does. Returns false when there is no such file; then `path` holds `name`.
bool executable_find(const char *name, char *path, size_t size);
struct executable executable_inspect(const char *path);
// Returns a malloc'ed copy of the section .nv_fatbin, *bytes long. nvcc puts all modules of a program there.
// Returns NULL when the file has no such section, or can't be read.
void *executable_modules(const char *path, size_t *bytes);

#endif
