// Words for a launch that can't go on. In: what diagnose/ has found. Out: its texts.
#include "virtual-hopper/rules/stuck-words.h"

#include <stdio.h>
#include <string.h>

#include "virtual-hopper/base/text.h"

typedef unsigned long long ull; // for %llu

// "thread 0", "threads 0-31" or "threads 1-31 and 33 (and 40 more)".
static void name_threads(const struct stuck_threads *t, char *text, size_t size) {
  uint32_t named = 0;
  snprintf(text, size, "thread%s ", plural(t->count));
  for (uint32_t i = 0; i < t->ranges; i++) {
    append(text, size, "%s%u", i ? " and " : "", t->first[i]);
    if (t->last[i] > t->first[i]) append(text, size, "-%u", t->last[i]);
    named += t->last[i] - t->first[i] + 1;
  }
  if (t->count > named) append(text, size, " (and %u more)", t->count - named);
}

static void begin_sentence(char *text) {
  text[0] = (char)(text[0] - 'a' + 'A');
}

// ---- groups of waiting threads ----------------------------------------------------------------------------

static void name_blocks(const struct stuck_group *g, char *text, size_t size) {
  if (g->flat_grid)
    snprintf(text, size, "block %u", g->block[0]);
  else
    snprintf(text, size, "block (%u,%u,%u)", g->block[0], g->block[1], g->block[2]);
  if (g->block_count > 1)
    append(text, size, " (the same in %llu more block%s)", (ull)g->block_count - 1,
           plural(g->block_count - 1));
}

static void tell_wait(const struct stuck_group *g, char *text, size_t size) {
  switch (g->wait) {
  case STUCK_AT_BLOCK_BARRIER:
    append(text, size,
           "waiting at barrier %llu of the block (__syncthreads is 0): %u of %u threads have arrived",
           (ull)g->barrier, g->arrived, g->awaited);
    if (g->gone > 0) append(text, size, ", and %u have left", g->gone);
    return;
  case STUCK_AT_CLUSTER_BARRIER:
    append(text, size, "waiting at the cluster barrier: %u of %u threads have arrived", g->arrived,
           g->awaited);
    return;
  case STUCK_FOR_LANES: append(text, size, "waiting for the lanes 0x%08x of their warp", g->lanes); return;
  case STUCK_FOR_MBARRIER:
    if (g->state[0])
      append(text, size, "waiting for the %s", g->state);
    else
      append(text, size, "waiting for an mbarrier");
    return;
  case STUCK_FOR_BULK_GROUPS: append(text, size, "waiting for bulk copies"); return;
  case STUCK_FOR_CP_ASYNC: append(text, size, "waiting for cp.async copies"); return;
  case STUCK_FOR_WARPGROUP: append(text, size, "waiting for another warp of the warpgroup"); return;
  case STUCK_FOR_REGISTERS: append(text, size, "waiting for %u registers each", g->registers); return;
  default: append(text, size, "%s", g->changes ? "in a loop" : "going round a loop in which nothing changes");
  }
}

void stuck_group_role(const struct stuck_group *g, char *role, size_t size) {
  char threads[128], blocks[96];
  name_threads(&g->threads, threads, sizeof threads);
  name_blocks(g, blocks, sizeof blocks);
  snprintf(role, size, "%s of %s", threads, blocks);
  if (g->wait == STUCK_IN_LOOP && g->changes)
    append(role, size, " %s here", g->threads.count == 1 ? "is" : "are");
  else
    append(role, size, " wait%s here", g->threads.count == 1 ? "s" : "");
}

void stuck_group_words(const struct stuck_group *g, struct fault *f) {
  char threads[128], blocks[96], line[192];
  name_threads(&g->threads, threads, sizeof threads);
  name_blocks(g, blocks, sizeof blocks);
  place_line_words(g->at, f->place.file ? f->place.file : g->at.file, line, sizeof line);
  begin_sentence(threads);
  append(f->message, sizeof f->message, " %s of %s, at %s, %s ", threads, blocks, line,
         g->threads.count == 1 ? "is" : "are");
  tell_wait(g, f->message, sizeof f->message);
  append(f->message, sizeof f->message, ".");
}

