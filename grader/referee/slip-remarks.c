// In: an error of a compiler, a source. Out: the error, and a line or two for the one who can't make sense of
// it. The idea: few messages stand for most slips; what is particular of each can be read off the line.
#include "referee/slips-internal.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// The token at the caret, a name or a number: "0.25ff".
static size_t token_length(const char *at) {
  const size_t length = strspn(at, SLIP_NAME_LETTERS ".");
  return length < DECLARED_NAME ? length : 0;
}

static bool token_is(const char *at, const char *word) {
  return token_length(at) == strlen(word) && strncmp(at, word, strlen(word)) == 0;
}

// How far is looked back for the begin of a declaration: else a file of one long line would take a time that
// grows with the square of its size.
enum { MOST_BACK = 200, MOST_COLUMNS = 400 };

// ---- what can't be assigned
// --------------------------------------------------------------------------------------

// "if (x = 0)"
static bool assigns_in_condition(const char *blanked, const char *at) {
  const char *open = slip_open_of_call(blanked, at);
  if (!open) return false;
  const char *end = open;
  while (end > blanked && isspace((unsigned char)end[-1]))
    end--;
  return (end - blanked >= 2 && strncmp(end - 2, "if", 2) == 0) ||
         (end - blanked >= 5 && strncmp(end - 5, "while", 5) == 0);
}

// "result[y, x]": copies what should stand there.
static bool comma_between_brackets(const char *at, char *better, size_t size) {
  const char *open = at + strspn(at, SLIP_NAME_LETTERS ".");
  const size_t inside = *open == '[' ? strcspn(open + 1, "]\n;") : 0;
  if (!inside || open[1 + inside] != ']' || !memchr(open + 1, ',', inside)) return false;
  if (memchr(open + 1, '(', inside)) return false; // that may be a call's comma
  size_t length = 0;
  for (const char *c = at; c <= open + 1 + inside && length + 4 < size; c++) {
    if (*c != ',') {
      better[length++] = *c;
      continue;
    }
    better[length++] = ']';
    better[length++] = '[';
    c += strspn(c + 1, " ");
  }
  better[length] = '\0';
  return true;
}

// The line before the caret on which the name at the caret is declared const; 0: none.
static unsigned line_of_const(const char *blanked, const char *at) {
  char name[DECLARED_NAME];
  unsigned line = 0;
  snprintf(name, sizeof name, "%.*s", (int)strspn(at, SLIP_NAME_LETTERS), at);
  for (const char *found = blanked; (found = slip_find_word(blanked, found, name)) && found < at;
       found += strlen(name)) {
    const char *begin = found;
    while (begin > blanked && found - begin < MOST_BACK && !strchr("\n;{}(", begin[-1]))
      begin--;
    const char *word = memmem(begin, (size_t)(found - begin), "const", 5);
    if (word && !memchr(word, '=', (size_t)(found - word))) line = slip_line_number(blanked, found);
  }
  return line;
}

static bool say_unassignable(FILE *out, const struct slip_error *error, const char *blanked) {
  char better[120];
  if (assigns_in_condition(blanked, error->at)) {
    fputs("A single = assigns. To compare, write ==.\n", out);
    return true;
  }
  if (comma_between_brackets(error->at, better, sizeof better)) {
    fprintf(out, "Each index has brackets of its own: %s\n", better);
    return true;
  }
  const unsigned line = line_of_const(blanked, error->at);
  if (line) {
    fprintf(out,
            "Line %u declares it const. Take the const away there, or give the new value another name.\n",
            line);
    return true;
  }
  const char *equals = error->at + strcspn(error->at, "=;\n");
  if (*equals != '=' || equals[1] == '=' || equals[1 + strspn(equals + 1, " ")] != '{') return false;
  fputs("An array can't be assigned as a whole: set its elements, one by one.\n", out);
  return true;
}

// ---- what has the wrong type
// -------------------------------------------------------------------------------------

// "(float4 is ..)": whether a message names a type of CUDA that has parts, such as float4. Copies it.
static bool quoted_vector(const char *text, char type[16]) {
  static const char *const types[] = {"float4", "float2", "int4", "uint4", "int2", "uint2", "uint3", "dim3"};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (slip_find_word(text, text, types[i])) return snprintf(type, 16, "%s", types[i]) > 0;
  return false;
}

