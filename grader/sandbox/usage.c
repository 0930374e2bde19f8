// In: a process. Out: what it and its descendants have used, and whether they all sleep. The idea: /proc says
// both, whoever runs them, and neither depends on how busy the machine is.
#include "sandbox/usage.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MOST_DEPTH = 16 };

// Adds up one task's /proc/../schedstat.
static void add_schedule(const char *path, struct sandbox_usage *usage) {
  unsigned long long ran = 0, waited = 0; // nanoseconds
  FILE *file = fopen(path, "re");
  if (!file) return;
  if (fscanf(file, "%llu %llu", &ran, &waited) == 2) {
    usage->ran_seconds += (double)ran * 1e-9;
    usage->waited_seconds += (double)waited * 1e-9;
  }
  fclose(file);
}

double sandbox_waited_here(void) {
  struct sandbox_usage usage = {.asleep = true};
  add_schedule("/proc/thread-self/schedstat", &usage);
  return usage.waited_seconds;
}

struct stat_line {
  char state;
  double used, children; // processor seconds: its own; of its children that have ended and were waited for
};

// Reads `folder`/stat. False: there is none any more.
static bool read_stat(const char *folder, struct stat_line *stat) {
  char name[96], line[512];
  snprintf(name, sizeof name, "%s/stat", folder);
  FILE *file = fopen(name, "re");
  if (!file) return false;
  const size_t length = fread(line, 1, sizeof line - 1, file);
  fclose(file);
  line[length] = '\0';
  // The command's name stands in parentheses and may hold anything, parentheses too.
  const char *rest = strrchr(line, ')');
  unsigned long user, kernel;
  long children_user, children_kernel;
  if (!rest || sscanf(rest, ") %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %ld %ld", &stat->state,
                      &user, &kernel, &children_user, &children_kernel) != 5)
    return false;
  const double ticks = (double)sysconf(_SC_CLK_TCK);
  stat->used = (double)(user + kernel) / ticks;
  stat->children = (double)(children_user + children_kernel) / ticks;
  return true;
}

// Adds up what one task alone can say. `path` is its folder in /proc.
static void add_task(const char *path, struct sandbox_usage *usage) {
  char name[96];
  struct stat_line stat;
  if (!read_stat(path, &stat)) return;
  usage->living_seconds += stat.used;
  if (stat.used > usage->busiest_seconds) usage->busiest_seconds = stat.used;
  snprintf(name, sizeof name, "%s/schedstat", path);
  add_schedule(name, usage);
  // Stopped counts as asleep: a program that stops itself is not kept from running by others.
  if (!strchr("STtZX", stat.state)) usage->asleep = false;
}

static void add_process(int process, int depth, struct sandbox_usage *usage) {
  char path[64], children[96];
  struct stat_line stat;
  snprintf(path, sizeof path, "/proc/%d", process);
  // The process's own line counts its threads that have ended, too: nobody escapes by threads that come and
  // go.
  if (depth < MOST_DEPTH && read_stat(path, &stat)) usage->processor_seconds += stat.used + stat.children;
  snprintf(path, sizeof path, "/proc/%d/task", process);
  DIR *tasks = depth < MOST_DEPTH ? opendir(path) : NULL;
  if (!tasks) return;
  for (struct dirent *entry; (entry = readdir(tasks));) {
    if (entry->d_name[0] < '1' || entry->d_name[0] > '9') continue;
    snprintf(path, sizeof path, "/proc/%d/task/%.20s", process, entry->d_name);
    add_task(path, usage);
    snprintf(children, sizeof children, "%s/children", path);
    FILE *file = fopen(children, "re");
    for (int child; file && fscanf(file, "%d", &child) == 1;)
      add_process(child, depth + 1, usage);
    if (file) fclose(file);
  }
  closedir(tasks);
}

struct sandbox_usage sandbox_usage_of(pid_t process) {
  struct sandbox_usage usage = {.asleep = true};
  add_process(process, 0, &usage);
  return usage;
}
