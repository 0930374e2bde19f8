// Words of global memory that the lanes of a warp read or write here and there (race.h). In: such accesses.
// Out: notes; or false, and race.c has to judge them. One idea: each word's note is a line of the host's
// cache, and so is what a write has left, and they come in any order. So the words are put down one after the
// other, page by page, and become notes when somebody looks at the page. Of an array that is only read, or
// written once, nobody does.
#include <string.h>

#include "virtual-hopper/order/race-judge.h"

// The number of the access's note: that of one like it, if the cluster has made one a short while ago. 0: no
// room.
uint32_t race_own_note(const struct race_deed *a) {
  struct race_view *view = &a->cluster->race;
  uint32_t *known = &view->known[((uintptr_t)a->note.op / sizeof(struct op) + 7 * a->note.warp) % RACE_KNOWN];
  if (view->known_round != a->shadow->round) {
    memset(view->known, 0, sizeof view->known);
    view->known_round = a->shadow->round;
  }
  if (*known && memcmp(race_note_at(a->shadow, *known), &a->note, sizeof a->note) == 0) return *known;
  const uint32_t made = race_note_make(a->shadow, a->number, &a->note);
  if (made) *known = made;
  return made;
}

// The same while the note stays as it is from lane to lane; `settled` is 0 where it may have changed.
uint32_t race_settled_note(struct race_deed *a) {
  if (a->settled) return a->settled;
  a->note.rival = a->note.plain = NULL;
  a->note.rival_copy = 0;
  a->note.plain_time = 0;
  a->note.flags &= ~(uint32_t)RACE_NOTE_OWNED;
  a->settled = race_own_note(a);
  a->settled_round = a->shadow->round;
  return a->settled;
}

// ---- words that are put down ------------------------------------------------------------------------------

enum { MOST_READS = RACE_GRANULES, MUCH = 4 << 20 }; // of a page; bytes

static inline void note_word(struct race_shadow *s, struct race_page *page, uint32_t g, uint32_t own) {
  uint32_t *line = race_line_at(&page->reads, g);
  const uint32_t last = line ? line[g % RACE_LINE] : race_index_at(&page->reads, g);
  if (last == own) return;
  if (last && race_note_at(s, last)->cluster != race_note_at(s, own)->cluster)
    race_index_put(s, page->number, &page->reads_too, g, last);
  if (line)
    line[g % RACE_LINE] = own;
  else
    race_index_put(s, page->number, &page->reads, g, own);
}

// So many granules from one on, so far apart.
enum { RUN_STEP = 10, RUN_COUNT = 20 };
static inline struct race_read word_run(uint32_t g, uint32_t step, uint32_t count, uint32_t note) {
  return (struct race_read){g | step << RUN_STEP | count << RUN_COUNT, note};
}

static void note_reads(struct race_shadow *s, struct race_page *page) {
  struct race_scatter *words = &page->scatter;
  uint32_t left = words->read_count;
  for (struct race_reads *r = words->reads, *next; r; r = next) {
    for (uint32_t i = 0; i < RACE_READS_OF_PIECE && left; i++, left--) {
      const uint32_t run = r->each[i].run, step = run >> RUN_STEP & (RACE_GRANULES - 1),
                     count = run >> RUN_COUNT, first = run % RACE_GRANULES;
      if (step == 1) race_note_read(s, page, first, first + count, r->each[i].note);
      for (uint32_t n = step == 1 ? 0 : count, g = first; n > 0; n--, g += step)
        note_word(s, page, g, r->each[i].note);
    }
    next = r->next;
    race_give(s, page->number, r, sizeof *r);
  }
  words->reads = words->last_reads = NULL;
  words->read_count = words->reads_left = 0;
}

static void note_write(struct race_shadow *s, struct race_page *page, const struct race_write *it) {
  uint32_t *values = race_values_at(s, page, it->granule, false);
  if (!values) return; // no room: nothing is judged any more
  race_index_put(s, page->number, &page->writes, it->granule, it->note);
  values[it->granule % RACE_LINE] = it->value;
}

static void note_writes(struct race_shadow *s, struct race_page *page) {
  struct race_scatter *words = &page->scatter;
  uint32_t left = words->write_count;
  for (struct race_writes *w = words->writes, *next; w; w = next) {
    for (uint32_t i = 0; i < RACE_WRITES_OF_PIECE && left; i++, left--)
      note_write(s, page, &w->each[i]);
    next = w->next;
    race_give(s, page->number, w, sizeof *w);
  }
  if (words->written) race_give(s, page->number, words->written, RACE_LINES * sizeof *words->written);
  words->writes = words->last_writes = NULL;
  words->written = NULL;
  words->write_count = words->writes_left = 0;
}

