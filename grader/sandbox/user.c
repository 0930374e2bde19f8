// For a grader that is root and has no walls (in Gradescope's container, for example). In: a plan. Out: a
// separate user for the program, who can't read files that are root's alone. The idea: root is given up only
// if that user can reach all that the plan needs; else everything stays as it was.
#include "sandbox/sandbox.h"

#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

// Called as the user. A path that doesn't exist for root either is left out.
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
