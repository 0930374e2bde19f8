// The options of `vhopper run`. In: a command line, and what VHOPPER_OPTIONS holds. Out: a struct
// run_options, or an end with status 2 and a message that names the option.
#ifndef VIRTUAL_HOPPER_COMMAND_OPTIONS_H
#define VIRTUAL_HOPPER_COMMAND_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "virtual-hopper/command/suppressions.h"
#include "virtual-hopper/machine/options.h"
#include "virtual-hopper/server/server.h"

#define OPTIONS_VARIABLE "VHOPPER_OPTIONS"
#define VHOPPER_VERSION  "1.0"

enum vhopper_status {
  STATUS_USAGE = 2,
  STATUS_BROKEN = 2,
  STATUS_RULE = 66,
  STATUS_UNSUPPORTED = 69,
  STATUS_NOT_JUDGED = 75, // as EX_TEMPFAIL: try again, on a machine with more time
  STATUS_NOT_EXECUTABLE = 126,
  STATUS_NOT_FOUND = 127
};

enum { NO_ERROR_STATUS = -1, PRINT_LIMIT = 100 };

struct run_options {
  struct vhopper_options device;
  const char *json, *trace, *log_file; // NULL: none. Patterns of output_name
  const char *sarif, *junit;           // likewise
  const char *timeline;                // likewise; ends in .svg or .json
  const char *write_suppressions;      // likewise
  struct suppressions suppressions;    // read from all files that were given
  bool quiet;
  bool require_kernel;
  bool leak_check;
  enum server_host_faults api_errors;
  uint64_t print_limit; // 0: any number
  double time_limit;    // seconds; 0: none
  int error_status;     // NO_ERROR_STATUS: not given
  char **program;       // argv, NULL-terminated
};

// arguments[0] is the command's name. What VHOPPER_OPTIONS holds comes before the command line, so the
// command line wins. Strings of the result live as long as the process.
struct run_options options_parse(int count, char **arguments);
void options_help(FILE *out);
// One name per line: for the shells' completion.
void options_list(FILE *out);

// The words of a text: separated by blanks, held together by ' or ". NULL-terminated, with room for the
// command's name in front; NULL: a quote is left open. The caller frees words[0] and the array.
char **options_words(const char *text, int *count);

// A file's name with %p replaced by the process's number, %n by the program's name, %q{NAME} by what the
// environment's variable NAME holds, %% by %. NULL, with *wrong at the offending text, if the pattern has
// another %, or the variable is not set. The caller frees it.
char *output_name(const char *pattern, pid_t process, const char *program, const char **wrong);

#endif