void race_scatter_end(struct race_shadow *s, struct race_page *page) {
  page->scatter.ended = true;
  note_reads(s, page);
  note_writes(s, page);
}

// Room for one more read. False: the page goes by notes now, or there is none.
static bool more_reads(struct race_shadow *s, struct race_page *page) {
  struct race_scatter *words = &page->scatter;
  if (words->read_count >= MOST_READS) {
    // Notes of a few pages are all in the cache, and quicker.
    if (atomic_load_explicit(&s->memory.held, memory_order_relaxed) < MUCH) {
      race_scatter_end(s, page);
      return false;
    }
    note_reads(s, page);
  }
  struct race_reads *made = race_take_any(s, page->number, sizeof *made);
  if (!made) return false;
  made->next = NULL;
  *(words->last_reads ? &words->last_reads->next : &words->reads) = made;
  words->last_reads = made;
  words->reads_left = RACE_READS_OF_PIECE;
  return true;
}

// False: it is to be noted.
static inline bool put_down_read(struct race_shadow *s, struct race_page *page, uint32_t g, uint32_t step,
                                 uint32_t count, uint32_t note) {
  struct race_scatter *words = &page->scatter;
  if (words->ended || (!words->reads_left && !more_reads(s, page))) return false;
  words->last_reads->each[RACE_READS_OF_PIECE - words->reads_left--] = word_run(g, step, count, note);
  words->read_count++;
  words->any_read = true;
  return true;
}

bool race_read_row(struct race_deed *a, struct race_page *page, uint32_t from, uint32_t to) {
  enum { MOST_ROWS = 96, MOST = RACE_GRANULES / 2 };
  const struct race_scatter *words = &page->scatter;
  if (words->ended || words->write_count || words->read_count >= MOST_ROWS || to - from > MOST) return false;
  const uint32_t own = race_settled_note(a);
  return !own || put_down_read(a->shadow, page, from, 1, to - from, own); // 0: no room
}

// Whether all lanes are a step apart, which is a word at least.
OVER_ALL_AGENTS static bool are_apart(const uint64_t address[WARP_LANES]) {
  const uint64_t step = address[1] - address[0];
  uint64_t different = 0; // no early way out: the loop becomes vector instructions
  for (uint32_t lane = 0; lane < WARP_LANES; lane++)
    different |= address[lane] ^ (address[0] + lane * step);
  return !different && step && step % RACE_GRANULE_BYTES == 0;
}

// A whole warp's lanes with a fixed distance, as where each walks along a row of its own: those in one page
// are put down at once. Returns the lanes that are done: from the first on, so many.
static uint32_t read_apart(struct race_deed *a, const uint64_t address[WARP_LANES]) {
  const int64_t step = (int64_t)(address[1] - address[0]);
  uint32_t lane = 0;
  if (step <= 0 || step > RACE_PAGE_BYTES / 2) return 0;
  while (lane < WARP_LANES) {
    const uint64_t number = address[lane] / RACE_PAGE_BYTES,
                   room = RACE_PAGE_BYTES - address[lane] % RACE_PAGE_BYTES;
    uint32_t count = (uint32_t)((room + (uint64_t)step - 1) / (uint64_t)step);
    if (count > WARP_LANES - lane) count = WARP_LANES - lane;
    struct race_page *page = race_enter(a, number, true);
    const uint32_t own = page ? race_settled_note(a) : 0;
    if (!own) return WARP_LANES; // no room
    const uint32_t g = (uint32_t)(address[lane] % RACE_PAGE_BYTES / RACE_GRANULE_BYTES);
    if (page->scatter.write_count ||
        !put_down_read(a->shadow, page, g, (uint32_t)step / RACE_GRANULE_BYTES, count, own))
      break;
    lane += count;
  }
  return lane;
}

