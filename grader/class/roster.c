// Recognises an export by the names in it. The idea: the first platform's pattern that fits an entry reads
// it; all entries that name one student belong to that student.
#include "class/roster.h"

#include "class/failure.h"
#include "class/names.h"
#include "class/submitters.h"
#include "virtual-hopper/base/printable.h"
#include "virtual-hopper/base/sha256.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

static bool has_ending(const char *name, const char *const *endings, char *stem, size_t size) {
  size_t length = strlen(name);
  for (; *endings; endings++) {
    size_t tail = strlen(*endings);
    if (length <= tail || strcasecmp(name + length - tail, *endings) != 0) continue;
    if (stem) snprintf(stem, size, "%.*s", (int)(length - tail), name);
    return true;
  }
  return false;
}

bool roster_is_archive(const char *name, char *stem, size_t size) {
  static const char *const endings[] = {".zip",    ".tar", ".tar.gz",  ".tgz", ".tar.bz2", ".tbz2",
                                        ".tar.xz", ".txz", ".tar.zst", ".7z",  NULL};
  return has_ending(name, endings, stem, size);
}

// Also archives that can't be opened here: each is a student's submission nevertheless.
static bool is_packed(const char *name, char *stem, size_t size) {
  static const char *const closed[] = {".rar", NULL};
  return roster_is_archive(name, stem, size) || has_ending(name, closed, stem, size);
}

const char *roster_stem(const char *entry, char stem[NAME_MAX + 1]) {
  if (!is_packed(entry, stem, NAME_MAX + 1)) snprintf(stem, NAME_MAX + 1, "%s", entry);
  return stem;
}

// Makes a name that is safe in file names: without characters that a shell, a file system or a web server
// treats specially.
static void make_safe(const char *text, char *name, size_t size) {
  snprintf(name, size, "%s", text);
  for (char *c = name; *c; c++)
    if (!isalnum((unsigned char)*c) && !strchr("-_.=+@,", *c)) *c = '_';
  if (name[0] == '.' || name[0] == '-' || !name[0]) name[0] = '_';
}

bool roster_is_name(const char *name) {
  char safe[STUDENT_NAME];
  make_safe(name, safe, sizeof safe);
  return strcmp(name, safe) == 0;
}

// Makes the name of a submission that a platform has given an ID: NAME_ID. Letters beyond ASCII become one _
// together.
static void make_name_with_id(struct student *student) {
  char name[sizeof student->full_name], safe[60];
  size_t length = 0;
  snprintf(name, sizeof name, "%s", student->full_name);
  for (const char *c = name; *c; c++)
    if ((unsigned char)*c < 0x80 || c == name || (unsigned char)c[-1] < 0x80) name[length++] = *c;
  name[length] = '\0';
  make_safe(name, safe, sizeof safe);
  if (!safe[strspn(safe, "_")]) snprintf(safe, sizeof safe, "student");
  snprintf(student->wanted, sizeof student->wanted, "%s_%.30s", safe, student->id);
}

void roster_add_hash(const char *text, char *name, size_t size) {
  struct sha256 hash;
  char digits[SHA256_TEXT];
  size_t length = strlen(name);
  sha256_begin(&hash);
  sha256_add_text(&hash, text);
  sha256_end(&hash, digits);
  if (length > size - 10) length = size - 10;
  snprintf(name + length, size - length, "-%.8s", digits);
}

// Makes the name of a folder or an archive without an ID. One that can't stay as it is gets a hash of what it
// was: so different names stay different, and each stays the same whoever else is there.
static void make_name(const char *stem, struct student *student) {
  char latin[STUDENT_NAME];
  size_t length = 0;
  make_safe(stem, student->wanted, sizeof student->wanted);
  if (strcmp(stem, student->wanted) == 0) return;
  for (const char *c = stem; *c && length < 40; c++)
    if ((unsigned char)*c < 0x80) latin[length++] = *c;
  latin[length] = '\0';
  make_safe(latin, student->wanted, sizeof student->wanted);
  if (!student->wanted[strspn(student->wanted, "_")])
    snprintf(student->wanted, sizeof student->wanted, "student");
  roster_add_hash(stem, student->wanted, sizeof student->wanted);
}

