// A fault as a person reads it. In: the record. Out: the rule, both source lines with their text, the
// numbers, the remedy, the page. One idea: the two lines and what each of them does come first; whoever sees
// them often needs no more.
#include <ctype.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "virtual-hopper/base/printable.h"
#include "virtual-hopper/rules/fault.h"
#include "virtual-hopper/rules/rules.h"

enum { WRAP_COLUMN = 100, LINE_BYTES = FAULT_LINE_BYTES };

// The name of a file that lies in the folder itself, or NULL.
static const char *name_in(const char *folder, const char *file) {
  size_t length = strlen(folder);
  if (strncmp(file, folder, length) != 0 || file[length] != '/') return NULL;
  const char *name = file + length + 1;
  return strchr(name, '/') || name[0] == '.' ? NULL : name;
}

// A binary may name anything as its source: a device without an end, a pipe that nobody fills.
static FILE *open_plain(const char *path) {
  struct stat status;
  int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  const bool plain = descriptor >= 0 && fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
  FILE *file = plain ? fdopen(descriptor, "r") : NULL;
  if (!file && descriptor >= 0) close(descriptor);
  return file;
}

static FILE *open_source(const char *file, const struct fault_sources *sources) {
  char path[4096];
  if (!sources) return open_plain(file);
  const char *name = name_in(sources->named, file);
  if (!name) name = name_in(sources->built, file);
  if (!name || snprintf(path, sizeof path, "%s/%s", sources->folder, name) >= (int)sizeof path) return NULL;
  return open_plain(path);
}

// Reads line `number` as far as it fits, whatever length the lines have. False: the file has none.
static bool find_line(FILE *in, uint32_t number, char *line, size_t size) {
  enum { MOST_BYTES = 64 << 20 };
  size_t length = 0;
  int letter = 0;
  for (size_t read = 0; number && read < MOST_BYTES && (letter = getc(in)) != EOF; read++) {
    if (number == 1 && letter != '\n' && length + 1 < size) line[length++] = (char)letter;
    number -= letter == '\n';
  }
  line[length] = '\0';
  return number == 0 || (number == 1 && length);
}

void fault_line_in(const char *file, uint32_t number, const struct fault_sources *sources,
                   char text[LINE_BYTES]) {
  text[0] = '\0';
  FILE *in = file && *file && number ? open_source(file, sources) : NULL;
  if (!in) return;
  char line[4 * LINE_BYTES]; // it may be indented
  if (find_line(in, number, line, sizeof line)) {
    const char *start = line;
    while (isspace((unsigned char)*start))
      start++;
    size_t used = 0;
    for (; *start && *start != '\r' && used + 1 < LINE_BYTES; start++)
      text[used++] = isprint((unsigned char)*start) || (*start & 0x80) ? *start : ' ';
    while (used > 0 && text[used - 1] == ' ')
      used--;
    text[used] = '\0';
    printable_make(text, LINE_BYTES);
  }
  fclose(in);
}

void fault_source_line(const char *file, uint32_t number, char text[FAULT_LINE_BYTES]) {
  fault_line_in(file, number, NULL, text);
}

// Paths are shown as the reader would type them: relative to the working folder when they lie in it.
static const char *shown_path(const char *file) {
  static _Thread_local char folder[4096];
  if (!file || !*file) return "?";
  if (!getcwd(folder, sizeof folder)) return file;
  size_t length = strlen(folder);
  if (strncmp(file, folder, length) == 0 && file[length] == '/') file += length + 1;
  while (file[0] == '.' && file[1] == '/')
    file += 2;
  return file;
}

static void print_wrapped(FILE *out, const char *indent, const char *given) {
  char *shown = printable_copy(given);
  const char *text = shown ? shown : "";
  size_t column = 0;
  while (*text) {
    size_t word = strcspn(text, " \n");
    if (column > 0 && column + 1 + word > WRAP_COLUMN) {
      fputc('\n', out);
      column = 0;
    }
    if (column == 0) {
      fputs(indent, out);
      column = strlen(indent);
    } else {
      fputc(' ', out);
      column++;
    }
    fwrite(text, 1, word, out);
    column += word;
    text += word;
    while (*text == ' ')
      text++;
    if (*text == '\n') {
      fputc('\n', out);
      column = 0;
      text++;
    }
  }
  if (column > 0) fputc('\n', out);
  free(shown);
}

