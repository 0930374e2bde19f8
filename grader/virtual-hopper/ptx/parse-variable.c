// In: declarations of variables, parameters and registers. Out: their type, size, alignment and name. The one
// idea: every declaration has the same specifiers before its name (state space, alignment, vector, type), so
// one struct and one function serve all declarations. PTX ISA 5.1, 5.4.
#include "virtual-hopper/base/checked.h"
#include "virtual-hopper/ptx/parse.h"

#include <stdio.h>
#include <string.h>

// The specifiers of a declaration: the part before its names.
struct specifiers {
  enum ptx_space space;
  enum ptx_type type;
  uint32_t vector;
  size_t alignment; // bytes; 0: natural alignment
  bool is_managed, is_pointer;
};

enum ptx_space parse_space_of_keyword(enum keyword keyword) {
  switch (keyword) {
  case KEYWORD_REG: return PTX_REG;
  case KEYWORD_CONST: return PTX_CONST;
  case KEYWORD_GLOBAL: return PTX_GLOBAL;
  case KEYWORD_LOCAL: return PTX_LOCAL;
  case KEYWORD_PARAM: return PTX_PARAM;
  case KEYWORD_SHARED: return PTX_SHARED;
  default: return PTX_SPACE_NONE;
  }
}

// linkage = (".extern" | ".visible" | ".weak" | ".common")*                                   PTX ISA 11.6
struct linkage parse_linkage(struct parser *parser) {
  struct linkage linkage = {.line = parser->token.line};
  for (;;) {
    if (parse_accept_word(parser, KEYWORD_EXTERN)) {
      linkage.is_extern = true;
    } else if (parse_accept_word(parser, KEYWORD_VISIBLE)) {
      linkage.is_visible = true;
    } else if (parse_accept_word(parser, KEYWORD_WEAK)) {
      linkage.is_weak = true;
    } else if (parse_accept_word(parser, KEYWORD_COMMON)) {
      linkage.is_common = true;
    } else {
      return linkage;
    }
  }
}

// attribute = ".attribute" "(" word ("(" integer ("," integer)* ")")? ("," ...)* ")"           PTX ISA 5.4.8
void parse_attribute(struct parser *parser, bool *is_managed) {
  parse_advance(parser);
  parse_expect(parser, '(');
  do {
    if (parser->token.kind != TOKEN_WORD) parse_expected(parser, "an attribute like .managed");
    if (parse_at_word(parser, KEYWORD_MANAGED)) *is_managed = true;
    parse_advance(parser);
    if (!parse_accept(parser, '(')) continue;
    do {
      parse_integer(parser, "an attribute's number");
    } while (parse_accept(parser, ','));
    parse_expect(parser, ')');
  } while (parse_accept(parser, ','));
  parse_expect(parser, ')');
}

// alignment = ".align" integer                                                                 PTX ISA 5.4.5
static void parse_alignment(struct parser *parser, struct specifiers *specifiers) {
  uint32_t line = parser->token.line;
  parse_advance(parser);
  uint64_t alignment = parse_integer(parser, "an alignment");
  if (alignment == 0 || (alignment & (alignment - 1)) != 0 || alignment > PARSE_LARGEST_ALIGNMENT) {
    parse_fail_at(parser, line, "an alignment of %llu: must be a power of two up to %d",
                  (unsigned long long)alignment, PARSE_LARGEST_ALIGNMENT);
  }
  // After .ptr, the alignment belongs to the memory that the pointer points to.
  if (!specifiers->is_pointer) specifiers->alignment = (size_t)alignment;
}

// pointer = ".ptr" (".const" | ".global" | ".local" | ".shared")? alignment?                  PTX ISA 5.1.6.3
static void parse_pointer(struct parser *parser, struct specifiers *specifiers) {
  specifiers->is_pointer = true;
  parse_advance(parser);
  if (parser->token.kind == TOKEN_WORD &&
      parse_space_of_keyword(parser->token.name->keyword) != PTX_SPACE_NONE) {
    parse_advance(parser);
  }
}

