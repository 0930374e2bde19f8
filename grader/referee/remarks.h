// What a person should know besides the verdict: what a submission did that no exercise asks for. The idea: it costs no points, since
// the verdict doesn't depend on it; who reads the results decides what it means.
#ifndef REFEREE_REMARKS_H
#define REFEREE_REMARKS_H

#include "referee/grading.h"

struct fault_report;

// Adds a sentence to the exercise's remarks, unless it is there already.
void remark(const struct task *task, const char *format, ...) __attribute__((format(printf, 2, 3)));
// symbols: what `nm -D --defined-only` says of the program. Its own are exported only where a library would use them.
void remark_symbols(const struct task *task, const char *symbols);
// Files that the source includes by an absolute path.
void remark_includes(const struct task *task);
// threads: how many its host code has started.
void remark_threads(const struct task *task, unsigned threads);
// report: of a virtual device, NULL on a GPU.
void remark_modules(const struct task *task, const struct fault_report *report);

#endif
