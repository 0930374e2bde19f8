// The L2 cache: which sectors of 32 bytes are in it. Lines of 128 bytes, 16 in a set, the oldest leaves
// first.
#ifndef VIRTUAL_HOPPER_TIME_CACHE_H
#define VIRTUAL_HOPPER_TIME_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CACHE_SECTOR = 32, CACHE_LINE = 128 };

struct cache;
struct cache *cache_make(size_t bytes);
void cache_free(struct cache *c);
// Touches [address, address + bytes). Returns how many bytes the memory has to read for it (sectors that were
// not there, and their neighbours: it gives 64 bytes at a time), or, of a write, to write later (sectors that
// nobody had written since they came: who writes a sector in parts, or again, writes it once).
uint64_t cache_touch(struct cache *c, uint64_t address, uint64_t bytes, bool write);
// These bytes are likely touched next: has the host's memory bring what is known of them. bytes > 0.
void cache_expect(const struct cache *c, uint64_t address, uint64_t bytes);

#endif
