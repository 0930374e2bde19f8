// explain, doctor, fingerprint: commands that only tell something. In: a name. Out: a page or a list on stdout.
#include "cli/commands.h"
#include "device/device.h"
#include "referee/fingerprint.h"
#include "referee/kit.h"
#include "sandbox/walls.h"
#include "virtual-hopper/rules.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int find_kit(struct kit *kit) {
  char error[600];
  return kit_find(kit, error, sizeof error) == 0 ? 0 : complain("%s", error);
}

// Never returns if all is well: the page is laid out by the script that lays out hints.
static int show_page(const struct kit *kit, const char *page) {
  enum { GOOD_TO_READ = 100 };
  char script[PATH_MAX], width[32];
  const unsigned columns = terminal_columns();
  snprintf(width, sizeof width, "width=%u", columns < GOOD_TO_READ ? columns : GOOD_TO_READ);
  kit_path(kit, script, "grader/cli/page.awk");
  char *command[] = {"awk", "-v", width, "-f", script, (char *)(uintptr_t)page, NULL};
  execvp(command[0], command);
  return complain("awk cannot be run: %s", strerror(errno));
}

static void list_rules(FILE *out) {
  for (size_t i = 0; i < rule_count(); i++)
    fprintf(out, "  %-28s %s\n", rule_at(i)->name, rule_at(i)->title);
}

// The first rule whose name holds what was given, or begins as it does; NULL: none.
static const char *rule_like(const char *given) {
  size_t length = strlen(given);
  for (size_t i = 0; length >= 3 && i < rule_count(); i++)
    if (strcasestr(rule_at(i)->name, given) || strncasecmp(rule_at(i)->name, given, 4) == 0)
      return rule_at(i)->name;
  return NULL;
}

int command_explain(int count, char **arguments) {
  struct kit kit;
  char path[PATH_MAX];
  if (count > 1) return complain("explain: one rule at a time: grader explain RULE");
  if (count == 0) {
    puts("The rules, each with a page (make explain RULE=NAME):\n");
    list_rules(stdout);
    return STATUS_PASSED;
  }
  const struct rule *rule = rule_find(arguments[0]);
  if (!rule) {
    fputs("The rules:\n", stderr);
    list_rules(stderr);
    return complain("there is no rule `%.60s`%s%s", arguments[0],
                    rule_like(arguments[0]) ? "; is it this one: " : "; they are above",
                    rule_like(arguments[0]) ? rule_like(arguments[0]) : "");
  }
  if (find_kit(&kit) != 0) return STATUS_ERROR;
  if (access(kit_path(&kit, path, "docs/rules/%s.md", rule->name), R_OK) == 0) return show_page(&kit, path);
  // The page is missing from this kit; the rule's own words are in the program.
  printf("%s\n\n  %s\n\n  To mend it: %s\n", rule->name, rule->title, rule->remedy);
  return STATUS_PASSED;
}

// ---- this machine ----

static void tell(const char *what, bool good, const char *text) {
  printf("  %-18s %-8s %s\n", what, good ? "yes" : "no", text);
}

// Tries every wall; returns how many were climbed.
static unsigned tell_walls(const struct kit *kit, enum sandbox_mode mode) {
  char text[200], hidden[PATH_MAX], solutions[PATH_MAX], root[PATH_MAX];
  const char *home = getenv("HOME");
  const char *const kept[] = {kit_path(kit, hidden, "grader/hidden"),
                              kit_path(kit, solutions, "solutions"),
                              kit_path(kit, root, "Makefile"),
                              "/etc/passwd",
                              "/var",
                              home && strcmp(home, "/") != 0 ? home : NULL, // / is nobody's home
                              NULL};
  unsigned climbed = 0;
  puts("\nWhat keeps a submission in, each tried just now:\n");
  for (size_t i = 0; i < wall_count(); i++) {
    bool held = wall_holds(i, mode, kept, text, sizeof text);
    climbed += !held;
    printf("  %-18s %-8s %s%s%s\n", wall_at(i).name, held ? "holds" : "climbed", wall_at(i).promise,
           held ? "" : ": ", held ? "" : text);
  }
  return climbed;
}

static void tell_grading(enum sandbox_mode mode, unsigned climbed, bool gpu) {
  puts(gpu ? "\nEverything can be graded here, bandwidth too."
           : "\nEverything but bandwidth can be graded here.");
  if (mode == SANDBOX_PLAIN)
    puts("Strangers' code is not run here: grade and batch need --trusted, and then it is not contained.");
  else if (climbed)
    printf("%u of the walls do not hold: don't grade strangers' code here.\n", climbed);
  else
    puts("Strangers' code can be graded: all walls hold.");
}

int command_doctor(int count, char **arguments) {
  struct kit kit;
  char text[DEVICE_TEXT], path[PATH_MAX], missing[256];
  if (count > 0) return complain("doctor takes no arguments, not %s", arguments[0]);
  if (find_kit(&kit) != 0) return STATUS_ERROR;
  printf("The kit in %s on this machine:\n\n", kit.root);
  bool nvcc = kit.nvcc[0] != '\0',
       library = access(kit_path(&kit, path, "build/lib/libcudart.so.13"), R_OK) == 0;
  enum sandbox_mode mode = sandbox_probe(missing, sizeof missing);
  tell("CUDA compiler", nvcc,
       nvcc ? kit.nvcc : "none found: type make, it says what is missing and installs it");
  tell("virtual Hopper", library, library ? "built" : "build/lib/libcudart.so.13 is missing: type make lab9");
  bool gpu = device_find_gpu(text, sizeof text);
  tell("Hopper GPU", gpu, text);
  tell("walls", mode == SANDBOX_NAMESPACES,
       mode == SANDBOX_NAMESPACES ? "bubblewrap, a user of its own, a filter for system calls" : missing);
  printf("  %-18s %ld\n", "cores", sysconf(_SC_NPROCESSORS_ONLN));
  unsigned climbed = tell_walls(&kit, mode);
  tell_grading(mode, climbed, gpu);
  return nvcc && library && (climbed == 0 || mode == SANDBOX_PLAIN) ? STATUS_PASSED : STATUS_ERROR;
}

int command_fingerprint(int count, char **arguments) {
  char text[FINGERPRINT_SIZE];
  if (count != 1) return complain("usage: grader fingerprint FILE");
  if (fingerprint_file(arguments[0], text) != 0) return complain("%s: %s", arguments[0], strerror(errno));
  puts(text);
  return STATUS_PASSED;
}
