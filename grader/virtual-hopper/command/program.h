// The program's process: how it is started, watched and ended.
#ifndef VIRTUAL_HOPPER_COMMAND_PROGRAM_H
#define VIRTUAL_HOPPER_COMMAND_PROGRAM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

// Starts the program with our CUDA libraries in front of all others. `listener` receives a socket that every
// process of the program connects to when it first uses CUDA. Signals that would end this process end the
// program instead; the report is still written. A second signal ends this process, too.
pid_t program_start(char **arguments, int *listener);
// While a kernel runs: the program can't answer a signal then.
void program_kernel_runs(bool runs);
// Becomes the number of a signal, or PROGRAM_TIME_IS_UP, when the kernel that runs must end.
enum { PROGRAM_TIME_IS_UP = 1000 };
const atomic_int *program_stop(void);
// Ends the program, now or after so many seconds.
void program_end_after(double seconds);
bool program_time_is_up(void);

#endif
