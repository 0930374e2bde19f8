// The parser's private header, in file order: declarations that only the parser's files share.
#ifndef VIRTUAL_HOPPER_PTX_PARSE_H
#define VIRTUAL_HOPPER_PTX_PARSE_H

#include "virtual-hopper/ptx/lex.h"

#include <setjmp.h>

// These bounds limit the memory and stack of any text, even a hostile one. Fuzzers write short texts. So in
// their builds the bounds are small enough for a short text to reach them. There, a variable may also be so
// large that the sum of a few sizes wraps.
#ifdef VHOPPER_FUZZ_LIMITS
enum {
  PARSE_LONGEST_TEXT = 1 << 20,
  PARSE_MEMORY_LIMIT = 8 << 20,
  PARSE_LIST_LIMIT = 4 << 20,
  PARSE_MOST_REGISTERS_IN_ALL = 2048,
  PARSE_MOST_REGISTERS = 1024,
};
#define PARSE_LARGEST_VARIABLE ((uint64_t)1 << 62)
#else
enum {
  PARSE_LONGEST_TEXT = 256 << 20, // bytes
  PARSE_MEMORY_LIMIT = 1 << 30,   // bytes of the module's arena
  PARSE_LIST_LIMIT = 1 << 29,     // bytes of all growing lists together
  PARSE_MOST_REGISTERS_IN_ALL = 4 << 20,
  PARSE_MOST_REGISTERS = 256 << 10, // in one function
};
#define PARSE_LARGEST_VARIABLE ((uint64_t)1 << 38) // bytes
#endif
enum {
  PARSE_DEEPEST_SCOPE = 64,          // { { { ...
  PARSE_DEEPEST_NESTING = 64,        // for operands, expressions and initialisers
  PARSE_MOST_DIMENSIONS = 8,         // for an array
  PARSE_LARGEST_ALIGNMENT = 1 << 16, // bytes
  PARSE_LARGEST_FILE_NUMBER = 1 << 16,
};

// A list that grows. Its memory is outside the arena because the list is filled again for every function.
struct list {
  void *items;
  size_t count, capacity;
};

// ---- parse-scope.c: the meaning of names ----

enum symbol_kind {
  SYMBOL_REGISTER,        // index: into the function's registers
  SYMBOL_VECTOR_REGISTER, // index: its first element in the function's registers; count: its elements
  SYMBOL_VARIABLE,        // at depth 0, index: into the module's variables
  SYMBOL_FUNCTION,        // index: into the module's functions
  SYMBOL_LABEL,
  SYMBOL_TARGETS,
  SYMBOL_PROTOTYPE,
};
struct symbol {
  enum symbol_kind kind;
  uint32_t index, count;
  uint32_t line;           // line of the declaration
  uint16_t depth;          // 0: module, 1: function, 2..: inner scopes
  const char *unique_name; // unique in its function or module; a register keeps its own name
  struct name *name;
  struct symbol *outer;         // the name's symbol in the outer scopes
  struct symbol *next_in_scope; // also links the unused symbols
};
struct scope {
  struct symbol *symbols;
  uint32_t number;      // unique in the function; part of unique names
  size_t first_pending; // index of the scope's first pending name
  uint32_t line;        // line of its '{'
};
// A pending name: a label or a symbol of the module may declare it later.
struct pending_name {
  const char **slot; // receives the unique name
  struct name *name;
  uint32_t line;
};

struct parser {
  struct lexer lexer;
  struct token token; // the next token, not consumed yet
  uint32_t name_line; // line of the last consumed name
  struct ptx_module *module;
  struct arena *arena;
  struct ptx_error *error;
  jmp_buf failed;
  uint32_t nesting;

  // the module so far:
  struct list files, locations, variables, functions;
  struct list unresolved;     // struct pending_name: checked when the text ends
  struct list aliases;        // struct alias
  struct list location_index; // hash table of uint32_t: location number + 1, by file, line and column
  bool has_version, has_target;

  // the function being parsed:
  struct list registers, function_variables, instructions, labels, targets, prototypes;
  struct list target_names; // names in the current .branchtargets or .calltargets table
  struct list pending;      // struct pending_name
  struct list parameters;   // in the current parameter list
  struct list operands;     // a stack
  struct scope scopes[PARSE_DEEPEST_SCOPE + 2];
  uint32_t depth;        // index of the innermost scope; 0: outside functions
  uint32_t scope_number; // number of the scope opened last
  int32_t location;      // index of the location in force, -1 when there is none
  const char *function_name;
  bool in_call; // if true, "(" opens an argument list, not an expression

  size_t list_bytes; // bytes of all lists together
  size_t memory_limit, list_limit;
  uint32_t registers_in_all; // registers of all functions so far

  // scratch:
  struct list bytes, relocations; // for an initialiser
  struct symbol *unused_symbols;
};

