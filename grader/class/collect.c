// In: the files, folders and archives of one student. Out: a flat folder with one file per exercise, and the
// headers. The idea: every folder is searched without following links. Of several files for one exercise, the
// one nearest to the top is taken; a file in an archive comes after the files beside the archive.
#include "class/collect.h"

#include "class/failure.h"
#include "class/manifest.h"
#include "class/unpack.h"
#include "referee/fingerprint.h"
#include "virtual-hopper/base/printable.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
  MOST_DEPTH = 16,
  MOST_ENTRIES = 5000,
  MOST_SOURCE_BYTES = 1 << 20,
  MOST_ARCHIVES = 8,
  MOST_OTHERS = 8,
  MOST_LEFT = 8
};
static const struct unpack_limits archive_limits = {
    .entries = MOST_ENTRIES, .bytes = (size_t)64 << 20, .depth = MOST_DEPTH, .seconds = 20};

struct find {
  char path[PATH_MAX]; // "": not found
  size_t archive;      // 0: in no archive; else the archive's number, in the order in which they are opened
  unsigned depth;      // 0: a file in the folder of the whole class, as Canvas and Moodle export it
  unsigned number;     // the number after its name, which a platform adds to a second file of that name
  bool exact;          // its name is exactly NAME.cu
};

// The candidates for one exercise: the file that is taken, and those that are not.
struct choice {
  struct find taken, left[MOST_LEFT];
  unsigned candidates;
};

struct search {
  const struct student *student;
  const struct lab_config *config;
  const char *only;
  enum sandbox_mode walls; // for the unpacker
  struct choice sources[RECORD_MAX_EXERCISES];
  struct find manifest;
  // Sources of another name, and other files.
  char others[MOST_OTHERS][PATH_MAX], strangers[MOST_OTHERS][PATH_MAX];
  size_t other_count, stranger_count;
  size_t archive;               // where the search is: as in struct find
  char owners[2][STUDENT_NAME]; // the first two students whom a platform's file names in the submission name
  char archives[MOST_ARCHIVES][PATH_MAX];
  bool damaged[MOST_ARCHIVES + 1]; // by the archive's number: not all that is in it has been read
  size_t archive_count, entries;
  bool too_deep;  // some folder was; noted once
  bool cut_short; // there are more files or archives than are looked at
  char *notes;
  size_t notes_size;
  const char *folder; // where the files are copied to
  // The first failure of this machine: a full disk must not look like a missing file.
  bool failed;
  char *error;
  size_t error_size;
};

static void fail_at(struct search *search, const char *path) {
  if (!search->failed) class_fail(search->error, search->error_size, "%s: %s", path, strerror(errno));
  search->failed = true;
}

