// Verdicts that an earlier `check` has found. In: a submission, before it is graded. Out: the records of
// exercises that need not be graded again. The idea: a verdict depends on sources, interface, lab.cfg, grader
// and device; while none of them changes, it stays valid.
#ifndef CLI_VERDICT_CACHE_H
#define CLI_VERDICT_CACHE_H

#include "referee/grading.h"
#include "report/record.h"
#include "virtual-hopper/base/sha256.h"

struct verdict_cache {
  char keys[RECORD_MAX_EXERCISES][SHA256_TEXT]; // "": this exercise isn't cached
};

// Fills a record that grade_begin has made with cached verdicts. Only for the kit's own labs/LAB, where
// students work.
void verdict_cache_take(const struct grading *grading, struct lab_record *lab, struct verdict_cache *cache);
// Caches the new verdicts. On a GPU only passes are cached, since a second run may be faster. A failure to
// write is ignored.
void verdict_cache_keep(const struct grading *grading, const struct lab_record *lab,
                        const struct verdict_cache *cache);

#endif
