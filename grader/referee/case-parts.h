// What case-judge.c and case-values.c share: how a case's verdict and message are written.
#ifndef REFEREE_CASE_PARTS_H
#define REFEREE_CASE_PARTS_H

#include "referee/cases.h"

#include <stdio.h>

// The verdict and the headline, one line.
void case_set(struct case_result *result, enum case_verdict verdict, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// What stands below the headline; an earlier one is freed. To be closed with fclose; NULL: no memory.
FILE *case_open_detail(struct case_result *result, size_t *size);
// The same, text alone and what the program printed.
void case_explain(struct session *session, struct case_result *result, const char *text);
// What the program printed, if it did.
void case_add_output(FILE *out, const struct session *session);

// Guards, input, the room between rows, values. The run has ended well and its buffers can be read.
void case_judge_values(struct case_run *run, struct session *session, struct case_result *result);

#endif