void stuck_arrival_role(const char *barrier, char *role, size_t size) {
  snprintf(role, size, "arrives on the %s, in a later turn", barrier);
}

void stuck_load_role(bool later, const char *barrier, char *role, size_t size) {
  snprintf(role, size, later ? "starts a later load, on the %s" : "starts the last load on the %s", barrier);
}

// ---- causes -----------------------------------------------------------------------------------------------

// Who signals the barrier, as the program has shown before, and what that thread does now.
static void tell_signaller(const struct stuck_facts *s, char *text, size_t size) {
  const struct stuck_signaller *g = &s->signaller;
  char line[192], waits[192], who[64];
  place_line_words(g->line, s->file, line, sizeof line);
  if (!g->known && *g->stray) {
    place_line_words(g->stray_line, s->file, line, sizeof line);
    append(text, size, " Threads arrive, at %s, on the %s instead, for which nobody waits.", line, g->stray);
  }
  if (!g->known || !g->line.line) return;
  snprintf(who, sizeof who, g->other_block ? "thread %u of block %u of the cluster" : "thread %u", g->thread,
           g->block_rank);
  if (*g->on)
    append(text, size, " On the %s, %s %s at %s, and", g->on, who, g->loads ? "loads" : "arrives", line);
  else
    append(text, size, " Of the phase before, %s at %s is %s's: it",
           g->loads ? "the load" : "the last arrival", line, who);
  if (g->ended) {
    append(text, size, " has ended.");
  } else if (g->waits.line) {
    place_line_words(g->waits, s->file, waits, sizeof waits);
    append(text, size, " now waits at %s.", waits);
  } else {
    append(text, size, " is elsewhere now.");
  }
}

// A phase for which something is missing.
static void tell_phase(const struct stuck_facts *s, char *text, size_t size) {
  switch (s->cause) {
  case STUCK_LOADS_ELSEWHERE:
    append(text, size,
           "Phase 0 of the %s, its first one, takes %u arrival%s, and nobody has arrived. The loads complete "
           "on another one: a phase of the %s is complete, and no thread has seen it.",
           s->name, s->expected_arrivals, plural(s->expected_arrivals), s->other_name);
    return;
  case STUCK_NO_FIRST_LOAD:
    append(text, size, "For phase 0 of the %s, its first one, nobody has arrived%s.", s->name,
           s->arrivals_alone || (s->signaller.known && !s->signaller.loads)
               ? ""
               : " and no load was ever started");
    tell_signaller(s, text, size);
    return;
  case STUCK_NO_NEXT_LOAD:
    append(text, size, "For phase %llu of the %s, which has been in use before, nobody has arrived%s.%s",
           (ull)s->phase, s->name, s->arrivals_alone ? "" : " and no load was ever started",
           s->none_loads ? " Nor has any other barrier got its next load." : "");
    tell_signaller(s, text, size);
    return;
  default: return;
  }
}

