// In: what went wrong. Out: the reason, in the caller's buffer.
#include "class/failure.h"

#include <stdarg.h>
#include <stdio.h>

enum { LONGEST_REASON = 1024 };

int class_fail(char *error, size_t size, const char *format, ...) {
  // The reason is made beside the buffer, since a caller may add to a reason that is in the buffer already.
  char reason[LONGEST_REASON];
  va_list list;
  va_start(list, format);
  vsnprintf(reason, sizeof reason, format, list);
  va_end(list);
  if (error) snprintf(error, size, "%s", reason);
  return -1;
}
