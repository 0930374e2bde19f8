// Tries all ways out of a process of ours that is walled in.
#ifndef TESTS_PLANTED_BREAK_OUT_H
#define TESTS_PLANTED_BREAK_OUT_H

// Says "WAY refused; " for each, or "WAY DONE; ", or why else it failed.
void planted_break_out(void (*say)(void *context, const char *text), void *context);

#endif
