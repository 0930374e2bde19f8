// In: a timeline. Out: sentences. One idea: a kernel that doesn't reach the memory's rate either keeps too
// few bytes in flight, and then the warp that starts the loads waits for something else most of the time; or
// it keeps enough, and then something other than the memory is busy.
#include "virtual-hopper/time/timeline.h"

#include <math.h>
#include <string.h>

static const char *const words_of[TIMELINE_STATES] = {
#define STATE(name, of_stage, words, word, paint) words,
#include "virtual-hopper/time/timeline.def"
#undef STATE
};

enum { FEW_THREADS = 8, SMALL_COPY = 4096 };
static const double SOME_PROCESSORS = 0.9; // of the chip's
static const double FEW_WARPS = 0.4;       // of what the busiest warp works, the others as a mean
static const double TAIL = 0.15;           // of all places in all waves
static const float LEAST_READ = 1 << 20;   // bytes of a launch that reads
static const double TAKES_ITS_TURN = 0.25;
static const double BUSY = 0.5, HARDLY = 0.1, NEARLY_ALL = 0.85, ALL_THE_TIME = 0.9; // shares of the time
static const double ENOUGH = 0.9; // of the memory's time, where as much as it wants is in flight

void timeline_short_name(const char *what, char *name, size_t size) {
  const char *from = strchr(what, '`'), *to = from ? strchr(from + 1, '`') : NULL;
  const char *offset = strstr(what, "shared offset 0x");
  if (!to) {
    snprintf(name, size, "%s%s", offset ? "at " : "", offset ? offset + strlen("shared offset ") : what);
    return;
  }
  const bool inside = strncmp(to + 1, " + ", 3) == 0 && strncmp(to + 1, " + 0 ", 5) != 0;
  const size_t more = inside ? 3 + strspn(to + 4, "0123456789") : 0;
  snprintf(name, size, "%.*s%.*s", (int)(to - from - 1), from + 1, (int)more, to + 1);
}

void timeline_shorten(const char *text, char *to, size_t size) {
  const size_t length = strlen(text), room = size - 1, front = room / 3, back = room - front - 2;
  if (length <= room)
    memcpy(to, text, length + 1);
  else
    snprintf(to, size, "%.*s..%s", (int)front, text, text + length - back);
}

static double percent(double share) {
  return share > 1 ? 100 : 100 * share;
}

static float unused(const struct timeline_lane *stage) {
  return stage->share[TIMELINE_EMPTY] + stage->share[TIMELINE_KEPT];
}

// The stage that stands empty most; NULL: none.
static const struct timeline_lane *emptiest(const struct timeline *t) {
  const struct timeline_lane *best = NULL;
  for (uint32_t i = 0; i < t->lane_count; i++) {
    const struct timeline_lane *lane = &t->lanes[i];
    const bool stored_only = strncmp(lane->name, "buffer", 6) == 0; // stages that are loaded say more
    if (!lane->is_stage || !lane->is_shown || (best && stored_only)) continue;
    if (!best || strncmp(best->name, "buffer", 6) == 0 || unused(lane) > unused(best)) best = lane;
  }
  return best;
}

static const struct timeline_lane *loader(const struct timeline *t) {
  for (uint32_t i = 0; i < t->lane_count; i++)
    if (!t->lanes[i].is_stage && t->lanes[i].loads) return &t->lanes[i];
  return NULL;
}

struct wait {          // what a lane waits for most
  uint8_t state, note; // note: of this state, the one that takes most
  double share, most;  // of the state, and of the note alone
};

// A ring's warp waits for loads because it waited for something else when they should have begun.
static double weight_of(const struct timeline *t, uint32_t state) {
  const double follows = 0.6;
  if (state == TIMELINE_WORKS) return 0;
  return state == TIMELINE_AWAITS_LOAD && t->stages >= 2 ? follows : 1;
}