static void tell_cause(const struct stuck_facts *s, char *text, size_t size) {
  char who[128];
  name_threads(&s->threads, who, sizeof who);
  switch (s->cause) {
  case STUCK_OUT_OF_REACH:
    begin_sentence(who);
    append(text, size,
           "%s, at line %u, can't come to the barrier at line %u, whichever way the code goes from there; "
           "and that barrier, __syncthreads(), waits for every thread of the block.",
           who, s->line, s->barrier_line);
    return;
  case STUCK_FIRST_WAIT:
    append(text, size,
           "Nothing has happened yet on the %s, for which %s wait%s, and the others wait for what comes "
           "after that.",
           s->name, who, s->threads.count == 1 ? "s" : "");
    return;
  case STUCK_NEVER_ARRIVED:
    append(text, size, "Nobody has ever arrived on the %s, for which %s wait%s.", s->name, who,
           s->threads.count == 1 ? "s" : "");
    tell_signaller(s, text, size);
    return;
  case STUCK_LOADS_ELSEWHERE:
  case STUCK_NO_FIRST_LOAD:
  case STUCK_NO_NEXT_LOAD: tell_phase(s, text, size); return;
  case STUCK_LEFT_OUT_LOAD:
    begin_sentence(who);
    append(text, size,
           "%s has seen the stage of the %s given back, by the phase %llu of the %s that is complete. But it "
           "has not loaded the stage again, and waits until it is given back once more.",
           who, s->name, (ull)s->phase - 1, s->other_name);
    return;
  case STUCK_LEFT_OUT_ARRIVAL:
    append(text, size,
           "Phase %llu of the %s, for which %s wait%s, has had no arrival; but phase %llu of the %s, of the "
           "same array, is complete. So there was a turn in which nobody arrived on the first one.",
           (ull)s->phase, s->name, who, s->threads.count == 1 ? "s" : "", (ull)s->other_phase - 1,
           s->other_name);
    return;
  case STUCK_CLUSTER_BARRIER:
    begin_sentence(who);
    append(
        text, size,
        "The cluster's barrier waits for every thread of all the cluster's blocks. %s of the same block "
        "stand%s before a barrier of the block, for which those at the cluster's barrier are awaited: each "
        "waits for the other.",
        who, s->threads.count == 1 ? "s" : "");
    return;
  default: return; // the groups that wait say it all
  }
}

static const char *fixed_remedy(enum stuck_cause cause) {
  switch (cause) {
  case STUCK_OUT_OF_REACH:
    return "Where only some threads come by, let only those meet: __syncwarp() in a warp, or an "
           "mbarrier that each of them arrives on. __syncthreads() belongs where all threads of the "
           "block reach it.";
  case STUCK_FIRST_WAIT:
    return "If it tells that a buffer is empty, the first wait for it has to pass, since nobody has "
           "filled the buffer yet. A fresh barrier answers at once if it is asked for parity 1: whoever "
           "fills the stages asks for the other parity than whoever reads them, in every round of the ring.";
  case STUCK_NO_NEXT_LOAD:
    return "Every turn needs its load: one thread calls expect_bytes_and_arrive(bar, bytes) and starts "
           "the copy, on the barrier of the very stage that is waited for next. Where the ring is "
           "filled again: does it happen before this wait, and for this stage? Where there is no ring, "
           "this is one wait too many: a barrier with one load has one phase, and is waited for once.";
  case STUCK_CLUSTER_BARRIER:
    return "Call cluster_arrive(); cluster_wait(); in every thread of the cluster's blocks, outside any "
           "`if`: one thread or one warp can't stand for its block. It takes in what __syncthreads() does, "
           "which need not stand beside it.";
  case STUCK_LEFT_OUT_LOAD:
    return "Is there a `continue`, or a condition, between the wait that tells that the stage is empty and "
           "the load? Each time that a stage was given back it is loaded again, with its bytes announced on "
           "its full barrier.";
  case STUCK_LEFT_OUT_ARRIVAL:
    return "Whoever has used a stage gives back that very stage, in every turn: is there a `continue` or a "
           "condition that leads past the arrival, or another stage's barrier in it?";
  case STUCK_CIRCLE:
    return "Each waits for what the others do next. Follow one stage: who arrives on each of its "
           "barriers in this phase, and does the parity asked for belong to it? It flips once for each "
           "phase of that barrier.";
  default:
    return "Look at who is missing where others wait: threads that have left, that wait elsewhere, or "
           "whose branch doesn't come by.";
  }
}

