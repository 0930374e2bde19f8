// Texts that are put together piece by piece.
#ifndef VIRTUAL_HOPPER_BASE_TEXT_H
#define VIRTUAL_HOPPER_BASE_TEXT_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

// Adds to a text in a buffer of `size` bytes; what has no room is left out.
__attribute__((format(printf, 3, 4))) static inline void append(char *text, size_t size, const char *format,
                                                                ...) {
  const size_t used = strlen(text);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text + used, size - used, format, arguments);
  va_end(arguments);
}

static inline const char *plural(uint64_t count) {
  return count == 1 ? "" : "s";
}

#endif
