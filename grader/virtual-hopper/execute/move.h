// The handlers of moves, vectors in registers and addresses.
#ifndef VIRTUAL_HOPPER_EXECUTE_MOVE_H
#define VIRTUAL_HOPPER_EXECUTE_MOVE_H

#include "virtual-hopper/machine/op.h"

enum { MOVE_MOST_ELEMENTS = 4 };
// op->extra of general packing and unpacking: the registers of the elements, the lowest element first.
struct move_vector {
  uint32_t count, element_bytes, scalar_bytes;
  uint32_t elements[MOVE_MOST_ELEMENTS]; // OP_NO_REGISTER: not used
};

op_execute warp_move32, warp_move64, warp_move128;
op_execute warp_narrow, warp_widen;            // d = a, from 64 to 32 bits and from 32 to 64 bits
op_execute warp_pack_2x16, warp_pack_2x32;     // d = {a, b}
op_execute warp_unpack_2x16, warp_unpack_2x32; // {d, target} = a
op_execute warp_pack, warp_unpack;             // all other sizes: scalar in d or a, elements in extra

op_execute warp_add_window, warp_subtract_window; // cvta: the window's base in op->immediate
op_execute warp_space_global, warp_space_window;  // isspacep; window: base in immediate
op_execute warp_space_shared_cta, warp_space_shared_cluster;
op_execute warp_map_shared32, warp_map_shared64, warp_map_generic; // mapa
op_execute warp_rank_shared32, warp_rank_shared64; // getctarank; the generic form's window cancels out
op_execute warp_policy_range;    // its address in a and immediate, sizes in b and c; bits 63:56 in kind
op_execute warp_policy_fraction; // createpolicy: priority in immediate, fraction in a

#endif
