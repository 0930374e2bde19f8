// What the files that make mutants share. Internal to the room.
#ifndef MUTANTS_MAKING_H
#define MUTANTS_MAKING_H

#include "mutants/mutants.h"
#include "mutants/tokens.h"

// Adds the mutant in which tokens `first` to `last` become the text; "" takes them away. Nothing is added
// where one of them is fixed, or where nothing would change.
void make_change(struct mutants *mutants, const struct tokens *tokens, size_t first, size_t last,
                 const char *format, ...) __attribute__((format(printf, 5, 6)));
// The source of tokens `first` to `last`, as it stands there. To be freed; NULL: out of memory.
char *make_text(const struct tokens *tokens, size_t first, size_t last);

// Operators, constants and members, wherever they stand.
void make_from_signs(struct mutants *mutants, const struct tokens *tokens);
// Calls: neighbouring arguments change places.
void make_from_calls(struct mutants *mutants, const struct tokens *tokens);
// Statements: removed, without their condition, with its opposite, without else.
void make_from_statements(struct mutants *mutants, const struct tokens *tokens);

#endif
