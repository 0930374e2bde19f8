// Text that kernels print. In: pieces; out: one buffer, bounded.
#include "virtual-hopper/machine/output.h"

#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/base/arena.h"

void device_print(struct device_output *o, const char *text, size_t length) {
  static const char note[] = "\n[the kernel printed more than the device keeps; the rest is lost]\n";
  if (o->cut) return;
  if (length > o->limit - o->length) {
    o->cut = true;
    text = note;
    length = sizeof note - 1;
  }
  if (o->length + length + 1 > o->capacity) {
    size_t capacity = 2 * o->capacity + length + 256;
    char *grown = realloc(o->text, capacity);
    if (!grown) die("out of memory for printed text");
    o->text = grown;
    o->capacity = capacity;
  }
  memcpy(o->text + o->length, text, length);
  o->length += length;
}
