// In: the name of a declared register. Out: a mark among the instructions. The one idea: timeline_begin and
// timeline_end of interface/timeline.cuh declare a register that nobody uses, because that is the only text
// in PTX that survives the tools, has a place in the flow of control, and becomes no instruction.
#include "virtual-hopper/ptx/parse.h"

#include <stdlib.h>
#include <string.h>

enum { NUMBERS = 3, LETTERS = 8 }; // of each number

// name = "timeline_" ("begin" | "end") ("_" decimal){3}; the decimals are the letters of the range's name
static bool read_name(const char *text, char *name) {
  size_t length = 0;
  for (int i = 0; i < NUMBERS; i++) {
    if (*text != '_' || text[1] < '0' || text[1] > '9') return false;
    char *end;
    unsigned long long letters = strtoull(text + 1, &end, 10);
    text = end;
    for (int k = 0; k < LETTERS; k++, letters >>= 8) {
      const char letter = (char)(letters & 0x7f);
      if (letter >= ' ') name[length++] = letter;
    }
  }
  name[length] = '\0';
  return !*text && length > 0;
}

bool parse_mark(struct parser *parser, const struct name *declared) {
  static const char *const words[] = {"end", "begin"};
  static const char head[] = "timeline_";
  char name[NUMBERS * LETTERS + 1];
  if (strncmp(declared->text, head, strlen(head)) != 0) return false;
  const char *word = declared->text + strlen(head);
  const bool begins = strncmp(word, words[1], strlen(words[1])) == 0;
  if (strncmp(word, words[begins], strlen(words[begins])) != 0) return false;
  if (!read_name(word + strlen(words[begins]), name)) return false;
  struct ptx_instruction mark = {.opcode = parse_intern(parser, PTX_MARK, strlen(PTX_MARK))->text,
                                 .modifier_count = 1,
                                 .guard = -1,
                                 .location = parser->location,
                                 .ptx_line = parser->name_line};
  mark.modifiers[0] = parse_intern(parser, words[begins], strlen(words[begins]))->text;
  mark.text = parse_intern(parser, name, strlen(name))->text;
  *(struct ptx_instruction *)list_extend(parser, &parser->instructions, 1, sizeof mark) = mark;
  return true;
}