// Lanes that read a word each, here and there; usually nobody has written it. Returns the other lanes, which
// are to be judged.
uint32_t race_read_words(struct race_deed *a, uint32_t lanes, const uint64_t address[WARP_LANES]) {
  uint32_t left = 0, own = 0;
  uint64_t number = UINT64_MAX;
  struct race_page *page = NULL;
  bool unwritten = false;
  if (lanes == UINT32_MAX && are_apart(address)) lanes = (uint32_t)(UINT64_MAX << read_apart(a, address));
  EACH_LANE(lane, lanes) {
    if (address[lane] / RACE_PAGE_BYTES != number) {
      number = address[lane] / RACE_PAGE_BYTES;
      page = a->number == number ? a->page : race_enter_other(a, number, true);
      own = page ? race_settled_note(a) : 0;
      if (!own) return 0; // no room
      if (page->scatter.write_count) race_gather(a->shadow, page);
      unwritten = !page->scatter.ended || race_index_is_empty(&page->writes);
    }
    const uint32_t g = (uint32_t)(address[lane] % RACE_PAGE_BYTES / RACE_GRANULE_BYTES);
    if (!unwritten && race_index_at(&page->writes, g))
      left |= 1u << lane;
    else if (!put_down_read(a->shadow, page, g, 0, 1, own))
      note_word(a->shadow, page, g, own);
  }
  return left;
}

static uint32_t value_of(const struct race_deed *a, uint32_t lane) {
  return a->store->words ? a->store->words[lane] : a->store->word(a->store, lane, 0);
}

static bool more_writes(struct race_shadow *s, struct race_page *page) {
  struct race_scatter *words = &page->scatter;
  if (!words->written) words->written = race_take(s, page->number, RACE_LINES * sizeof *words->written);
  struct race_writes *made = words->written ? race_take_any(s, page->number, sizeof *made) : NULL;
  if (!made) return false;
  made->next = NULL;
  *(words->last_writes ? &words->last_writes->next : &words->writes) = made;
  words->last_writes = made;
  words->writes_left = RACE_WRITES_OF_PIECE;
  return true;
}

// False: somebody has read or written in the page otherwise, or has written the word.
static inline bool put_down_write(struct race_deed *a, struct race_page *page, uint32_t g, uint32_t lane) {
  struct race_scatter *words = &page->scatter;
  const uint32_t bit = 1u << g % RACE_LINE;
  if (words->ended || words->any_read) return false;
  const uint32_t own = race_settled_note(a);
  if (!own || (!words->writes_left && !more_writes(a->shadow, page))) return true; // no room
  if (words->written[g / RACE_LINE] & bit) return false;
  words->written[g / RACE_LINE] |= bit;
  words->last_writes->each[RACE_WRITES_OF_PIECE - words->writes_left--] =
      (struct race_write){g, own, value_of(a, lane)};
  words->write_count++;
  return true;
}

// Nobody has written the word, and who has read it comes before. False: that is not so.
static inline bool write_word(struct race_deed *a, struct race_page *page, uint32_t g, uint32_t lane) {
  if (put_down_write(a, page, g, lane)) return true;
  race_gather(a->shadow, page);
  const struct race_readers who = race_readers_of(page, g);
  if (race_index_at(&page->writes, g) || page->narrow || !race_index_is_empty(&page->narrow_reads) ||
      ((who.last || who.other) && !race_are_ordered(a, who)))
    return false;
  const uint32_t own = race_settled_note(a);
  uint32_t *values = own ? race_values_at(a->shadow, page, g, false) : NULL;
  if (!values) return true;
  race_index_put(a->shadow, a->number, &page->writes, g, own);
  if (who.last) race_index_put(a->shadow, a->number, &page->reads, g, 0);
  if (who.other) race_index_put(a->shadow, a->number, &page->reads_too, g, 0);
  values[g % RACE_LINE] = value_of(a, lane);
  return true;
}

// The same of lanes that write a word each.
uint32_t race_write_words(struct race_deed *a, uint32_t lanes, const uint64_t address[WARP_LANES]) {
  const bool any_strong = a->cluster->race.any_strong;
  uint32_t left = 0;
  EACH_LANE(lane, lanes) {
    const uint64_t number = address[lane] / RACE_PAGE_BYTES;
    struct race_page *page = a->number == number ? a->page : race_enter_other(a, number, true);
    const uint32_t g = (uint32_t)(address[lane] % RACE_PAGE_BYTES / RACE_GRANULE_BYTES);
    uint64_t bit;
    if (!page) return 0; // no room
    if ((any_strong && *race_strong_word(a->cluster, address[lane], &bit) & bit) ||
        !write_word(a, page, g, lane))
      left |= 1u << lane;
  }
  return left;
}
