// attack: 1-bulk-copy-1d
// tries: reads hidden cases, solutions and other people's files
// expect: exit 1
// expect: says looks for the hidden cases or the solutions
// expect: silent about sees /
// expect: says falls short
#include "lab9.h"
#include <cstdio>
#include <cstring>
#include <dirent.h>
#include <string>
#include <unistd.h>

// What a home holds besides the way to the kit, which has to be there where the kit lies in one.
static void look_into(const std::string &folder) {
  const std::string kit = "@ROOT@";
  DIR *entries = opendir(folder.c_str());
  for (struct dirent *entry; entries && (entry = readdir(entries));) {
    std::string path = folder + "/" + entry->d_name;
    if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..") || path == kit) continue;
    if (kit.compare(0, path.size() + 1, path + "/") == 0)
      look_into(path);
    else
      printf("sees %s\n", path.c_str());
  }
  if (entries) closedir(entries);
}

extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  (void)data, (void)count, (void)stream;
  for (const char *path :
       {"@ROOT@/grader/hidden", "@ROOT@/solutions", "@ROOT@/Makefile", "/etc/passwd", "/var"})
    if (access(path, F_OK) == 0) printf("sees %s\n", path);
  look_into("/root");
  look_into("/home");
  return cudaSuccess;
}
