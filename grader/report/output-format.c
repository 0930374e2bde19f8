// In: a name from the command line. Out: the format, or NULL. The idea: one table, made from
// output-formats.def and searched within its bounds; nobody else lists formats.
#include "report/output-format.h"

#include <string.h>

static const struct output_format formats[] = {
#define OUTPUT_FORMAT(name, function, reader, missing) {#name, function, reader, missing},
#include "report/output-formats.def"
#undef OUTPUT_FORMAT
};
enum { FORMAT_COUNT = sizeof formats / sizeof *formats };

const struct output_format *output_format_find(const char *name) {
  for (size_t i = 0; i < FORMAT_COUNT; i++)
    if (strcmp(name, formats[i].name) == 0) return &formats[i];
  return NULL;
}

char *output_format_names(const char *last, char *text, size_t size) {
  size_t length = 0;
  for (size_t i = 0; i < FORMAT_COUNT && length < size; i++) {
    const char *separator = i == 0 ? "" : i + 1 == FORMAT_COUNT ? last : ", ";
    length += (size_t)snprintf(text + length, size - length, "%s%s", separator, formats[i].name);
  }
  return text;
}