// What the program has shown before says more than a guess. Returns false when it says nothing.
static bool advise_signaller(const struct stuck_facts *s, char *text, size_t size) {
  const struct stuck_signaller *g = &s->signaller;
  if (!g->known && *g->stray) {
    snprintf(
        text, size,
        "Was this barrier meant there, too? It takes %u arrival%s. Whoever arrives and whoever waits have "
        "to name the same barrier.",
        s->expected_arrivals, plural(s->expected_arrivals));
    return true;
  }
  if (!g->known || (*g->on == '\0' && !g->ended)) return false;
  if (g->ended && g->loads)
    snprintf(text, size,
             "Whoever loads and whoever waits have to make the same number of turns: compare the ends of the "
             "two loops, and look for a `break`, a `return` or a `continue` before the load.");
  else if (g->ended)
    snprintf(text, size,
             "Whoever arrives and whoever waits have to make the same number of turns: compare the ends of "
             "the two loops, and look for a `break`, a `return` or a `continue` before the arrival.");
  else
    snprintf(
        text, size,
        "Is there a `continue` or a condition before the %s, or another barrier's index in it? Each stage "
        "of a ring has its own barrier, and each of them gets its %s in turn.",
        g->loads ? "load" : "arrival", g->loads ? "load" : "arrivals");
  return true;
}

#define PIPELINE_WAITS                                                                                     \
  "The barrier is that of a stage of a cuda::pipeline. producer_acquire() waits until all consumers have " \
  "called consumer_release() for the stage, and consumer_wait() until all producers have called "          \
  "producer_commit(): "

static bool advise_pipeline(const struct stuck_facts *s, char *text, size_t size) {
  if (!s->of_pipeline || s->cause == STUCK_UNCLEAR) return false;
  snprintf(text, size,
           PIPELINE_WAITS
           "that call is missing here, or not all of the %u threads come to it. Or are more stages acquired, "
           "without a release between, than the pipeline has?",
           s->expected_arrivals);
  return true;
}

void stuck_pipeline_words(uint32_t expected_arrivals, char *remedy, size_t size) {
  snprintf(remedy, size,
           PIPELINE_WAITS
           "not all of the %u threads come to that call. Is there a condition, a `continue`, a `break` or a "
           "`return` before it, or is the number of producers wrong that make_pipeline() is given?",
           expected_arrivals);
}

static void advise(const struct stuck_facts *s, char *text, size_t size) {
  const uint32_t arrivals = s->expected_arrivals;
  if (advise_pipeline(s, text, size)) return;
  switch (s->cause) {
  case STUCK_NEVER_ARRIVED:
    if (advise_signaller(s, text, size)) return;
    snprintf(
        text, size,
        "It takes %u arrival%s. If it tells that a buffer is empty, its readers arrive on it after their "
        "last read: __syncwarp(), then arrive(bar) in one lane of each warp, or in as many threads as "
        "its count says.",
        arrivals, plural(arrivals));
    return;
  case STUCK_LOADS_ELSEWHERE:
    snprintf(text, size,
             "Was the %s meant? Whoever reads a tile waits for the barrier that its load completes on; "
             "whoever loads the next tile over it waits for the one that the readers arrive on.",
             s->other_name);
    return;
  case STUCK_NO_FIRST_LOAD:
    if (advise_signaller(s, text, size)) return;
    if (s->arrivals_alone)
      snprintf(
          text, size,
          "It takes %u arrival%s: let %s arrive on it, arrive(bar), before the wait or in another thread. "
          "Or is it another barrier that was meant here?",
          arrivals, plural(arrivals), arrivals == 1 ? "one thread" : "so many threads");
    else if (arrivals == 1)
      snprintf(text, size,
               "Before anybody waits for it, one thread calls expect_bytes_and_arrive(bar, bytes) and starts "
               "the copy on this barrier; in a ring, for each stage.");
    else
      snprintf(text, size,
               "It takes %u arrivals: let so many threads arrive on it, as they can only if they don't wait "
               "for what comes after this; or is it another barrier that was meant here?",
               arrivals);
    return;
  case STUCK_NO_NEXT_LOAD:
    if (advise_signaller(s, text, size)) return;
    if (!s->arrivals_alone) break;
    snprintf(
        text, size,
        "Each phase of it takes %u arrivals, and nobody is left who would make them for this one. Is this "
        "a wait too many, or does it ask for the parity of the next phase? If not, the threads have to "
        "arrive again, arrive(bar), before they wait.",
        arrivals);
    return;
  default: break;
  }
  snprintf(text, size, "%s", fixed_remedy(s->cause));
}