// "operand types are: place + unsigned int"
static bool say_struct(FILE *out, const struct slip_error *error) {
  static const char types[] = "operand types are: ";
  static const char *const known[] = {"const", "float",  "int",  "unsigned",
                                      "long",  "double", "bool", "lambda"};
  const char *type = strstr(error->text, types);
  if (!type) return false;
  type += strlen(types);
  const size_t length = strspn(type, SLIP_NAME_LETTERS);
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strlen(known[i]) == length && strncmp(type, known[i], length) == 0) return false;
  if (!length || type[length] != ' ' || type[length + 1] == '*' || memmem(type, length, "_t", 2))
    return false;
  fprintf(out, "%.*s is a struct and has no arithmetic: name the member that is meant, with a dot.\n",
          (int)length, type);
  return true;
}

static bool say_vector(FILE *out, const struct slip_error *error, const char *blanked) {
  char type[16], better[120];
  if (comma_between_brackets(error->at, better, sizeof better)) {
    fprintf(out, "Each index has brackets of its own: %s\n", better);
    return true;
  }
  if (strstr(error->message, "operator \"=\"") && strstr(error->text, "operand types are: const ")) {
    const unsigned line = line_of_const(blanked, error->at);
    fputs("What stands on the left is const: nothing can be assigned to it.\n", out);
    if (line) fprintf(out, "Line %u declares it so.\n", line);
    return true;
  }
  if (!quoted_vector(error->text, type)) return say_struct(out, error);
  if (strstr(error->message, "from \"") && strstr(error->message, "*\" to \"")) {
    fputs("That is an address: is an index missing, or is a * too much where the name is declared?\n", out);
    return true;
  }
  if (strstr(error->message, "\"[]\"")) {
    fputs("Its numbers are .x, .y, .. by name: an index can't choose among them.\n", out);
    return true;
  }
  if (strcmp(type, "uint3") == 0 || strcmp(type, "dim3") == 0)
    fputs("It has three parts: .x, .y and .z.\n", out);
  else
    fprintf(out,
            "%s has no arithmetic and no constructor: its numbers are .x, .y, .. and make_%s(..) makes "
            "one.\n",
            type, type);
  return true;
}

static bool say_integral(FILE *out, const struct slip_error *error, const char *blanked) {
  (void)blanked;
  const char *line = error->at;
  while (line > blanked && line[-1] != '\n')
    line--;
  const size_t length = slip_line_length(line);
  if (memmem(line, length, "<<", 2) && memmem(line, length, ">>", 2)) {
    fputs("A launch has three < and three >: kernel<<<blocks, threads, bytes, stream>>>(..)\n", out);
    return true;
  }
  if (!memchr(line, '%', length)) return false;
  fputs("% takes integers on both sides.\n", out);
  return true;
}

// "operator -> or ->* applied to "storage" instead of to a pointer type"
static bool say_dot(FILE *out, const struct slip_error *error, const char *blanked) {
  (void)blanked;
  const int length = (int)strspn(error->at, SLIP_NAME_LETTERS);
  if (!length) return false;
  fprintf(out, "%.*s is no pointer: write %.*s. in place of %.*s->\n", length, error->at, length, error->at,
          length, error->at);
  return true;
}

// "operand of "*" must be a pointer": perhaps its address was meant.
static bool say_address(FILE *out, const struct slip_error *error, const char *blanked) {
  (void)blanked;
  if (!slip_open_of_call(blanked, error->at)) return false;
  fputs("* reads what an address points to. The address of a variable is written with &.\n", out);
  return true;
}

static bool say_row(FILE *out, const struct slip_error *error, const char *blanked) {
  const char *given = strstr(error->message, "type \""),
             *wanted = strstr(error->message, "entity of type \"");
  if (!given || !wanted) return false;
  const bool is_address = memchr(given + 6, '*', strcspn(given + 6, "\"")) != NULL;
  const bool wants_address = memchr(wanted + 16, '*', strcspn(wanted + 16, "\"")) != NULL;
  if (is_address == wants_address) return false;
  if (is_address && strstr(wanted, "uint64_t\"") && strstr(blanked, "wgmma")) {
    fputs("That is an address. A descriptor for wgmma is made of one: wgmma_descriptor(..)\n", out);
    return true;
  }
  fputs(is_address ? "That is an address, of a row say: declare a pointer, or take one element with [..].\n"
                   : "A pointer takes an address: put & before the name.\n",
        out);
  return true;
}

