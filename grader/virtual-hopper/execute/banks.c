// Bank conflicts. One idea: lanes that want different words of one bank come one after the other; 8-byte
// accesses go in halves of the warp, 16-byte ones in quarters, two of which go together where lanes share.
#include "virtual-hopper/execute/banks.h"

#include <stdbool.h>
#include <string.h>

#include "virtual-hopper/execute/lanes.h"

// Whether the warp's lanes access one block of memory, each the part beside its neighbour's: nothing
// collides.
LANES_HANDLER static bool is_in_order(const uint64_t address[WARP_LANES], uint32_t bytes) {
  uint64_t differences = 0;
  for (uint32_t i = 0; i < WARP_LANES; i++)
    differences |= address[i] ^ (address[0] + (uint64_t)i * bytes);
  return differences == 0;
}

// Whether each lane of a whole warp has a bank of its own, or all of them want one word.
LANES_HANDLER static bool is_warp_without_conflict(const uint64_t address[WARP_LANES]) {
  const uint64_t first = address[0] / BANK_BYTES;
  uint64_t differences = 0;
  uint32_t wanted = 0;
  for (uint32_t i = 0; i < WARP_LANES; i++) {
    const uint64_t word = address[i] / BANK_BYTES;
    wanted |= 1u << word % BANKS;
    differences |= word ^ first;
  }
  return wanted == UINT32_MAX || !differences;
}

// The same for the lanes of a group, one by one.
static bool is_without_conflict(const uint64_t address[WARP_LANES], uint32_t group) {
  const uint64_t first = address[__builtin_ctz(group)] / BANK_BYTES;
  uint64_t differences = 0;
  uint32_t wanted = 0, twice = 0;
  for (; group; group &= group - 1) {
    const uint64_t word = address[__builtin_ctz(group)] / BANK_BYTES;
    const uint32_t bank = 1u << word % BANKS;
    twice |= wanted & bank;
    wanted |= bank;
    differences |= word ^ first;
  }
  return !twice || !differences;
}

// Of the bank that the lanes of `group` want most different words of.
static struct bank_meeting meeting_of(const uint64_t address[WARP_LANES], uint32_t group) {
  uint64_t words[BANKS][WARP_LANES]; // the first used[bank] of each row
  uint8_t used[BANKS] = {0}, first[BANKS] = {0};
  struct bank_meeting most = {0};
  for (; group; group &= group - 1) {
    const uint64_t word = address[__builtin_ctz(group)] / BANK_BYTES;
    const uint32_t bank = word % BANKS;
    uint32_t i = 0;
    while (i < used[bank] && words[bank][i] != word)
      i++;
    if (i < used[bank]) continue;
    const uint32_t lane = (uint32_t)__builtin_ctz(group);
    words[bank][used[bank]++] = word;
    if (used[bank] == 1) first[bank] = (uint8_t)lane;
    if (used[bank] <= most.words) continue;
    // The pair that met first in this bank stays.
    const bool same = used[bank] > 2 && most.bank == bank;
    most = (struct bank_meeting){bank, used[bank], first[bank], same ? most.other : lane};
  }
  return most;
}

// The words of a whole warp, if 16 bits tell them apart, as in one block's shared memory.
LANES_HANDLER static bool are_near(const uint64_t address[WARP_LANES], uint16_t word[WARP_LANES]) {
  uint64_t different = 0;
  for (uint32_t i = 0; i < WARP_LANES; i++) {
    word[i] = (uint16_t)(address[i] / BANK_BYTES);
    different |= address[i] ^ address[0];
  }
  return different / BANK_BYTES <= UINT16_MAX;
}

// How many different words of one bank they want at most: each lane is compared with all lanes at once. Which
// lanes meet can't be foreseen, so nothing here branches.
enum { PART16 = WARP_LANES / 2 };
typedef uint16_t part16 __attribute__((vector_size(2 * PART16)));
typedef uint8_t part8 __attribute__((vector_size(WARP_LANES)));

LANES_HANDLER static uint32_t most_of_warp(const uint16_t word[WARP_LANES]) {
  const part16 lane = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  part16 low, high, low_again = {0}, high_again = {0}; // again: an earlier lane wants the word, too
  memcpy(&low, word, sizeof low);
  memcpy(&high, word + PART16, sizeof high);
#pragma GCC unroll 16
  for (uint32_t i = 0; i < PART16; i++) {
    const part16 later = (part16)(lane > (uint16_t)i);
    low_again |= (part16)(low == word[i]) & later;
    high_again |= (part16)(high == word[i]) | ((part16)(high == word[PART16 + i]) & later);
  }
  uint16_t again[WARP_LANES];
  uint8_t bank[WARP_LANES], counted[WARP_LANES], words[WARP_LANES], most = 0;
  memcpy(again, &low_again, sizeof low_again);
  memcpy(again + PART16, &high_again, sizeof high_again);
  for (uint32_t i = 0; i < WARP_LANES; i++) {
    bank[i] = word[i] % BANKS;
    counted[i] = (uint8_t)(bank[i] | again[i]); // no bank, if again
  }
  part8 banks, sums = {0};
  memcpy(&banks, bank, sizeof banks);
#pragma GCC unroll 32
  for (uint32_t i = 0; i < WARP_LANES; i++)
    sums -= (part8)(banks == counted[i]);
  memcpy(words, &sums, sizeof sums);
  for (uint32_t i = 0; i < WARP_LANES; i++)
    most = words[i] > most ? words[i] : most;
  return most;
}

