// What an attacker would do who has taken over the virtual Hopper's process. Linked only into
// build/planted/bin/virtual-device, where a message from the runner calls this code. In: what to try. Out:
// the result, as text that a kernel printed.
#include "tests/planted/break-out.h"
#include "virtual-hopper/server/internal.h"

#include "device/walled.h"
#include "virtual-hopper/rules/fault.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { NEEDLE = 16, NEEDLES = 3, HIDING = 0x5a, PAGE = 4096 };

static void say(struct server *server, const char *text) {
  size_t length = strlen(text);
  server->output = realloc(server->output, server->output_bytes + length);
  memcpy(server->output + server->output_bytes, text, length);
  server->output_bytes += length;
  budget_count(vhopper_budget(server->device), BUDGET_TEXT, length);
}

// ---- getting out ------------------------------------------------------------------------------------------

static void say_part(void *server, const char *text) {
  say(server, text);
}

// ---- looking around ---------------------------------------------------------------------------------------

// Needs no signal handler: a system call says whether an address can be read.
static bool is_mapped(const uint8_t *address) {
  const struct timespec now = {0, 1};
  return syscall(SYS_futex, address, FUTEX_WAIT_PRIVATE, 0x6e6f6e65, &now, NULL, 0) == 0 || errno != EFAULT;
}

static unsigned find(const uint8_t *from, const uint8_t *to, const uint8_t needle[NEEDLE]) {
  unsigned found = 0;
  for (const uint8_t *page = from; page < to; page += PAGE) {
    if (!is_mapped(page)) continue;
    for (size_t at = 0; at + NEEDLE <= PAGE; at += 4) {
      bool here = true;
      for (size_t i = 0; here && i < NEEDLE; i++)
        here = page[at + i] == (needle[i] ^ HIDING);
      found += here;
    }
  }
  return found;
}

// In the heap, around the libraries and what was mapped with them, and in the case's buffers.
static unsigned find_everywhere(struct server *server, uint64_t buffer, const uint8_t needle[NEEDLE]) {
  const uintptr_t around = (uintptr_t)128 << 20, mask = ~(uintptr_t)(PAGE - 1);
  const uintptr_t heap = (uintptr_t)server & mask, library = (uintptr_t)(void *)memcpy & mask;
  const uint8_t *view = vhopper_host_view(server->device, buffer, NEEDLE);
  unsigned found = 0;
  if (view) found += find(view, view + PAGE, needle);
  found += find((const uint8_t *)(heap - (16 << 20)), (const uint8_t *)(heap + (16 << 20)), needle);
  return found + find((const uint8_t *)(library - around), (const uint8_t *)(library + around), needle);
}

// ---- forging ----------------------------------------------------------------------------------------------

// Everything that the referee reads says that nothing is wrong.
static void forge(struct server *server) {
  fault_report_clear(vhopper_report(server->device));
  struct observed made_up = {.kernel = "all is well", .launches = 1, .bulk_load_bytes = 1 << 20};
  observed_adopt(vhopper_report(server->device), &made_up);
}

static void talk_nonsense(void) {
  struct walled_answer answer = {.kind = WALLED_REPORTED, .bytes = WALLED_REPORT_BYTES};
  (void)!write(WALLED_CONTROL, &answer, sizeof answer);
}

struct planted {
  char word[8];
  uint64_t buffer;
  uint8_t needles[NEEDLES][NEEDLE]; // each byte ^ HIDING, so that this message isn't found
};

bool planted_bug(struct server *server) {
  struct planted planted;
  char text[96];
  if (server->request.payload_bytes != sizeof planted || memcmp(server->payload, "planted", 7) != 0)
    return false;
  memcpy(&planted, server->payload, sizeof planted);
  switch (planted.word[7]) {
  case 'o': planted_break_out(say_part, server); break;
  case 'f': forge(server); break;
  case 'n': talk_nonsense(); break;
  default:
    snprintf(text, sizeof text, "input found: %s, result: %s, case before: %s",
             find_everywhere(server, planted.buffer, planted.needles[0]) ? "yes" : "no",
             find_everywhere(server, planted.buffer, planted.needles[1]) ? "yes" : "no",
             find_everywhere(server, planted.buffer, planted.needles[2]) ? "yes" : "no");
    say(server, text);
  }
  return true;
}