static struct wait longest_wait(const struct timeline *t, const struct timeline_lane *lane) {
  struct wait w = {.state = TIMELINE_WORKS, .note = TIMELINE_NO_NOTE};
  double by_note[TIMELINE_NOTES] = {0}, by_state[TIMELINE_STATES] = {0}, heaviest = 0;
  const double length = (double)(t->end - t->begin);
  uint8_t state_of[TIMELINE_NOTES] = {0};
  for (uint32_t i = 0; i < t->span_count; i++) {
    const struct timeline_span *s = &t->spans[i];
    if (&t->lanes[s->lane] != lane) continue;
    by_state[s->state] += (double)(s->end - s->begin) / length;
    if (s->note >= t->note_count) continue;
    by_note[s->note] += (double)(s->end - s->begin) / length;
    state_of[s->note] = s->state;
  }
  for (uint32_t i = 0; i < TIMELINE_STATES; i++) {
    if (!(by_state[i] * weight_of(t, i) > heaviest)) continue;
    heaviest = by_state[i] * weight_of(t, i);
    w.state = (uint8_t)i;
    w.share = by_state[i];
  }
  for (uint32_t i = 0; i < t->note_count; i++)
    if (state_of[i] == w.state && by_note[i] > w.most) w.note = (uint8_t)i, w.most = by_note[i];
  return w;
}

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static void say_flight(const struct timeline *t, FILE *out) {
  if (!(t->wanted >= 1)) return; // it reads nothing from the memory
  fprintf(out, "Each processor has %.1f KiB of loads in flight, as a mean. ", (double)t->in_flight / 1024);
  fprintf(out, "For 93 %% of the memory's rate it wants %.1f KiB.\n", (double)t->wanted / 1024);
}

// Processors without a block; a last wave that leaves most places empty; blocks that end as soon as others
// start.
static void say_launch(const struct timeline *t, FILE *out) {
  const double places = (double)t->processors * t->blocks_on_processor, blocks = t->blocks;
  const double waves = blocks / places, left = ceil(waves) - waves;
  if (blocks < SOME_PROCESSORS * t->processors) {
    fprintf(out,
            "The launch has %u block%s, so %u of the chip's %u processors have nothing to do. "
            "More blocks help most.\n",
            t->blocks, t->blocks == 1 ? "" : "s", t->processors - t->blocks, t->processors);
    return;
  }
  if (t->blocks_on_processor < t->blocks_fit || !(waves > 1) || !(left > TAIL * ceil(waves))) return;
  fprintf(out,
          "%.0f blocks are on the chip at once. The launch has %u: the last %.0f run beside empty "
          "places.\n",
          places, t->blocks, blocks - floor(waves) * places);
}

// What is loaded more often than it comes from the memory.
static void say_cached(const struct timeline *t, FILE *out) {
  const double most = 0.7;
  if (!(t->read >= LEAST_READ) || !((double)t->missed < most * (double)t->read)) return;
  fprintf(out,
          "Of the bytes that it loads, %.0f %% come from the L2 cache: asked for more than once, or there "
          "before.\n",
          percent(1 - (double)t->missed / (double)t->read));
}

// "more blocks on a processor (2 are there, and 16 have room)", or what makes room for more.
static void say_more_blocks(const struct timeline *t, FILE *out) {
  const uint32_t most_threads = 2048, most_blocks = 32;
  if (t->blocks_on_processor >= t->blocks_fit && t->blocks_fit == most_blocks)
    fputs("larger tiles, since no more blocks fit on a processor", out);
  else if (t->blocks_on_processor >= t->blocks_fit && (t->blocks_fit + 1) * t->threads > most_threads)
    fputs("fewer threads in a block, so that more blocks fit on a processor", out);
  else if (t->blocks_on_processor >= t->blocks_fit)
    fputs("blocks with less shared memory or fewer registers, so that more of them fit on a processor", out);
  else
    fprintf(out, "more blocks on a processor (%u %s there, and %u have room)", t->blocks_on_processor,
            t->blocks_on_processor == 1 ? "is" : "are", t->blocks_fit);
}

// Whether all that could be in flight is too little. `remedy`: with what helps.
static bool say_room(const struct timeline *t, bool remedy, FILE *out) {
  if (!(t->room >= 1) || !(t->room < t->wanted)) return false;
  fprintf(out, "All stages on a processor hold only %.1f KiB together.", (double)t->room / 1024);
  if (remedy) fputs(" Larger tiles or more stages hold more", out);
  if (remedy && t->blocks_on_processor < t->blocks_fit) {
    fputs(", and so do ", out);
    say_more_blocks(t, out);
  }
  fputs(remedy ? ".\n" : "\n", out);
  return true;
}

