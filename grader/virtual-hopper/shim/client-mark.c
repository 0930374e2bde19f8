// What the host had waited for when the program made a call that is kept (client-later.c). In: such calls.
// Out: marks that go to the device with what orders the streams. One idea: a mark is set anew only if the
// host may have learnt something since the last one.
#include "virtual-hopper/shim/client-later.h"

enum { DEFAULT_STREAM = 1 };

bool client_order_is_news(enum protocol_order_kind kind) {
  switch (kind) {
  case PROTOCOL_ORDER_HOST_STREAM:
  case PROTOCOL_ORDER_HOST_EVENT:
  case PROTOCOL_ORDER_HOST_ALL:
  case PROTOCOL_ORDER_ASKS:
  case PROTOCOL_ORDER_ASKS_EVENT:
  case PROTOCOL_ORDER_FUNCTION_RUNS:
  case PROTOCOL_ORDER_FUNCTION_ENDS:
  case PROTOCOL_ORDER_HOST_LOOKS: return true;
  default: return false;
  }
}

uint64_t client_mark_take(struct client *client, bool *is_new) {
  const uint64_t news = atomic_load(&client->host_news);
  *is_new = !client->last_mark || client->mark_news != news;
  client->mark_news = news;
  client->last_mark += *is_new;
  return client->last_mark;
}

void client_mark_set(uint64_t mark) {
  client_order_note(PROTOCOL_ORDER_MARK, DEFAULT_STREAM, mark, 0);
}

uint64_t client_marks_below(struct client *client, uint64_t lowest) {
  if (lowest == UINT64_MAX) client->mark_news = UINT64_MAX; // the next one is a new one
  const uint64_t below = lowest == UINT64_MAX ? client->last_mark + 1 : lowest;
  if (below <= client->first_mark) return 0;
  client->first_mark = below;
  return below;
}

void client_marks_forget(uint64_t below) {
  if (below) client_order_note(PROTOCOL_ORDER_FORGET_MARKS, DEFAULT_STREAM, below, 0);
}
