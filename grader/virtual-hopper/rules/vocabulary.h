// Messages in the words of whoever reads them. In: sentences that name the kit's functions. Out: the same
// with the PTX instructions, and what libcu++ and CUTLASS call them. One idea: all messages are written once,
// with the kit's words; a program that doesn't include the kit's interface gets them translated.
#ifndef VIRTUAL_HOPPER_RULES_VOCABULARY_H
#define VIRTUAL_HOPPER_RULES_VOCABULARY_H

#include <stdbool.h>
#include <stddef.h>

struct fault;

// Puts the PTX instruction where `text`, of `size` bytes, calls a function of the kit.
void vocabulary_translate(char *text, size_t size);
// Translates the texts of a fault, and adds to its remedy how libcu++ and CUTLASS spell what it names.
// `tokens`: a wait is one by an arrival's token.
void vocabulary_translate_fault(struct fault *fault, bool tokens);

#endif
