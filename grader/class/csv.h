// A sheet of comma-separated values that keeps every byte of the file it came from. In: a file. Out: rows of cells, each the place of its bytes; written
// again, all cells but those replaced are what they were: quotes, line ends, byte-order mark and encoding too.
#ifndef CLASS_CSV_H
#define CLASS_CSV_H

#include <stdio.h>

enum { CSV_TEXT = 256 };

struct csv_cell {
  size_t begin, end; // of the file's bytes, quotes included
};

struct csv_row {
  size_t first, count, line; // cells; the line it begins at, from 1
};

struct csv {
  char *bytes;
  size_t size;
  char delimiter; // , ; or a tab: whichever the first line has most of
  struct csv_cell *cells;
  struct csv_row *rows;
  size_t cell_count, row_count;
};

// Every row has as many cells as the first; lines without anything are no rows. 0, or -1 with place and remedy in `error`.
int csv_read(const char *path, struct csv *csv, char *error, size_t size);
void csv_free(struct csv *csv);
// The cell's text without quotes and blanks around it; cut to CSV_TEXT.
void csv_text(const struct csv *csv, const struct csv_row *row, size_t column, char text[CSV_TEXT]);
// `replaced`: per cell its new bytes, or NULL. 0, or -1.
int csv_write(FILE *out, const struct csv *csv, char *const *replaced);

#endif
