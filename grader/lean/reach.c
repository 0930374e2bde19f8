// In: preprocessed C++. Out: the same without what the source can't reach. The idea: the source's own pieces
// stay, and whatever declares a name that stands in a piece that stays. Scopes and namespaces are not looked
// at: all declarations of one name stay or go together, so the choice among overloads is the same.
#include "lean/reach.h"

#include "lean/pieces.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Names that a compiler looks up though they stand nowhere, and those that nvcc's own code uses.
static const char *const implicit[] = {
    "initializer_list",
    "type_info",
    "nothrow_t",
    "align_val_t",
    "size_t",
    "ptrdiff_t",
    "nullptr_t",
    "destroying_delete_t",
    "bad_alloc",
    "strong_ordering",
    "partial_ordering",
    "weak_ordering",
    "coroutine_traits",
    "tuple_size", // auto [a, b] = ..
    "tuple_element",
    "uint3",
    "dim3",
    "threadIdx",
    "blockIdx",
    "blockDim",
    "gridDim",
    "warpSize",
    "cudaStream_t",
    "cudaError_t",
    "cudaLaunchKernel",
    "cudaConfigureCall",
    "__cudaPushCallConfiguration",
    "__cudaPopCallConfiguration",
    "cudaGetParameterBufferV2",
    "cudaLaunchDeviceV2",
    "cudaGetParameterBuffer",
    "cudaLaunchDevice",
    "__cudaGetKernel",
    "__cudaLaunchKernel_helper",
    "cudaKernel_t",
    "__assert_fail",
    "printf",
    "malloc",
    "free",
    "memcpy",
    "memset",
    "exit",
    "atexit",
    "abort",
};

struct reach {
  struct pieces pieces;
  uint32_t *first, *declaring; // of name N the pieces declaring[first[N]] to declaring[first[N + 1]]
  bool *needed;                // by name
  bool *kept;                  // by piece
  uint32_t *waiting, waiting_count;
};

static void *zeroed(size_t count, size_t size) {
  void *memory = calloc(count ? count : 1, size);
  if (!memory) abort();
  return memory;
}

static void index_names(struct reach *reach) {
  const struct pieces *pieces = &reach->pieces;
  reach->first = zeroed(pieces->names.count + 2, sizeof *reach->first);
  reach->declaring = zeroed(pieces->named_count, sizeof *reach->declaring);
  for (uint32_t i = 0; i < pieces->named_count; i++)
    reach->first[pieces->named[i] + 2]++;
  for (uint32_t i = 2; i < pieces->names.count + 2; i++)
    reach->first[i] += reach->first[i - 1];
  for (uint32_t p = 0; p < pieces->count; p++)
    for (uint32_t i = 0; i < pieces->all[p].name_count; i++)
      reach->declaring[reach->first[pieces->named[pieces->all[p].names + i] + 1]++] = p;
}

static void keep(struct reach *reach, uint32_t piece) {
  if (reach->kept[piece]) return;
  reach->kept[piece] = true;
  reach->waiting[reach->waiting_count++] = piece;
}

static void need(struct reach *reach, uint32_t name) {
  if (reach->needed[name]) return;
  reach->needed[name] = true;
  for (uint32_t i = reach->first[name]; i < reach->first[name + 1]; i++)
    if (reach->pieces.all[reach->declaring[i]].kind == PIECE_NAMED) keep(reach, reach->declaring[i]);
}

static void find_reachable(struct reach *reach) {
  const struct pieces *pieces = &reach->pieces;
  for (uint32_t p = 0; p < pieces->count; p++)
    if (pieces->all[p].ours || pieces->all[p].kind == PIECE_KEPT) keep(reach, p);
  for (size_t i = 0; i < sizeof implicit / sizeof *implicit; i++) {
    const uint32_t name = names_add(&reach->pieces.names, implicit[i], strlen(implicit[i]));
    need(reach, name);
  }
  while (reach->waiting_count > 0) {
    const struct piece *piece = &pieces->all[reach->waiting[--reach->waiting_count]];
    for (uint32_t i = 0; i < piece->use_count; i++)
      need(reach, pieces->used[piece->uses + i]);
  }
}

struct output {
  char *text;
  size_t length, room;
};

static void put(struct output *output, const char *text, size_t length) {
  if (output->length + length > output->room) {
    output->room = 2 * (output->length + length);
    output->text = realloc(output->text, output->room);
    if (!output->text) abort();
  }
  memcpy(output->text + output->length, text, length);
  output->length += length;
}

