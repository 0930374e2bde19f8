// A declaration's outline: its outermost tokens, from which the names that it declares are read.
#ifndef LEAN_OUTLINE_H
#define LEAN_OUTLINE_H

#include "lean/pieces.h"

enum word_kind { WORD_OTHER, WORD_PLAIN, WORD_TYPE, WORD_CLASS, WORD_ATTRIBUTE, WORD_SPECIAL, WORD_EFFECT };
// Numbers of words that begin a declaration of a kind of its own; words_add gives them these.
enum { NAMESPACE, TEMPLATE, USING, TYPEDEF, OPERATOR, ASSERTION, C_ASSERTION, EXTERN, CONSTEXPR };

// Makes the words of C++ and of its compilers the first names.
void words_add(struct names *names);
enum word_kind word_kind(uint32_t name);

enum { MOST_OUTLINE = 256, MOST_GROUP = 256 };
struct outline {
  // A bracketed group is its opening sign. Attributes and what stands between template's <> are left out.
  struct token tokens[MOST_OUTLINE];
  uint32_t count;
  // The names between the first round brackets, and which of them are no types: parameters, namespaces.
  uint32_t group[MOST_GROUP], group_count;
  bool no_type[MOST_GROUP];
  bool has_group, group_has_sign;        // it begins with a * or &, say of a pointer to a function
  uint32_t head[MOST_GROUP], head_count; // names between template's <>
  uint32_t braced, braced_count;         // in pieces.used: the names between the last curly brackets
  bool too_long;
  bool has_effect; // though nothing names it: it runs before main, say
};

void outline_add(struct outline *outline, struct token token);

// Whether the curly bracket that has just come opens a scope whose declarations are pieces of their own.
bool outline_opens_scope(const struct outline *outline);
// Whether it opens a function's body, so no ; comes.
bool outline_opens_body(const struct outline *outline);

// Adds what the whole declaration declares to pieces.named.
enum piece_kind outline_name(struct pieces *pieces, const struct outline *outline);

#endif
