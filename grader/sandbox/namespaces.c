// In: a plan. Out: the bubblewrap command line around it. The idea: start with an empty file system, add the
// system's programs read-only, then what the plan names. A later mount may cover an earlier one, so the order
// matters.
#include "sandbox/sandbox.h"

#include "setup.h"

#include <glob.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct arguments {
  char **items;
  size_t count, capacity;
  bool failed;
};

static void add_one(struct arguments *arguments, const char *text) {
  if (arguments->count + 2 > arguments->capacity) {
    size_t capacity = arguments->capacity ? 2 * arguments->capacity : 64;
    char **items = realloc(arguments->items, capacity * sizeof *items);
    if (!items) {
      arguments->failed = true;
      return;
    }
    arguments->items = items;
    arguments->capacity = capacity;
  }
  char *copy = strdup(text);
  if (!copy) {
    arguments->failed = true;
    return;
  }
  arguments->items[arguments->count++] = copy;
  arguments->items[arguments->count] = NULL;
}

static void add_all(struct arguments *arguments, const char *const *texts) {
  for (; *texts; texts++)
    add_one(arguments, *texts);
}

#define ADD(arguments, ...) add_all(arguments, (const char *const[]){__VA_ARGS__, NULL})

static void add_number(struct arguments *arguments, uint64_t number) {
  char text[24];
  snprintf(text, sizeof text, "%llu", (unsigned long long)number);
  add_one(arguments, text);
}

// Makes the folders above a path. bubblewrap would make them accessible to root alone.
static void add_parents(struct arguments *arguments, const char *path) {
  char parent[PATH_MAX];
  for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    snprintf(parent, sizeof parent, "%.*s", (int)(slash - path), path);
    ADD(arguments, "--perms", "0755", "--dir", parent);
  }
}

static void add_read_only(struct arguments *arguments, const char *source, const char *destination) {
  add_parents(arguments, destination);
  ADD(arguments, "--ro-bind", source, destination);
}

// A folder in memory that everybody may write to, of limited size.
static void add_memory(struct arguments *arguments, const char *path, uint64_t bytes) {
  ADD(arguments, "--perms", "1777", "--size");
  add_number(arguments, bytes);
  ADD(arguments, "--tmpfs", path);
}

static const char *const system_places[] = {"/usr",
                                            "/bin",
                                            "/sbin",
                                            "/lib",
                                            "/lib32",
                                            "/lib64",
                                            "/libx32",
                                            "/etc/alternatives",
                                            "/etc/ld.so.cache",
                                            "/etc/ld.so.conf",
                                            "/etc/ld.so.conf.d",
                                            NULL};

// What the loader needs to start any program: no home directories, no configuration but the loader's own.
static void add_system(struct arguments *arguments) {
  for (const char *const *place = system_places; *place; place++) {
    struct stat status;
    char target[PATH_MAX];
    if (lstat(*place, &status) != 0) continue;
    ssize_t length = S_ISLNK(status.st_mode) ? readlink(*place, target, sizeof target - 1) : -1;
    if (length > 0) {
      target[length] = '\0';
      ADD(arguments, "--symlink", target, *place);
    } else {
      add_read_only(arguments, *place, *place); // CUDA is often found through /etc/alternatives
    }
  }
}

static bool lies_in_one(const char *path, const char *const *places) {
  for (; places && *places; places++) {
    const size_t length = strlen(*places);
    if (strncmp(path, *places, length) == 0 && (path[length] == '/' || path[length] == '\0')) return true;
  }
  return false;
}

// A kit may lie among the system's programs (/usr/local), or in a folder that the plan names. An empty folder
// covers what nobody may read there.
static void cover_secrets(struct arguments *arguments, const struct sandbox_plan *plan) {
  for (size_t i = 0; i < SANDBOX_SECRETS && plan->secret[i]; i++) {
    char real[PATH_MAX];
    struct stat status;
    if (!realpath(plan->secret[i], real) || stat(real, &status) != 0 || !S_ISDIR(status.st_mode)) continue;
    if (lies_in_one(real, system_places) || lies_in_one(real, plan->readable))
      ADD(arguments, "--perms", "0555", "--size", "65536", "--tmpfs", real, "--remount-ro", real);
  }
}

static void add_gpu(struct arguments *arguments) {
  glob_t devices;
  ADD(arguments, "--ro-bind-try", "/sys", "/sys", "--ro-bind-try", "/etc/nvidia", "/etc/nvidia");
  if (glob("/dev/nvidia*", 0, NULL, &devices) != 0) return;
  for (size_t i = 0; i < devices.gl_pathc; i++)
    ADD(arguments, "--dev-bind", devices.gl_pathv[i], devices.gl_pathv[i]);
  globfree(&devices);
}

