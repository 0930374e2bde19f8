// In: a program that hasn't answered. Out: whether to go on waiting. The idea: sampled, since a program that
// answers in time is never looked at.
#include "referee/patience.h"

#include "monotonic.h"
#include "sandbox/sandbox.h"
#include "sandbox/usage.h"

struct patience patience_begin(double deadline) {
  return (struct patience){.deadline = deadline, .start = monotonic_seconds()};
}

enum patience_end patience_ask(struct patience *patience, pid_t program, pid_t device, double device_most) {
  const double now = monotonic_seconds();
  if (now - patience->start < PATIENCE_LOOK || now - patience->looked < PATIENCE_LOOK) return PATIENCE_LASTS;
  const struct sandbox_usage used = sandbox_usage_of(program);
  const struct sandbox_usage served =
      device ? sandbox_usage_of(device) : (struct sandbox_usage){.asleep = true};
  const bool asleep = used.asleep && served.asleep;
  if (patience->looked == 0) {
    patience->worked = used.processor_seconds;
    patience->served = served.busiest_seconds;
    patience->used_before = used.processor_seconds + served.living_seconds;
  }
  // Of the device what its threads that still run have used: its workers stay from launch to launch.
  patience->used = used.processor_seconds + served.living_seconds - patience->used_before;
  if (patience->used < 0) patience->used = 0;
  if (patience->sleeps && asleep) patience->asleep += now - patience->looked;
  patience->sleeps = asleep;
  patience->looked = now;
  if (used.processor_seconds - patience->worked > patience->deadline) return PATIENCE_SPENT;
  if (patience->asleep > patience->deadline) return PATIENCE_SPENT;
  // By thread, since a kernel on sixteen workers uses sixteen processors at once.
  if (served.busiest_seconds - patience->served > device_most) return PATIENCE_SPENT;
  return now - patience->start > SANDBOX_BUSY * patience->deadline ? PATIENCE_TOO_BUSY : PATIENCE_LASTS;
}
