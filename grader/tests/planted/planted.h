// The attacker's half: sends one message to the taken-over device, over the runner's own socket.
#include "lab9.h"
#include <cstdio>
#include <cstring>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

// What the device says. The launcher fails, and prints it, if it isn't what is expected.
static cudaError_t planted(const char *expected, char what, const void *buffer = nullptr,
                           const void *input = nullptr, const void *result = nullptr,
                           const void *before = nullptr) {
  // As server/protocol.h has them: UNSUPPORTED, then OUTPUT; a reply ends with its payload's size.
  struct {
    uint32_t magic, operation, body, reserved;
    uint64_t payload;
    char word[8];
    uint64_t buffer;
    unsigned char needles[3][16];
  } message = {0x51485631, 19, 0, 0, 64, "planted", (uint64_t)buffer, {}};
  const void *needles[3] = {input, result, before};
  message.word[7] = what;
  for (int n = 0; n < 3; n++)
    for (int i = 0; i < 16; i++)
      message.needles[n][i] = (needles[n] ? ((const unsigned char *)needles[n])[i] : i * 37 + n) ^ 0x5a;
  const struct {
    uint32_t magic, operation, body, reserved;
    uint64_t payload;
  } take_output = {0x51485631, 2, 0, 0, 0};
  char reply[48], text[1000] = "";
  uint64_t bytes;
  send(4, &message, sizeof message, 0);
  recv(4, reply, sizeof reply, MSG_WAITALL);
  send(4, &take_output, sizeof take_output, 0);
  recv(4, reply, sizeof reply, MSG_WAITALL);
  memcpy(&bytes, reply + 40, sizeof bytes);
  if (bytes && bytes < sizeof text) recv(4, text, bytes, MSG_WAITALL);
  if (strcmp(text, expected) == 0) return cudaSuccess;
  fprintf(stderr, "%s\n", text);
  return cudaErrorUnknown;
}
