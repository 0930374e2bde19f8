// The message of a conflict's fault. Private to the room; conflict.h has what others call.
#ifndef VIRTUAL_HOPPER_RULES_CONFLICT_MESSAGES_H
#define VIRTUAL_HOPPER_RULES_CONFLICT_MESSAGES_H

#include <stddef.h>

#include "virtual-hopper/rules/conflict.h"

// fixed: what conflict.def says of its kind; NULL: the message has numbers or names in it.
void conflict_message(const struct conflict_facts *facts, const char *fixed, char *text, size_t size);

#endif