// "argument of type "int32_t *" is incompatible with parameter of type "uint32_t *""
static bool say_cast(FILE *out, const struct slip_error *error, const char *blanked) {
  (void)blanked;
  const char *given = strstr(error->message, "type \""),
             *wanted = strstr(error->message, "parameter of type \"");
  if (!given || !wanted) return false;
  wanted += strlen("parameter of type \"");
  const int length = (int)strcspn(wanted, "\"");
  const bool both = memchr(given + 6, '*', strcspn(given + 6, "\"")) && memchr(wanted, '*', (size_t)length);
  if (!both || strncmp(given + 6, "const ", 6) == 0) return false;
  fprintf(out, "If it is to be read as those: reinterpret_cast<%.*s>(..)\n", length, wanted);
  return true;
}

// ---- names of other libraries, members, launches
// -------------------------------------------------------------------------

static bool say_library(FILE *out, const struct slip_error *error, const char *blanked) {
  (void)blanked;
  if (token_is(error->at, "cuda"))
    fputs("cuda:: is libcu++, whose header the file does not include. ", out);
  else if (token_is(error->at, "cg"))
    fputs("cg:: is cooperative groups, whose header the file does not include. ", out);
  else
    return false;
  fputs("The labs do without it:\nthe functions of tma-interface.cuh are one instruction each.\n", out);
  return true;
}

// "expression must have class type but it has type "uint64_t"": "bar.wait(0)"
static bool say_no_class(FILE *out, const struct slip_error *error, const char *blanked) {
  (void)blanked;
  const size_t name = strspn(error->at, SLIP_NAME_LETTERS);
  const char *member = error->at + name;
  if (!name || *member != '.' || !strstr(error->message, "uint64_t")) return false;
  const size_t length = strspn(++member, SLIP_NAME_LETTERS);
  if (!length || member[length] != '(') return false;
  fprintf(out, "A barrier here is 64 bits without functions of its own: %.*s(&%.*s, ..)\n", (int)length,
          member, (int)name, error->at);
  return true;
}

static bool say_launch(FILE *out, const struct slip_error *error, const char *blanked) {
  (void)blanked;
  fprintf(out, "A kernel is launched so: %.*s<<<blocks, threads, bytes, stream>>>(..)\n",
          (int)strspn(error->at, SLIP_NAME_LETTERS), error->at);
  return true;
}

static bool say_colon(FILE *out, const struct slip_error *error, const char *blanked) {
  (void)blanked;
  if (*error->at == '{') {
    fputs("A function can't be written within another one: put it above, or make it a lambda.\n", out);
    return true;
  }
  if (*error->at != ':') return false;
  fputs(error->at[1] == '=' ? "= alone assigns.\n" : "Is the : meant for a ; here?\n", out);
  return true;
}

static bool say_keyword(FILE *out, const struct slip_error *error, const char *blanked) {
  (void)blanked;
  static const char *const words[] = {"new",    "delete", "class", "this",  "template", "register", "default",
                                      "switch", "case",   "try",   "union", "operator", "private",  "public"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    if (!token_is(error->at, words[i])) continue;
    fprintf(out, "%s is a word of the language: take another name.\n", words[i]);
    return true;
  }
  return false;
}

static bool say_for(FILE *out, const struct slip_error *error, const char *blanked) {
  const char *open = slip_open_of_call(blanked, error->at), *end = open;
  while (end && end > blanked && isspace((unsigned char)end[-1]))
    end--;
  if (!end || end - blanked < 3 || strncmp(end - 3, "for", 3) != 0)
    return slip_explain_twice(out, error, blanked);
  fputs("The three parts of a for have a ; between them, not a comma.\n", out);
  return true;
}

static bool say_else(FILE *out, const struct slip_error *error, const char *blanked) {
  (void)blanked;
  if (!token_is(error->at, "else")) return false;
  fputs("This else has no if: a ; behind the if's ) ends it, and two statements before an else need { }.\n",
        out);
  return true;
}