// Where pieces are missing, the lines go on as in the file: by empty ones, or by a marker of our own. A piece
// may have markers in it, so the lines of its text are not those of the file. `before`: the line where the
// pieces begin that are missing; `last`: the last of them.
static void put_gap(struct output *output, const char *text, const struct piece *marker, uint32_t before,
                    const struct piece *last) {
  enum { FEW = 12, ROOM = 40 };
  char line[ROOM];
  const char *begin, *quote, *flags;
  if ((before <= last->line && last->line <= before + FEW) || !marker) {
    for (uint32_t i = before; i < last->line; i++)
      put(output, "\n", 1);
    return;
  }
  begin = memchr(text + marker->begin, '#', marker->end - marker->begin);
  quote = memchr(begin, '"', (size_t)(text + marker->end - begin));
  flags = memrchr(quote, '"', (size_t)(text + marker->end - quote));
  put(output, line, (size_t)snprintf(line, sizeof line, "\n# %u ", last->line));
  put(output, quote, (size_t)(flags + 1 - quote));
  if (memchr(flags, '3', (size_t)(text + marker->end - flags))) put(output, " 3 4", 4);
  put(output, "\n", 1);
}

// Markers that no text has followed yet. Of a file that was entered and left again, none is needed.
enum { MOST_PENDING = 256 };
struct pending {
  struct waiting_marker {
    const struct piece *piece;
    char flag;     // '1': enters a file, '2': returns to one, '\0': goes on in it
    bool stripped; // its '2' has lost its '1'
  } markers[MOST_PENDING];
  uint32_t count;
};

static char flag_of(const char *text, const struct piece *marker) {
  const char *end = text + marker->end,
             *quote = memrchr(text + marker->begin, '"', marker->end - marker->begin);
  return quote && end - quote > 2 && (quote[2] == '1' || quote[2] == '2') ? quote[2] : '\0';
}

static void put_marker(struct output *output, const char *text, const struct waiting_marker *marker) {
  const size_t length = marker->piece->end - marker->piece->begin;
  const char *begin = memchr(text + marker->piece->begin, '#', length), *end = text + marker->piece->end;
  put(output, "\n", 1);
  if (!marker->stripped) {
    put(output, begin, (size_t)(end - begin));
    return;
  }
  const char *quote = memrchr(begin, '"', (size_t)(end - begin));
  put(output, begin, (size_t)(quote + 1 - begin));
  put(output, quote + 3, (size_t)(end - quote - 3));
}

static void flush(struct output *output, const char *text, struct pending *pending) {
  for (uint32_t i = 0; i < pending->count; i++)
    put_marker(output, text, &pending->markers[i]);
  pending->count = 0;
}

static void wait_with(struct pending *pending, struct output *output, const char *text,
                      const struct piece *piece) {
  struct waiting_marker marker = {piece, flag_of(text, piece), false};
  uint32_t entered = pending->count;
  if (marker.flag == '2') {
    while (entered > 0 && pending->markers[entered - 1].flag != '1')
      entered--;
    if (entered > 0) {
      pending->count = entered - 1;
      marker.flag = '\0';
      marker.stripped = true;
    }
  }
  if (marker.flag == '\0' && pending->count > 0 && pending->markers[pending->count - 1].flag == '\0')
    pending->count--;
  if (pending->count == MOST_PENDING) flush(output, text, pending);
  pending->markers[pending->count++] = marker;
}

static void write_kept(const struct reach *reach, const char *text, struct output *output) {
  struct pending pending = {.count = 0};
  const struct piece *marker = NULL, *last = NULL; // last: the last one left out, if nothing has come since
  uint32_t before = 0;
  for (uint32_t p = 0; p < reach->pieces.count; p++) {
    const struct piece *piece = &reach->pieces.all[p];
    if (piece->kind == PIECE_MARKER) {
      marker = piece;
      wait_with(&pending, output, text, piece);
      last = NULL;
      continue;
    }
    if (!reach->kept[p]) {
      if (!last) before = p > 0 ? piece[-1].line : 0;
      last = piece;
      continue;
    }
    flush(output, text, &pending);
    if (last) put_gap(output, text, marker, before, last);
    last = NULL;
    put(output, text + piece->begin, piece->end - piece->begin);
  }
}

char *lean_text(const char *text, size_t length, const char *keeps, size_t *lean_length) {
  struct reach reach = {0};
  pieces_read(&reach.pieces, text, length, keeps);
  for (size_t i = 0; i < sizeof implicit / sizeof *implicit; i++)
    names_add(&reach.pieces.names, implicit[i], strlen(implicit[i]));
  index_names(&reach);
  reach.needed = zeroed(reach.pieces.names.count, sizeof *reach.needed);
  reach.kept = zeroed(reach.pieces.count, sizeof *reach.kept);
  reach.waiting = zeroed(reach.pieces.count, sizeof *reach.waiting);
  find_reachable(&reach);
  struct output output = {.room = length / 2 + 1};
  output.text = zeroed(output.room, 1);
  write_kept(&reach, text, &output);
  *lean_length = output.length;
  free(reach.first);
  free(reach.declaring);
  free(reach.needed);
  free(reach.kept);
  free(reach.waiting);
  pieces_free(&reach.pieces);
  return output.text;
}
