// doctor: what this machine has and lacks. In: nothing. Out: a line for each thing that the grader needs,
// with what to type if it is missing; exit status 0 if exercises can be judged here. The idea: each thing is
// tried; that its file exists proves nothing.
#include "cli/commands.h"
#include "device/device.h"
#include "referee/kit.h"
#include "sandbox/walls.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { REASON = 300 };

static const char program[] = "__global__ void answer(int *to) { *to = 42; }\n"
                              "int main() {\n"
                              "  int *there = nullptr, here = 0;\n"
                              "  cudaMalloc(&there, sizeof here);\n"
                              "  answer<<<1, 1>>>(there);\n"
                              "  cudaMemcpy(&here, there, sizeof here, cudaMemcpyDeviceToHost);\n"
                              "  return here == 42 ? 0 : 1;\n"
                              "}\n";

static void tell(const char *what, bool good, const char *text) {
  printf("  %-18s %-8s %s\n", what, good ? "yes" : "no", text);
}

// Runs a program of the kit's own. True if it succeeded; else `reason` gets the first line that it printed.
static bool run(const struct kit *kit, const char *const *arguments, const char *directory, char *reason) {
  char path[8192], temporary[PATH_MAX + 8];
  const char *callers = getenv("PATH");
  snprintf(path, sizeof path, "PATH=%s:%s/bin", callers ? callers : "/usr/bin:/bin", kit->cuda_home);
  snprintf(temporary, sizeof temporary, "TMPDIR=%s", directory);
  const char *const environment[] = {path, temporary, "LANG=C", NULL};
  struct sandbox_plan plan = {.mode = SANDBOX_PLAIN,
                              .arguments = arguments,
                              .environment = environment,
                              .directory = directory,
                              .limits = {.wall_seconds = 90, .output_bytes = 64 << 10}};
  struct sandbox_result result;
  if (sandbox_run(&plan, &result, reason, REASON) != 0) return false;
  bool well = !result.timed_out && !result.signal && result.exit_code == 0;
  const char *line = result.output + strspn(result.output, "\n");
  if (result.timed_out)
    snprintf(reason, REASON, "it does not end within 90 s");
  else if (*line)
    snprintf(reason, REASON, "%.*s", (int)strcspn(line, "\n"), line);
  else
    snprintf(reason, REASON, "it ends with %s %d", result.signal ? "signal" : "status",
             result.signal ? result.signal : result.exit_code);
  sandbox_result_free(&result);
  return well;
}

static bool write_program(const char *path) {
  FILE *file = fopen(path, "we");
  if (!file) return false;
  bool written = fputs(program, file) >= 0;
  return fclose(file) == 0 && written;
}

// Compiles and links a program as a submission is compiled.
static bool try_compiler(const struct kit *kit, const char *scratch, const char *probe) {
  char text[PATH_MAX + REASON + 128], reason[REASON] = "", source[PATH_MAX + 16];
  snprintf(source, sizeof source, "%s/probe.cu", scratch);
  const char *const compile[] = {kit->nvcc,
                                 "-ccbin",
                                 kit->host_compiler,
                                 "-std=c++17",
                                 "--no-compress",
                                 "-gencode",
                                 "arch=compute_90,code=[sm_90,compute_90]",
                                 "-cudart",
                                 "shared",
                                 source,
                                 "-o",
                                 probe,
                                 NULL};
  bool works = false, tried = false;
  if (!kit->nvcc[0]) {
    snprintf(text, sizeof text, "none found: make setup says what is missing and installs it");
  } else if (!write_program(source)) {
    snprintf(text, sizeof text, "could not be tried: %s: %s", source, strerror(errno));
  } else {
    tried = true;
    works = run(kit, compile, scratch, reason);
    snprintf(text, sizeof text, works ? "%s" : "%s compiles nothing: %s", kit->nvcc, reason);
  }
  tell("CUDA compiler", works, text);
  const char *chosen = getenv("NVCC");
  if (tried && !works)
    printf("  %-18s %-8s %smake clean and then make setup look for one that works, or fetch one\n", "", "",
           chosen && strcmp(chosen, kit->nvcc) == 0 ? "the variable NVCC chose it: unset it; " : "");
  return works;
}

static bool try_virtual_hopper(const struct kit *kit, const char *scratch, const char *probe, bool compiled) {
  char text[REASON + 128] = "runs a kernel", reason[REASON] = "", vhopper[PATH_MAX];
  const char *const command[] = {
      kit_path(kit, vhopper, "build/bin/vhopper"), "run", "--quiet", "--", probe, NULL};
  bool works = compiled && run(kit, command, scratch, reason);
  if (!compiled)
    snprintf(text, sizeof text, "could not be tried without a compiler");
  else if (!works)
    snprintf(text, sizeof text, "runs no kernel: %s; make clean, and the next check builds it anew", reason);
  tell("virtual Hopper", works, text);
  return works;
}