// Blocks that end as soon as new ones start.
static bool say_starts(const struct timeline *t, FILE *out) {
  const double most = 0.7, places = (double)t->processors * t->blocks_on_processor;
  if (t->blocks_on_processor < 2 || (double)t->blocks < 2 * places) return false;
  if (!((double)t->blocks_there < most * t->blocks_on_processor)) return false;
  fprintf(
      out,
      "A processor has room for %u blocks, but %.0f are there as a mean: they end as fast as new ones start. "
      "Give each block more to do: a larger tile, or several.\n",
      t->blocks_on_processor, (double)t->blocks_there);
  return true;
}

static void say_stage(const struct timeline *t, FILE *out) {
  const struct timeline_lane *lane = emptiest(t);
  if (!lane) return;
  static const uint8_t order[] = {TIMELINE_EMPTY, TIMELINE_KEPT,    TIMELINE_LOADING,
                                  TIMELINE_FULL,  TIMELINE_READING, TIMELINE_STORING};
  const bool is_block = strncmp(lane->name, "block", 5) == 0;
  fprintf(out, is_block ? "The shared memory of a block" : "The %s", lane->name);
  int said = 0;
  for (size_t i = 0; i < sizeof order; i++) {
    if (!((double)lane->share[order[i]] >= 0.02)) continue;
    fprintf(out, "%s %s %.0f %% of the time", said ? "," : "", words_of[order[i]],
            percent((double)lane->share[order[i]]));
    said++;
  }
  fputs(said ? ".\n" : " is hardly used.\n", out);
}

static void say_place(const struct timeline_note *note, FILE *out) {
  if (note->line) fprintf(out, " (%s:%u)", base_name(note->file), note->line);
}

static void say_wait(const struct timeline *t, const struct timeline_lane *lane, const char *who, FILE *out) {
  const struct wait w = longest_wait(t, lane);
  if (!(w.share >= 0.03)) {
    fprintf(out, "%s hardly waits for anything: it works %.0f %% of the time.\n", who,
            percent((double)lane->share[TIMELINE_WORKS]));
    return;
  }
  fprintf(out, "%s works %.0f %% of the time. It ", who, percent((double)lane->share[TIMELINE_WORKS]));
  if (w.note == TIMELINE_NO_NOTE) {
    fprintf(out, "%s %.0f %% of the time.\n", words_of[w.state], percent(w.share));
    return;
  }
  if (w.most > 0.9 * w.share)
    fprintf(out, "waits %.0f %% of the time for %s", percent(w.share), t->notes[w.note].what);
  else
    fprintf(out, "%s %.0f %% of the time, most often for %s", words_of[w.state], percent(w.share),
            t->notes[w.note].what);
  say_place(&t->notes[w.note], out);
  fputs(".\n", out);
}

static void say_threads(float threads, FILE *out) {
  if (threads > 0 && threads < FEW_THREADS)
    fprintf(out, ", with %.0f of its 32 threads as a mean", (double)threads);
}

// The warp that the others may be waiting for.
static void say_busiest(const struct timeline *t, FILE *out) {
  if (!((double)t->busiest_works >= BUSY)) return;
  fprintf(out, "Warp %u works %.0f %% of the time", t->busiest, percent((double)t->busiest_works));
  say_threads(t->busiest_threads, out);
  fputs(".\n", out);
}