static size_t digits_at(const char *text) {
  return strspn(text, "0123456789");
}

// Reads NAME_123_assignsubmission_file...
static bool read_moodle(const char *entry, struct student *student) {
  const char *mark = strstr(entry, "_assignsubmission_");
  if (!mark) return false;
  const char *id = mark;
  while (id > entry && isdigit((unsigned char)id[-1]))
    id--;
  if (id == mark || id - entry < 2 || id[-1] != '_') return false;
  snprintf(student->id, sizeof student->id, "%.*s", (int)(mark - id), id);
  snprintf(student->full_name, sizeof student->full_name, "%.*s", (int)(id - 1 - entry), entry);
  make_name_with_id(student);
  return true;
}

// Where the parts of lastfirst_[LATE_]123_456_FILE begin.
struct canvas_parts {
  const char *name_end, *id, *file;
  size_t id_digits;
  bool late;
};
static bool split_canvas(const char *entry, struct canvas_parts *parts) {
  const char *at = strchr(entry, '_');
  if (!at || at == entry) return false;
  parts->name_end = at;
  parts->late = strncasecmp(at, "_late_", 6) == 0;
  parts->id = at + (parts->late ? 6 : 1);
  parts->id_digits = digits_at(parts->id);
  if (!parts->id_digits || parts->id[parts->id_digits] != '_') return false;
  const char *submission = parts->id + parts->id_digits + 1;
  parts->file = submission + digits_at(submission);
  return parts->file > submission && *parts->file++ == '_';
}

static bool read_canvas(const char *entry, struct student *student) {
  struct canvas_parts parts;
  if (!split_canvas(entry, &parts)) return false;
  student->late = parts.late;
  snprintf(student->id, sizeof student->id, "%.*s", (int)parts.id_digits, parts.id);
  snprintf(student->full_name, sizeof student->full_name, "%.*s", (int)(parts.name_end - entry), entry);
  make_name_with_id(student);
  return true;
}

const char *roster_file(const char *entry) {
  static const char moodle[] = "_assignsubmission_file_";
  struct canvas_parts parts;
  const char *mark = strstr(entry, moodle);
  if (mark) return mark + strlen(moodle);
  return split_canvas(entry, &parts) ? parts.file : entry;
}

bool roster_owner(const char *entry, bool folder, char owner[STUDENT_NAME]) {
  struct student student = {0};
  if (!read_moodle(entry, &student) && (folder || !read_canvas(entry, &student))) return false;
  memcpy(owner, student.wanted, sizeof student.wanted);
  return true;
}

// Reads submission_123
static bool read_gradescope(const char *entry, struct student *student) {
  static const char prefix[] = "submission_";
  if (strncmp(entry, prefix, sizeof prefix - 1) != 0) return false;
  const char *id = entry + sizeof prefix - 1;
  if (!*id || id[digits_at(id)]) return false;
  snprintf(student->id, sizeof student->id, "%s", id);
  make_safe(entry, student->wanted, sizeof student->wanted);
  return true;
}

static const char *read_entry(const char *entry, bool folder, struct student *student) {
  char stem[NAME_MAX + 1];
  if (read_moodle(entry, student)) return "Moodle";
  if (folder && read_gradescope(entry, student)) return "Gradescope";
  if (!folder && read_canvas(entry, student)) return "Canvas";
  if (!folder && !is_packed(entry, stem, sizeof stem)) return NULL;
  if (folder) snprintf(stem, sizeof stem, "%s", entry);
  snprintf(student->full_name, sizeof student->full_name, "%.150s", stem);
  make_name(stem, student);
  return "folders";
}

// Two entries belong to one student if the platform gives both the same name and ID. Plain folders are never
// merged.
static struct student *same_student(struct roster *roster, const struct student *student) {
  for (size_t i = 0; i < roster->count; i++) {
    struct student *other = &roster->students[i];
    if (student->id[0] && strcmp(other->wanted, student->wanted) == 0 && strcmp(other->id, student->id) == 0)
      return other;
  }
  return NULL;
}

