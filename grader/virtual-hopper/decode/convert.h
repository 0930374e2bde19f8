// The functions to which decode_convert passes instructions.
#ifndef VIRTUAL_HOPPER_DECODE_CONVERT_H
#define VIRTUAL_HOPPER_DECODE_CONVERT_H

#include "virtual-hopper/decode/decode.h"

decode_family decode_cvta, decode_isspacep, decode_mapa, decode_getctarank,
    decode_createpolicy;                         // convert-address.c
decode_family decode_cvt_small, decode_cvt_pack; // convert-small.c

#endif
