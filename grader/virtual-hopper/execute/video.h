// Video instructions: integer operations on the bytes or halves of a word, or on the whole word.
#ifndef VIRTUAL_HOPPER_EXECUTE_VIDEO_H
#define VIRTUAL_HOPPER_EXECUTE_VIDEO_H

#include "virtual-hopper/machine/op.h"

enum video_operation {
  VIDEO_ADD,
  VIDEO_SUB,
  VIDEO_AVERAGE,
  VIDEO_DISTANCE,
  VIDEO_MIN,
  VIDEO_MAX,
  VIDEO_EQ,
  VIDEO_NE,
  VIDEO_LT,
  VIDEO_LE,
  VIDEO_GT,
  VIDEO_GE
};
// op->extra. Each element has `bits` bits (8, 16 or 32). .sat clamps each element to the type of d.
struct video {
  enum video_operation operation;
  uint32_t bits;
  bool a_signed, b_signed, d_signed, saturate;
  enum {
    VIDEO_PLAIN,
    VIDEO_PLUS,
    VIDEO_LEAST,
    VIDEO_MOST
  } second; // operation with c: the sum of all elements and c, minimum, or maximum
};
op_execute warp_video;

#endif
