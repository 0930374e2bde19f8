// Wrong elements as tiles. In: a result and the right one. Out: whether the wrong elements fill whole tiles
// of a grid, what a sentence can say of those, and a small picture of them.
#ifndef REFEREE_TILING_H
#define REFEREE_TILING_H

#include "referee/pattern.h"

struct tiling {
  size_t width, height; // of a tile, in elements; 0: the wrong elements fill no tiles
  size_t columns, rows; // of tiles; those at the end may be cut off
  size_t wrong;         // tiles
  size_t first, stride; // the first wrong tile, counted row by row; how far behind it the second one comes
};

// The largest tiles that are all wrong or all right.
void tiling_find(const struct tally *tally, struct tiling *tiling);
// "Rows 20 to 39 are those of tile 0." or "Every second tile is missing." False: nothing of that kind holds.
bool tiling_say(const struct tally *tally, const struct tiling *tiling, char *text, size_t size);
// One character a tile, lines of at most 64; "" where a picture shows nothing that words don't.
void tiling_draw(const struct tally *tally, const struct tiling *tiling, char *text, size_t size);

#endif
