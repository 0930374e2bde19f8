// `sandbox-escape WALL ARGUMENTS ..`: tries to escape through one wall of the sandbox that it runs in, for
// `grader doctor`. Out: exit status 0 if the wall has held; 1 if it hasn't, and one line that says how. The
// idea: a wall is tested by trying to get through it, not by reading how it was built.
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { HELD, ESCAPED };

static int escaped(const char *how, const char *what) {
  printf("%s %s\n", how, what);
  return ESCAPED;
}

// Arguments: a port of this machine that a process listens on, and the name of an abstract socket.
static int try_network(char **arguments) {
  struct sockaddr_in internet = {.sin_family = AF_INET,
                                 .sin_port = htons((uint16_t)strtoul(arguments[0], NULL, 10)),
                                 .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  struct sockaddr_un local = {.sun_family = AF_UNIX};
  socklen_t length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(arguments[1]));
  strncpy(local.sun_path + 1, arguments[1], sizeof local.sun_path - 2);
  int over_internet = socket(AF_INET, SOCK_STREAM, 0), over_name = socket(AF_UNIX, SOCK_STREAM, 0);
  if (over_internet >= 0 && connect(over_internet, (struct sockaddr *)&internet, sizeof internet) == 0)
    return escaped("connected to a port of", "this machine");
  if (over_name >= 0 && connect(over_name, (struct sockaddr *)&local, length) == 0)
    return escaped("connected to another process's socket", arguments[1]);
  return HELD;
}

// Whether `folder` is `place` or one of the folders above it.
static bool leads_to(const char *folder, const char *place) {
  size_t length = strlen(folder);
  return strncmp(folder, place, length) == 0 && (place[length] == '/' || place[length] == '\0');
}

// Checks a folder that exists only because this program or its scratch folder lies below it: it must hold
// nothing else. The recursion ends, since each step gets one folder closer to one of the two.
static int look_into(const char *folder, const char *program, const char *scratch) {
  char path[PATH_MAX];
  int status = HELD;
  DIR *entries = opendir(folder);
  for (struct dirent *entry; entries && status == HELD && (entry = readdir(entries));) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    bool beside_program = strncmp(path, program, (size_t)(strrchr(program, '/') - program)) == 0;
    if (strcmp(path, scratch) == 0 || (beside_program && strncmp(entry->d_name, "sandbox-", 8) == 0))
      continue;
    status = leads_to(path, program) || leads_to(path, scratch) ? look_into(path, program, scratch)
                                                                : escaped("sees", path);
  }
  if (entries) closedir(entries);
  return status;
}

// Arguments: files and folders that must not be visible in here.
static int try_files(char **arguments) {
  const char *program = program_invocation_name;
  char scratch[PATH_MAX];
  if (program[0] != '/' || !getcwd(scratch, sizeof scratch)) return escaped("cannot tell", "where it is");
  for (; *arguments; arguments++) {
    bool way = leads_to(*arguments, program) || leads_to(*arguments, scratch);
    if (way ? look_into(*arguments, program, scratch) != HELD : access(*arguments, F_OK) == 0)
      return way ? ESCAPED : escaped("sees", *arguments);
  }
  return HELD;
}

static int try_writing(char **arguments) {
  static const char *const places[] = {"/tma-lab-escape", "/usr/tma-lab-escape", "/etc/tma-lab-escape",
                                       "/dev/tma-lab-escape"};
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    int file = open(places[i], O_CREAT | O_EXCL | O_WRONLY, 0600);
    if (file < 0) continue;
    unlink(places[i]);
    return escaped("wrote", places[i]);
  }
  for (; *arguments; arguments++)
    if (open(*arguments, O_WRONLY) >= 0) return escaped("can write", *arguments);
  return HELD;
}

// Argument: the number of a process outside the sandbox.
static int try_processes(char **arguments) {
  if (kill((pid_t)strtol(arguments[0], NULL, 10), 0) == 0) return escaped("can signal process", arguments[0]);
  DIR *proc = opendir("/proc");
  int seen = 0;
  for (struct dirent *entry; proc && (entry = readdir(proc));)
    seen += entry->d_name[0] >= '1' && entry->d_name[0] <= '9';
  return seen > 3 ? escaped("sees processes of", "others") : HELD;
}