// The barrier whose arrivals or loads never come, if something is missing and nothing else is wrong.
static void note_missing(const struct stuck_facts *s, struct fault *fault) {
  const bool next = s->cause == STUCK_NO_NEXT_LOAD && s->none_loads;
  if (s->cause != STUCK_NEVER_ARRIVED && s->cause != STUCK_NO_FIRST_LOAD && !next) return;
  const char *begin = strchr(s->name, '`');
  if (begin)
    snprintf(fault->missing, sizeof fault->missing, "%.*s", (int)strcspn(begin + 1, "`"), begin + 1);
  else if (s->init.line)
    snprintf(fault->missing, sizeof fault->missing, "line %u", s->init.line);
  else
    return;
  fault->missing_again = next;
}

void stuck_words(const struct stuck_facts *facts, struct fault *fault) {
  fault->message[0] = '\0';
  tell_cause(facts, fault->message, sizeof fault->message);
  advise(facts, fault->remedy, sizeof fault->remedy);
  note_missing(facts, fault);
  fault->edit_is_guess = facts->cause == STUCK_CIRCLE || facts->cause == STUCK_UNCLEAR;
}

// ---- the launch as a whole --------------------------------------------------------------------------------

static const char *name_count(uint64_t count, char *text, size_t size) {
  if (count >= 1000000000)
    snprintf(text, size, "%.3g G", (double)count / 1e9);
  else if (count >= 1000000)
    snprintf(text, size, "%.3g M", (double)count / 1e6);
  else
    snprintf(text, size, "%llu", (ull)count);
  return text;
}

static void tell_budget(const struct stuck_summary *s, struct fault *f) {
  char count[32];
  append(f->message, sizeof f->message,
         "The kernel ran for %s instructions of its warps without an end in sight.",
         name_count(s->instructions, count, sizeof count));
  if (s->awaits_barrier && !*f->remedy)
    snprintf(f->remedy, sizeof f->remedy,
             "Threads wait for a barrier here, by a loop that asks again and again: does its count fit the "
             "threads that arrive, and do all its bytes come? If so, check the loop's end condition.");
  if (s->unstarted == 0) return;
  append(f->message, sizeof f->message, " %llu of its %llu blocks had ended, and %llu had not started.",
         (ull)s->ended, (ull)s->blocks, (ull)s->unstarted);
  if (s->many_have_ended)
    snprintf(f->remedy, sizeof f->remedy,
             "Block after block ends, so it isn't a loop: is the number of blocks right, the first in "
             "<<<..>>>?");
}

void stuck_summary_words(const struct stuck_summary *s, struct fault *f) {
  if (f->message[0]) append(f->message, sizeof f->message, "\n");
  if (s->no_way_out) {
    append(f->message, sizeof f->message,
           "The kernel never ends: nothing leads out of this loop, as in while (true) without a break.");
    snprintf(f->remedy, sizeof f->remedy,
             "Give the loop a condition that ends it, or a break that is reached.");
    return;
  }
  if (s->budget_spent) {
    tell_budget(s, f);
    return;
  }
  append(f->message, sizeof f->message, "%s",
         s->loops ? "The kernel never ends: a loop comes back to where it was, and nothing has changed."
                  : "No thread can go on any more; on the chip the kernel would hang.");
  if (s->host_rests)
    append(f->message, sizeof f->message,
           " It reads memory that the host could change, but the host's only thread waits for the kernel's "
           "end.");
  if (s->unstarted)
    append(f->message, sizeof f->message,
           " %llu blocks haven't started: the chip holds no more at a time, and those that run don't end.",
           (ull)s->unstarted);
}

