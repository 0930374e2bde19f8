// In: a name as libstdc++ demangles it. Out: its short form. One idea: whoever reads a report looks for a
// function of the program; what its templates were made with says nothing about where it stands.
#include "virtual-hopper/command/host-name.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

// The end of what the bracket at `text` opens; the text's end, if it is never closed.
static const char *skip_brackets(const char *text) {
  int depth = 0;
  for (; *text; text++) {
    const bool is_arrow = *text == '>' && text[-1] == '-';
    depth += strchr("<({[", *text) ? 1 : strchr(">)}]", *text) && !is_arrow ? -1 : 0;
    if (depth == 0) return text + 1;
  }
  return text;
}

static bool ends_with(const char *text, size_t used, const char *end) {
  const size_t length = strlen(end);
  return used >= length && strncmp(text + used - length, end, length) == 0;
}

static const char *take(char *name, size_t size, size_t *used, const char *from, const char *as) {
  const int length = snprintf(name + *used, size - *used, "%s", as);
  *used = *used + (size_t)length < size ? *used + (size_t)length : size - 1;
  return from;
}

// " const" of a method, and " [clone .constprop.0]" of a copy that the compiler has made for itself.
static bool is_behind_name(const char *at) {
  static const char constant[] = " const", clone[] = " [clone ";
  if (strncmp(at, constant, sizeof constant - 1) == 0) at += sizeof constant - 1;
  return *at == '\0' || strncmp(at, clone, sizeof clone - 1) == 0;
}

void host_name_shorten(char *name, size_t size, const char *demangled) {
  static const char anonymous[] = "(anonymous namespace)";
  size_t used = 0;
  name[0] = '\0';
  for (const char *at = demangled; *at;) {
    const bool is_operator = ends_with(name, used, "operator");
    const char one[] = {*at, '\0'};
    if (strncmp(at, anonymous, sizeof anonymous - 1) == 0)
      at = take(name, size, &used, at + sizeof anonymous - 1, "(anonymous)");
    else if (strncmp(at, "{lambda", 7) == 0)
      at = take(name, size, &used, skip_brackets(at), "{lambda}");
    else if (is_operator && *at == '(')
      at = take(name, size, &used, skip_brackets(at), "()");
    else if (*at == ' ' && ends_with(name, used, "operator<"))
      at = skip_brackets(at + 1);
    else if ((*at == '<' && !is_operator) || *at == '(')
      at = skip_brackets(at);
    else if (!is_operator && is_behind_name(at))
      break;
    else if (*at == ' ' && !is_operator)
      used = 0, at++; // what came so far is the type of the result
    else
      at = take(name, size, &used, at + 1, one);
    name[used] = '\0';
  }
  if (ends_with(name, used, "{lambda}::operator()")) name[used - strlen("::operator()")] = '\0';
}
