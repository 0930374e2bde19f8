// In: a command of nvcc's, the folder of prefixes. Out: a prefix for it. The idea: text and macros are all
// that a header leaves behind, so both can be kept. A prefix counts for the same arguments, as long as each
// of its files has the same size and time, and no folder of the source's own has a file with one's name.
#include "lean/prefix.h"
#include "lean/text.h"

#include <dirent.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char back[] = "# 0 \"<command-line>\" 2\n"; // follows whatever -include has brought

bool path_is_below(const char *folders, const char *path, size_t length) {
  while (*folders) {
    const size_t one = strcspn(folders, ":");
    if (one > 0 && one <= length && memcmp(folders, path, one) == 0) return true;
    folders += one + (folders[one] == ':');
  }
  return false;
}

// ---- the key ----

static bool is_own_folder(const char *argument, const char *keeps) {
  return strncmp(argument, "-I", 2) == 0 && path_is_below(keeps, argument + 2, strlen(argument + 2));
}

// The command without what differs from source to source. malloc'ed.
static char *key_of(char *const *command, const char *keeps) {
  char *key = NULL;
  size_t length = 0;
  FILE *out = open_memstream(&key, &length);
  if (!out) return NULL;
  for (size_t i = 0; command[i]; i++) {
    const bool source = command[i + 1] && strcmp(command[i + 1], "-o") == 0;
    if (source || is_own_folder(command[i], keeps)) continue;
    if (strcmp(command[i], "-o") == 0 && command[i + 1])
      i++;
    else
      fprintf(out, "%s ", command[i]);
  }
  if (fclose(out) == 0 && !strchr(key, '\n')) return key;
  free(key);
  return NULL;
}

static char *path_of(const char *folder, const char *key, const char *ending) {
  uint64_t hash = 14695981039346656037u;
  char *path;
  for (const char *c = key; *c; c++)
    hash = (hash ^ (unsigned char)*c) * 1099511628211u;
  return asprintf(&path, "%s/%016llx.%s", folder, (unsigned long long)hash, ending) < 0 ? NULL : path;
}

// ---- use ----

static bool has_file_named(const char *folder, const char *name) {
  char path[PATH_MAX];
  return snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path || access(path, F_OK) == 0;
}

// Whether the file of a line "SIZE SECONDS NANOSECONDS PATH" is as it was, and the only one of its name.
static bool is_as_it_was(const char *line, char *const *command, const char *keeps) {
  long long size, seconds, nanoseconds;
  int path = 0;
  struct stat about;
  if (sscanf(line, "%lld %lld %lld %n", &size, &seconds, &nanoseconds, &path) != 3 || !path) return false;
  if (stat(line + path, &about) != 0 || about.st_size != size || about.st_mtim.tv_sec != seconds ||
      about.st_mtim.tv_nsec != nanoseconds)
    return false;
  const char *name = strrchr(line + path, '/');
  for (size_t i = 0; command[i]; i++)
    if (is_own_folder(command[i], keeps) && has_file_named(command[i] + 2, name ? name + 1 : line + path))
      return false;
  return true;
}

static bool read_prefix(struct prefix *prefix, const char *path) {
  struct stat about;
  FILE *file = fopen(path, "re");
  bool read = false;
  if (file && fstat(fileno(file), &about) == 0 && about.st_size > 0) {
    prefix->file = malloc((size_t)about.st_size + 1);
    read = prefix->file && fread(prefix->file, 1, (size_t)about.st_size, file) == (size_t)about.st_size;
    if (read) prefix->file[about.st_size] = '\0';
    prefix->length = (size_t)about.st_size;
  }
  if (file) fclose(file);
  return read;
}

