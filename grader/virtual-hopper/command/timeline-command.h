#ifndef VIRTUAL_HOPPER_COMMAND_TIMELINE_COMMAND_H
#define VIRTUAL_HOPPER_COMMAND_TIMELINE_COMMAND_H

// `vhopper timeline FILE [PICTURE]`: what timeline_write of interface/timeline.cuh has written, as a table
// and, if PICTURE is given, as SVG or (its name ends in .json) as a trace. Returns an exit status.
int timeline_command(int count, char **arguments);

#endif