static void note(struct search *search, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void note(struct search *search, const char *format, ...) {
  size_t length = strlen(search->notes);
  va_list list;
  va_start(list, format);
  vsnprintf(search->notes + length, search->notes_size - length, format, list);
  va_end(list);
  for (char *c = search->notes + length; *c; c++)
    if ((unsigned char)*c < 0x20) *c = '?';
  printable_make(search->notes + length, search->notes_size - length);
  length = strlen(search->notes);
  if (length + 1 < search->notes_size) memcpy(search->notes + length, "\n", 2);
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *walk) {
  (void)status, (void)kind, (void)walk;
  return remove(path);
}

void remove_tree(const char *folder) {
  nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

// Finds the exercise's name in a file's: in capitals or not, with - or _ or a blank, or nothing, between its
// words. Sets `rest` to what follows.
static const char *find_name(const char *name, const char *exercise, const char **rest) {
  for (; *name; name++) {
    const char *at = name, *wanted = exercise;
    while (*wanted) {
      if (*wanted == '-') {
        at += strspn(at, "-_ ");
      } else if (tolower((unsigned char)*at++) != tolower((unsigned char)*wanted)) {
        break;
      }
      wanted++;
    }
    *rest = at;
    if (!*wanted) return name;
  }
  return NULL;
}

// Whether a file of that name may be the exercise's: NAME.cu, in capitals or not. A platform's export has
// more before it, lastfirst_1_2_NAME.cu, and the number of a second file after it: NAME-2.cu (Canvas),
// NAME (2).cu (browsers).
static bool is_source(const char *name, const char *exercise, struct find *find) {
  const char *rest, *at = find_name(name, exercise, &rest);
  if (!at || (at != name && at[-1] != '_')) return false;
  int length = 0;
  find->number = 0;
  if (sscanf(rest, "-%u%n", &find->number, &length) == 1 ||
      sscanf(rest, " (%u)%n", &find->number, &length) == 1)
    rest += length;
  find->exact =
      at == name && strncmp(at, exercise, strlen(exercise)) == 0 && strcmp(rest, ".cu") == 0 && !length;
  // Some platforms ask for .txt at the end.
  return strcasecmp(rest, ".cu") == 0 || strcasecmp(rest, ".cu.txt") == 0;
}

static bool is_skeleton(const struct find *find, const char *skeleton) {
  struct stat status;
  char print[FINGERPRINT_SIZE];
  return lstat(find->path, &status) == 0 && S_ISREG(status.st_mode) && status.st_size <= MOST_SOURCE_BYTES &&
         fingerprint_file(find->path, print) == 0 && strcmp(print, skeleton) == 0;
}

// What decides, in this order: a file in no archive, or in one opened earlier; nearer to the top; with the
// exact name; with the higher number. In the folder of the whole class (depth 0) the number alone decides,
// since Canvas adds it to a second submission.
static bool is_better(const struct find *find, const struct find *than) {
  if (!than->path[0] || find->archive != than->archive)
    return !than->path[0] || find->archive < than->archive;
  if (find->depth != than->depth) return find->depth < than->depth;
  if (find->depth > 0 && find->exact != than->exact) return find->exact;
  return find->number > than->number;
}

static void keep_name(char list[MOST_OTHERS][PATH_MAX], size_t *count, const char *path) {
  if (*count < MOST_OTHERS) snprintf(list[(*count)++], PATH_MAX, "%s", path);
}

static void keep_other(struct search *search, const char *path, const char *name) {
  const char *dot = strrchr(name, '.');
  if (dot && strcasecmp(dot, ".cu") == 0)
    keep_name(search->others, &search->other_count, path);
  else if (strcmp(name, "manifest.json") != 0)
    keep_name(search->strangers, &search->stranger_count, path);
  if (dot && strcasecmp(dot, ".rar") == 0)
    note(
        search,
        "%s was not opened: rar is not read, only zip, tar and 7z; hand in one of these, or what make handin "
        "packs",
        name);
}

// A file that its author has changed is better than the skeleton, wherever both lie.
static void choose(struct choice *choice, const struct find *find, const char *skeleton) {
  bool better = is_better(find, &choice->taken);
  if (choice->candidates && *skeleton && is_skeleton(find, skeleton) != is_skeleton(&choice->taken, skeleton))
    better = is_skeleton(&choice->taken, skeleton);
  if (choice->candidates && choice->candidates <= MOST_LEFT)
    choice->left[choice->candidates - 1] = better ? choice->taken : *find;
  choice->candidates++;
  if (better) choice->taken = *find;
}

// Keeps the owner of an entry whose name has the form that platforms give it in an export.
static void keep_owner(struct search *search, const char *name, bool folder) {
  char owner[STUDENT_NAME];
  if (!roster_owner(name, folder, owner) || strcmp(search->owners[0], owner) == 0) return;
  memcpy(search->owners[search->owners[0][0] != '\0'], owner, sizeof owner);
}

static void keep_archive(struct search *search, const char *path, const char *name) {
  if (search->archive_count < MOST_ARCHIVES) {
    snprintf(search->archives[search->archive_count++], PATH_MAX, "%s", path);
  } else {
    note(search, "%s was not opened: %d archives are, and no more", name, MOST_ARCHIVES);
    search->cut_short = true;
  }
}

static void consider(struct search *search, const char *path, const char *name, unsigned depth) {
  bool wanted = false;
  for (unsigned i = 0; i < search->config->exercise_count; i++) {
    struct find find = {.depth = depth, .archive = search->archive};
    if (!is_source(name, search->config->exercises[i].name, &find)) continue;
    wanted = true;
    snprintf(find.path, sizeof find.path, "%s", path);
    choose(&search->sources[i], &find, search->config->exercises[i].skeleton);
  }
  const bool archive = roster_is_archive(name, NULL, 0);
  if (depth > 0 && (wanted || archive)) keep_owner(search, name, false);
  if (!wanted && !archive) keep_other(search, path, name);
  if (strcmp(name, "manifest.json") == 0 && (!search->manifest.path[0] || depth < search->manifest.depth)) {
    snprintf(search->manifest.path, sizeof search->manifest.path, "%s", path);
    search->manifest.depth = depth;
  }
  if (archive) keep_archive(search, path, name);
}

static int shown_entries(const struct dirent *entry) {
  return entry->d_name[0] != '.' && strcmp(entry->d_name, "__MACOSX") != 0;
}

// A file that this machine can't read is not a missing file. Other reasons (a link, for example) are the
// author's doing.
static void keep_unreadable(struct search *search, const char *path) {
  static const int ours[] = {EACCES, EPERM, EIO, ESTALE, EMFILE, ENFILE, ENOMEM};
  bool counts = false;
  for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
    counts |= errno == ours[i];
  if (counts) fail_at(search, path);
}

static void look_through(struct search *search, const char *path, const char *name, unsigned depth) {
  struct stat status;
  if (lstat(path, &status) != 0) {
    keep_unreadable(search, path);
    return;
  }
  if (++search->entries == MOST_ENTRIES)
    note(search, "more than %d files: the rest was not looked at", MOST_ENTRIES);
  search->cut_short |= search->entries >= MOST_ENTRIES;
  if (search->entries >= MOST_ENTRIES) return;
  if (S_ISREG(status.st_mode)) {
    consider(search, path, depth == 0 ? roster_file(name) : name, depth);
    return;
  }
  if (!S_ISDIR(status.st_mode)) {
    note(search, "%s is a link or a device, and was left out", name);
    return;
  }
  if (depth > 0) keep_owner(search, name, true);
  if (depth == MOST_DEPTH && !search->too_deep)
    note(search, "%s lies in too many folders, and was not looked into", name);
  search->too_deep |= depth == MOST_DEPTH;
  struct dirent **entries;
  int count = depth < MOST_DEPTH ? scandir(path, &entries, shown_entries, alphasort) : -1;
  if (count < 0 && depth < MOST_DEPTH) keep_unreadable(search, path);
  for (int i = 0; i < count; i++) {
    char below[PATH_MAX];
    if (snprintf(below, sizeof below, "%s/%s", path, entries[i]->d_name) < (int)sizeof below)
      look_through(search, below, entries[i]->d_name, depth + 1);
    free(entries[i]);
  }
  if (count >= 0) free(entries);
}

static bool is_asked_for(const struct search *search, unsigned exercise) {
  return !search->only[0] || strcmp(search->only, search->config->exercises[exercise].name) == 0;
}

// A skeleton counts as missing: the work may lie in an archive beside it.
static bool all_found(const struct search *search) {
  for (unsigned i = 0; i < search->config->exercise_count; i++) {
    const struct find *taken = &search->sources[i].taken;
    if (!is_asked_for(search, i)) continue;
    if (!taken->path[0] || is_skeleton(taken, search->config->exercises[i].skeleton)) return false;
  }
  return true;
}

static const char *last_part(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

// Opens archives only while an exercise is missing: an archive in a folder may hold anything. Archives in
// archives are opened, too, up to MOST_ARCHIVES in all.
static void open_archives(struct search *search, const char *scratch) {
  size_t i = 0;
  for (; i < search->archive_count && !all_found(search); i++) {
    char folder[PATH_MAX], error[300], left_out[UNPACK_TEXT];
    struct unpack_report report;
    snprintf(folder, sizeof folder, "%.*s/%zu", PATH_MAX - 24, scratch, i);
    if (mkdir(folder, 0700) != 0) {
      fail_at(search, folder);
      return;
    }
    const char *name = last_part(search->archives[i]);
    if (access(search->archives[i], R_OK) != 0) keep_unreadable(search, search->archives[i]);
    if (unpack(search->archives[i], folder, &archive_limits, search->walls, &report, error, sizeof error) !=
        0) {
      if (!search->failed) class_fail(search->error, search->error_size, "%s", error);
      search->failed = true;
    }
    if (report.wrong[0]) note(search, "%s %s", name, report.wrong);
    if (report.partial)
      note(search, "%s: not all of it was read, and what is missing may be in the rest", name);
    search->damaged[i + 1] = report.damaged || report.partial;
    unpack_describe(&report, left_out);
    if (left_out[0]) note(search, "%s: %s", name, left_out);
    search->archive = i + 1;
    look_through(search, folder, "", 0);
  }
  for (; i < search->archive_count; i++)
    note(search, "%s was not opened: everything was found before", last_part(search->archives[i]));
}

// ---- copying ----

// All bytes of the file; NULL: it is no plain file, is too large, or can't be read.
static char *read_plain(struct search *search, const char *path, size_t *length) {
  struct stat status;
  char *bytes = NULL;
  int file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (file < 0) keep_unreadable(search, path);
  if (file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
      status.st_size <= MOST_SOURCE_BYTES)
    bytes = malloc((size_t)status.st_size + 1);
  ssize_t got = bytes ? read(file, bytes, (size_t)status.st_size) : -1;
  if (file >= 0) close(file);
  if (got < 0) free(bytes);
  *length = got < 0 ? 0 : (size_t)got;
  return got < 0 ? NULL : bytes;
}

// False: there is no such plain file. Of two files with one name, the first stays.
static bool copy_plain(struct search *search, const char *from_path, const char *to_path) {
  size_t length;
  char *bytes = read_plain(search, from_path, &length);
  if (!bytes) return false;
  if (length == 0) note(search, "%s is empty: it has 0 bytes", last_part(from_path));
  FILE *to = fopen(to_path, "wxe");
  if (!to && errno != EEXIST) fail_at(search, search->folder);
  if (to && fwrite(bytes, 1, length, to) != length) fail_at(search, search->folder);
  if (to && fclose(to) != 0) fail_at(search, search->folder);
  free(bytes);
  return true;
}

static bool is_header(const char *name) {
  const char *dot = strrchr(name, '.');
  return dot && dot != name &&
         (!strcmp(dot, ".h") || !strcmp(dot, ".cuh") || !strcmp(dot, ".hpp") || !strcmp(dot, ".inc"));
}

static int is_header_entry(const struct dirent *entry) {
  return is_header(entry->d_name);
}

// Copies the headers beside a source. Of two with one name, the first stays.
static void copy_headers(struct search *search, const char *source, const char *folder) {
  char beside[PATH_MAX], from[PATH_MAX], to[PATH_MAX];
  struct dirent **entries;
  snprintf(beside, sizeof beside, "%.*s", (int)(last_part(source) - source), source);
  int count = scandir(beside[0] ? beside : ".", &entries, is_header_entry, alphasort);
  for (int i = 0; i < count; i++) {
    if (snprintf(from, sizeof from, "%s%s", beside, entries[i]->d_name) < (int)sizeof from &&
        snprintf(to, sizeof to, "%s/%s", folder, entries[i]->d_name) < (int)sizeof to)
      copy_plain(search, from, to);
    free(entries[i]);
  }
  if (count >= 0) free(entries);
}

// Copies headers for a source in the folder of the whole class: only the student's own. With NAME-2.cu came
// HEADER-2.cuh.
static void copy_own_headers(struct search *search, unsigned number, const char *folder) {
  char mark[16], to[PATH_MAX];
  int mark_length = snprintf(mark, sizeof mark, "-%u", number);
  for (int numbered = number > 0; numbered >= 0; numbered--)
    for (size_t i = 0; i < search->student->source_count; i++) {
      const char *path = search->student->sources[i], *name = roster_file(last_part(path));
      if (!is_header(name)) continue;
      const char *dot = strrchr(name, '.');
      int stem = (int)(dot - name);
      if (numbered) stem -= mark_length;
      if (stem < 1 || (numbered && strncmp(name + stem, mark, (size_t)mark_length) != 0)) continue;
      if (snprintf(to, sizeof to, "%s/%.*s%s", folder, stem, name, dot) < (int)sizeof to)
        copy_plain(search, path, to);
    }
}

// The path as its author knows it: from the top of the submission.
static const char *shown_path(const struct find *find) {
  const char *at = last_part(find->path);
  for (unsigned up = 1; up < find->depth; up++)
    for (at--; at > find->path && at[-1] != '/';)
      at--;
  return at;
}

static void note_missing(struct search *search, const char *name) {
  char there[256] = "";
  size_t length = 0, count = search->other_count ? search->other_count : search->stranger_count;
  for (size_t i = 0; i < count && length < sizeof there; i++)
    length += (size_t)snprintf(there + length, sizeof there - length, "%s%.80s", i ? ", " : "; there is ",
                               last_part(search->other_count ? search->others[i] : search->strangers[i]));
  note(search, "%s.cu is missing%s", name, there);
}

// Where an exercise is missing, sources of another name are copied, so that the report can name them.
static void copy_others(struct search *search, const char *folder) {
  char to[PATH_MAX];
  for (size_t i = 0; i < search->other_count; i++)
    if (snprintf(to, sizeof to, "%s/%s", folder, last_part(search->others[i])) < (int)sizeof to)
      copy_plain(search, search->others[i], to);
}

static void note_choice(struct search *search, const struct choice *choice, const char *name) {
  const struct find *taken = &choice->taken;
  if (choice->candidates > 1) {
    char left[1024] = "";
    size_t length = 0;
    for (unsigned i = 0; i + 1 < choice->candidates && i < MOST_LEFT && length < sizeof left; i++)
      length += (size_t)snprintf(left + length, sizeof left - length, "%s%.200s", i ? ", " : "",
                                 shown_path(&choice->left[i]));
    note(search, "%s.cu: %u files of that name; %.400s was taken, not %s%s", name, choice->candidates,
         shown_path(taken), left, choice->candidates > MOST_LEFT + 1 ? ", .." : "");
  } else if (!taken->exact && taken->depth > 0) {
    // At depth 0 it is no news: Canvas numbers the files of every second submission.
    note(search, "%s was taken for %s.cu", shown_path(taken), name);
  }
}

static void copy_find(struct search *search, const struct find *find, const char *name, const char *folder) {
  char to[PATH_MAX];
  snprintf(to, sizeof to, "%.*s/%s.cu", PATH_MAX - RECORD_NAME - 8, folder, name);
  if (!copy_plain(search, find->path, to)) note(search, "%s.cu can't be read, or has more than 1 MiB", name);
  if (find->depth == 0) {
    copy_own_headers(search, find->number, folder);
  } else {
    copy_headers(search, find->path, folder);
  }
}

static void copy_finds(struct search *search, const char *folder) {
  for (unsigned i = 0; i < search->config->exercise_count; i++) {
    const struct choice *choice = &search->sources[i];
    const char *name = search->config->exercises[i].name;
    if (!is_asked_for(search, i)) continue;
    if (choice->taken.path[0]) {
      note_choice(search, choice, name);
      copy_find(search, &choice->taken, name, folder);
    } else {
      note_missing(search, name);
      copy_others(search, folder);
    }
  }
}

// Whether an exercise is missing, or may be cut off, since not all has been read.
static bool has_to_ask(const struct search *search) {
  bool damaged = search->cut_short;
  for (size_t i = 1; i <= search->archive_count; i++)
    damaged |= search->damaged[i];
  for (unsigned i = 0; i < search->config->exercise_count && damaged; i++) {
    const struct find *taken = &search->sources[i].taken;
    if (is_asked_for(search, i) && (!taken->path[0] || search->damaged[taken->archive])) return true;
  }
  return false;
}

static void note_difference(void *context, const char *name, const char *what) {
  note(context, "%s %s", name, what);
}

int collect(const struct student *student, const struct lab_config *config, const char *only,
            enum sandbox_mode walls, const char *folder, char *notes, size_t notes_size, char *error,
            size_t error_size) {
  char scratch[PATH_MAX];
  struct search *search = calloc(1, sizeof *search);
  if (!search) return class_fail(error, error_size, "out of memory");
  *search = (struct search){.student = student,
                            .config = config,
                            .only = only,
                            .walls = walls,
                            .notes = notes,
                            .notes_size = notes_size,
                            .folder = folder,
                            .error = error,
                            .error_size = error_size};
  notes[0] = '\0';
  remove_tree(folder);
  snprintf(scratch, sizeof scratch, "%.*s.unpacked", PATH_MAX - 16, folder);
  remove_tree(scratch);
  int status = 0;
  if (mkdir(folder, 0777) != 0 || mkdir(scratch, 0700) != 0) {
    fail_at(search, folder);
  } else {
    for (size_t i = 0; i < student->source_count; i++)
      look_through(search, student->sources[i], last_part(student->sources[i]), 0);
    open_archives(search, scratch);
    copy_finds(search, folder);
    if (has_to_ask(search)) status = COLLECT_ASK;
    if (search->owners[1][0]) {
      status = COLLECT_SEVERAL;
      note(search, "files of several students are in it (%s, %s), as in an export", search->owners[0],
           search->owners[1]);
    }
    if (search->manifest.path[0]) manifest_compare(search->manifest.path, folder, note_difference, search);
  }
  if (search->failed) status = -1;
  remove_tree(scratch);
  free(search);
  return status;
}
