// In: declarations, uses and the braces around them. Out: each use with the name of its declaration.
// The one idea: a name points at its innermost declaration. A declaration saves the name's previous pointer,
// and the end of the scope restores that pointer. A label may be used before its declaration. Such a use
// stays pending in a list until its scope closes. PTX ISA 5.4, 6.
#include "virtual-hopper/ptx/parse.h"

#include <stdio.h>

void scope_open(struct parser *parser) {
  if (parser->depth > PARSE_DEEPEST_SCOPE) {
    parse_fail_at(parser, parser->token.line, "'{' nested more than %d levels deep", PARSE_DEEPEST_SCOPE);
  }
  struct scope *scope = &parser->scopes[++parser->depth];
  *scope = (struct scope){
      .number = parser->scope_number++, .first_pending = parser->pending.count, .line = parser->token.line};
}

static const char *unique_name(struct parser *parser, struct name *name) {
  if (parser->depth <= 1) return name->text;
  char text[160];
  uint32_t number = parser->scopes[parser->depth].number;
  int length = snprintf(text, sizeof text, "%s#%u", name->text, number);
  if ((size_t)length < sizeof text) return parse_intern(parser, text, (size_t)length)->text;
  char *long_text = parse_allocate(parser, 1, (size_t)length + 1);
  snprintf(long_text, (size_t)length + 1, "%s#%u", name->text, number);
  return long_text;
}

struct symbol *scope_declare(struct parser *parser, struct name *name, enum symbol_kind kind,
                             uint32_t index) {
  if (name->symbol && name->symbol->depth == parser->depth) {
    parse_fail_at(parser, parser->name_line, "'%.*s' is declared twice, first on line %u",
                  NAME_IN_MESSAGE(name), name->symbol->line);
  }
  struct symbol *symbol = parser->unused_symbols;
  if (symbol) {
    parser->unused_symbols = symbol->next_in_scope;
  } else {
    symbol = parse_allocate(parser, 1, sizeof *symbol);
  }
  struct scope *scope = &parser->scopes[parser->depth];
  // Registers are found by index, so their names stay as they are.
  bool is_register = kind == SYMBOL_REGISTER || kind == SYMBOL_VECTOR_REGISTER;
  *symbol = (struct symbol){
      .kind = kind,
      .index = index,
      .line = parser->name_line,
      .depth = (uint16_t)parser->depth,
      .name = name,
      .unique_name = is_register ? name->text : unique_name(parser, name),
      .outer = name->symbol,
      .next_in_scope = scope->symbols,
  };
  scope->symbols = symbol;
  name->symbol = symbol;
  return symbol;
}

static void wait_for(struct parser *parser, struct list *list, const char **slot, struct name *name,
                     uint32_t line) {
  struct pending_name *pending = list_extend(parser, list, 1, sizeof *pending);
  *pending = (struct pending_name){slot, name, line};
}

void scope_resolve(struct parser *parser, const char **slot, struct name *name, uint32_t line) {
  const struct symbol *symbol = name->symbol;
  bool may_be_label = !symbol || symbol->depth == 0 || symbol->kind == SYMBOL_LABEL;
  if (parser->depth == 0) {
    if (!symbol) wait_for(parser, &parser->unresolved, slot, name, line);
  } else if (symbol && (!may_be_label || symbol->depth == parser->depth)) {
    *slot = symbol->unique_name;
  } else {
    wait_for(parser, &parser->pending, slot, name, line);
  }
}

// Resolves the pending uses that the closing scope declares. The other uses stay pending in the outer scope.
static void resolve_pending(struct parser *parser, size_t first) {
  struct pending_name *pending = parser->pending.items;
  size_t kept = first;
  for (size_t i = first; i < parser->pending.count; i++) {
    const struct symbol *symbol = pending[i].name->symbol;
    if (symbol && symbol->depth == parser->depth) {
      *pending[i].slot = symbol->unique_name;
    } else if (parser->depth > 1) {
      pending[kept++] = pending[i];
    } else if (!symbol) { // this may be a function or a variable that the module declares later
      wait_for(parser, &parser->unresolved, pending[i].slot, pending[i].name, pending[i].line);
    }
  }
  parser->pending.count = kept;
}

void scope_close(struct parser *parser) {
  struct scope *scope = &parser->scopes[parser->depth];
  resolve_pending(parser, scope->first_pending);
  for (struct symbol *symbol = scope->symbols, *next; symbol; symbol = next) {
    next = symbol->next_in_scope;
    symbol->name->symbol = symbol->outer;
    symbol->next_in_scope = parser->unused_symbols;
    parser->unused_symbols = symbol;
  }
  parser->depth--;
}

void scope_check_unresolved(struct parser *parser) {
  const struct pending_name *unresolved = parser->unresolved.items;
  for (size_t i = 0; i < parser->unresolved.count; i++) {
    struct name *name = unresolved[i].name;
    if (name->symbol) continue;
    parse_fail_at(parser, unresolved[i].line,
                  "'%.*s' is not declared: no register, label, variable or function has this name",
                  NAME_IN_MESSAGE(name));
  }
}
