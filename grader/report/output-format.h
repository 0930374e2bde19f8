// The output formats of a report, as output-formats.def lists them.
#ifndef REPORT_OUTPUT_FORMAT_H
#define REPORT_OUTPUT_FORMAT_H

#include "report/record.h"

enum output_reader { INSTRUCTORS, STUDENTS };

struct output_format {
  const char *name;
  int (*write)(FILE *out, const struct lab_record *lab); // 0; -1: writing failed
  enum output_reader reader;
  const char *(*missing)(void); // NULL: the format needs no environment variable
};

// NULL: there is no format of that name.
const struct output_format *output_format_find(const char *name);

// All names, with ", " between them and `last` before the last one. Returns `text`, cut to `size`.
char *output_format_names(const char *last, char *text, size_t size);

#define OUTPUT_FORMAT(name, function, reader, missing) int function(FILE *out, const struct lab_record *lab);
#include "report/output-formats.def"
#undef OUTPUT_FORMAT

// The first environment variable that Classroom 50 needs and that is not set; NULL: all are set.
const char *report_classroom50_missing(void);

#endif
