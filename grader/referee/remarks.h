// Remarks tell an instructor what a submission does that no exercise asks for. The idea: the verdict doesn't
// depend on them, so they cost no points; the reader decides what they mean.
#ifndef REFEREE_REMARKS_H
#define REFEREE_REMARKS_H

#include "referee/grading.h"

struct fault_report;

// The remark on what a machine was too busy to judge.
#define REMARK_TOO_BUSY "This machine was too busy to judge it. Grade it again when there is less to do."

// Adds a sentence to the exercise's remarks, unless it is there already.
void remark(const struct task *task, const char *format, ...) __attribute__((format(printf, 2, 3)));
// symbols: the output of `nm -D --defined-only` for the program. A program only exports a symbol if a library
// refers to it. Fills task->replaced.
void remark_symbols(struct task *task, const char *symbols);
// On files that the source includes by an absolute path.
void remark_includes(const struct task *task);
// threads: how many the host code has started.
void remark_threads(const struct task *task, unsigned threads);
// report: the virtual device's; NULL on a GPU.
void remark_modules(const struct task *task, const struct fault_report *report);

#endif
