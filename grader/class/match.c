// In: a roster and a sheet. Out: the line of each student, or why there is none. The headings are those of
// Canvas's gradebook, of Moodle's grading worksheet and gradebook, and of Gradescope's roster and scores.
#include "class/match.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum kind { OTHER, NAME, FIRST, LAST, CANVAS_ID, PARTICIPANT, SCHOOL_ID, LOGIN, EMAIL, SUBMISSION };

static const struct {
  const char *heading;
  enum kind kind;
} headings[] = {{"Student", NAME},
                {"Student Name", NAME},
                {"Full name", NAME},
                {"Name", NAME},
                {"First name", FIRST},
                {"Last name", LAST},
                {"Surname", LAST},
                {"ID", CANVAS_ID},
                {"Identifier", PARTICIPANT},
                {"SIS User ID", SCHOOL_ID},
                {"Integration ID", SCHOOL_ID},
                {"ID number", SCHOOL_ID},
                {"Student ID", SCHOOL_ID},
                {"SID", SCHOOL_ID},
                {"SIS Login ID", LOGIN},
                {"Login ID", LOGIN},
                {"Username", LOGIN},
                {"Email", EMAIL},
                {"Email address", EMAIL},
                {"Submission ID", SUBMISSION}};

static enum kind kind_of(const struct csv *sheet, size_t column) {
  char text[CSV_TEXT];
  csv_text(sheet, &sheet->rows[0], column, text);
  for (size_t i = 0; i < sizeof headings / sizeof *headings; i++)
    if (strcasecmp(text, headings[i].heading) == 0) return headings[i].kind;
  return OTHER;
}

// The row's first text that isn't empty in a column of that kind; "": there is none.
static void text_of(const struct csv *sheet, size_t row, enum kind kind, char text[CSV_TEXT]) {
  text[0] = '\0';
  for (size_t column = 0; column < sheet->rows[0].count && !text[0]; column++)
    if (kind_of(sheet, column) == kind) csv_text(sheet, &sheet->rows[row], column, text);
}

static void name_of(const struct csv *sheet, size_t row, char text[CSV_TEXT]) {
  char first[CSV_TEXT], last[CSV_TEXT];
  text_of(sheet, row, NAME, text);
  if (text[0]) return;
  text_of(sheet, row, FIRST, first);
  text_of(sheet, row, LAST, last);
  snprintf(text, CSV_TEXT, "%.120s%s%.120s", last, last[0] && first[0] ? ", " : "", first);
}

bool match_has_people(const struct csv *sheet) {
  for (size_t column = 0; column < sheet->rows[0].count; column++)
    if (kind_of(sheet, column) != OTHER) return true;
  return false;
}

void match_row_name(const struct csv *sheet, size_t row, char text[CSV_TEXT]) {
  name_of(sheet, row, text);
  for (int kind = CANVAS_ID; kind <= SUBMISSION && !text[0]; kind++)
    text_of(sheet, row, (enum kind)kind, text);
}

bool match_is_person(const struct csv *sheet, size_t row) {
  char text[CSV_TEXT];
  name_of(sheet, row, text);
  if (strcasecmp(text, "Points Possible") == 0) return false;
  match_row_name(sheet, row, text);
  return text[0] != '\0';
}

// ---- names ----

static int by_text(const void *left, const void *right) {
  return strcmp(*(const char *const *)left, *(const char *const *)right);
}

// Splits a name into its words, in lower case and sorted: "Lee, Ann" and "ann_lee" are the same. Returns how
// many there are.
enum { MOST_WORDS = 16 };
static size_t split_name(char text[CSV_TEXT], const char *words[MOST_WORDS]) {
  size_t count = 0;
  for (char *c = text; *c; c++)
    *c = strchr(" ,_.-\t", *c) ? ' ' : (char)tolower((unsigned char)*c);
  char *rest = text;
  for (char *word; count < MOST_WORDS && (word = strtok_r(rest, " ", &rest));)
    words[count++] = word;
  qsort(words, count, sizeof *words, by_text);
  return count;
}

// Whether `run` is the name without separators, as Canvas writes it in file names.
static bool is_run_together(const char *run, const char *name) {
  for (; *name; name++) {
    if (strchr(" ,_.-'", *name)) continue;
    if (tolower((unsigned char)*run++) != tolower((unsigned char)*name)) return false;
  }
  return !*run;
}

static bool same_name(const char *left, const char *right) {
  char texts[2][CSV_TEXT];
  const char *words[2][MOST_WORDS];
  snprintf(texts[0], CSV_TEXT, "%s", left);
  snprintf(texts[1], CSV_TEXT, "%s", right);
  size_t count = split_name(texts[0], words[0]);
  if (count == 0 || split_name(texts[1], words[1]) != count) return false;
  for (size_t i = 0; i < count; i++)
    if (strcmp(words[0][i], words[1][i]) != 0) return false;
  return true;
}

static bool is_ascii(const char *text) {
  for (; *text; text++)
    if ((unsigned char)*text >= 0x80) return false;
  return true;
}

