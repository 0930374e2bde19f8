// In: a conflict, and what the program does against it. Out: the role of that deed, and the words for a flag
// that is set too early. One idea there: there is a flag, so "nothing makes the reader wait" would send the
// student astray.
#include "virtual-hopper/rules/culprit-words.h"

#include <stdio.h>

const char *culprit_role(const struct conflict_facts *k) {
  if (culprit_is_fence(k)) return "calls the proxy fence";
  if (k->culprit.kind == WAIT_RELAXED) return "waits with .relaxed";
  if (k->culprit.kind == ARRIVAL_RELAXED) return "arrives with .relaxed";
  if (k->culprit.kind == BARRIER_NOT_AWAITED) return "arrives at a barrier of the block, and does not wait";
  if (k->culprit.kind == TOLD_BY_STRANGER)
    return "tells the other block, in a thread that had not met the one above";
  return k->earlier == DEED_CP_ASYNC ? "waits for groups of cp.async" : "waits for bulk groups";
}

static const char *deed_of(const struct conflict_facts *k) {
  return k->earlier == DEED_WRITE ? "write" : "read";
}

void told_message(const struct conflict_facts *k, const char *line, char *text, size_t size) {
  snprintf(
      text, size,
      "The other block is told by the access at %s. But that speaks for its own thread, and for what that "
      "thread had been made to wait for: and nothing makes it wait for this %s of another thread of its "
      "block, which may come later.",
      line, deed_of(k));
}

void told_remedy(const struct conflict_facts *k, struct fault *fault) {
  snprintf(
      fault->remedy, sizeof fault->remedy,
      "Put __syncthreads() between the %s and the access that tells the other block, where every thread of "
      "the block reaches it.",
      deed_of(k));
}

void culprit_remedy_barrier(struct fault *fault) {
  snprintf(
      fault->remedy, sizeof fault->remedy,
      "Write bar.sync for bar.arrive in the threads that use what others did: bar.arrive only hands over "
      "what its own thread did.");
  fault->edit = (int)fault->related_count;
}
