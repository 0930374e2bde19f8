// In: the modifiers of one instruction. Out: the modifiers that a family asked for. Idea: one bit per
// modifier says that the family has taken it.
#include "virtual-hopper/decode/modifiers.h"

#include <string.h>

_Static_assert(PTX_MAX_MODIFIERS <= 32, "one bit of `taken` per modifier");

bool modifiers_take(struct modifiers *m, const char *name) {
  for (uint32_t i = 0; i < m->in->modifier_count; i++) {
    if ((m->taken >> i & 1) == 0 && strcmp(m->in->modifiers[i], name) == 0) {
      m->taken |= 1u << i;
      return true;
    }
  }
  return false;
}

int modifiers_take_one_of(struct modifiers *m, const char *const names[]) {
  for (uint32_t i = 0; i < m->in->modifier_count; i++) {
    for (int n = 0; names[n] && (m->taken >> i & 1) == 0; n++) {
      if (strcmp(m->in->modifiers[i], names[n]) != 0) continue;
      m->taken |= 1u << i;
      return n;
    }
  }
  return -1;
}

enum ptx_type modifiers_take_type(struct modifiers *m) {
  for (uint32_t i = 0; i < m->in->modifier_count; i++) {
    enum ptx_type type = ptx_type_from_name(m->in->modifiers[i]);
    if ((m->taken >> i & 1) == 0 && type != PTX_TYPE_NONE) {
      m->taken |= 1u << i;
      return type;
    }
  }
  return PTX_TYPE_NONE;
}

bool modifiers_take_name(struct modifiers *m, char *text, size_t size) {
  size_t length = strlen(m->in->opcode);
  if (length >= size) return false;
  memcpy(text, m->in->opcode, length + 1);
  for (uint32_t i = 0; i < m->in->modifier_count; i++) {
    const char *name = m->in->modifiers[i];
    size_t more = strlen(name) + 1;
    if ((m->taken >> i & 1) || ptx_type_from_name(name) != PTX_TYPE_NONE) continue;
    if (length + more >= size) return false;
    text[length] = '.';
    memcpy(text + length + 1, name, more);
    length += more;
    m->taken |= 1u << i;
  }
  return true;
}

bool modifiers_all_taken(struct decoder *d, const struct modifiers *m) {
  for (uint32_t i = 0; i < m->in->modifier_count; i++) {
    if ((m->taken >> i & 1) == 0) {
      return decode_error(d, m->in, "this device doesn't know .%s on %s", m->in->modifiers[i], m->in->opcode);
    }
  }
  return true;
}
