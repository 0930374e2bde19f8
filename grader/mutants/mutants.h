// Single-change mutants of a source, made by rule. In: a C++ or CUDA source. Out: every change of one place
// that the rules know, each once, with its line and its words. The idea: whoever tests with them learns which
// mistakes their cases would let pass. A mutant that doesn't compile is for the compiler to find.
#ifndef MUTANTS_MUTANTS_H
#define MUTANTS_MUTANTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { MUTANT_CHANGE = 192 };

struct mutant {
  size_t begin, end;          // the bytes of the source that are replaced
  char *replacement;          // what takes their place
  unsigned line, column;      // of `begin`, counted from 1
  bool answer;                // in an answer: between BEGIN SOLUTION and END SOLUTION
  char change[MUTANT_CHANGE]; // "`<` becomes `<=`"; no two mutants of a line have the same one
};

struct mutants {
  struct mutant *list; // by place
  size_t count, capacity;
  bool out_of_memory;
};

// Makes all mutants of a source. 0, or -1: out of memory, or its brackets don't fit. mutants_free in either
// case.
int mutants_make(const char *source, struct mutants *mutants);
void mutants_free(struct mutants *mutants);
// Writes the source with that one change. 0, or -1.
int mutant_write(FILE *out, const char *source, const struct mutant *mutant);
// Fills `order` with the numbers of all mutants in an order that `seed` draws. The first of them are a
// sample: two from answers, then one from elsewhere, as long as there are both.
void mutants_draw(const struct mutants *mutants, uint64_t seed, size_t *order);

#endif
