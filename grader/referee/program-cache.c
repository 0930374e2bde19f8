// In: a task. Out: its program from build/compiled/KEY, or a program there. An entry is a line with its key,
// one with the folder in which it was compiled, one with two lengths, then the compiler's warning, the
// program, and the SHA-256 of all that: one that a full disk has cut, or that somebody has changed, counts
// for nothing.
#include "referee/program-cache.h"

#include "report/glob-below.h"
#include "report/whole-file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
  MOST_PROGRAM = 1 << 20, // bytes; those of the labs have a tenth of it
  MOST_KEPT = 256 << 20,  // bytes of all entries; about that, since only every 16th entry looks
  HEAD = 3 * SHA256_TEXT + PATH_MAX + 64
};

// ---- the key ----

// A tool or a header of the system: where it is, and which one.
static void add_stamp(struct sha256 *hash, const char *path) {
  char real[PATH_MAX];
  struct stat about;
  sha256_add_text(hash, path);
  if (!realpath(path, real) || stat(real, &about) != 0) return;
  sha256_add_text(hash, real);
  sha256_add(hash, &about.st_size, sizeof about.st_size);
  sha256_add(hash, &about.st_ino, sizeof about.st_ino);
  sha256_add(hash, &about.st_mtim.tv_sec, sizeof about.st_mtim.tv_sec);
  sha256_add(hash, &about.st_mtim.tv_nsec, sizeof about.st_mtim.tv_nsec);
}

static void add_tools(struct sha256 *hash, const struct kit *kit) {
  static const char *const of_toolkit[] = {"version.json", "include/cuda_runtime.h", "bin/ptxas",
                                           "nvvm/bin/cicc"};
  static const char *const of_system[] = {"/usr/include/stdio.h", "/usr/bin/as", "/usr/bin/ld",
                                          "/usr/bin/ld.gold"};
  const char *path = getenv("PATH");
  char tool[PATH_MAX + 32], lean[PATH_MAX];
  sha256_add_text(hash, path ? path : "");
  sha256_add_text(hash, kit->root); // lines of the interface are named by it
  add_stamp(hash, kit->nvcc);
  add_stamp(hash, kit->host_compiler);
  add_stamp(hash, kit_path(kit, lean, "build/bin/lean-compiler"));
  for (size_t i = 0; i < sizeof of_toolkit / sizeof *of_toolkit; i++) {
    snprintf(tool, sizeof tool, "%s/%s", kit->cuda_home, of_toolkit[i]);
    add_stamp(hash, tool);
  }
  for (size_t i = 0; i < sizeof of_system / sizeof *of_system; i++)
    add_stamp(hash, of_system[i]);
}

// Every file of a folder, with its name. False: one can't be read.
static bool add_folder(struct sha256 *hash, const char *folder) {
  struct dirent **entries;
  bool added = true;
  int count = scandir(folder, &entries, NULL, alphasort);
  if (count < 0) return false;
  for (int i = 0; i < count; i++) {
    char path[PATH_MAX + 256];
    const char *name = entries[i]->d_name;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0) {
      sha256_add_text(hash, name);
      added = added && sha256_add_file(hash, path, NULL, 0) == 0;
    }
    free(entries[i]);
  }
  free(entries);
  return added;
}

// The scratch directory's name is another one each time.
static void add_argument(struct sha256 *hash, const struct task *task, const char *argument) {
  const char *place = strstr(argument, task->scratch);
  if (!place) {
    sha256_add_text(hash, argument);
    return;
  }
  sha256_add(hash, argument, (size_t)(place - argument));
  sha256_add_text(hash, place + strlen(task->scratch));
}

void program_cache_key(const struct task *task, const char *const *compile, const char *runner,
                       char key[SHA256_TEXT]) {
  struct sha256 hash;
  char path[PATH_MAX];
  key[0] = '\0';
  if (task->grading->sandbox != SANDBOX_NAMESPACES) return;
  sha256_begin(&hash);
  sha256_add_text(&hash, "program 5");
  add_tools(&hash, &task->grading->kit);
  for (size_t i = 0; compile[i]; i++)
    add_argument(&hash, task, compile[i]);
  sha256_add_text(&hash, task->grading->directory); // the warning is shown without it
  snprintf(path, sizeof path, "%.*s/source", PATH_MAX - 16, task->scratch);
  if (sha256_add_file(&hash, task->main_source, NULL, 0) == 0 &&
      sha256_add_file(&hash, runner, NULL, 0) == 0 && add_folder(&hash, path) &&
      add_folder(&hash, kit_path(&task->grading->kit, path, "interface")))
    sha256_end(&hash, key);
}