// Ends the parse. The caller of ptx_parse receives the message.
_Noreturn void parse_fail_at(struct parser *parser, uint32_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// Ends the parse at the next token. The message also names that token: "expected ';', found 'foo'".
_Noreturn void parse_expected(struct parser *parser, const char *wanted);
// A name, cut to 80 characters so that it fits into a message. For printf: "%.*s".
#define NAME_IN_MESSAGE(name) (int)((name)->length > 80 ? 80 : (name)->length), (name)->text

// Returns memory from the module's arena. The parse fails when the limit is exceeded.
void *parse_allocate(struct parser *parser, size_t count, size_t size);
struct name *parse_intern(struct parser *parser, const char *text, size_t length);

// Adds `more` zeroed items at the list's end. Returns the first of them.
void *list_extend(struct parser *parser, struct list *list, size_t more, size_t item_size);
// Moves the items from `first` on into the arena. Returns NULL when there are no such items.
void *list_take(struct parser *parser, struct list *list, size_t first, size_t item_size);

// Reads the next token.
void parse_advance(struct parser *parser);
bool parse_at(const struct parser *parser, int punctuation);
bool parse_at_word(const struct parser *parser, enum keyword keyword); // a word with its dot
bool parse_at_name(const struct parser *parser, enum keyword keyword); // a name without a dot
bool parse_accept(struct parser *parser, int punctuation);
bool parse_accept_word(struct parser *parser, enum keyword keyword);
void parse_expect(struct parser *parser, int punctuation);
struct name *parse_expect_name(struct parser *parser, const char *what);
void parse_skip_string(struct parser *parser);
void parse_enter(struct parser *parser); // goes one nesting level deeper; fails at PARSE_DEEPEST_NESTING
void parse_leave(struct parser *parser);

void scope_open(struct parser *parser);
void scope_close(struct parser *parser);
// Declares `name` in the innermost scope. The parse fails when that scope already declares `name`.
struct symbol *scope_declare(struct parser *parser, struct name *name, enum symbol_kind kind, uint32_t index);
// `*slot` holds name->text. Stores the unique name in `*slot`, now or as soon as the declaration is known.
void scope_resolve(struct parser *parser, const char **slot, struct name *name, uint32_t line);
void scope_check_unresolved(struct parser *parser); // at the end of the text

// ---- parse-location.c ----
void parse_file_directive(struct parser *parser);
void parse_loc_directive(struct parser *parser);

// ---- parse-expression.c ----
struct constant {
  enum ptx_type type; // PTX_S64, PTX_U64, PTX_F32 (only 0f...) or PTX_F64
  uint64_t bits;
};
struct constant parse_constant(struct parser *parser);
// Parses a constant expression of an integer type.
uint64_t parse_integer(struct parser *parser, const char *what);
// Parses a constant expression of an integer type that ends at a '>': %r<24>
uint64_t parse_count_before_angle(struct parser *parser, const char *what);
int64_t parse_offset(struct parser *parser); // ("+" | "-") term ...; 0 when there is no term
bool parse_at_constant(const struct parser *parser);

// ---- parse-variable.c ----
struct linkage {
  bool is_extern, is_visible, is_weak, is_common;
  uint32_t line;
};
struct linkage parse_linkage(struct parser *parser);
// PTX_SPACE_NONE when the keyword is no state space
enum ptx_space parse_space_of_keyword(enum keyword keyword);
void parse_variable_statement(struct parser *parser, const struct linkage *linkage);
void parse_register_statement(struct parser *parser);
void parse_attribute(struct parser *parser, bool *is_managed);
// Parses "(" parameters ")". When `declare` is true, the parameters become names of the function. Returns the
// parameters, and their number in *count.
struct ptx_variable *parse_parameters(struct parser *parser, bool declare, uint32_t *count);

// ---- parse-mark.c ----

// If the register that is declared stands for the begin or end of a named range, takes it as a mark.
bool parse_mark(struct parser *parser, const struct name *declared);

// ---- parse-initializer.c ----
struct shape {
  // outermost first; a vector's elements are the last dimension
  uint64_t dimensions[PARSE_MOST_DIMENSIONS + 1];
  uint32_t count;
  bool first_unknown; // name[] = {...}
};
void parse_initializer(struct parser *parser, struct ptx_variable *variable, struct shape *shape);

// ---- parse-function.c ----
void parse_function(struct parser *parser, const struct linkage *linkage);
void parse_alias(struct parser *parser);
void parse_resolve_aliases(struct parser *parser); // at the end of the text

// ---- parse-body.c ----
void parse_body(struct parser *parser);

// ---- parse-instruction.c ----
// The part of an instruction that is read before its opcode.
struct instruction_start {
  const char *text; // start of the instruction
  uint32_t line;
  int32_t guard; // register index, -1 when unguarded
  bool guard_negated;
};
struct instruction_start parse_guard(struct parser *parser);
void parse_instruction(struct parser *parser, const struct instruction_start *start,
                       const struct name *opcode);

// ---- parse-operand.c ----
// Pushes one operand onto parser->operands.
void parse_operand(struct parser *parser);
// Pops the operands from `first` on. Moves them to the arena, resolves their names and returns them.
struct ptx_operand *parse_take_operands(struct parser *parser, size_t first, uint32_t *count);

#endif
