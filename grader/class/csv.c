// Reads RFC 4180 and the variants that spreadsheets write: other delimiters, either line end, a byte-order
// mark. The idea: a cell is a range of the file, so a cell that is not replaced cannot change.
#include "class/csv.h"

#include "class/failure.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_BYTES = 32 << 20 };
static const char byte_order_mark[] = "\xef\xbb\xbf";

static int read_bytes(const char *path, struct csv *csv, char *error, size_t size) {
  struct stat status;
  const int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC); // a pipe is not waited for
  FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "r");
  bool fits =
      file && fstat(fileno(file), &status) == 0 && S_ISREG(status.st_mode) && status.st_size <= MOST_BYTES;
  csv->bytes = fits ? malloc((size_t)status.st_size + 1) : NULL;
  if (csv->bytes) csv->size = fread(csv->bytes, 1, (size_t)status.st_size, file);
  bool failed = !file || ferror(file) || (fits && !csv->bytes);
  int reason = errno;
  if (file) fclose(file);
  if (failed) return class_fail(error, size, "%s: %s", path, strerror(reason));
  if (!fits)
    return class_fail(error, size, "%s: is no file, or has more than %d MiB", path, MOST_BYTES >> 20);
  bool wide = csv->size >= 2 && (!memcmp(csv->bytes, "\xff\xfe", 2) || !memcmp(csv->bytes, "\xfe\xff", 2));
  if (!wide && !memchr(csv->bytes, 0, csv->size)) return 0;
  return class_fail(error, size, "%s: is UTF-16 or no text: export it as CSV in UTF-8", path);
}

static char find_delimiter(const struct csv *csv, size_t start) {
  static const char delimiters[] = ",;\t";
  size_t counts[3] = {0}, best = 0;
  bool quoted = false;
  for (size_t i = start; i < csv->size && (quoted || !strchr("\r\n", csv->bytes[i])); i++) {
    if (csv->bytes[i] == '"') quoted = !quoted;
    const char *found = quoted ? NULL : strchr(delimiters, csv->bytes[i]);
    if (found) counts[found - delimiters]++;
  }
  for (size_t i = 1; i < 3; i++)
    if (counts[i] > counts[best]) best = i;
  return delimiters[best];
}

// cell = '"' { any but '"' | '""' } '"' | { any but the delimiter and line ends }
// Returns where the cell ends. Sets *open if its closing quote is missing.
static size_t cell_end(const struct csv *csv, size_t at, size_t *lines, bool *open) {
  bool quoted = at < csv->size && csv->bytes[at] == '"';
  for (at += quoted; at < csv->size; at++) {
    char c = csv->bytes[at];
    if (quoted && c == '"') {
      if (at + 1 < csv->size && csv->bytes[at + 1] == '"')
        at++;
      else
        quoted = false;
    } else if (quoted) {
      *lines += c == '\n';
    } else if (c == csv->delimiter || c == '\n' || c == '\r') {
      break;
    }
  }
  *open = quoted;
  return at;
}

// Doubles the array whenever `count` is a power of two. NULL: out of memory; the old array stays.
static void *room_for_one_more(void *array, size_t count, size_t size) {
  if (count & (count - 1)) return array;
  return realloc(array, (count ? 2 * count : 1) * size);
}

static int add_cell(struct csv *csv, struct csv_cell cell) {
  struct csv_cell *more = room_for_one_more(csv->cells, csv->cell_count, sizeof *more);
  if (!more) return -1;
  csv->cells = more;
  more[csv->cell_count++] = cell;
  return 0;
}

static int add_row(struct csv *csv, struct csv_row row) {
  struct csv_row *more = room_for_one_more(csv->rows, csv->row_count, sizeof *more);
  if (!more) return -1;
  csv->rows = more;
  more[csv->row_count++] = row;
  return 0;
}

// Reads the row that begins at *at, and sets *at to where the next row begins.
static int read_row(struct csv *csv, const char *path, size_t *at, size_t *line, char *error, size_t size) {
  struct csv_row row = {.first = csv->cell_count, .line = *line};
  for (;;) {
    bool open;
    struct csv_cell cell = {*at, cell_end(csv, *at, line, &open)};
    if (open) {
      return class_fail(error, size, "%s:%zu: a quote is opened here and never closed", path, row.line);
    }
    if (add_cell(csv, cell) != 0) break;
    row.count++;
    *at = cell.end;
    if (*at < csv->size && csv->bytes[*at] == csv->delimiter) {
      ++*at;
      continue;
    }
    if (*at < csv->size)
      *at += csv->bytes[*at] == '\r' && *at + 1 < csv->size && csv->bytes[*at + 1] == '\n' ? 2 : 1;
    ++*line;
    bool empty = row.count == 1 && cell.begin == cell.end;
    if (empty) {
      csv->cell_count--;
      return 0;
    }
    if (csv->row_count && row.count != csv->rows[0].count) {
      return class_fail(error, size,
                        "%s:%zu: has %zu cells, and the headings have %zu: export the sheet once more", path,
                        row.line, row.count, csv->rows[0].count);
    }
    if (add_row(csv, row) == 0) return 0;
    break;
  }
  return class_fail(error, size, "out of memory");
}

int csv_read(const char *path, struct csv *csv, char *error, size_t size) {
  *csv = (struct csv){0};
  if (read_bytes(path, csv, error, size) != 0) return -1;
  size_t at = csv->size >= 3 && memcmp(csv->bytes, byte_order_mark, 3) == 0 ? 3 : 0, line = 1;
  csv->delimiter = find_delimiter(csv, at);
  while (at < csv->size)
    if (read_row(csv, path, &at, &line, error, size) != 0) return -1;
  if (csv->row_count) return 0;
  return class_fail(error, size, "%s: is empty", path);
}

void csv_free(struct csv *csv) {
  free(csv->bytes);
  free(csv->cells);
  free(csv->rows);
  *csv = (struct csv){0};
}

void csv_text(const struct csv *csv, const struct csv_row *row, size_t column, char text[CSV_TEXT]) {
  const struct csv_cell *cell = &csv->cells[row->first + column];
  bool quoted = cell->begin < cell->end && csv->bytes[cell->begin] == '"';
  size_t length = 0;
  for (size_t i = cell->begin + quoted; i < cell->end && length + 1 < CSV_TEXT; i++) {
    if (quoted && csv->bytes[i] == '"' && (i + 1 == cell->end || csv->bytes[++i] != '"')) continue;
    if (length == 0 && strchr(" \t\r\n", csv->bytes[i])) continue;
    text[length++] = csv->bytes[i];
  }
  while (length && strchr(" \t\r\n", text[length - 1]))
    length--;
  text[length] = '\0';
}

void csv_print(FILE *out, const struct csv *csv, char *const *replaced) {
  size_t written = 0;
  for (size_t i = 0; i < csv->cell_count; i++) {
    if (!replaced[i]) continue;
    fwrite(csv->bytes + written, 1, csv->cells[i].begin - written, out);
    fputs(replaced[i], out);
    written = csv->cells[i].end;
  }
  fwrite(csv->bytes + written, 1, csv->size - written, out);
}