static void parse_type_word(struct parser *parser, struct specifiers *specifiers) {
  const struct name *name = parser->token.name;
  switch ((enum keyword)name->keyword) {
  case KEYWORD_V2: specifiers->vector = 2; break;
  case KEYWORD_V4: specifiers->vector = 4; break;
  case KEYWORD_V8: specifiers->vector = 8; break;
  case KEYWORD_TEXREF:
  case KEYWORD_SAMPLERREF:
  case KEYWORD_SURFREF:
    parse_fail_at(parser, parser->token.line,
                  "a texture, sampler or surface reference: not supported (CUDA 12 has "
                  "none; use texture objects)");
  default:
    if (name->type == PTX_TYPE_NONE) parse_expected(parser, "a type like .b32");
    specifiers->type = (enum ptx_type)name->type;
  }
  parse_advance(parser);
}

// specifiers = space (attribute | alignment | pointer | ".v2" | ".v4" | ".v8" | type)*
static struct specifiers parse_specifiers(struct parser *parser) {
  struct specifiers specifiers = {.vector = 1};
  if (parser->token.kind == TOKEN_WORD) {
    specifiers.space = parse_space_of_keyword((enum keyword)parser->token.name->keyword);
  }
  if (specifiers.space == PTX_SPACE_NONE) parse_expected(parser, "a state space like .param");
  parse_advance(parser);
  while (parser->token.kind == TOKEN_WORD) {
    switch ((enum keyword)parser->token.name->keyword) {
    case KEYWORD_ATTRIBUTE: parse_attribute(parser, &specifiers.is_managed); break;
    case KEYWORD_ALIGN: parse_alignment(parser, &specifiers); break;
    case KEYWORD_PTR: parse_pointer(parser, &specifiers); break;
    default: parse_type_word(parser, &specifiers);
    }
  }
  if (specifiers.type == PTX_TYPE_NONE) parse_expected(parser, "a type like .b32");
  if (specifiers.type == PTX_PRED && specifiers.space != PTX_REG) {
    parse_fail_at(parser, parser->token.line, "a predicate outside the registers");
  }
  return specifiers;
}

// dimensions = ("[" integer? "]")*                                                             PTX ISA 5.4.3
static void parse_dimensions(struct parser *parser, struct ptx_variable *variable, struct shape *shape) {
  while (parse_accept(parser, '[')) {
    if (shape->count == PARSE_MOST_DIMENSIONS) {
      parse_fail_at(parser, parser->token.line, "an array of more than %d dimensions", PARSE_MOST_DIMENSIONS);
    }
    variable->is_array = true;
    if (parse_at(parser, ']') && shape->count == 0) {
      shape->first_unknown = true;
      shape->count++;
    } else {
      shape->dimensions[shape->count++] = parse_integer(parser, "an array's length");
    }
    parse_expect(parser, ']');
  }
}

// variable = name dimensions
// In a parameter list the name may be "_".
static struct ptx_variable parse_declarator(struct parser *parser, const struct specifiers *specifiers,
                                            struct name **name, struct shape *shape) {
  struct ptx_variable variable = {.space = specifiers->space,
                                  .type = specifiers->type,
                                  .vector = specifiers->vector,
                                  .is_managed = specifiers->is_managed,
                                  .line = parser->token.line};
  *name = parse_expect_name(parser, "a name");
  variable.name = (*name)->text;
  *shape = (struct shape){0};
  parse_dimensions(parser, &variable, shape);
  if (specifiers->vector > 1) shape->dimensions[shape->count++] = specifiers->vector;
  uint64_t element_size = ptx_type_size(specifiers->type), size = element_size;
  variable.alignment =
      specifiers->alignment ? specifiers->alignment : (size_t)element_size * specifiers->vector;
  bool empty = false;
  for (uint32_t i = 0; i < shape->count; i++) {
    uint64_t length = shape->dimensions[i];
    empty |= length == 0; // also for an unknown length; the product of the other lengths is checked
    if (!checked_multiply(size, length ? length : 1, &size) || size > PARSE_LARGEST_VARIABLE) {
      parse_fail_at(parser, variable.line, "'%.*s' is larger than 2^%d bytes", NAME_IN_MESSAGE(*name),
                    __builtin_ctzll(PARSE_LARGEST_VARIABLE));
    }
  }
  if (empty) size = 0;
  variable.size = (size_t)size;
  return variable;
}

