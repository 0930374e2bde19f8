// Words for copies under way. In: a fault as async/ states it. Out: its texts.
#include "virtual-hopper/rules/copy-words.h"

#include <stdio.h>
#include <string.h>

void copy_words_not_committed(const struct copy_facts *s, struct fault *f) {
  *f = (struct fault){.rule = RULE_STORE_NOT_COMMITTED, .severity = FAULT_ERROR};
  snprintf(f->role, sizeof f->role, "issues a bulk store that no group holds");
  snprintf(
      f->message, sizeof f->message,
      "The thread ends without a commit after this store of %u bytes: none of its waits covers the store (it "
      "committed %llu group%s before).",
      s->bytes, (unsigned long long)s->committed_groups, s->committed_groups == 1 ? "" : "s");
  if (s->others_wait) {
    const size_t used = strlen(f->message);
    snprintf(f->message + used, sizeof f->message - used,
             " Thread %u waits for bulk groups, and has issued no store: a commit and a wait are for the "
             "stores of their own thread, and this store is thread %u's.",
             s->idle_thread, s->thread);
    f->related_count = 1;
    snprintf(f->related[0].role, sizeof f->related[0].role,
             "waits for its own bulk groups, of which none has a store");
  }
  snprintf(f->remedy, sizeof f->remedy,
           "After the store, in the same thread: tma_commit_group(); and before the thread returns: "
           "tma_wait_until_read_pending<0>();");
}

void copy_words_not_awaited(const struct copy_facts *s, struct fault *f) {
  char waits[64] = "which never waits";
  *f = (struct fault){.rule = RULE_STORE_NOT_AWAITED, .severity = FAULT_ERROR, .edit = 1, .related_count = 1};
  if (s->waited)
    snprintf(waits, sizeof waits, "whose last wait, at line %u, does not cover it", s->wait_line);
  snprintf(f->role, sizeof f->role, "issues and commits a bulk store, and never waits for it");
  snprintf(
      f->message, sizeof f->message,
      "The store of %u bytes was committed by thread %u of its block, %s; thread %u waits, but has issued "
      "nothing: its wait returns at once. The block ends while the store may still read its shared memory.",
      s->bytes, s->thread, waits, s->idle_thread);
  snprintf(f->remedy, sizeof f->remedy,
           "In the thread that issued the store: tma_commit_group(); tma_wait_until_read_pending<0>();");
  snprintf(f->related[0].role, sizeof f->related[0].role,
           "waits for its own bulk groups, of which it has none");
}

void copy_words_freed(const struct copy_facts *s, struct fault *f) {
  *f = (struct fault){.rule = RULE_OUT_OF_BOUNDS, .severity = FAULT_ERROR};
  snprintf(f->role, sizeof f->role, "%s",
           s->to_global ? "issues a store to memory that is freed"
                        : "issues a load from memory that is freed");
  snprintf(f->message, sizeof f->message,
           "The copy of %u bytes was under way when a thread called free() for the global memory that it %s.",
           s->bytes, s->to_global ? "writes" : "reads");
  snprintf(f->remedy, sizeof f->remedy, "%s",
           s->to_global
               ? "Wait until the store has written (wait_group 0, without .read) before the memory is freed."
           : s->by_group ? "Wait for the load (cp.async.wait_all) before the memory is freed."
                         : "Wait for the load's barrier before the memory is freed.");
}

void copy_words_no_room(struct fault *f) {
  *f = (struct fault){.rule = RULE_ENDLESS_LOOP, .severity = FAULT_FATAL, .role = "executes this"};
  snprintf(
      f->message, sizeof f->message,
      "Millions of copies are under way, and nobody has waited for them: the device has no room for more.");
}