// ---- entries ----

static const char NO_KEYS[] = "-"; // in the place of the code's

struct entry {
  char head[HEAD];
  const char *warning;
  char *program;
  size_t head_length, warning_length, length;
  struct code_keys keys;
};

static char *folder_of(const struct task *task, char path[PATH_MAX]) {
  return kit_path(&task->grading->kit, path, "build/compiled");
}

static char *path_of(const struct task *task, const char *key, char path[PATH_MAX]) {
  return kit_path(&task->grading->kit, path, "build/compiled/%s", key);
}

// Reads a plain file with at most `most` bytes; NULL: it is none, or can't be read. `ours`: it must be the
// grader's own, and nobody else may write it. A zero byte stands behind it.
static char *read_plain(const char *path, size_t most, bool ours, size_t *length) {
  struct stat about;
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  bool plain =
      file >= 0 && fstat(file, &about) == 0 && S_ISREG(about.st_mode) && (size_t)about.st_size <= most;
  if (plain && ours) plain = about.st_uid == geteuid() && !(about.st_mode & (S_IWGRP | S_IWOTH));
  char *bytes = plain ? malloc((size_t)about.st_size + 1) : NULL;
  *length = 0;
  while (bytes && *length < (size_t)about.st_size) {
    ssize_t got = read(file, bytes + *length, (size_t)about.st_size - *length);
    if (got <= 0) {
      free(bytes);
      bytes = NULL;
    } else {
      *length += (size_t)got;
    }
  }
  if (bytes) bytes[*length] = '\0';
  if (file >= 0) close(file);
  return bytes;
}

static void sum_of(const struct entry *entry, char sum[SHA256_TEXT]) {
  struct sha256 hash;
  sha256_begin(&hash);
  sha256_add(&hash, entry->head, entry->head_length);
  sha256_add(&hash, entry->warning, entry->warning_length);
  sha256_add(&hash, entry->program, entry->length);
  sha256_end(&hash, sum);
}

static int write_entry(FILE *out, const void *what) {
  const struct entry *entry = what;
  char sum[SHA256_TEXT];
  sum_of(entry, sum);
  if (fchmod(fileno(out), 0600) != 0) return -1;
  fwrite(entry->head, 1, entry->head_length, out);
  fwrite(entry->warning, 1, entry->warning_length, out);
  fwrite(entry->program, 1, entry->length, out);
  fputs(sum, out);
  return ferror(out) ? -1 : 0;
}

// Takes an entry's bytes apart. False: they are none of this key.
static bool read_entry(char *bytes, size_t length, const char *key, struct entry *entry,
                       char built_in[PATH_MAX]) {
  int head = 0;
  char kept[SHA256_TEXT], sum[SHA256_TEXT];
  char format[64];
  snprintf(format, sizeof format, "%%64s %%%d[^\n] %%zu %%zu %%64s %%64s%%n", PATH_MAX - 1);
  if (sscanf(bytes, format, kept, built_in, &entry->warning_length, &entry->length, entry->keys.code,
             entry->keys.lines, &head) != 6 ||
      strcmp(kept, key) != 0 || bytes[head] != '\n' || head >= HEAD)
    return false;
  entry->head_length = (size_t)head + 1;
  memcpy(entry->head, bytes, entry->head_length);
  entry->warning = bytes + entry->head_length;
  entry->program = bytes + entry->head_length + entry->warning_length;
  if (entry->warning_length > length || entry->length > length ||
      entry->head_length + entry->warning_length + entry->length + SHA256_TEXT - 1 != length)
    return false;
  sum_of(entry, sum);
  return memcmp(sum, entry->program + entry->length, SHA256_TEXT - 1) == 0;
}

static int write_program(FILE *out, const void *what) {
  const struct entry *entry = what;
  return fwrite(entry->program, 1, entry->length, out) == entry->length ? 0 : -1;
}