// A stream handed to a function of the runtime that takes none: "cudaMemset(p, 0, bytes, stream)".
static bool say_async(FILE *out, const struct slip_error *error, const char *blanked) {
  const char *open = slip_open_of_call(blanked, error->at), *name = open;
  while (name && name > blanked && strchr(SLIP_NAME_LETTERS, name[-1]))
    name--;
  const int length = name ? (int)(open - name) : 0;
  if (length < 10 || strncmp(name, "cudaMem", 7) != 0 || strncmp(open - 5, "Async", 5) == 0) return false;
  fprintf(out, "%.*s takes no stream; %.*sAsync does.\n", length, name, length, name);
  return true;
}

// ---- expressions
// --------------------------------------------------------------------------------------------------

// The last character before `at` that is no blank; the begin of the text: there is none.
static const char *before_blanks(const char *blanked, const char *at) {
  while (at > blanked && isspace((unsigned char)at[-1]))
    at--;
  return at > blanked ? at - 1 : at;
}

// "a && )", "x === 1", "sizeof x * ;": an operator has nothing on its right.
static bool say_expression(FILE *out, const struct slip_error *error, const char *blanked) {
  const char *last = before_blanks(blanked, error->at);
  if (*error->at == '=' && *last == '=' && last > blanked && strchr("=!", last[-1])) {
    fputs(last[-1] == '=' ? "Two = compare: ==\n" : "It is != with one =.\n", out);
    return true;
  }
  const bool twice = last > blanked && strchr("&|", *last) && last[-1] == *last;
  if (!strchr("&|+-*/%<>=!^,", *last) || !strchr(");]},", *error->at)) return false;
  fprintf(out, "Nothing stands on the right of the %.*s before it.\n", twice ? 2 : 1, last - twice);
  return true;
}

// "sizeof uint32_t"
static bool say_sizeof(FILE *out, const struct slip_error *error, const char *blanked) {
  const char *last = before_blanks(blanked, error->at);
  const int length = (int)strspn(error->at, SLIP_NAME_LETTERS);
  if (!length || last - blanked < 5 || strncmp(last - 5, "sizeof", 6) != 0) return false;
  fprintf(out, "sizeof wants a type in brackets: sizeof(%.*s)\n", length, error->at);
  return true;
}

// "wait(..) == true", "while (!wait(..))": "expression must have bool type"
static bool say_no_value(FILE *out, const struct slip_error *error, const char *blanked) {
  (void)blanked;
  const char *name = error->at + (*error->at == '!');
  if (!token_is(name, "wait")) return false;
  fputs("wait(..) has no value: it returns when the phase is complete. One look alone is test_wait(..) or\n"
        "try_wait(..), which return whether it is.\n",
        out);
  return true;
}

// "(float (*)[256]) to const float *": "box + y"
static bool say_row_of_matrix(FILE *out, const struct slip_error *error, const char *blanked) {
  if (!strstr(error->message, "(*)[")) return say_row(out, error, blanked);
  fputs("That points to whole rows. A row, which a pointer to numbers takes, is NAME[row].\n", out);
  return true;
}

// "argument of type "uint64_t (*)()"": the call's brackets are missing.
static bool say_not_called(FILE *out, const struct slip_error *error, const char *blanked) {
  const int length = (int)strspn(error->at, SLIP_NAME_LETTERS);
  if (!length || !strstr(error->message, "(*)(")) return say_cast(out, error, blanked);
  fprintf(out, "That is the function itself. To call it: %.*s()\n", length, error->at);
  return true;
}

// A name that stands for a thread's number in other people's code.
static bool say_thread(FILE *out, const struct slip_error *error, const char *blanked) {
  (void)blanked;
  static const char *const names[][2] = {
      {"lane", "threadIdx.x % 32"}, {"lane_id", "threadIdx.x % 32"}, {"laneId", "threadIdx.x % 32"},
      {"warp", "threadIdx.x / 32"}, {"warp_id", "threadIdx.x / 32"}, {"warpId", "threadIdx.x / 32"},
      {"tid", "threadIdx.x"},       {"thread", "threadIdx.x"},       {"tx", "threadIdx.x"},
      {"thread_id", "threadIdx.x"}, {"threadId", "threadIdx.x"},     {"bid", "blockIdx.x"},
      {"block_id", "blockIdx.x"},   {"blockId", "blockIdx.x"}};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (!token_is(error->at, names[i][0])) continue;
    fprintf(out, "No variable of that name is declared here. Is %s meant?\n", names[i][1]);
    return true;
  }
  return false;
}

