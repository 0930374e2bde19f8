// Private to async/: what the faults of a barrier have in common.
#ifndef VIRTUAL_HOPPER_ASYNC_MBARRIER_FACTS_H
#define VIRTUAL_HOPPER_ASYNC_MBARRIER_FACTS_H

#include "virtual-hopper/async/mbarrier.h"
#include "virtual-hopper/rules/mbarrier-words.h"

// The barrier of `owner` at `offset`; m NULL: none was ever initialised there.
struct mbarrier_facts mbarrier_facts_of(enum mbarrier_fault_kind kind, const struct block *owner,
                                        const struct mbarrier *m, uint32_t offset);
// device_error 0: the device goes on.
void mbarrier_fill(struct fault *f, const struct mbarrier_facts *facts, int device_error);

// Each adds a place to the fault; none where the barrier's record has none. With the block given, or the one
// of the record.
void mbarrier_relate(struct fault *f, const struct mbarrier_facts *facts, enum mbarrier_relation relation,
                     const struct block *b, const struct op *op, uint32_t thread);
void mbarrier_relate_init(struct fault *f, const struct mbarrier_facts *facts, const struct block *owner,
                          const struct mbarrier *m);
void mbarrier_relate_arrival(struct fault *f, const struct mbarrier_facts *facts,
                             enum mbarrier_relation relation, const struct block *owner,
                             const struct mbarrier *m);
void mbarrier_relate_announcement(struct fault *f, const struct mbarrier_facts *facts,
                                  enum mbarrier_relation relation, const struct block *owner,
                                  const struct mbarrier *m);
void mbarrier_relate_copy(struct fault *f, const struct mbarrier_facts *facts,
                          enum mbarrier_relation relation, const struct block *owner,
                          const struct mbarrier *m);

#endif