// How many different words of one bank are wanted at most. Each round takes one word out of every bank that
// is still wanted, without a branch for a lane: which lanes meet can't be foreseen.
LANES_HANDLER static uint32_t most_of_one_bank(const uint64_t address[WARP_LANES], uint32_t group) {
  uint16_t near[WARP_LANES];
  if (!group) return 0;
  if (group == UINT32_MAX && is_warp_without_conflict(address)) return 1;
  if (group == UINT32_MAX && are_near(address, near)) return most_of_warp(near);
  if (is_without_conflict(address, group)) return 1;
  uint32_t word[WARP_LANES], served[BANKS], rounds = 0;
  for (uint32_t i = 0; i < WARP_LANES; i++)
    word[i] = (uint32_t)(address[i] / BANK_BYTES);
  for (; group; rounds++) {
    uint32_t wait = 0;
    for (uint32_t left = group; left; left &= left - 1) {
      const uint32_t mine = word[__builtin_ctz(left)];
      served[mine % BANKS] = mine;
    }
    for (uint32_t left = group; left; left &= left - 1) {
      const uint32_t lane = (uint32_t)__builtin_ctz(left), mine = word[lane];
      wait |= (uint32_t)(served[mine % BANKS] != mine) << lane;
    }
    group = wait;
  }
  return rounds;
}

// Wide accesses go in parts: how many, and how many lanes are in one.
static uint32_t parts_of(uint32_t bytes) {
  const uint32_t words = bytes <= BANK_BYTES ? 1 : bytes / BANK_BYTES;
  return words < 4 ? words : 4;
}

struct bank_meeting bank_meeting(const uint64_t address[WARP_LANES], uint32_t lanes, uint32_t bytes) {
  const uint32_t parts = parts_of(bytes), part_lanes = WARP_LANES / parts;
  const uint32_t some = part_lanes == WARP_LANES ? UINT32_MAX : (1u << part_lanes) - 1;
  struct bank_meeting most = {0};
  for (uint32_t part = 0; part < parts; part++) {
    const struct bank_meeting here = meeting_of(address, lanes & some << part * part_lanes);
    if (here.words > 1 && here.words > most.words) most = here;
  }
  return most;
}

// Whether each lane shares its words with its neighbour, or each with the one beyond (time-registers).
static bool share_words(const uint64_t address[WARP_LANES], uint32_t lanes) {
  uint64_t next = 0, beyond = 0;
  for (uint32_t left = lanes; left; left &= left - 1) {
    const uint32_t lane = (uint32_t)__builtin_ctz(left);
    if (lanes >> (lane ^ 1) & 1) next |= address[lane] ^ address[lane ^ 1];
    if (lanes >> (lane ^ 2) & 1) beyond |= address[lane] ^ address[lane ^ 2];
  }
  return !next || !beyond;
}

// Cycles of a wide access of which two parts go together; 0: lanes of such a pair meet in a bank, for which
// there is no reading.
static uint32_t cycles_of_pairs(const uint64_t address[WARP_LANES], uint32_t lanes, uint32_t parts) {
  const uint32_t pair_lanes = 2 * WARP_LANES / parts;
  const uint32_t some = pair_lanes == WARP_LANES ? UINT32_MAX : (1u << pair_lanes) - 1;
  uint32_t all = 0;
  for (uint32_t pair = 0; pair < parts / 2; pair++) {
    const uint32_t most = most_of_one_bank(address, lanes & some << pair * pair_lanes);
    if (most > 1) return 0;
    all += most;
  }
  return all;
}

struct bank_cycles bank_cycles(const uint64_t address[WARP_LANES], uint32_t lanes, uint32_t bytes) {
  const uint32_t parts = parts_of(bytes), part_lanes = WARP_LANES / parts;
  if (lanes == UINT32_MAX && is_in_order(address, bytes)) return (struct bank_cycles){.all = parts};
  if (parts > 1 && share_words(address, lanes)) {
    const uint32_t together = cycles_of_pairs(address, lanes, parts);
    if (together) return (struct bank_cycles){.all = together};
  }
  struct bank_cycles cycles = {0};
  for (uint32_t part = 0; part < parts; part++) {
    const uint32_t some = part_lanes == WARP_LANES ? UINT32_MAX : (1u << part_lanes) - 1;
    const uint32_t most = most_of_one_bank(address, lanes & some << part * part_lanes);
    cycles.all += most;
    cycles.lost += most > 1 ? most - 1 : 0;
  }
  return cycles;
}

uint32_t bank_atomic_cycles(const uint64_t address[WARP_LANES], uint32_t lanes) {
  uint8_t wanted[BANKS] = {0}, most = 0;
  for (; lanes; lanes &= lanes - 1) {
    uint8_t *count = &wanted[address[__builtin_ctz(lanes)] / BANK_BYTES % BANKS];
    if (++*count > most) most = *count;
  }
  return most;
}