// The warp that starts the loads has no time to.
static void say_work(const struct timeline *t, const struct timeline_lane *lane, FILE *out) {
  const bool few = (double)t->works < FEW_WARPS * (double)lane->share[TIMELINE_WORKS] && t->threads > 32;
  if (lane->copies && lane->copies < SMALL_COPY) {
    fprintf(out,
            "So the loads are started too slowly: a load has %u bytes as a mean. Larger ones need fewer "
            "instructions, and more warps start more of them.\n",
            lane->copies);
  } else if (lane->only_loads) {
    fprintf(
        out,
        "So the loads are started too slowly: this warp executes %u instructions for each. Fewer of them, "
        "larger loads, or more warps that start some make it faster.\n",
        lane->instructions);
  } else if (lane->load_bytes && lane->load_bytes < SMALL_COPY / 2 && lane->threads > FEW_THREADS) {
    fprintf(
        out,
        "So the loads are started too slowly: a load has %u bytes as a mean, and for each this warp executes "
        "%u instructions. Larger tiles need fewer.\n",
        lane->load_bytes, lane->instructions);
  } else if (!lane->copies && lane->threads > 0 && lane->threads < FEW_THREADS) {
    fputs("So the loads are started too late because this warp is busy", out);
    say_threads(lane->threads, out);
    fputs(". Let all threads of the block share the work.\n", out);
  } else if (few || (double)lane->share[TIMELINE_WORKS] > NEARLY_ALL) {
    fputs(
        "So the loads are started too late because this warp is busy. Give it less to do, or let more warps "
        "share its work",
        out);
    if (few) fprintf(out, ": as a mean, one works %.0f %% of the time", percent((double)t->works));
    fputs(".\n", out);
  } else {
    fputs("So the loads are started too late because this warp is busy. Give them to a warp of their own, or "
          "give each thread less to do.\n",
          out);
  }
}

static void say_turns(const struct timeline *t, FILE *out) {
  const uint32_t many = 4;
  if (t->blocks_on_processor >= many && say_room(t, true, out)) return;
  fputs("So loading, computing and storing take turns. Start the next load before this one is used: more "
        "stages, or ",
        out);
  say_more_blocks(t, out);
  fputs(".\n", out);
  if (t->blocks_on_processor < many) say_room(t, false, out);
}

static void say_fence(FILE *out) {
  fputs("A release for other blocks waits for all copies under way. Let fewer threads do it, or, where they "
        "have only read, let them arrive without the cluster's scope.\n",
        out);
}

// Loads wait for a stage. If its readers hardly wait for loads, more stages would only be full.
static void say_readers(const struct timeline *t, FILE *out) {
  const struct timeline_lane *stage = emptiest(t);
  const bool known = t->reader_state < TIMELINE_STATES && (double)t->reader_waits < HARDLY;
  if (t->stages < 2 && stage && (double)stage->share[TIMELINE_LOADING] > TAKES_ITS_TURN) {
    say_turns(t, out);
    return;
  }
  fputs("So loads wait for the readers to give a stage back. ", out);
  if ((double)t->kept_waiting > TAKES_ITS_TURN * (double)t->kept && t->stages >= 2) {
    fputs("These keep a stage while they wait for the next load, and give it back only then", out);
    say_place(&t->back, out);
    fputs(". One more stage, or giving each back before that wait, keeps more in flight.\n", out);
    return;
  }
  if (!known && stage && (double)stage->share[TIMELINE_FULL] > BUSY) {
    fputs("More stages would only be full, too. Let more warps or blocks share the reading, or make it "
          "shorter.\n",
          out);
    return;
  }
  if (!known) {
    fputs("More or larger stages keep more in flight.\n", out);
    return;
  }
  fprintf(
      out,
      "More stages would only be full: warp %u, which reads them, hardly waits for loads; it %s %.0f %% of "
      "the time",
      t->reader, words_of[t->reader_state], percent((double)t->reader_share));
  if (t->reader_state == TIMELINE_AWAITS_FENCE) {
    fputs(". ", out);
    say_fence(out);
    return;
  }
  fputs(". Make that shorter, or let more warps or blocks share it.\n", out);
}

// Loads wait until all threads have come.
static void say_meeting(const struct timeline *t, FILE *out) {
  fputs("So loads wait for the slowest thread of the block. ", out);
  if ((double)t->busiest_works > ALL_THE_TIME)
    fputs("Share its work among more threads, or have more blocks.\n", out);
  else
    fputs("Start the next loads before the threads meet, or have more stages or blocks.\n", out);
  say_busiest(t, out);
}