bool program_cache_take(struct task *task, const char *key) {
  char path[PATH_MAX], built_in[PATH_MAX];
  struct entry entry;
  size_t length;
  if (!key[0]) return false;
  char *bytes = read_plain(path_of(task, key, path), MOST_PROGRAM + HEAD + SHA256_TEXT, true, &length);
  bool found = bytes && read_entry(bytes, length, key, &entry, built_in) &&
               whole_file_write(task->program, false, write_program, &entry) == 0 &&
               chmod(task->program, 0755) == 0;
  if (found) {
    snprintf(task->built_in, sizeof task->built_in, "%s", built_in);
    if (strcmp(entry.keys.code, NO_KEYS) != 0) task->keys = entry.keys;
    task->warning = entry.warning_length ? strndup(entry.warning, entry.warning_length) : NULL;
    utimensat(AT_FDCWD, path, NULL, 0); // the ones used last stay longest
  }
  free(bytes);
  return found;
}

// ---- keeping ----

// Whether the scratch directory holds what a build makes, and no more.
static bool left_nothing_beside(const struct task *task) {
  char source[RECORD_NAME + 8];
  bool nothing = true;
  DIR *scratch = opendir(task->scratch);
  if (!scratch) return false;
  snprintf(source, sizeof source, "%s.cu", task->exercise->name);
  const char *const expected[] = {".", "..", "source", "student.o", "runner", source};
  for (const struct dirent *entry; (entry = readdir(scratch));) {
    bool known = false;
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
      known = known || strcmp(entry->d_name, expected[i]) == 0;
    nothing = nothing && known;
  }
  closedir(scratch);
  return nothing;
}

struct kept {
  struct timespec used;
  off_t bytes;
  char *path;
};

static int by_use(const void *left, const void *right) {
  const struct kept *a = left, *b = right;
  if (a->used.tv_sec != b->used.tv_sec) return a->used.tv_sec < b->used.tv_sec ? 1 : -1;
  return (a->used.tv_nsec < b->used.tv_nsec) - (a->used.tv_nsec > b->used.tv_nsec);
}

// Removes those not used for longest, beyond three quarters of what may be kept.
static void make_room(const struct task *task) {
  char folder[PATH_MAX];
  glob_t found;
  struct stat about;
  off_t bytes = 0, all = 0;
  size_t count = 0;
  struct kept *kept =
      glob_below(folder_of(task, folder), "*", &found) == 0 ? calloc(found.gl_pathc, sizeof *kept) : NULL;
  for (size_t i = 0; kept && i < found.gl_pathc; i++) {
    if (lstat(found.gl_pathv[i], &about) != 0 || !S_ISREG(about.st_mode)) continue;
    kept[count++] = (struct kept){about.st_mtim, about.st_size, found.gl_pathv[i]};
    all += about.st_size;
  }
  if (kept && all > MOST_KEPT) {
    qsort(kept, count, sizeof *kept, by_use);
    for (size_t i = 0; i < count; i++)
      if ((bytes += kept[i].bytes) > MOST_KEPT / 4 * 3) unlink(kept[i].path);
  }
  free(kept);
  globfree(&found);
}

void program_cache_keep(const struct task *task, const char *key, const char *again) {
  char path[PATH_MAX], folder[PATH_MAX];
  struct entry entry = {.warning = task->warning ? task->warning : "",
                        .warning_length = task->warning ? strlen(task->warning) : 0};
  if (!key[0] || strcmp(key, again) != 0 || strchr(task->built_in, '\n') || !left_nothing_beside(task))
    return;
  entry.program = read_plain(task->program, MOST_PROGRAM, false, &entry.length);
  if (!entry.program) return;
  const bool keyed = task->keys.code[0];
  entry.head_length = (size_t)snprintf(entry.head, sizeof entry.head, "%s\n%s\n%zu %zu %s %s\n", key,
                                       task->built_in, entry.warning_length, entry.length,
                                       keyed ? task->keys.code : NO_KEYS, keyed ? task->keys.lines : NO_KEYS);
  if (entry.head_length < sizeof entry.head &&
      (mkdir(folder_of(task, folder), 0700) == 0 || errno == EEXIST) &&
      whole_file_write(path_of(task, key, path), false, write_entry, &entry) == 0 && key[0] == '0')
    make_room(task);
  free(entry.program);
}
