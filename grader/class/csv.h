// A sheet of comma-separated values that keeps every byte of its file. In: a file. Out: rows of cells; a cell
// is a range of the file's bytes. Written again, every byte outside the replaced cells is unchanged: quotes,
// line ends, byte-order mark, encoding.
#ifndef CLASS_CSV_H
#define CLASS_CSV_H

#include <stdio.h>

enum { CSV_TEXT = 256 };

struct csv_cell {
  size_t begin, end; // a range of the file's bytes, quotes included
};

struct csv_row {
  size_t first, count; // its cells
  size_t line;         // where it begins in the file, from 1
};

struct csv {
  char *bytes;
  size_t size;
  char delimiter; // , ; or a tab: the one that the first line has most of
  struct csv_cell *cells;
  struct csv_row *rows;
  size_t cell_count, row_count;
};

// Every row has as many cells as the first; empty lines are no rows. csv_free in either case.
int csv_read(const char *path, struct csv *csv, char *error, size_t size);
void csv_free(struct csv *csv);
// The cell's text, without the quotes and blanks around it, cut to CSV_TEXT.
void csv_text(const struct csv *csv, const struct csv_row *row, size_t column, char text[CSV_TEXT]);
// Prints the sheet. `replaced`: the new bytes of each cell, or NULL.
void csv_print(FILE *out, const struct csv *csv, char *const *replaced);

#endif
