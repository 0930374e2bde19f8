// What an access of a warp costs in shared memory, from the addresses that its lanes really use.
#ifndef VIRTUAL_HOPPER_EXECUTE_BANKS_H
#define VIRTUAL_HOPPER_EXECUTE_BANKS_H

#include <stdint.h>

#include "virtual-hopper/machine/machine.h"

enum { BANKS = 32, BANK_BYTES = 4 };

// Cycles of one access of `bytes` per lane.
struct bank_cycles {
  uint32_t all;
  uint32_t lost; // to conflicts: what it takes more than if no two lanes wanted different words of one bank
};

// address: of each lane in `lanes`; only its remainder by BANKS * BANK_BYTES and its equality to others
// count.
struct bank_cycles bank_cycles(const uint64_t address[WARP_LANES], uint32_t lanes, uint32_t bytes);

// Cycles of an atomic on words or pairs of words: lanes that want the same one come one after the other, too.
uint32_t bank_atomic_cycles(const uint64_t address[WARP_LANES], uint32_t lanes);

// Two lanes that want different words of the bank of which most are wanted.
struct bank_meeting {
  uint32_t bank, words; // how many words of it are wanted in one cycle
  uint32_t lane, other; // 0 and 0: none meet
};
struct bank_meeting bank_meeting(const uint64_t address[WARP_LANES], uint32_t lanes, uint32_t bytes);

#endif
