// Video instructions: integer operations on the bytes, halves or whole of a word.
#ifndef VIRTUAL_HOPPER_WARP_VIDEO_H
#define VIRTUAL_HOPPER_WARP_VIDEO_H

#include "virtual-hopper/decode/op.h"

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
// op->extra. Elements of `bits` (8, 16 or 32); .sat clamps each to d's type.
struct video {
  enum video_operation operation;
  uint32_t bits;
  bool a_signed, b_signed, d_signed, saturate;
  enum {
    VIDEO_PLAIN,
    VIDEO_PLUS,
    VIDEO_LEAST,
    VIDEO_MOST
  } second; // with c: the sum of all elements and c; minimum; maximum
};
op_execute warp_video;

#endif
