// Pages of the memory, of 1 KiB: one has to be opened before its bytes move. Who comes back to a page while
// others are near it in time finds it open. The virtual machine runs one warp after another, so the time at
// which a warp would come on a chip is told by how far it has got, and, as blocks start in turns, by its
// block's number.
#ifndef VIRTUAL_HOPPER_TIME_PAGES_H
#define VIRTUAL_HOPPER_TIME_PAGES_H

#include <stdbool.h>
#include <stdint.h>

struct time_pages;

// resident: blocks that run at the same time.
struct time_pages *time_pages_make(uint64_t blocks, uint64_t resident);
void time_pages_free(struct time_pages *p);
// The warp reads or writes something of the page at the address, through the memory. thread: by its lanes'
// own loads and stores, and no copy.
void time_pages_touch(struct time_pages *p, uint64_t block, uint32_t warp, uint64_t address, bool write,
                      bool thread);
// The page at the address is likely touched next: has the host's memory bring what is known of it.
void time_pages_expect(const struct time_pages *p, uint64_t address, bool write);
// And the warp has got so many bytes further.
void time_pages_move(struct time_pages *p, uint64_t block, uint32_t warp, uint64_t bytes, uint64_t missed);
uint64_t time_pages_opened(const struct time_pages *p, bool write);

#endif