void stuck_alone_words(char *what, size_t size) {
  snprintf(what, size, "%s",
           "a kernel that polls global memory until another stream's kernel or copy writes it (all that a "
           "program starts runs one after another here)");
}

// ---- lanes ------------------------------------------------------------------------------------------------

void stuck_lanes_words(const struct stuck_lanes *s, struct fault *f) {
  f->rule = RULE_WARP_SYNC_MASK;
  f->severity = FAULT_FATAL;
  snprintf(f->role, sizeof f->role, "waits here for the lanes 0x%08x of its warp", s->named);
  snprintf(f->message, sizeof f->message,
           "The instruction names the lanes 0x%08x of warp %u, and waits until all of them execute it. Lanes "
           "0x%08x have come; lanes 0x%08x never do.",
           s->named, s->warp, s->come, s->never);
  snprintf(f->remedy, sizeof f->remedy,
           "Call it where all the named lanes come by, outside the branch; or name exactly those that do, as "
           "__ballot_sync() before the branch tells them.");
}

void stuck_absent_role(uint32_t lanes, bool wait, char *role, size_t size) {
  snprintf(role, size, "lanes 0x%08x, which are named too, %s", lanes,
           wait ? "wait here instead" : "are here instead");
}

void stuck_count_words(const struct stuck_count *count, struct fault *fault) {
  const struct stuck_count *c = count;
  char line[192];
  fault->rule = RULE_NAMED_BARRIER;
  fault->severity = FAULT_FATAL;
  snprintf(fault->role, sizeof fault->role, "waits here");
  if (c->other == STUCK_COUNT_OTHERS_ENDED || c->other == STUCK_COUNT_OUT_OF_REACH) {
    snprintf(
        fault->message, sizeof fault->message,
        "Barrier %llu counts %u threads in line %u: %u have come, and the other threads of the block %s.",
        (unsigned long long)c->barrier, c->awaited, c->line, c->arrived,
        c->other == STUCK_COUNT_OTHERS_ENDED
            ? "have ended"
            : "have ended, or can't come to it, whichever way the code goes from where they are");
    snprintf(
        fault->remedy, sizeof fault->remedy,
        "If these threads alone should meet, count them: bar.sync %llu, %u. If not, let the others come to "
        "the barrier before they end, by bar.sync or bar.arrive.",
        (unsigned long long)c->barrier, c->arrived);
    if (!c->way_out.line) return;
    place_line_words(c->way_out, fault->place.file, line, sizeof line);
    append(fault->message, sizeof fault->message,
           " At %s a branch leads out of the kernel, before the barrier.", line);
    snprintf(fault->related[0].role, sizeof fault->related[0].role, "threads leave the kernel here");
    return;
  }
  if (c->other < 0) {
    snprintf(
        fault->message, sizeof fault->message,
        "Barrier %llu counts %u threads in line %u, but a block has only %u: %u have come, and nobody is "
        "left who could.",
        (unsigned long long)c->barrier, c->awaited, c->line, c->threads, c->arrived);
    snprintf(
        fault->remedy, sizeof fault->remedy,
        "Count the threads that come to the barrier: 32 for each warp, those that only arrive among them.");
    return;
  }
  snprintf(fault->message, sizeof fault->message,
           "Threads wait at barrier %llu in line %u, where %u of %u have come. The %u that are missing have "
           "arrived at barrier %d, in line %u, where nobody waits.",
           (unsigned long long)c->barrier, c->line, c->arrived, c->awaited, c->other_arrived, c->other,
           c->other_line);
  snprintf(fault->remedy, sizeof fault->remedy, "Let both name the same barrier.");
  snprintf(fault->related[0].role, sizeof fault->related[0].role, "arrives at barrier %d", c->other);
}

