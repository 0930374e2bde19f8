// Writes the trace. In: an op about to be executed; out: block, warp, lanes, source line and the PTX
// instruction.
#include "virtual-hopper/machine/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *file_name(const struct op *op, uint32_t *line) {
  *line = 0;
  if (!op->source || op->source->location < 0) return "?";
  const struct ptx_location *location = &op->module->locations[op->source->location];
  const char *path = op->module->files[location->file], *slash = strrchr(path, '/');
  *line = location->line;
  return slash ? slash + 1 : path;
}

void trace_op(const struct warp *w, const struct op *op) {
  const struct block *b = w->block;
  uint32_t line;
  const char *file = file_name(op, &line);
  fprintf(w->launch->trace,
          "block %" PRIu32 ",%" PRIu32 ",%" PRIu32 " warp %" PRIu32 " lanes %08" PRIx32 "  %s:%" PRIu32
          "  %s\n",
          b->index.x, b->index.y, b->index.z, w->index, w->lanes, file, line,
          op->source ? op->source->text : "(end of the function)");
}
