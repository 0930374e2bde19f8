// In: a submission's manifest.json, and the folder with the files taken from the submission. Out: notes on
// what differs. The idea: checksums tell whether a file was changed after `make handin`, which both the
// instructor and the student may want to know.
#include "class/manifest.h"

#include "report/plain-file.h"
#include "virtual-hopper/base/sha256.h"

#include <dirent.h>
#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_MANIFEST_BYTES = 1 << 16 };

static json_t *read_files(const char *path) {
  char bytes[MOST_MANIFEST_BYTES];
  FILE *file = plain_file_open(path);
  size_t length = file ? fread(bytes, 1, sizeof bytes, file) : 0;
  bool whole = file && length < sizeof bytes && !ferror(file);
  if (file) fclose(file);
  json_t *json = whole ? json_loadb(bytes, length, JSON_REJECT_DUPLICATES, NULL) : NULL;
  json_t *files = json_incref(json_object_get(json, "files"));
  json_decref(json);
  if (json_is_object(files)) return files;
  json_decref(files);
  return NULL;
}

static bool hash_file(const char *path, char text[SHA256_TEXT]) {
  char block[4096];
  struct sha256 hash;
  FILE *file = plain_file_open(path);
  if (!file) return false;
  sha256_begin(&hash);
  for (size_t length; (length = fread(block, 1, sizeof block, file)) > 0;)
    sha256_add(&hash, block, length);
  bool good = !ferror(file);
  fclose(file);
  sha256_end(&hash, text);
  return good;
}

static bool is_source(const char *name) {
  const char *dot = strrchr(name, '.');
  return dot && strcmp(dot, ".cu") == 0;
}

void manifest_compare(const char *path, const char *folder,
                      void (*tell)(void *context, const char *name, const char *what), void *context) {
  struct dirent **entries;
  char place[PATH_MAX], hash[SHA256_TEXT];
  json_t *files = read_files(path), *value;
  const char *name;
  if (!files) {
    tell(context, "manifest.json", "is no manifest that make handin wrote; no checksums were compared");
    return;
  }
  int count = scandir(folder, &entries, NULL, alphasort);
  for (int i = 0; i < count; i++) {
    const char *expected = json_string_value(json_object_get(files, entries[i]->d_name));
    if (snprintf(place, sizeof place, "%s/%s", folder, entries[i]->d_name) < PATH_MAX &&
        hash_file(place, hash)) {
      if (!expected)
        tell(context, entries[i]->d_name, "is not among the files that make handin packed");
      else if (strcmp(expected, hash) != 0)
        tell(context, entries[i]->d_name, "is not as make handin packed it: it has another checksum");
    }
    free(entries[i]);
  }
  if (count >= 0) free(entries);
  // Missing sources are noted where they are looked for, in collect().
  json_object_foreach(files, name, value) {
    bool here = !strchr(name, '/') && snprintf(place, sizeof place, "%s/%s", folder, name) < PATH_MAX &&
                access(place, F_OK) == 0;
    if (!here && !is_source(name)) tell(context, name, "was packed by make handin, and was not handed in");
  }
  json_decref(files);
}
