// Where there are no walls, and the grader is root (Gradescope's container, say). In: a plan. Out: a user of its own for the program, whom
// files of root's alone are closed to. The idea: given up only where that user can reach all that the plan needs; else all stays as it was.
#include "sandbox/sandbox.h"

#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

// As the user. What isn't there for root either doesn't count.
static bool reaches(const struct sandbox_plan *plan, const bool *there) {
  if (access(plan->arguments[0], X_OK) != 0 || access(plan->directory, W_OK | X_OK) != 0) return false;
  for (size_t i = 0; plan->readable && plan->readable[i]; i++)
    if (i < SANDBOX_MOST_READABLE && there[i] && access(plan->readable[i], R_OK) != 0) return false;
  return true;
}

unsigned sandbox_plain_user(const struct sandbox_plan *plan) {
  unsigned user = sandbox_user(plan);
  bool there[SANDBOX_MOST_READABLE] = {false};
  if (!user) return 0;
  for (size_t i = 0; plan->readable && plan->readable[i] && i < SANDBOX_MOST_READABLE; i++)
    there[i] = access(plan->readable[i], R_OK) == 0;
  if (sandbox_give_away(plan->directory, user) != 0) return 0;
  int status = -1;
  pid_t pid = fork();
  if (pid == 0) _exit(sandbox_become(user) == 0 && reaches(plan, there) ? 0 : 1);
  while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0) return user;
  sandbox_give_away(plan->directory, 0);
  return 0;
}