static void describe_thread(const struct fault_place *place, char *text, size_t size) {
  text[0] = '\0';
  if (!place->has_thread) return;
  const uint32_t *t = place->thread, *b = place->block;
  char thread[48], block[48];
  if (t[1] || t[2])
    snprintf(thread, sizeof thread, "(%u,%u,%u)", t[0], t[1], t[2]);
  else
    snprintf(thread, sizeof thread, "%u", t[0]);
  if (b[1] || b[2])
    snprintf(block, sizeof block, "(%u,%u,%u)", b[0], b[1], b[2]);
  else
    snprintf(block, sizeof block, "%u", b[0]);
  snprintf(text, size, "thread %s of block %s", thread, block);
}

static void print_line(FILE *out, const char *file, uint32_t line, const struct fault_sources *sources,
                       bool colour) {
  char text[LINE_BYTES];
  fault_line_in(file, line, sources, text);
  fputs(colour ? "\033[1m" : "", out);
  printable_print(out, shown_path(file));
  fprintf(out, ":%u%s    %s\n", line, colour ? "\033[0m" : "", text);
}

// Who wraps instructions in functions of his own wants to know which call it was.
static void print_callers(FILE *out, const struct fault_place *place, const struct fault_sources *sources,
                          bool colour) {
  enum { MOST_SHOWN = 4 };
  uint32_t callers[FAULT_MAX_FRAMES], count = fault_callers(place, callers);
  for (uint32_t i = 0; i < count && i < MOST_SHOWN; i++) {
    fputs("      called from ", out);
    print_line(out, place->inlined[callers[i]].file, place->inlined[callers[i]].line, sources, colour);
  }
  if (count > MOST_SHOWN)
    fprintf(out, "      and %u more call%s\n", count - MOST_SHOWN, count - MOST_SHOWN == 1 ? "" : "s");
}

static void print_place(FILE *out, const struct fault_place *place, const char *role,
                        const struct fault_sources *sources, bool colour) {
  char thread[128];
  if (place->line) {
    fputs("  ", out);
    print_line(out, place->file, place->line, sources, colour);
    print_callers(out, place, sources, colour);
  } else if (place->instruction && *place->instruction) {
    fprintf(out, "  PTX line %u    ", place->ptx_line);
    printable_print(out, place->instruction);
    fputc('\n', out);
  } else if (!*role) {
    return;
  }
  describe_thread(place, thread, sizeof thread);
  if (!*role && !*thread) return;
  fprintf(out, "      %s%s", thread, *thread && *role ? " " : "");
  printable_print(out, role);
  fputc('\n', out);
}

// How far it goes: "(all 128 threads, 64 of 64 blocks)" tells more than how often it was met.
static void print_counts(FILE *out, const struct fault *fault) {
  unsigned long long blocks = fault->block_count;
  char threads[64] = "";
  if (fault->thread_count > 1 && fault->thread_count >= fault->launch_threads)
    snprintf(threads, sizeof threads, "all %u threads, ", fault->launch_threads);
  else if (fault->thread_count > 0)
    snprintf(threads, sizeof threads, "%u thread%s, ", fault->thread_count,
             fault->thread_count == 1 ? "" : "s");
  if (fault->thread_count > 0 && fault->launch_blocks >= blocks && (blocks > 1 || fault->thread_count > 1))
    fprintf(out, "  (%s%llu of %llu block%s)\n", threads, blocks, (unsigned long long)fault->launch_blocks,
            fault->launch_blocks == 1 ? "" : "s");
  else if (fault->count > 1 && !fault->launch_blocks && !fault->place.has_thread)
    fprintf(out, "  (%llu times)\n", (unsigned long long)fault->count);
  else if (fault->thread_count == 0 && fault->count > 1)
    fprintf(out, "  (%llu times, in %llu block%s)\n", (unsigned long long)fault->count, blocks,
            blocks == 1 ? "" : "s");
}

static void print_host_frame(FILE *out, const struct fault_host *frame, bool colour) {
  if (frame->line) {
    print_line(out, frame->file, frame->line, NULL, colour);
    return;
  }
  printable_print(out, frame->function);
  fputc('\n', out);
}