// Adds a variable of the module. A second declaration with the same name is allowed when one of the two is
// .extern.
static void add_module_variable(struct parser *parser, struct name *name,
                                const struct ptx_variable *variable) {
  struct ptx_variable *variables = parser->variables.items;
  const struct symbol *known = parser->depth == 0 ? name->symbol : NULL;
  if (known && known->kind == SYMBOL_VARIABLE) {
    if (variable->is_extern) return;
    if (variables[known->index].is_extern) {
      variables[known->index] = *variable;
      return;
    }
  }
  struct symbol *symbol = scope_declare(parser, name, SYMBOL_VARIABLE, (uint32_t)parser->variables.count);
  struct ptx_variable *added = list_extend(parser, &parser->variables, 1, sizeof *added);
  *added = *variable;
  if (parser->depth == 0) return;
  // The variable is declared inside a function, but all threads share it. So it becomes a variable of the
  // module that only this scope can name.
  char text[160];
  snprintf(text, sizeof text, "%.60s#%.60s#%zu", parser->function_name, name->text, parser->variables.count);
  added->name = symbol->unique_name = parse_intern(parser, text, strlen(text))->text;
}

static void add_function_variable(struct parser *parser, struct name *name,
                                  const struct ptx_variable *variable) {
  struct symbol *symbol = scope_declare(parser, name, SYMBOL_VARIABLE, 0);
  struct ptx_variable *added = list_extend(parser, &parser->function_variables, 1, sizeof *added);
  *added = *variable;
  added->name = symbol->unique_name;
}

// variable-statement = specifiers variable ("=" initializer)? ("," variable ...)* ";"         PTX ISA 5.4
void parse_variable_statement(struct parser *parser, const struct linkage *linkage) {
  struct specifiers specifiers = parse_specifiers(parser);
  do {
    struct name *name;
    struct shape shape;
    struct ptx_variable variable = parse_declarator(parser, &specifiers, &name, &shape);
    variable.is_extern = linkage->is_extern;
    variable.is_visible = linkage->is_visible;
    variable.is_weak = linkage->is_weak;
    variable.is_common = linkage->is_common;
    if (parse_accept(parser, '=')) {
      if (specifiers.space != PTX_GLOBAL && specifiers.space != PTX_CONST) {
        parse_fail_at(parser, variable.line, "only .global and .const variables can be initialised");
      }
      parse_initializer(parser, &variable, &shape);
    }
    bool of_module = parser->depth == 0 || specifiers.space == PTX_GLOBAL || specifiers.space == PTX_CONST;
    if (of_module) {
      add_module_variable(parser, name, &variable);
    } else {
      add_function_variable(parser, name, &variable);
    }
  } while (parse_accept(parser, ','));
  parse_expect(parser, ';');
}

static uint32_t add_register(struct parser *parser, const char *name, enum ptx_type type) {
  if (parser->registers.count >= PARSE_MOST_REGISTERS) {
    parse_fail_at(parser, parser->token.line, "more than %d registers in one function", PARSE_MOST_REGISTERS);
  }
  if (++parser->registers_in_all > PARSE_MOST_REGISTERS_IN_ALL) {
    parse_fail_at(parser, parser->token.line, "more than %d registers in all functions together",
                  PARSE_MOST_REGISTERS_IN_ALL);
  }
  struct ptx_register *added = list_extend(parser, &parser->registers, 1, sizeof *added);
  *added = (struct ptx_register){name, type};
  return (uint32_t)parser->registers.count - 1;
}

