// In: text from a program, a compiler, a platform or a student. Out: the same text without anything that
// could move a terminal's cursor or spoil a report.
#include "report/printable.h"

#include <stdlib.h>
#include <string.h>

// Well-formed UTF-8 is that of The Unicode Standard, table 3-7. XML 1.0 (2.2) allows neither U+FFFE nor
// U+FFFF.
size_t printable_bytes(const char *given) {
  const unsigned char *text = (const unsigned char *)given;
  size_t more = text[0] < 0x80                      ? 0
                : text[0] >= 0xc2 && text[0] < 0xe0 ? 1
                : text[0] >= 0xe0 && text[0] < 0xf0 ? 2
                                                    : 3;
  if (more == 0) return text[0] >= 0x20 && text[0] != 0x7f ? 1 : text[0] == '\n' || text[0] == '\t';
  if (text[0] < 0xc2 || text[0] > 0xf4 || (text[0] == 0xc2 && text[1] < 0xa0)) return 0;
  if ((text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xed && text[1] > 0x9f)) return 0;
  if ((text[0] == 0xf0 && text[1] < 0x90) || (text[0] == 0xf4 && text[1] > 0x8f)) return 0;
  for (size_t i = 1; i <= more; i++)
    if ((text[i] & 0xc0) != 0x80) return 0;
  if (text[0] == 0xef && text[1] == 0xbf && text[2] >= 0xbe) return 0;
  return more + 1;
}

void printable_make(char *text) {
  while (*text) {
    size_t bytes = printable_bytes(text);
    if (bytes == 0) *text = '?';
    text += bytes ? bytes : 1;
  }
}

char *printable_copy(const char *text) {
  char *copy = strdup(text ? text : "");
  if (copy) printable_make(copy);
  return copy;
}

size_t printable_prefix(const char *text, size_t size) {
  size_t length = strnlen(text, size + 1);
  if (length <= size) return length;
  while (size > 0 && ((unsigned char)text[size] & 0xc0) == 0x80)
    size--;
  return size;
}