// What a name that was given is kept for: the platform's ID, since its files are called otherwise each time;
// or the entry.
static void keep_entry(const char *platform, const char *entry, struct student *student) {
  if (student->id[0])
    snprintf(student->entry, sizeof student->entry, "%s %s", platform, student->id);
  else
    snprintf(student->entry, sizeof student->entry, "%.255s", entry);
}

static void add_note(struct roster *roster, const char *entry, const char *separator, const char *what) {
  char *more;
  const char *before = roster->notes ? roster->notes : "";
  if (asprintf(&more, "%s%s%s%s\n", before, entry, separator, what) < 0) return;
  free(roster->notes);
  roster->notes = more;
}

void roster_note(struct roster *roster, const char *entry, const char *what) {
  char line[1200];
  snprintf(line, sizeof line, "%.255s: %.800s", entry, what);
  for (char *c = line; *c; c++)
    if ((unsigned char)*c < 0x20) *c = '?';
  printable_make(line, sizeof line);
  add_note(roster, line, "", "");
}

static int add_entry(struct roster *roster, const char *folder, const char *entry) {
  char path[PATH_MAX];
  struct stat status;
  struct student read = {0};
  if (snprintf(path, sizeof path, "%s/%s", folder, entry) >= (int)sizeof path) return 0;
  if (lstat(path, &status) != 0 || (!S_ISDIR(status.st_mode) && !S_ISREG(status.st_mode))) {
    roster_note(roster, entry, "is neither a folder nor a file, and was left out");
    return 0;
  }
  const char *platform = read_entry(entry, S_ISDIR(status.st_mode), &read);
  if (!platform) {
    roster_note(
        roster, entry,
        "is no submission's folder or archive, and was left out; if it is one, put it into a folder named "
        "after its author");
    return 0;
  }
  if (!roster->platform || strcmp(platform, "folders") != 0) roster->platform = platform;
  struct student *student = same_student(roster, &read);
  if (!student) {
    struct student *more = realloc(roster->students, (roster->count + 1) * sizeof *more);
    if (!more) return -1;
    roster->students = more;
    keep_entry(platform, entry, &read);
    student = &more[roster->count++];
    *student = read;
  }
  student->late |= read.late;
  if (student->source_count == STUDENT_MAX_SOURCES) {
    roster_note(roster, entry, "is one file too many of this student, and was left out");
    return 0;
  }
  char *copy = strdup(path);
  if (copy) student->sources[student->source_count++] = copy;
  return copy ? 0 : -1;
}

const char *roster_names(const struct student *student, char names[STUDENT_NAMES]) {
  size_t length = (size_t)snprintf(names, STUDENT_NAMES, "%s",
                                   student->full_name[0] ? student->full_name : student->name);
  for (size_t i = 0; i < student->partner_count && length < STUDENT_NAMES; i++)
    length +=
        (size_t)snprintf(names + length, STUDENT_NAMES - length, ", %s", student->partners[i].full_name);
  return names;
}

int roster_people(const struct roster *roster, struct roster *people, char *error, size_t size) {
  size_t most = roster->count;
  for (size_t i = 0; i < roster->count; i++)
    most += roster->students[i].partner_count;
  *people =
      (struct roster){.platform = roster->platform, .students = calloc(most + 1, sizeof *people->students)};
  if (!people->students) return class_fail(error, size, "out of memory");
  for (size_t i = 0; i < roster->count; i++) {
    const struct student *first = &roster->students[i];
    for (size_t member = 0; member <= first->partner_count; member++) {
      struct student *person = &people->students[people->count++];
      *person = *first;
      person->partners = NULL;
      person->partner_count = person->source_count = 0;
      person->submission = i;
      if (member == 0) continue;
      const struct person *partner = &first->partners[member - 1];
      memcpy(person->full_name, partner->full_name, sizeof person->full_name);
      memcpy(person->id, partner->id, sizeof person->id);
      memcpy(person->email, partner->email, sizeof person->email);
    }
  }
  return 0;
}

// ---- one student under two spellings ----