// What a compiler is made to include must end: there is no /dev/zero and no /dev/random for it.
static void add_devices(struct arguments *arguments, const struct sandbox_plan *plan) {
  if (plan->few_devices) {
    ADD(arguments, "--perms", "0755", "--size", "65536", "--tmpfs", "/dev");
    ADD(arguments, "--dev-bind", "/dev/null", "/dev/null", "--symlink", "/proc/self/fd", "/dev/fd");
  } else {
    ADD(arguments, "--dev", "/dev");
  }
}

static void add_namespaces(struct arguments *arguments, const struct sandbox_plan *plan) {
  ADD(arguments, "bwrap", "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts",
      "--unshare-cgroup-try", "--die-with-parent", "--new-session", "--hostname", "sandbox", "--cap-drop",
      "ALL");
  if (sandbox_user(plan)) {
    // As root, bubblewrap needs no user namespace, and sandbox-enter has to become another user.
    ADD(arguments, "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID");
  } else {
    // Inside, the user is nobody; outside it is still ours, so that the scratch directory can be written.
    ADD(arguments, "--unshare-user", "--uid", "65534", "--gid", "65534");
  }
}

static void add_scratch(struct arguments *arguments, const struct sandbox_plan *plan) {
  add_parents(arguments, plan->directory);
  if (plan->scratch_bytes) {
    add_memory(arguments, plan->directory, plan->scratch_bytes);
  } else {
    ADD(arguments, "--bind", plan->directory, plan->directory);
  }
}

static void add_places(struct arguments *arguments, const struct sandbox_plan *plan, const char *enter) {
  enum { SMALL = 16 << 20, SHARED = 64 << 20 };
  add_system(arguments);
  add_devices(arguments, plan);
  ADD(arguments, "--proc", "/proc");
  add_memory(arguments, "/dev/shm", plan->gpu ? SHARED : SMALL);
  if (plan->gpu) add_gpu(arguments);
  ADD(arguments, "--remount-ro", "/dev");
  add_memory(arguments, "/tmp", plan->temporary_bytes ? plan->temporary_bytes : SMALL);
  for (const char *const *path = plan->readable; path && *path; path++)
    if (strncmp(*path, "/usr/", 5) != 0 && access(*path, F_OK) == 0) add_read_only(arguments, *path, *path);
  add_scratch(arguments, plan);
  cover_secrets(arguments, plan);
  add_read_only(arguments, enter, enter);
  for (const struct sandbox_place *place = plan->placed; place && place->source; place++)
    add_read_only(arguments, place->source, place->destination);
  // Files in the root file system would be limited by nothing but the machine's memory.
  ADD(arguments, "--remount-ro", "/", "--");
}

char **sandbox_namespace_arguments(const struct sandbox_plan *plan) {
  struct arguments arguments = {0};
  char enter[PATH_MAX];
  sandbox_enter_path(enter);
  add_namespaces(&arguments, plan);
  add_places(&arguments, plan, enter);
  add_one(&arguments, enter);
  add_number(&arguments, sandbox_user(plan));
  add_number(&arguments, plan->limits.more_processes);
  // sandbox-enter changes to it, since only the program's user may enter it.
  add_one(&arguments, plan->directory);
  for (const char *const *argument = plan->arguments; *argument; argument++)
    add_one(&arguments, *argument);
  if (arguments.failed) {
    sandbox_arguments_free(arguments.items);
    return NULL;
  }
  return arguments.items;
}

void sandbox_arguments_free(char **arguments) {
  for (char **argument = arguments; argument && *argument; argument++)
    free(*argument);
  free(arguments);
}

const char *sandbox_enter_path(char *path) {
  ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 32);
  path[length > 0 ? length : 0] = '\0';
  char *slash = strrchr(path, '/');
  if (slash) strcpy(slash, "/sandbox-enter");
  // A unit test doesn't lie beside sandbox-enter.
  if (!slash || access(path, X_OK) != 0) snprintf(path, PATH_MAX, "%s/build/bin/sandbox-enter", SETUP_HOUSE);
  return path;
}

// Whether every user may use the GPU. If only root may, the program has to stay root.
static bool anybodys_gpu(void) {
  struct stat status;
  return stat("/dev/nvidia0", &status) != 0 || (status.st_mode & 0006) == 0006;
}

unsigned sandbox_user(const struct sandbox_plan *plan) {
  enum { FIRST = 200000, COUNT = 1 << 20, FEWEST = 2000 };
  unsigned long inside = 0, outside = 0, count = 0;
  if (geteuid() != 0 || (plan->gpu && !anybodys_gpu())) return 0;
  // If we are root only in a container, not every number is a user.
  FILE *map = fopen("/proc/self/uid_map", "re");
  bool known = map && fscanf(map, "%lu %lu %lu", &inside, &outside, &count) == 3 && inside == 0;
  if (map) fclose(map);
  if (known && count >= FIRST + COUNT) return FIRST + (unsigned)getpid() % COUNT;
  return known && count >= FEWEST ? (unsigned)(count / 2 + (unsigned long)getpid() % (count / 2)) : 0;
}
