// Looks into a program's text that race-source.c and race-poll.c share.
#ifndef VIRTUAL_HOPPER_ORDER_RACE_SOURCE_H
#define VIRTUAL_HOPPER_ORDER_RACE_SOURCE_H

#include "virtual-hopper/machine/op.h"
#include "virtual-hopper/ptx/ptx.h"

// The function in which the op's instruction stands; NULL: none has it.
const struct ptx_function *race_function_of(const struct op *op);
bool race_names_register(const struct ptx_operand *operand, uint32_t index);
bool race_is_one_of(const char *word, const char *const *list); // list: ends in NULL

#endif