// Tries compiler and virtual Hopper in a scratch folder.
static bool try_device(const struct kit *kit) {
  char scratch[PATH_MAX], probe[PATH_MAX + 8], text[PATH_MAX + 64];
  if (sandbox_make_scratch(scratch, sizeof scratch) != 0) {
    const char *parent = getenv("TMPDIR");
    snprintf(text, sizeof text, "no folder can be made in %s: %s", parent ? parent : "/tmp", strerror(errno));
    tell("scratch folder", false, text);
    return false;
  }
  snprintf(probe, sizeof probe, "%s/probe", scratch);
  bool compiled = try_compiler(kit, scratch, probe),
       works = try_virtual_hopper(kit, scratch, probe, compiled);
  sandbox_remove_scratch(scratch);
  return works;
}

// The value of a kernel setting; -1: this kernel doesn't have it.
static long setting(const char *name) {
  char path[128];
  long number = -1;
  snprintf(path, sizeof path, "/proc/sys/%s", name);
  FILE *file = fopen(path, "re");
  if (!file) return -1;
  if (fscanf(file, "%ld", &number) != 1) number = -1;
  fclose(file);
  return number;
}

// Prints which kernel setting has to change for the walls to work.
static void tell_remedy(void) {
  static const struct {
    const char *name;
    long wrong;
    const char *remedy;
  } settings[] = {
      {"user/max_user_namespaces", 0, "user.max_user_namespaces=15000"},
      {"kernel/unprivileged_userns_clone", 0, "kernel.unprivileged_userns_clone=1"},
      {"kernel/apparmor_restrict_unprivileged_userns", 1, "kernel.apparmor_restrict_unprivileged_userns=0"}};
  bool told = false;
  for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
    if (setting(settings[i].name) != settings[i].wrong) continue;
    printf("  %-18s %-8s as root: sysctl -w %s\n", "", "", settings[i].remedy);
    told = true;
  }
  if (!told)
    printf(
        "  %-18s %-8s in a container: docker run --security-opt seccomp=unconfined; or grade on the host\n",
        "", "");
}

// Tries every wall; returns how many failed.
static unsigned tell_walls(const struct kit *kit, enum sandbox_mode mode) {
  char text[200], hidden[PATH_MAX], solutions[PATH_MAX], root[PATH_MAX];
  const char *home = getenv("HOME");
  const char *const kept[] = {kit_path(kit, hidden, "grader/hidden"), kit_path(kit, solutions, "solutions"),
                              kit_path(kit, root, "Makefile"), "/etc/passwd", "/var",
                              // if HOME is /, nothing is hidden by it
                              home && strcmp(home, "/") != 0 ? home : NULL, NULL};
  unsigned failed = 0;
  puts("\nWhat keeps a submission in, each tried just now:\n");
  for (size_t i = 0; i < wall_count(); i++) {
    bool held = wall_holds(i, mode, kept, text, sizeof text);
    failed += !held;
    printf("  %-18s %-8s %s%s%s\n", wall_at(i).name, held ? "holds" : "fails", wall_at(i).promise,
           held ? "" : ": ", held ? "" : text);
  }
  return failed;
}

static void tell_grading(enum sandbox_mode mode, unsigned failed, bool works, bool gpu) {
  if (!works)
    puts("\nNothing can be graded here before what is missing above is there.");
  else
    puts(gpu ? "\nEverything can be graded here, bandwidth too."
             : "\nEverything but bandwidth can be graded here.");
  if (mode == SANDBOX_PLAIN)
    puts("Strangers' code is not run here: grade and batch need --trusted, and then it is not contained.");
  else if (failed)
    printf("%u of the walls do not hold: don't grade strangers' code here.\n", failed);
  else if (works)
    puts("Strangers' code can be graded: all walls hold.");
}

int command_doctor(int count, char **arguments) {
  struct kit kit;
  char text[DEVICE_TEXT + 48], missing[256], error[600];
  struct gpu_list gpus;
  if (count > 0) return complain("doctor takes no arguments, not %s", arguments[0]);
  if (kit_find(&kit, error, sizeof error) != 0) return complain("%s", error);
  printf("The kit in %s on this machine:\n\n", kit.root);
  bool works = try_device(&kit), gpu = device_find_gpu(text, DEVICE_TEXT, &gpus);
  if (gpus.count > 1) snprintf(text + strlen(text), 48, ", and %zu more like it", gpus.count - 1);
  tell("Hopper GPU", gpu, text);
  enum sandbox_mode mode = sandbox_probe(missing, sizeof missing);
  bool walls = mode == SANDBOX_NAMESPACES;
  tell("walls", walls, walls ? "bubblewrap, a user of its own, a filter for system calls" : missing);
  if (!walls && strncmp(missing, SANDBOX_NO_WALLS, strlen(SANDBOX_NO_WALLS)) == 0) tell_remedy();
  printf("  %-18s %ld\n", "cores", sysconf(_SC_NPROCESSORS_ONLN));
  unsigned failed = tell_walls(&kit, mode);
  tell_grading(mode, failed, works, gpu);
  return works && (failed == 0 || !walls) ? STATUS_PASSED : STATUS_ERROR;
}
