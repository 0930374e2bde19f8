// Fuzzes the reader of platforms' sheets. In: any bytes as a sheet. A sheet that is written back without a
// replacement must be unchanged. Every row must have as many cells as the headings. Matching two students
// must end.
#include "class/match.h"
#include "virtual-hopper/base/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void check_rows(const struct csv *csv) {
  char text[CSV_TEXT];
  for (size_t row = 0; row < csv->row_count; row++) {
    if (csv->rows[row].count != csv->rows[0].count) die("a row of another length");
    for (size_t column = 0; column < csv->rows[row].count; column++) {
      const struct csv_cell *cell = &csv->cells[csv->rows[row].first + column];
      if (cell->begin > cell->end || cell->end > csv->size) die("a cell outside");
      csv_text(csv, &csv->rows[row], column, text);
      if (strlen(text) > cell->end - cell->begin) die("a text longer than its cell");
    }
  }
}

static void check_copy(const struct csv *csv) {
  char *copy = NULL, **replaced = calloc(csv->cell_count + 1, sizeof *replaced);
  size_t size = 0;
  FILE *stream = open_memstream(&copy, &size);
  if (!replaced || !stream) die("no copy");
  csv_print(stream, csv, replaced);
  if (ferror(stream) || fclose(stream) != 0) die("no copy");
  if (size != csv->size || memcmp(copy, csv->bytes, size) != 0) die("the copy differs");
  free(copy);
  free(replaced);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  static const char *const platforms[] = {"folders", "Canvas", "Moodle", "Gradescope"};
  struct student students[] = {
      {.name = "ann_1", .full_name = "ann", .id = "1"},
      {.name = "submission_2", .full_name = "Bo Ek", .id = "7", .email = "bo@example.edu"}};
  struct match matches[2];
  struct csv csv;
  char path[64], error[400] = "";
  int file = memfd_create("sheet", MFD_CLOEXEC);
  if (file < 0 || write(file, bytes, length) != (ssize_t)length) die("no file");
  snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  if (csv_read(path, &csv, error, sizeof error) == 0) {
    check_rows(&csv);
    check_copy(&csv);
    for (size_t i = 0; i < 4; i++) {
      struct roster roster = {.platform = platforms[i], .students = students, .count = 2};
      match_all(&roster, &csv, matches);
      for (size_t student = 0; student < 2; student++)
        if (matches[student].row >= csv.row_count) die("a match outside");
    }
  } else if (!error[0]) {
    die("refused without a word");
  }
  csv_free(&csv);
  close(file);
  return 0;
}