static void declare_register(struct parser *parser, struct name *name, enum ptx_type type, uint32_t vector) {
  if (vector == 1) {
    scope_declare(parser, name, SYMBOL_REGISTER, add_register(parser, name->text, type));
    return;
  }
  struct symbol *symbol =
      scope_declare(parser, name, SYMBOL_VECTOR_REGISTER, (uint32_t)parser->registers.count);
  symbol->count = vector;
  for (uint32_t i = 0; i < vector; i++) {
    char text[160];
    snprintf(text, sizeof text, "%.100s.%c", name->text, "xyzw4567"[i]);
    add_register(parser, parse_intern(parser, text, strlen(text))->text, type);
  }
}

// Declares %r0 ... %r<count-1>.                                                                PTX ISA 5.4.6
static void declare_register_range(struct parser *parser, const struct name *base, enum ptx_type type,
                                   uint32_t vector) {
  uint32_t line = parser->token.line;
  uint64_t count = parse_count_before_angle(parser, "the number of registers");
  if (count > PARSE_MOST_REGISTERS) {
    parse_fail_at(parser, line, "%llu registers: a function can have %d", (unsigned long long)count,
                  PARSE_MOST_REGISTERS);
  }
  if (base->length > 100) parse_fail_at(parser, line, "the name of a register is longer than 100 characters");
  char text[128];
  memcpy(text, base->text, base->length);
  for (uint32_t i = 0; i < count; i++) {
    char digits[16];
    size_t at = sizeof digits;
    uint32_t rest = i;
    do
      digits[--at] = (char)('0' + rest % 10);
    while ((rest /= 10) != 0);
    memcpy(text + base->length, digits + at, sizeof digits - at);
    struct name *name = parse_intern(parser, text, base->length + (sizeof digits - at));
    declare_register(parser, name, type, vector);
  }
}

// register-statement = ".reg" specifiers name ("<" integer ">")? ("," ...)* ";"         PTX ISA 5.1.1, 5.4.6
void parse_register_statement(struct parser *parser) {
  struct specifiers specifiers = parse_specifiers(parser);
  do {
    struct name *name = parse_expect_name(parser, "a register's name");
    if (name->keyword == KEYWORD_SINK) parse_fail_at(parser, parser->token.line, "'_' is no register's name");
    if (parse_accept(parser, '<')) {
      declare_register_range(parser, name, specifiers.type, specifiers.vector);
      parse_expect(parser, '>');
    } else if (!parse_mark(parser, name)) {
      declare_register(parser, name, specifiers.type, specifiers.vector);
    }
  } while (parse_accept(parser, ','));
  parse_expect(parser, ';');
}

static void parse_parameter(struct parser *parser, bool declare, struct list *parameters) {
  struct specifiers specifiers = parse_specifiers(parser);
  if (specifiers.space != PTX_PARAM && specifiers.space != PTX_REG) {
    parse_fail_at(parser, parser->token.line, "a parameter must be in .param or .reg space");
  }
  struct name *name;
  struct shape shape;
  struct ptx_variable variable = parse_declarator(parser, &specifiers, &name, &shape);
  if (declare && name->keyword != KEYWORD_SINK) {
    if (specifiers.space == PTX_REG) {
      declare_register(parser, name, specifiers.type, specifiers.vector);
    } else {
      scope_declare(parser, name, SYMBOL_VARIABLE, 0);
    }
  }
  *(struct ptx_variable *)list_extend(parser, parameters, 1, sizeof variable) = variable;
}

// parameters = "(" (specifiers variable ("," specifiers variable)*)? ")"                  PTX ISA 11.2, 11.3
struct ptx_variable *parse_parameters(struct parser *parser, bool declare, uint32_t *count) {
  struct list *parameters = &parser->parameters;
  size_t first = parameters->count;
  parse_expect(parser, '(');
  if (!parse_at(parser, ')')) {
    do {
      parse_parameter(parser, declare, parameters);
    } while (parse_accept(parser, ','));
  }
  parse_expect(parser, ')');
  *count = (uint32_t)(parameters->count - first);
  return list_take(parser, parameters, first, sizeof(struct ptx_variable));
}
