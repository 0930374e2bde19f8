// The program's name for a piece of its shared memory. In: a launch and an offset. Out: words for a message.
// One idea: a student knows `full[1]`, not "shared offset 0x408". Only memory that the PTX doesn't name is
// called by its offset.
#ifndef VIRTUAL_HOPPER_MACHINE_SHARED_NAME_H
#define VIRTUAL_HOPPER_MACHINE_SHARED_NAME_H

#include "virtual-hopper/machine/machine.h"

// The variable of shared memory that `offset` lies in: its mangled name, where it begins, and where the next
// one does (or static memory ends). NULL: none begins before.
const char *shared_variable_at(const struct launch *l, uint32_t offset, uint32_t *begin, uint32_t *next);
void shared_variable_name(const char *mangled, char *text, size_t size); // "tile" of "_ZZ6kernelPiE4tile"

// True in an extern array, whose size the launch gives, and as far behind its beginning as a block's shared
// memory can reach.
bool shared_is_dynamic(const struct launch *l, uint32_t offset);

// Bytes from `offset` to the end of the variable that it lies in; of an extern array, and where no variable
// is known, to the end of all.
uint32_t shared_room_at(const struct launch *l, uint32_t offset);

// "`tile` + 64 (shared offset 0x440)": as exact as the program's variables allow.
void shared_name_place(const struct launch *l, uint32_t offset, char *text, size_t size);
// "barrier `loaded`", "barrier `full[1]`", or "barrier at shared offset 0x408".
void shared_name_barrier(const struct launch *l, uint32_t offset, char *text, size_t size);

#endif
