// Preprocessed C++ as pieces: one for each declaration at the outermost level or directly inside a namespace
// or an `extern "C" { }`, one for each line that opens or closes such a scope, one for each directive.
#ifndef LEAN_PIECES_H
#define LEAN_PIECES_H

#include "lean/text.h"

enum piece_kind {
  PIECE_KEPT,      // stays whatever is used: a scope's begin and end, a #pragma, what we can't read
  PIECE_MARKER,    // a line marker
  PIECE_NAMED,     // needed if one of its names is
  PIECE_ASSERTION, // static_assert: holds, and declares nothing
};

struct piece {
  enum piece_kind kind;
  bool ours;                  // of a file whose declarations all stay
  size_t begin, end;          // in the text, with the white space before it
  uint32_t line;              // at its end, in the file that the last marker names
  uint32_t names, name_count; // in `named`: what it declares
  uint32_t uses, use_count;   // in `used`: every identifier in it
};

struct pieces {
  struct names names;
  struct piece *all;
  uint32_t count, room;
  uint32_t *named, named_count, named_room;
  uint32_t *used, used_count, used_room;
};

// Takes the text apart. `keeps`: beginnings of paths, separated by colons; declarations in files there stay.
void pieces_read(struct pieces *pieces, const char *text, size_t length, const char *keeps);
void pieces_free(struct pieces *pieces);
// For those who read: a name that the piece under way declares.
void pieces_add_name(struct pieces *pieces, uint32_t name);

#endif