// "(turn / STAGES) mod 2"
static bool say_semicolon(FILE *out, const struct slip_error *error, const char *blanked) {
  if (token_is(error->at, "mod")) {
    fputs("The rest of a division is written with %.\n", out);
    return true;
  }
  if (token_is(error->at, "and") || token_is(error->at, "or")) return false;
  return say_colon(out, error, blanked);
}

// "function "lambda [](uint32_t)->void" cannot be called with the given argument list"
static bool say_lambda(FILE *out, const struct slip_error *error, const char *blanked) {
  (void)blanked;
  const char *begin = strstr(error->message, "lambda [](");
  const int name = (int)strspn(error->at, SLIP_NAME_LETTERS);
  if (!begin || !name) return false;
  begin += strlen("lambda [](");
  fprintf(out, "It is called so: %.*s(%.*s), where each type stands for a value.\n", name, error->at,
          (int)strcspn(begin, ")"), begin);
  return true;
}

// ---- all of them
// ------------------------------------------------------------------------------------------------

static bool say_macro(FILE *out, const struct slip_error *error, const struct slip_source *source,
                      const char *blanked) {
  char line[MOST_COLUMNS];
  const char *begin_of_line = blanked + (slip_line_of_text(source->text, error->line) - source->text);
  snprintf(line, sizeof line, "%.*s", (int)slip_line_length(begin_of_line), begin_of_line);
  for (const char *define = source->text; (define = strstr(define, "#define ")); define += 8) {
    char name[DECLARED_NAME];
    const char *begin = define + 8 + strspn(define + 8, " ");
    const size_t letters = strspn(begin, SLIP_NAME_LETTERS);
    if (!letters || letters >= sizeof name) continue;
    snprintf(name, sizeof name, "%.*s", (int)letters, begin);
    if (!slip_find_word(line, line, name)) continue;
    const char *text = begin + letters;
    const size_t rest = slip_line_length(text);
    if (*text == '(' || (!memchr(text, ';', rest) && text[strspn(text, " ")] != '=')) continue;
    char what[160];
    snprintf(what, sizeof what, "%s stands for all that follows it here: without = and ;", name);
    slip_point_at(out, source, slip_line_number(source->text, define), what);
    fprintf(out, "The compiler noticed it only at line %u: %s\n", error->line, error->message);
    return true;
  }
  return false;
}