static int try_privileges(char **arguments) {
  (void)arguments;
  if (getuid() == 0) return escaped("is", "root");
  if (setuid(0) == 0) return escaped("became", "root");
  if (mount("none", "/tmp", "tmpfs", 0, NULL) == 0) return escaped("mounted", "a file system");
  if (unshare(CLONE_NEWUSER) == 0) return escaped("made", "a user namespace");
  if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0) return escaped("may trace", "processes");
  return HELD;
}

// Memory of a file without a name, or of a shared segment, counts against no limit of this process.
static int try_memory(char **arguments) {
  size_t bytes = strtoul(arguments[0], NULL, 10);
  if (memfd_create("escape", MFD_CLOEXEC) >= 0) return escaped("may hold memory in", "files without a name");
  if (shmget(IPC_PRIVATE, 1 << 20, 0600) >= 0) return escaped("may hold memory in", "shared segments");
  volatile char *memory = malloc(bytes); // else the compiler leaves the writing out
  if (!memory) return HELD;
  for (size_t i = 0; i < bytes; i += 4096)
    memory[i] = 1;
  return escaped("has taken", "more memory than allowed"); // cppcheck-suppress memleak
}

// Arguments: the most bytes that may be written, then folders.
static int try_disk(char **arguments) {
  static char block[1 << 16];
  size_t most = strtoul(arguments[0], NULL, 10);
  signal(SIGXFSZ, SIG_IGN);
  for (arguments++; *arguments; arguments++) {
    char path[4096];
    size_t total = 0;
    for (int file = 0; file < 100 && total <= most; file++) {
      snprintf(path, sizeof path, "%s/fill-%d", *arguments, file);
      int out = open(path, O_CREAT | O_WRONLY, 0600);
      for (ssize_t got; out >= 0 && total <= most && (got = write(out, block, sizeof block)) > 0;)
        total += (size_t)got;
      if (out >= 0) close(out);
    }
    if (total > most) return escaped("wrote more than allowed into", *arguments);
  }
  return HELD;
}

// Argument: the most processes that may be started.
static int try_tasks(char **arguments) {
  int most = (int)strtol(arguments[0], NULL, 10);
  for (int i = 0; i <= most; i++) {
    pid_t pid = fork();
    if (pid < 0) return HELD;
    if (pid == 0) {
      pause();
      _exit(0);
    }
  }
  return escaped("has more processes than", arguments[0]);
}

static int try_time(char **arguments) {
  (void)arguments;
  while (pause() != 0) {
  }
  return HELD;
}

static int try_output(char **arguments) {
  (void)arguments;
  while (puts("a line that nobody asked for") >= 0) {
  }
  return HELD;
}

static int try_environment(char **arguments) {
  return getenv(arguments[0]) ? escaped("knows", arguments[0]) : HELD;
}

static int try_descriptors(char **arguments) {
  (void)arguments;
  for (int i = 3; i < 1024; i++)
    if (fcntl(i, F_GETFD) >= 0) return escaped("was given", "a descriptor of the grader's");
  return HELD;
}

// Leaves a process behind that keeps descriptor 3 open.
static int try_survival(char **arguments) {
  (void)arguments;
  const pid_t child = fork();
  if (child == 0) {
    setsid();
    if (fork() == 0) try_time(NULL);
    _exit(0);
  }
  return child < 0 ? escaped("cannot tell", "without a process of its own") : HELD;
}

int main(int count, char **arguments) {
  static const struct {
    const char *name;
    int (*try)(char **);
  } walls[] = {{"network", try_network},
               {"files", try_files},
               {"writing", try_writing},
               {"processes", try_processes},
               {"privileges", try_privileges},
               {"memory", try_memory},
               {"disk", try_disk},
               {"tasks", try_tasks},
               {"time", try_time},
               {"output", try_output},
               {"environment", try_environment},
               {"descriptors", try_descriptors},
               {"survival", try_survival}};
  for (size_t i = 0; count > 1 && i < sizeof walls / sizeof *walls; i++)
    if (strcmp(walls[i].name, arguments[1]) == 0) return walls[i].try(arguments + 2);
  fputs("usage: sandbox-escape WALL ARGUMENTS ..\n", stderr);
  return 2;
}
