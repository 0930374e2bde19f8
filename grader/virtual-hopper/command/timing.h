// Predicted times (--time): from the devices to the report.
#ifndef VIRTUAL_HOPPER_COMMAND_TIMING_H
#define VIRTUAL_HOPPER_COMMAND_TIMING_H

#include <jansson.h>
#include <stdio.h>

#include "virtual-hopper/command/serve.h"
#include "virtual-hopper/device/vhopper.h"

// Before the program starts: whether the times that it asks for mean something.
void timing_tell_program(bool timed);
// Before a device ends: keeps its predictions.
void timing_collect(struct served *served, const struct vhopper *device);
void timing_print(FILE *out, const struct served *served, const char *chip); // a line for each launch
// SVG, or a trace if the name ends in .json.
void timing_write_timeline(FILE *out, const struct timeline *timeline, const char *name);
bool timing_is_trace(const char *name);
bool timing_names_timeline(const char *name); // .svg or .json
void timing_explain(FILE *out, const struct served *served);
json_t *timing_json(const struct served *served, const char *chip);

#endif