// Folds a name for comparing: lower case, letters and digits alone. A letter beyond ASCII becomes a `?`,
// whether it is one character, or a plain letter and an accent, as Macs write it. "": too few letters are
// left to compare.
static void fold(const char *name, char folded[STUDENT_NAME]) {
  size_t length = 0, letters = 0;
  for (const unsigned char *c = (const unsigned char *)name; *c && length + 1 < STUDENT_NAME; c++) {
    bool accent = *c == 0xCC || (*c == 0xCD && c[1] < 0xB0); // U+0300 to U+036F
    if (accent && length > 0)
      folded[length - 1] = '?';
    else if (*c >= 0xC0)
      folded[length++] = '?';
    else if (*c < 0x80 && isalnum(*c))
      folded[length++] = (char)tolower(*c);
  }
  folded[length] = '\0';
  for (size_t i = 0; i < length; i++)
    letters += folded[i] != '?';
  if (letters < 2) folded[0] = '\0';
}

static void note_alike(struct roster *roster) {
  char(*folded)[STUDENT_NAME] = calloc(roster->count, sizeof *folded), text[400];
  for (size_t i = 0; folded && i < roster->count; i++) {
    const struct student *student = &roster->students[i];
    // Students with an ID are told apart by the platform.
    if (!student->id[0]) fold(student->full_name, folded[i]);
    for (size_t other = 0; folded[i][0] && other < i; other++) {
      if (strcmp(folded[i], folded[other]) != 0) continue;
      snprintf(
          text, sizeof text,
          "has a name like %s, and both are graded; if they are one student's, leave one of the two among "
          "the submissions",
          roster->students[other].full_name);
      roster_note(roster, student->full_name, text);
      break;
    }
  }
  free(folded);
}

static int is_entry(const struct dirent *entry) {
  return entry->d_name[0] != '.' && strcmp(entry->d_name, "__MACOSX") != 0 &&
         strcmp(entry->d_name, "submission_metadata.yml") != 0;
}

// Reads who is behind Gradescope's numbers, and notes the submissions whose authors it doesn't name.
static void read_submitters(const char *folder, struct roster *roster) {
  char error[300], text[400], path[PATH_MAX], more[32] = "";
  const char *first = NULL;
  size_t nameless = 0;
  if (submitters_read(folder, roster, error, sizeof error) != 0) {
    add_note(roster, error, "; ", "nobody's name is known from it");
    return;
  }
  for (size_t i = 0; i < roster->count; i++) {
    if (roster->students[i].full_name[0]) continue;
    if (nameless++ == 0) first = roster->students[i].name;
  }
  if (nameless == 0) return;
  if (nameless > 1) snprintf(more, sizeof more, " and %zu more", nameless - 1);
  snprintf(path, sizeof path, "%.4000s/submission_metadata.yml", folder);
  snprintf(text, sizeof text, "%s who handed in %s%s",
           access(path, F_OK) == 0 ? "does not say" : "is not there to say", first, more);
  roster_note(roster, "submission_metadata.yml", text);
}

int roster_read(const char *folder, struct roster *roster, char *error, size_t size) {
  struct dirent **entries;
  *roster = (struct roster){.platform = "folders"};
  int count = scandir(folder, &entries, is_entry, alphasort), status = 0;
  if (count < 0) {
    return class_fail(error, size, "%s: %s", folder, strerror(errno));
  }
  for (int i = 0; i < count; i++) {
    if (status == 0) status = add_entry(roster, folder, entries[i]->d_name);
    free(entries[i]);
  }
  free(entries);
  if (status != 0) return class_fail(error, size, "out of memory");
  if (roster->count == 0)
    return class_fail(error, size, "%s holds no submissions: each is a folder or an archive of its own",
                      folder);
  names_give(roster, NULL);
  read_submitters(folder, roster);
  note_alike(roster);
  return 0;
}

void roster_free(struct roster *roster) {
  for (size_t i = 0; i < roster->count; i++) {
    for (size_t source = 0; source < roster->students[i].source_count; source++)
      free(roster->students[i].sources[source]);
    free(roster->students[i].partners);
  }
  free(roster->students);
  free(roster->notes);
  *roster = (struct roster){0};
}
