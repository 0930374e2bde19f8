// In: text from a program, a compiler, a platform or a student. Out: the same text without anything that
// could move a terminal's cursor, turn a line round, or spoil a report. The idea: what would not be seen is
// shown by its number, so that nothing in a report looks other than it is.
#include "virtual-hopper/base/printable.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// ---- characters that nobody sees --------------------------------------------------------------------------

// The controls U+0080 to U+009F; what The Unicode Standard calls default ignorable (UCD,
// DerivedCoreProperties.txt) but for variation selectors, which only choose the look of the character before
// them; line and paragraph separators and interlinear annotation. XML 1.0 (2.2) allows neither U+FFFE nor
// U+FFFF.
static const struct {
  uint32_t first, last;
} unseen[] = {{0x80, 0x9f},       {0xad, 0xad},       {0x34f, 0x34f},     {0x61c, 0x61c},
              {0x115f, 0x1160},   {0x17b4, 0x17b5},   {0x180e, 0x180e},   {0x200b, 0x200f},
              {0x2028, 0x202e},   {0x2060, 0x206f},   {0x3164, 0x3164},   {0xd800, 0xdfff},
              {0xfeff, 0xfeff},   {0xffa0, 0xffa0},   {0xfff0, 0xfffb},   {0xfffe, 0xffff},
              {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe00ff}, {0xe01f0, 0xe0fff}};

static int is_unseen(uint32_t character) {
  for (size_t i = 0; i < sizeof unseen / sizeof *unseen; i++)
    if (character >= unseen[i].first && character <= unseen[i].last) return 1;
  return 0;
}

// ---- one character ----------------------------------------------------------------------------------------

// The character at `text` and its bytes; 0 bytes: there is none. Well-formed UTF-8 is that of The Unicode
// Standard, table 3-7, and besides it a surrogate, written as if it were a character.
static size_t decode(const unsigned char *text, uint32_t *character) {
  const size_t more = text[0] < 0x80 ? 0 : text[0] < 0xe0 ? 1 : text[0] < 0xf0 ? 2 : 3;
  if (more == 0) {
    *character = text[0];
    return 1;
  }
  if (text[0] < 0xc2 || text[0] > 0xf4) return 0;
  if ((text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xf0 && text[1] < 0x90) ||
      (text[0] == 0xf4 && text[1] > 0x8f))
    return 0;
  *character = text[0] & (0x3f >> more);
  for (size_t i = 1; i <= more; i++) {
    if ((text[i] & 0xc0) != 0x80) return 0;
    *character = *character << 6 | (text[i] & 0x3f);
  }
  return more + 1;
}

size_t printable_character(const char *text, char shown[PRINTABLE_CHARACTER]) {
  uint32_t character = 0;
  const size_t bytes = decode((const unsigned char *)text, &character);
  if (bytes == 0 || character == 0x7f || (character < 0x20 && character != '\n' && character != '\t')) {
    memcpy(shown, "?", 2);
    return 1;
  }
  if (is_unseen(character)) {
    snprintf(shown, PRINTABLE_CHARACTER, character > 0xffff ? "\\U%08x" : "\\u%04x", character);
  } else {
    memcpy(shown, text, bytes);
    shown[bytes] = '\0';
  }
  return bytes;
}

// ---- whole texts ------------------------------------------------------------------------------------------

void printable_print(FILE *out, const char *text) {
  char shown[PRINTABLE_CHARACTER];
  while (*text) {
    text += printable_character(text, shown);
    fputs(shown, out);
  }
}

// Makes `to` printable from `from`, as far as it fits; the length that all of it has.
static size_t copy(char *to, size_t size, const char *from) {
  char shown[PRINTABLE_CHARACTER];
  size_t length = 0, used = 0;
  while (*from) {
    from += printable_character(from, shown);
    const size_t bytes = strlen(shown);
    // What comes after a character that doesn't fit is left out, too.
    if (used == length && used + bytes < size) {
      memcpy(to + used, shown, bytes);
      used += bytes;
    }
    length += bytes;
  }
  if (size) to[used] = '\0';
  return length;
}

char *printable_copy(const char *text) {
  const size_t length = copy(NULL, 0, text ? text : "");
  char *made = malloc(length + 1);
  if (made) copy(made, length + 1, text ? text : "");
  return made;
}

void printable_make(char *text, size_t size) {
  char *made = printable_copy(text);
  if (made) {
    const size_t length = printable_prefix(made, size - 1);
    memcpy(text, made, length);
    text[length] = '\0';
  } else { // out of memory: nothing of it is shown
    text[0] = '\0';
  }
  free(made);
}

size_t printable_prefix(const char *text, size_t size) {
  size_t length = strnlen(text, size + 1);
  if (length <= size) return length;
  while (size > 0 && ((unsigned char)text[size] & 0xc0) == 0x80)
    size--;
  return size;
}