static void say_own_reads(const struct timeline *t, FILE *out) {
  if (t->stages)
    fputs("So a thread's own reads or atomics hold up loads. Larger tiles need fewer of them, or ask for the "
          "next tile before this one is used.\n",
          out);
  else
    fputs(
        "So too few reads are on their way. More warps or blocks on a processor keep more in flight, and so "
        "does a thread that starts several reads, or wider ones, before it uses the first.\n",
        out);
}

// Why the loads come too late, from what their warp does most.
static void say_remedy(const struct timeline *t, const struct timeline_lane *lane, FILE *out) {
  const struct wait w = longest_wait(t, lane);
  const double works = (double)lane->share[TIMELINE_WORKS];
  // Who only loads is not said to work for too long by the time that it takes to ask for a copy.
  const double most = lane->only_loads ? 1.5 * w.share : w.share;
  const bool is_busy = w.share < 0.03 || (works > most && works >= BUSY);
  switch (is_busy ? TIMELINE_WORKS : w.state) {
  case TIMELINE_WORKS:
    say_work(t, lane, out);
    if (t->stages == 1 && t->blocks_on_processor == 1 && !lane->only_loads)
      say_turns(t, out);
    else
      say_room(t, false, out);
    break;
  case TIMELINE_SLEEPS: fputs("So loads wait for the warp that starts them to wake up.\n", out); break;
  case TIMELINE_AWAITS_STORE:
    fputs("So stores hold up loads. Let more stores be unread while the next load starts; that takes a stage "
          "for each.\n",
          out);
    break;
  case TIMELINE_AWAITS_STAGE: say_readers(t, out); break;
  case TIMELINE_AWAITS_THREADS: say_meeting(t, out); break;
  case TIMELINE_AWAITS_MEMORY: say_own_reads(t, out); break;
  case TIMELINE_AWAITS_FENCE:
    fputs("So fences hold up loads. ", out);
    say_fence(out);
    break;
  default:
    if (t->stages < 2) {
      say_turns(t, out);
      break;
    }
    if (say_room(t, true, out)) break;
    fputs("So too few loads are on their way while it waits. More stages, larger stages or more blocks keep "
          "more in flight.\n",
          out);
  }
}

// What the L2 cache is busy with most of the time, if not with bytes. False: with bytes.
static bool say_cache(const struct timeline *t, FILE *out) {
  static const char *const words[] = {
      "Its threads store parts of sectors, which keep it busy %.0f %% of the time. Let threads next to one "
      "another store words next to one another: then sectors of 32 bytes are written whole.\n",
      "Its threads load few words of each line, which keeps it busy %.0f %% of the time. Let threads next to "
      "one another load words next to one another.\n",
      "Atomics change words all over global memory, which keeps it busy %.0f %% of the time. Let a block "
      "add up in shared memory first.\n"};
  const double shares[] = {(double)t->stored_in_parts, (double)t->loaded_in_parts, (double)t->changed};
  const double most_of_it = 0.5;
  size_t most = 0;
  for (size_t i = 1; i < sizeof shares / sizeof *shares; i++)
    if (shares[i] > shares[most]) most = i;
  if (strcmp(t->bound_by, "L2 cache") != 0 || !(shares[most] > most_of_it)) return false;
  fputs("The kernel is held up by: L2 cache. ", out);
  fprintf(out, words[most], percent(fmin(shares[most], 1)));
  return true;
}

// What is busy all the time, and isn't the memory: more in flight doesn't help. False: nothing is.
static bool say_busy_part(const struct timeline *t, FILE *out) {
  static const struct {
    const char *part, *words;
  } parts[] = {
      {"issue slots", "Fewer instructions for each byte make it faster."},
      {"special functions", "Fewer divisions, roots, conversions, counts of bits or matches make it faster."},
      {"shared memory", "Fewer accesses of shared memory make it faster, or ones without bank conflicts."},
      {"copy engine", "It takes time for each copy and for each row of a box: larger copies with longer rows "
                      "make it faster."},
      {"L2 cache", "What comes from the L2 cache makes it no faster; fewer bytes do."},
      {"tensor cores", "More in flight doesn't make it faster."},
      {"waiting for each product", "The tensor cores rest while a product is waited for before the next one "
                                   "is started. Leave the newest group of products pending."},
      {"atomics on one address", "Fewer atomics make it faster: let one thread add for many, or take larger "
                                 "parts."},
      {"reductions into the same sums",
       "Fewer reductions make it faster: let a block add up more tiles before "
       "it hands its sums over."},
      {"blocks that wait for all before them",
       "Each looks back for what all blocks before it have told, so they load at the same time and wait at "
       "the same time. Larger parts for each block wait less often."},
      {"blocks that wait for one another in a chain",
       "Let each block tell the next one its own part before it waits for those before it, or take larger "
       "parts."}};
  if (say_cache(t, out)) return true;
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    if (strcmp(t->bound_by, parts[i].part) != 0) continue;
    fprintf(out, "The kernel is held up by: %s. %s\n", t->bound_by, parts[i].words);
    return true;
  }
  return false;
}

