// A report as bytes. One process writes the report, another process reads and judges it. The program may have
// taken over the writer, so the reader trusts no count, no index and no text.
#ifndef VIRTUAL_HOPPER_RULES_FAULT_WIRE_H
#define VIRTUAL_HOPPER_RULES_FAULT_WIRE_H

#include "virtual-hopper/rules/fault.h"

// Writes the report into at most `room` bytes. Returns the number of bytes, or 0 when `room` is too small.
size_t fault_wire_write(const struct fault_report *report, void *bytes, size_t room);
// Clears `report` and fills it from the bytes. False: the bytes are not a report, and `report` is empty.
bool fault_wire_read(struct fault_report *report, const void *bytes, size_t length);

#endif