bool prefix_find(struct prefix *prefix, char *const *command, const char *folder, const char *keeps) {
  char *key = key_of(command, keeps), *path = key ? path_of(folder, key, "ii") : NULL;
  *prefix = (struct prefix){.system_macros = key ? path_of(folder, key, "system.h") : NULL,
                            .macros = key ? path_of(folder, key, "h") : NULL};
  bool found = path && prefix->system_macros && prefix->macros && read_prefix(prefix, path);
  char *line = prefix->file;
  for (size_t number = 0; found; number++) {
    char *end = strchr(line, '\n');
    if (!(found = end != NULL) || end == line) {
      prefix->text = line + 1;
      break;
    }
    *end = '\0';
    found = number == 0 ? strcmp(line, key) == 0 : is_as_it_was(line, command, keeps);
    line = end + 1;
  }
  if (found) prefix->length -= (size_t)(prefix->text - prefix->file);
  free(key);
  free(path);
  if (!found) prefix_free(prefix);
  return found;
}

void prefix_free(struct prefix *prefix) {
  free(prefix->system_macros);
  free(prefix->macros);
  free(prefix->file);
  *prefix = (struct prefix){0};
}

// Where the text enters the file, or NULL.
static const char *find_entry(const char *text, size_t length, const char *file) {
  char *marker;
  if (asprintf(&marker, "\n# 1 \"%s\" 1", file) < 0) return NULL;
  const char *entry = memmem(text, length, marker, strlen(marker));
  free(marker);
  return entry;
}

char *prefix_join(const struct prefix *prefix, const char *text, size_t length, size_t *joined_length) {
  const char *const text_end = text + length, *begin = find_entry(text, length, prefix->system_macros),
                    *last = begin ? find_entry(begin, (size_t)(text_end - begin), prefix->macros) : NULL,
                    *end = last ? memmem(last, (size_t)(text_end - last), back, strlen(back)) : NULL;
  char *joined = end ? malloc(length + prefix->length) : NULL;
  if (!joined) return NULL;
  const size_t head = (size_t)(begin + 1 - text), tail = (size_t)(text_end - end);
  memcpy(joined, text, head);
  memcpy(joined + head, prefix->text, prefix->length);
  memcpy(joined + head + prefix->length, end, tail);
  *joined_length = head + prefix->length + tail;
  return joined;
}

// ---- making ----

// What is known of each line that defines a macro.
enum { LINE_AFTER = 1, LINE_BEFORE = 2, LINE_SYSTEMS = 4 };

struct lines {
  struct names numbers; // of each line, by its text
  unsigned char *known;
};

static bool is_define(const char *line) {
  return strncmp(line, "#define ", 8) == 0;
}

static size_t count_lines(const char *text) {
  size_t count = 0;
  for (; (text = strchr(text, '\n')); text++)
    count++;
  return count;
}

static void note_lines(struct lines *lines, const char *text, unsigned char what) {
  for (const char *line = text, *end; (end = strchr(line, '\n')); line = end + 1)
    if (is_define(line)) lines->known[names_add(&lines->numbers, line, (size_t)(end - line))] |= what;
}

// Notes whether a macro was defined last in a header of the system's.
static void note_systems(struct lines *lines, const char *with_macros) {
  bool system_header = false;
  for (const char *line = with_macros, *end; (end = strchr(line, '\n')); line = end + 1) {
    const size_t length = (size_t)(end - line);
    if (strncmp(line, "# ", 2) == 0)
      system_header = memmem(line, length, "\" 3", 3) || memmem(line, length, " 3 ", 3) ||
                      (length > 2 && strncmp(end - 2, " 3", 2) == 0);
    if (!is_define(line)) continue;
    unsigned char *known = &lines->known[names_add(&lines->numbers, line, length)];
    *known = (unsigned char)(system_header ? *known | LINE_SYSTEMS : *known & ~LINE_SYSTEMS);
  }
}

static bool lines_read(struct lines *lines, const struct prefix_parts *parts) {
  const size_t most =
      count_lines(parts->macros) + count_lines(parts->macros_without) + count_lines(parts->with_macros);
  *lines = (struct lines){.known = calloc(most + 1, 1)};
  if (!lines->known) return false;
  note_lines(lines, parts->macros, LINE_AFTER);
  note_lines(lines, parts->macros_without, LINE_BEFORE);
  note_systems(lines, parts->with_macros);
  return true;
}

static void lines_free(struct lines *lines) {
  names_free(&lines->numbers);
  free(lines->known);
}

