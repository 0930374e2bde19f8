// In: nvcc's arguments for a source. Out: those of its first attempt. The idea: nine tenths of what nvcc
// reads are declarations of headers that no source names. lean-compiler takes them out. It tells the source's
// own lines by the names that the compiler gives them, so a source that names them otherwise is left alone.
#include "referee/lean-build.h"

#include "report/plain-file.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Headers that cuda_runtime.h reads and hardly a kernel uses: C++17's special functions (Bessel's, elliptic
// integrals), textures and surfaces without a reference. Here their include guards are defined already.
static const char *const without_rare_headers[] = {
    "-D_GLIBCXX_BITS_SPECFUN_H", "-D__TEXTURE_INDIRECT_FUNCTIONS_H__", "-D__SURFACE_INDIRECT_FUNCTIONS_H__"};

// Whether a # may begin a directive that gives lines other names: #line, # 1 "file". A # is spelt %: as well,
// and what follows may stand behind a comment or in the next line.
static bool may_name_lines(const char *text) {
  if (strstr(text, "%:") || strstr(text, "??")) return true;
  for (const char *at = text; (at = strchr(at, '#'));) {
    at += 1 + strspn(at + 1, " \t\f\v");
    const size_t word = strspn(at, "abcdefghijklmnopqrstuvwxyz_");
    if (isdigit((unsigned char)*at) || *at == '/' || at[word] == '\\') return true;
    if (word == 4 && memcmp(at, "line", 4) == 0) return true;
  }
  return false;
}

static bool file_may_name_lines(const char *path) {
  enum { MOST = 1 << 20 };
  FILE *file = plain_file_open(path);
  char *text = file ? malloc(MOST + 1) : NULL;
  bool may = true;
  if (text) {
    const size_t length = fread(text, 1, MOST + 1, file);
    if (length <= MOST && !memchr(text, '\0', length)) {
      text[length] = '\0';
      may = may_name_lines(text);
    }
  }
  free(text);
  if (file) fclose(file);
  return may;
}

// Whether all files of the folder, the source and the headers that came with it, leave their names alone.
static bool names_stay(const char *folder) {
  bool stay = true;
  DIR *files = opendir(folder);
  if (!files) return false;
  for (const struct dirent *entry; stay && (entry = readdir(files));) {
    char path[2 * PATH_MAX];
    if (entry->d_name[0] == '.') continue;
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    stay = !file_may_name_lines(path);
  }
  closedir(files);
  return stay;
}

void lean_build_arrange(struct lean_build *build, const struct kit *kit, const char *folder,
                        const char *const *compile) {
  enum { RARE = sizeof without_rare_headers / sizeof *without_rare_headers };
  const char *const host = kit->host_compiler;
  size_t count = 0;
  kit_path(kit, build->compiler, "build/bin/lean-compiler");
  const bool lean = access(build->compiler, X_OK) == 0 && names_stay(folder);
  build->arguments[count++] = compile[0];
  for (size_t i = 0; i < RARE; i++)
    build->arguments[count++] = without_rare_headers[i];
  for (size_t i = 1; compile[i] && count + 1 < LEAN_ARGUMENTS; i++)
    build->arguments[count++] = lean && compile[i] == host ? build->compiler : compile[i];
  build->arguments[count] = NULL;
}

void lean_build_make(struct lean_build *build, const struct task *task, const char *const *compile) {
  lean_build_arrange(build, &task->grading->kit, task->built_in, compile);
}

void lean_build_keep(struct lean_environment *environment, const struct kit *kit, const char *first,
                     const char *last) {
  char path[PATH_MAX];
  snprintf(environment->compiler, sizeof environment->compiler, "LEAN_COMPILER=%s", kit->host_compiler);
  snprintf(environment->keeps, sizeof environment->keeps, "LEAN_KEEPS=%s:%s:%s", first,
           kit_path(kit, path, "interface"), last);
  snprintf(environment->prefixes, sizeof environment->prefixes, "LEAN_PREFIXES=%s",
           kit_path(kit, path, "build/lean"));
}

void lean_build_environment(struct lean_environment *environment, const struct task *task) {
  // The source's first line names it as its author knows it.
  lean_build_keep(environment, &task->grading->kit, task->scratch, task->source);
}