void stuck_skip_words(const struct stuck_skip *s, struct fault *fault) {
  char line[192], stands[192];
  const char *file = fault->place.file;
  place_line_words(s->line, file, line, sizeof line);
  place_line_words(s->stands, file, stands, sizeof stands);
  fault->rule = RULE_NAMED_BARRIER;
  fault->severity = FAULT_FATAL;
  snprintf(fault->role, sizeof fault->role,
           s->beside_others ? "the arrival at barrier %llu that warp %u has left out"
                            : "the last arrival at barrier %llu of warp %u, which is missing now",
           (ull)s->barrier, s->warp);
  snprintf(fault->related[0].role, sizeof fault->related[0].role,
           "waits here, without having arrived there%s", s->beside_others ? "" : " again");
  snprintf(fault->related[1].role, sizeof fault->related[1].role, "waits for it, at barrier %llu",
           (ull)s->barrier);
  int used =
      snprintf(fault->message, sizeof fault->message,
               "Barrier %llu counts %u threads, and %u have come. Warp %u is missing: ", (ull)s->barrier,
               s->awaited, s->arrived, s->warp);
  snprintf(fault->message + used, sizeof fault->message - (size_t)used,
           s->beside_others
               ? "others, that now stand where it does, arrived at %s, but it has gone on to %s without that."
               : "it arrived the last time at %s, and has gone on to %s without coming again.",
           line, stands);
  snprintf(
      fault->remedy, sizeof fault->remedy,
      "Let every warp that the barrier counts come to it each time: is there a condition, a `continue` or "
      "a `break` that leads this warp past the bar.sync or bar.arrive? If it should not come, count 32 "
      "threads less, in all lines that name this barrier.");
}

void stuck_registers_words(const struct stuck_registers *r, struct fault *fault) {
  fault->rule = RULE_REGISTER_POOL;
  fault->severity = FAULT_FATAL;
  snprintf(fault->role, sizeof fault->role, "waits here for %u registers", r->asked);
  snprintf(fault->message, sizeof fault->message,
           "setmaxnreg.inc waits until the block can give each thread of the warp %u registers more, and it "
           "has %u left for one warp. The block began with %u warps of %u registers a thread: that is all "
           "that its warps can have together. A warp that has ended keeps its own, and nobody who could give "
           "some back goes on.",
           r->asked - r->held, r->free, r->warps, r->at_first);
  snprintf(fault->remedy, sizeof fault->remedy,
           "Choose counts whose sum over all warps is at most %u times %u; and let those that give "
           "registers back do it before anybody waits for them.",
           r->warps, r->at_first);
}

void stuck_gone_words(const struct stuck_gone *g, struct fault *f) {
  char who[128], line[192] = "";
  name_threads(&g->threads, who, sizeof who);
  begin_sentence(who);
  const bool one = g->threads.count == 1;
  if (g->by_number)
    append(f->message, sizeof f->message, " %s of the block %s ended: as many as are missing.", who,
           one ? "has" : "have");
  else if (*g->on)
    append(f->message, sizeof f->message, " %s, which arrived on the %s, %s ended.", who, g->on,
           one ? "has" : "have");
  else
    append(f->message, sizeof f->message, " %s, which arrived in another phase, %s ended.", who,
           one ? "has" : "have");
  if (g->way_out.line) {
    place_line_words(g->way_out, f->related[0].place.file, line, sizeof line);
    snprintf(f->related[f->related_count - 1].role, sizeof f->related[0].role,
             "leaves the kernel here, as others do");
  }
  snprintf(f->remedy, sizeof f->remedy,
           "Let every thread that the barrier counts arrive before it leaves: %s%s%s? Or count only the "
           "threads that stay, where the barrier is initialised; or let a thread that leaves take itself out "
           "of the count, mbarrier.arrive_drop.",
           *line ? "is it the way out at " : "is there a `return` or a `break` before the arrival", line,
           *line ? ", before the arrival" : "");
}