// Writes the macros that are there with cuda_runtime.h and not without; those of the system's headers, or all
// others.
static void write_macros(FILE *out, const struct prefix_parts *parts, struct lines *lines, bool systems) {
  if (systems) fprintf(out, "#pragma GCC system_header\n");
  for (const char *line = parts->macros_without, *end; !systems && (end = strchr(line, '\n')); line = end + 1)
    if (!(lines->known[names_add(&lines->numbers, line, (size_t)(end - line))] & LINE_AFTER))
      fprintf(out, "#undef %.*s\n", (int)strcspn(line + 8, " (\n"), line + 8);
  for (const char *line = parts->macros, *end; (end = strchr(line, '\n')); line = end + 1) {
    const unsigned char known = lines->known[names_add(&lines->numbers, line, (size_t)(end - line))];
    if (!(known & LINE_BEFORE) && !(known & LINE_SYSTEMS) == !systems)
      fprintf(out, "%.*s\n", (int)(end - line), line);
  }
}

// A line for each file that a marker names. False: one can't be found.
static bool write_files(FILE *out, const char *text, size_t length) {
  const char *names[1024];
  size_t count = 0;
  for (const char *line = text; line < text + length; line = strchr(line, '\n') + 1) {
    struct stat about;
    const char *name = strchr(line, '"');
    bool known = strncmp(line, "# ", 2) != 0 || !name || name[1] == '<';
    const size_t size = known ? 0 : strcspn(name + 1, "\"\n");
    for (size_t i = 0; i < count && !known; i++)
      known = strncmp(names[i], name, size + 2) == 0;
    if (known) continue;
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%.*s", (int)size, name + 1);
    if (count == sizeof names / sizeof *names || stat(path, &about) != 0) return false;
    names[count++] = name;
    fprintf(out, "%lld %lld %lld %s\n", (long long)about.st_size, (long long)about.st_mtim.tv_sec,
            (long long)about.st_mtim.tv_nsec, path);
  }
  return true;
}

static FILE *open_beside(const char *path, char **beside) {
  return path && asprintf(beside, "%s.new", path) >= 0 ? fopen(*beside, "we") : NULL;
}

static bool put_in_place(FILE *out, bool good, const char *beside, const char *path) {
  good = out && fclose(out) == 0 && good;
  return good && rename(beside, path) == 0;
}

static bool make_macros(const char *path, const struct prefix_parts *parts, struct lines *lines,
                        bool systems) {
  char *beside = NULL;
  FILE *out = open_beside(path, &beside);
  if (out) write_macros(out, parts, lines, systems);
  const bool made = put_in_place(out, true, beside, path);
  free(beside);
  return made;
}

static bool make_text(const char *path, const char *key, const char *text, size_t length) {
  char *beside = NULL;
  FILE *out = open_beside(path, &beside);
  if (out) fprintf(out, "%s\n", key);
  const bool listed = out && write_files(out, text, length);
  if (out) fprintf(out, "\n%.*s", (int)length, text);
  const bool made = put_in_place(out, listed, beside, path);
  free(beside);
  return made;
}

bool prefix_make(char *const *command, const char *folder, const char *keeps,
                 const struct prefix_parts *parts) {
  char *key = key_of(command, keeps), *path = key ? path_of(folder, key, "ii") : NULL,
       *systems = key ? path_of(folder, key, "system.h") : NULL,
       *macros = key ? path_of(folder, key, "h") : NULL;
  const char *begin = strstr(parts->text, "\n# 1 \"");
  begin = begin ? strstr(begin, back) : NULL; // behind what the compiler itself includes first
  begin = begin ? begin + strlen(back) : NULL;
  const char *end = begin ? strstr(begin, back) : NULL;
  struct lines lines = {0};
  const bool made = end && lines_read(&lines, parts) && make_macros(systems, parts, &lines, true) &&
                    make_macros(macros, parts, &lines, false) &&
                    make_text(path, key, begin, (size_t)(end - begin));
  lines_free(&lines);
  free(key);
  free(path);
  free(systems);
  free(macros);
  return made;
}
