// Threads that stay from launch to launch: to make fifteen takes half a millisecond, to wake them a tenth of
// it. They belong to a device, and none is made before it is needed.
#ifndef VIRTUAL_HOPPER_SCHEDULE_CREW_H
#define VIRTUAL_HOPPER_SCHEDULE_CREW_H

#include <stdbool.h>

enum { CREW_MOST = 256 }; // with the thread that calls

struct crew *crew_create(void);
void crew_destroy(struct crew *c); // NULL is allowed; its threads have ended then

bool crew_has_processors(const struct crew *c, unsigned count); // for so many at the same time
// Calls work(context, i) for all i below `count`, each in its own thread, at the same time: number 0 in the
// caller's. Returns when all have returned, and what they did is seen by the caller. count: 1 to CREW_MOST.
// One call at a time, and none from `work`.
void crew_run(struct crew *c, unsigned count, void (*work)(void *context, unsigned number), void *context);

#endif
