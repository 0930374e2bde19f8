// The video instructions, a part of the integer family.
#ifndef VIRTUAL_HOPPER_DECODE_VIDEO_H
#define VIRTUAL_HOPPER_DECODE_VIDEO_H

#include "virtual-hopper/decode/op.h"

decode_family decode_video;

#endif
