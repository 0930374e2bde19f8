// A module's image as a program sends it -> the PTX text in it. For now: plain text, and fat binaries without compression.
#include "virtual-hopper/server-internal.h"

#include <stdio.h>
#include <string.h>

int server_image_ptx(const uint8_t *image, size_t bytes, const char **text, size_t *length, char *error, size_t room) {
  static const uint8_t container[4] = {0x50, 0xED, 0x55, 0xBA};
  *text = (const char *)image;
  *length = strnlen((const char *)image, bytes);
  if (bytes < 16 || memcmp(image, container, 4) != 0) return 0;
  size_t offset = 16;
  while (offset + 64 <= bytes) {
    uint16_t kind;
    uint32_t header;
    uint64_t payload, flags;
    memcpy(&kind, image + offset, sizeof kind);
    memcpy(&header, image + offset + 4, sizeof header);
    memcpy(&payload, image + offset + 8, sizeof payload);
    memcpy(&flags, image + offset + 40, sizeof flags);
    if (header > bytes - offset || payload > bytes - offset - header) break;
    if (kind == 1 && !(flags & 0xA000)) {
      *text = (const char *)image + offset + header;
      *length = strnlen(*text, payload);
      return 0;
    }
    offset += header + payload;
  }
  snprintf(error, room, "a fat binary without readable PTX: build with --no-compress and -gencode arch=compute_90,code=[sm_90,compute_90]");
  return ERROR_NO_KERNEL_IMAGE;
}
