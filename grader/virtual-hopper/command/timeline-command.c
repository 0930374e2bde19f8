// In: a file of marks that were measured on a GPU. Out: a table on stdout, and a picture.
#include "virtual-hopper/command/timeline-command.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/command/options.h"
#include "virtual-hopper/command/timing.h"
#include "virtual-hopper/time/measured.h"

static int complain(const char *file, const char *what, int status) {
  fprintf(stderr, "vhopper: %s: %s\n", file, what);
  return status;
}

static int write_picture(const struct measured *m, const struct timeline *t, const char *name) {
  FILE *out = fopen(name, "we");
  if (!out) return complain(name, strerror(errno), STATUS_USAGE);
  if (timing_is_trace(name))
    measured_write_trace(m, out);
  else
    timeline_draw(t, out);
  const bool written = !ferror(out);
  if (fclose(out) == 0 && written) return 0;
  return complain(name, "the picture can't be written", STATUS_BROKEN);
}

int timeline_command(int count, char **arguments) {
  struct measured m;
  char wrong[160];
  if (count < 1 || count > 2 || arguments[0][0] == '-') {
    fputs("vhopper: it is vhopper timeline FILE [PICTURE.svg|TRACE.json]; FILE is what timeline_write has "
          "written\n",
          stderr);
    return STATUS_USAGE;
  }
  if (count == 2 && !timing_names_timeline(arguments[1]))
    return complain(arguments[1], "a picture's name ends in .svg, a trace's in .json", STATUS_USAGE);
  FILE *in = fopen(arguments[0], "re");
  if (!in) return complain(arguments[0], strerror(errno), STATUS_USAGE);
  const bool sound = measured_read(&m, in, wrong, sizeof wrong);
  fclose(in);
  struct timeline *t = sound ? measured_timeline(&m) : NULL;
  int status = 0;
  if (!sound)
    status = complain(arguments[0], wrong, STATUS_USAGE);
  else if (!t)
    status = complain(arguments[0], "there is no memory for its picture", STATUS_BROKEN);
  else
    measured_print(&m, t, stdout);
  if (t && count == 2) status = write_picture(&m, t, arguments[1]);
  free(t);
  measured_free(&m);
  return status;
}