// Which launch it was, and who asked for it; or who made the call that the fault is about.
static void print_host(FILE *out, const struct fault *fault, bool colour) {
  enum { MOST_SHOWN = 4 };
  if (fault->launch_count > 1)
    fprintf(out, "  (in %llu launches, first in number %llu)\n", (unsigned long long)fault->launch_count,
            (unsigned long long)fault->launch);
  if (fault->launch && fault->host_count == 1 && !fault->host[0].line) return; // main, most likely
  for (uint32_t i = 0; i < fault->host_count && i < MOST_SHOWN; i++) {
    if (i)
      fputs("      called from ", out);
    else if (fault->launch)
      fprintf(out, "  launch %llu, made by the host %s ", (unsigned long long)fault->launch,
              fault->host[i].line ? "at" : "in");
    else
      fputs("  the host, ", out);
    print_host_frame(out, &fault->host[i], colour);
  }
}

// Whether the report shows places of another file than its first one's.
static bool shows_files(const struct fault *fault) {
  const char *file = fault->place.file ? fault->place.file : "";
  for (uint32_t i = 0; i < fault->related_count; i++)
    if (strcmp(fault->related[i].place.file ? fault->related[i].place.file : "", file) != 0) return true;
  for (uint32_t i = 0; i < fault->place.inlined_count; i++)
    if (strcmp(fault->place.inlined[i].file ? fault->place.inlined[i].file : "", file) != 0) return true;
  return false;
}

// "lines 44 and 52", or "lines 44 and 52 of copies.cuh"
static void print_also(FILE *out, const struct fault *fault) {
  char text[400];
  int used =
      snprintf(text, sizeof text, "The same rule is broken at line%s ", fault->also_count == 1 ? "" : "s");
  for (uint32_t i = 0; i < fault->also_count; i++)
    used += snprintf(text + used, sizeof text - (size_t)used, "%s%u",
                     i == 0                      ? ""
                     : i + 1 < fault->also_count ? ", "
                                                 : " and ",
                     fault->also[i]);
  if (fault->place.file && shows_files(fault)) {
    const char *slash = strrchr(fault->place.file, '/');
    used += snprintf(text + used, sizeof text - (size_t)used, " of %.120s",
                     slash ? slash + 1 : fault->place.file);
  }
  snprintf(text + used, sizeof text - (size_t)used, ", too. One change may mend both: look there as well.");
  print_wrapped(out, "  ", text);
}

bool fault_colours(int descriptor) {
  const char *refused = getenv("NO_COLOR"), *terminal = getenv("TERM");
  return isatty(descriptor) && terminal && terminal[0] && strcmp(terminal, "dumb") != 0 &&
         !(refused && refused[0]);
}

void fault_print(FILE *out, const struct fault *fault, const struct fault_sources *sources, bool colour) {
  const struct rule *rule = rule_of(fault->rule);
  const char *on = colour ? "\033[1;31m" : "", *off = colour ? "\033[0m" : "";
  const char *kind = fault->severity == FAULT_WARNING ? "warning: " : "";
  fprintf(out, "%s%s%s%s  (rule %s%s", on, kind, rule->title, off, rule->name,
          *fault->kernel ? ", kernel " : "");
  printable_print(out, fault->signature ? fault->signature : fault->kernel);
  fputs(")\n\n", out);
  if (!*fault->kernel && fault->host_count)
    print_host(out, fault, colour);
  else if (fault->related_count || fault->place.line || *fault->kernel) // a role alone tells nothing
    print_place(out, &fault->place, fault->role, sources, colour);
  for (uint32_t i = 0; i < fault->related_count; i++)
    print_place(out, &fault->related[i].place, fault->related[i].role, sources, colour);
  fputc('\n', out);
  print_wrapped(out, "  ", fault->message);
  print_counts(out, fault);
  if (*fault->kernel) print_host(out, fault, colour);
  print_wrapped(out, "  ", *fault->remedy ? fault->remedy : rule->remedy);
  if (fault->also_count > 0) print_also(out, fault);
  if (fault->consequences > 0) print_wrapped(out, "  ", "Other reports that this one explains are left out.");
  fprintf(out, "\n  More about it: vhopper explain %s\n", rule->name);
}
