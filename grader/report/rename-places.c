// In: JSON. Out: JSON. The idea: a folder's name ends where no letter of a name goes on; so ann's folder is
// not taken for anna's.
#include "report/rename-places.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool goes_on(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || strchr("-_.", c);
}

// The next place where the text names the folder, and none whose name is longer.
static char *find_folder(char *text, const char *folder) {
  const size_t length = strlen(folder);
  while ((text = strstr(text, folder)) && text[length] && goes_on(text[length]))
    text += length;
  return text;
}

// The text with one folder in the place of another. To be freed; NULL: out of memory.
static char *rename_text(const char *text, const char *from, const char *to) {
  char *copy = strdup(text), *renamed = NULL, *found;
  size_t size;
  FILE *out = copy ? open_memstream(&renamed, &size) : NULL;
  const char *rest = copy;
  for (char *at = copy; out && (found = find_folder(at, from)); rest = at = found + strlen(from))
    fprintf(out, "%.*s%s", (int)(found - rest), rest, to);
  if (out) fputs(rest, out);
  if (out && fclose(out) != 0) {
    free(renamed);
    renamed = NULL;
  }
  free(copy);
  return renamed;
}

json_t *rename_places(const json_t *json, const struct places *places) {
  if (json_is_string(json)) {
    char *whole = rename_text(json_string_value(json), places->from, places->to);
    char *text = whole ? rename_text(whole, places->short_from, places->short_to) : NULL;
    json_t *renamed = text ? json_string(text) : NULL;
    free(whole);
    free(text);
    return renamed;
  }
  json_t *copy = json_copy((json_t *)json), *value;
  const char *key;
  size_t i;
  json_object_foreach(copy, key, value) {
    json_object_set_new(copy, key, rename_places(value, places));
  }
  json_array_foreach(copy, i, value) {
    json_array_set_new(copy, i, rename_places(value, places));
  }
  return copy;
}

bool names_place(const json_t *json, const char *folder) {
  char *text = json_dumps(json, JSON_ENCODE_ANY);
  const bool found = !text || find_folder(text, folder);
  free(text);
  return found;
}