// `says`: what there is to say of it; NULL: `more` says it, if it returns true.
static const struct remark {
  const char *said;
  const char *says;
  bool (*more)(FILE *out, const struct slip_error *error, const char *blanked);
} remarks[] = {
    {"initializer not allowed for __shared__ variable",
     "Shared memory begins with whatever was there. A thread has to set it: init_barrier(..) for a barrier;\n"
     "then __syncthreads().\n",
     NULL},
    {"a variable length array cannot have static storage duration",
     "The size has to be known to the compiler: a constexpr. For any other, extern __shared__ and the\n"
     "launch's third number.\n",
     NULL},
    {"\"__shared__\" variable declaration is not allowed inside a host function",
     "Is __global__ missing before the function (a kernel), or __device__ (one that a kernel calls)?\n",
     NULL},
    {"user-defined literal operator not found",
     "What follows the digits is no suffix: a float ends in one f.\n", NULL},
    {"unless it is in the capture list", "A lambda that begins with [&] may use all that stands around it.\n",
     NULL},
    {"invalid narrowing conversion",
     "Between { and } a number isn't converted unasked: static_cast<TYPE>(..).\n", NULL},
    {"identifier \"cluster\" is undefined",
     "That is of cooperative groups. Here it is cluster_arrive(); cluster_wait();\n", NULL},
    {"invalid alignment value", "It has to be a power of two: 16, 128, 1024.\n", NULL},
    {"more than one instance of overloaded function \"min\"",
     "Both have to be of one type: cast one, as in static_cast<size_t>(..).\n", NULL},
    {"more than one instance of overloaded function \"max\"",
     "Both have to be of one type: cast one, as in static_cast<size_t>(..).\n", NULL},
    {"calling a constexpr __host__ function(\"min\")", "In a kernel it is min(..), without std::.\n", NULL},
    {"calling a constexpr __host__ function(\"max\")", "In a kernel it is max(..), without std::.\n", NULL},
    {"calling a __host__ function(",
     "It runs on the host alone. Before a function of yours write __device__.\n", NULL},
    {"calling a __device__ function(", "It runs on the GPU alone: its place is in a kernel.\n", NULL},
    {"expression must be a modifiable lvalue", NULL, say_unassignable},
    {"no operator \"", NULL, say_vector},
    {"no suitable constructor exists", NULL, say_vector},
    {"no suitable conversion function", NULL, say_vector},
    {"expression must have integral", NULL, say_integral},
    {"operator -> or ->* applied to", NULL, say_dot},
    {"operand of \"*\" must be a pointer", NULL, say_address},
    {"cannot be used to initialize an entity", NULL, say_row_of_matrix},
    {"is incompatible with parameter of type", NULL, say_not_called},
    {"name followed by \"::\"", NULL, say_library},
    {"expression must have class type", NULL, say_no_class},
    {"a __global__ function call must be configured", NULL, say_launch},
    {"expected a \";\"", NULL, say_semicolon},
    {"expected an identifier", NULL, say_keyword},
    {"has already been declared in the current scope", NULL, say_for},
    {"expected a statement", NULL, say_else},
    {"too many arguments in function call", NULL, say_async},
    {"expected an expression", NULL, say_expression},
    {"type name is not allowed", NULL, say_sizeof},
    {"expression must have bool type", NULL, say_no_value},
    {"is undefined", NULL, say_thread},
    {"must have const-qualified type", "It is written so: const __grid_constant__ CUtensorMap NAME\n", NULL},
    {"initialization with \"{...}\" expected for aggregate object",
     "An array can't begin as a copy. A pointer can point there; any other value needs a variable of its\n"
     "type.\n",
     NULL},
    {"cannot be called with the given argument list", NULL, say_lambda},
    {"a pointer to a bound function may only be used to call",
     "That is a function of the struct: its arguments stand between ( and ), not [ and ].\n", NULL},
    {"declaration is incompatible with",
     "Are both extern __shared__? All such arrays are the same memory: declare one, and take a pointer of\n"
     "another type into it by reinterpret_cast.\n",
     NULL},
    {"asm operand type size(8) does not match",
     "\"r\" takes 32 bits and \"l\" takes 64, as a pointer has. An address of shared memory has 32:\n"
     "\"r\"(tma_shared_address(..))\n",
     NULL},
    {"asm operand index requested is larger",
     "%0, %1, .. count the operands, those that are written first: the largest is one less than there are.\n",
     NULL},
    {"too many initializer values",
     "Of a call's arguments each stands for itself, with no { } around several.\n", NULL},
};

bool slip_explain_remark(FILE *out, const struct slip_error *error, const struct slip_source *source,
                         const char *blanked) {
  if (!error->at) return false;
  if (error->is_expanded && say_macro(out, error, source, blanked)) return true;
  for (size_t i = 0; i < sizeof remarks / sizeof *remarks; i++) {
    if (!strstr(error->message, remarks[i].said)) continue;
    char *more = NULL;
    size_t size;
    FILE *text = remarks[i].says ? NULL : open_memstream(&more, &size);
    const bool said = remarks[i].says || (text && remarks[i].more(text, error, blanked));
    if (text) fclose(text);
    if (said) {
      slip_print_error(out, error, source);
      fputs(remarks[i].says ? remarks[i].says : more, out);
    }
    free(more);
    if (said) return true;
  }
  if (!error->is_expanded && !strstr(error->text, ": note ")) return false;
  slip_print_error(out, error, source); // in the student's own words, and without the compiler's guesses
  return true;
}

bool slip_explain_operand(FILE *out, const struct slip_error *error, const struct slip_source *source,
                          const char *blanked) {
  const bool is_alone =
      strstr(error->message, "type name is not allowed") ||
      (strstr(error->message, "is incompatible with parameter") && strstr(error->message, "(*)("));
  return is_alone && slip_explain_remark(out, error, source, blanked);
}
