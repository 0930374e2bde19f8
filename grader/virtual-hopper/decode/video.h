// Decodes the video instructions. They are a part of the integer family.
#ifndef VIRTUAL_HOPPER_DECODE_VIDEO_H
#define VIRTUAL_HOPPER_DECODE_VIDEO_H

#include "virtual-hopper/decode/decode.h"

decode_family decode_video;

#endif