static bool say_conflicts(const struct timeline *t, FILE *out) {
  if (!((double)t->shared_busy > BUSY) || !((double)t->conflicts > 1.3)) return false;
  fprintf(
      out,
      "Shared memory is busy %.0f %% of the time. Bank conflicts make its accesses take %.1f times as long "
      "as without.\n",
      percent((double)t->shared_busy), (double)t->conflicts);
  return true;
}

// How long each named range takes, where it is drawn from its begin to its end.
static void say_ranges(const struct timeline *t, FILE *out) {
  for (uint32_t note = 0; note < t->note_count; note++) {
    double sum = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < t->span_count; i++) {
      const struct timeline_span *s = &t->spans[i];
      if (s->state != TIMELINE_NAMED || s->note != note || !s->whole || !t->lanes[s->lane].is_shown) continue;
      sum += (double)(s->end - s->begin);
      count++;
    }
    if (count)
      fprintf(out, "The range \"%s\" takes %.0f ns: mean of the %u in the picture.\n", t->notes[note].what,
              sum / count, count);
  }
  if (t->unmatched[0]) fprintf(out, "Named ranges: %s\n", t->unmatched);
}

static void say_what_holds_up(const struct timeline *t, FILE *out) {
  const struct timeline_lane *lane = loader(t);
  char who[64];
  const bool by_memory = strcmp(t->bound_by, "memory") == 0;
  if (!by_memory) say_launch(t, out);
  if ((double)t->memory_busy < 0.01) {
    fprintf(out, "The kernel hardly uses the memory. It is held up by: %s.\n", t->bound_by);
    say_conflicts(t, out);
    say_busiest(t, out);
    return;
  }
  say_flight(t, out);
  if (by_memory) {
    fputs("Between its start and its end, the kernel keeps the memory busy nearly all the time.\n", out);
    if ((double)t->memory_busy < 0.93)
      fprintf(out, "Start and end take %.0f %% of its time: on larger arrays it is faster.\n",
              percent(1 - (double)t->memory_busy));
    say_stage(t, out);
    return;
  }
  say_cached(t, out);
  say_stage(t, out);
  if (say_busy_part(t, out)) {
    say_conflicts(t, out);
    say_busiest(t, out);
    return;
  }
  if (!lane) {
    fprintf(out, "The kernel is held up by: %s.\n", t->bound_by);
    say_conflicts(t, out);
    return;
  }
  snprintf(who, sizeof who, "Warp %u, which starts the loads,", lane->warp);
  say_wait(t, lane, who, out);
  if (say_conflicts(t, out) || say_starts(t, out)) return;
  if (t->in_flight >= t->wanted && (double)t->memory_busy >= ENOUGH) {
    fprintf(out, "Enough is in flight: the memory is busy %.0f %% of the time.\n",
            percent((double)t->memory_busy));
    return;
  }
  // What comes from the L2 cache isn't wanted from the memory, and is waited for all the same.
  if (t->in_flight < t->wanted * 1.5F || strcmp(t->bound_by, "waiting for loads") == 0)
    say_remedy(t, lane, out);
  else
    fprintf(out, "Enough is in flight. The kernel is held up by: %s.\n", t->bound_by);
}

void timeline_explain(const struct timeline *t, FILE *out) {
  if (!t->device[0]) say_what_holds_up(t, out);
  say_ranges(t, out);
}