// Whether no word of one name occurs in the other. Names with letters beyond ASCII never disagree: their
// spellings vary.
static bool names_disagree(const char *left, const char *right) {
  char words_of[CSV_TEXT], other[CSV_TEXT];
  const char *words[MOST_WORDS];
  if (!left[0] || !right[0] || !is_ascii(left) || !is_ascii(right)) return false;
  snprintf(words_of, CSV_TEXT, "%s", left);
  snprintf(other, CSV_TEXT, "%s", right);
  size_t count = split_name(words_of, words);
  for (char *c = other; *c; c++)
    *c = (char)tolower((unsigned char)*c);
  for (size_t i = 0; i < count; i++)
    if (strlen(words[i]) > 1 && strstr(other, words[i])) return false;
  return true;
}

// ---- IDs ----

static bool same_text(const char *left, const char *right) {
  return left[0] && strcasecmp(left, right) == 0;
}

static bool same_login(const char *entry, const char *address) {
  size_t length = strcspn(address, "@");
  return address[length] && strlen(entry) == length && strncasecmp(entry, address, length) == 0;
}

static const char *trailing_number(const char *text) {
  const char *end = text + strlen(text);
  while (end > text && isdigit((unsigned char)end[-1]))
    end--;
  return end;
}

enum platform { FOLDERS, CANVAS, MOODLE, GRADESCOPE };
static enum platform platform_of(const struct roster *roster) {
  return !strcmp(roster->platform, "Canvas")       ? CANVAS
         : !strcmp(roster->platform, "Moodle")     ? MOODLE
         : !strcmp(roster->platform, "Gradescope") ? GRADESCOPE
                                                   : FOLDERS;
}

// Whether the cell holds the ID that the platform's file names give the student.
static bool is_id_of(enum platform platform, const struct student *student, enum kind kind,
                     const char *text) {
  const char *submission = trailing_number(student->name);
  switch (platform) {
  case CANVAS: return kind == CANVAS_ID && same_text(student->id, text);
  case MOODLE: // "Participant 123", with the first word in the site's language
    return kind == PARTICIPANT && same_text(student->id, trailing_number(text));
  case GRADESCOPE: // without metadata the student's ID is the submission's
    return (kind == SCHOOL_ID && same_text(student->id, text) && strcmp(student->id, submission) != 0) ||
           ((kind == EMAIL || kind == LOGIN) && same_text(student->email, text)) ||
           // The members of a group share the submission's ID.
           (kind == SUBMISSION && !student->email[0] && same_text(submission, text));
  case FOLDERS:
    if (kind == PARTICIPANT && same_text(student->full_name, trailing_number(text))) return true;
    if ((kind == EMAIL || kind == LOGIN) && same_login(student->full_name, text)) return true;
    return kind > LAST && same_text(student->full_name, text);
  }
  return false;
}

enum agreement { NOT_AT_ALL, BY_NAME, BY_ID };

static enum agreement compare(enum platform platform, const struct student *student, const struct csv *sheet,
                              size_t row) {
  char text[CSV_TEXT];
  bool other_id = false; // the row has the platform's own ID, and it is another student's
  for (size_t column = 0; column < sheet->rows[0].count; column++) {
    enum kind kind = kind_of(sheet, column);
    if (kind <= LAST) continue;
    csv_text(sheet, &sheet->rows[row], column, text);
    if (text[0] && is_id_of(platform, student, kind, text)) return BY_ID;
    other_id |=
        text[0] && ((platform == CANVAS && kind == CANVAS_ID) || (platform == MOODLE && kind == PARTICIPANT));
  }
  if (other_id) return NOT_AT_ALL;
  name_of(sheet, row, text);
  bool same = same_name(student->full_name, text) ||
              (platform == CANVAS && text[0] && is_run_together(student->full_name, text));
  return same ? BY_NAME : NOT_AT_ALL;
}

static struct match find_row(enum platform platform, const struct student *student, const struct csv *sheet) {
  struct match found = {.end = MATCH_NONE};
  enum agreement best = BY_NAME;
  for (size_t row = 1; row < sheet->row_count; row++) {
    if (!match_is_person(sheet, row)) continue;
    enum agreement agreement = compare(platform, student, sheet, row);
    if (agreement < best) continue;
    if (agreement > best || found.end == MATCH_NONE) {
      found = (struct match){.end = MATCH_FOUND, .row = row};
    } else {
      found.end = MATCH_SEVERAL;
      found.other = row;
    }
    best = agreement;
  }
  char name[CSV_TEXT];
  if (found.end != MATCH_FOUND || best != BY_ID || platform == FOLDERS) return found;
  name_of(sheet, found.row, name);
  if (names_disagree(name, student->full_name)) found.end = MATCH_CONTRADICTS;
  return found;
}

void match_all(const struct roster *roster, const struct csv *sheet, struct match *matches) {
  for (size_t i = 0; i < roster->count; i++)
    matches[i] = find_row(platform_of(roster), &roster->students[i], sheet);
  for (size_t i = 0; i < roster->count; i++)
    for (size_t other = 0; other < roster->count; other++) {
      bool both = (matches[i].end == MATCH_FOUND || matches[i].end == MATCH_SHARED) &&
                  (matches[other].end == MATCH_FOUND || matches[other].end == MATCH_SHARED);
      if (other == i || !both || matches[i].row != matches[other].row) continue;
      matches[i].end = MATCH_SHARED;
      matches[i].other = other;
    }
}
