// Device printf. In: a format, and the arguments as nvcc packs them: each at its natural alignment, float as
// double, types narrower than int as int. Out: text for the host. One idea: the host's snprintf formats each
// conversion by itself, with a type that was checked.
#include <stdio.h>
#include <string.h>

#include "virtual-hopper/execute/system.h"
#include "virtual-hopper/machine/output.h"
#include "virtual-hopper/memory/memory.h"

enum { LONGEST_CONVERSION = 32, LONGEST_FIELD = 2048, LARGEST_WIDTH = 1024 };

struct formatter {
  struct warp *w;
  uint32_t lane;
  uint64_t next; // address of the next argument
  int count;     // arguments taken
  bool failed;
};

static uint64_t take(struct formatter *f, uint32_t bytes) {
  f->next = (f->next + bytes - 1) & ~(uint64_t)(bytes - 1);
  struct memory_place place = memory_resolve(f->w, f->lane, f->next, bytes);
  uint64_t value = 0;
  if (place.host)
    memcpy(&value, place.host, bytes);
  else
    f->failed = true;
  f->next += bytes;
  f->count++;
  return value;
}

static void print(struct formatter *f, const char *text, int length, size_t size) {
  size_t kept = length < 0 ? 0 : (size_t)length < size ? (size_t)length : size - 1;
  device_print(f->w->launch->output, text, kept);
}

static int bounded(int value) {
  return value > LARGEST_WIDTH ? LARGEST_WIDTH : value < -LARGEST_WIDTH ? -LARGEST_WIDTH : value;
}

struct conversion {
  char flags[8];
  int width, precision, length;
  char letter;
}; // width, precision: -1 when absent; length: an integer has 4 or 8 bytes

static const char *parse_number(struct formatter *f, const char *p, int *number) {
  if (*p == '*') {
    *number = bounded((int)(uint32_t)take(f, 4));
    return p + 1;
  }
  if (*p < '0' || *p > '9') return p;
  for (*number = 0; *p >= '0' && *p <= '9'; p++)
    *number = bounded(*number * 10 + (*p - '0'));
  return p;
}

static const char *parse_conversion(struct formatter *f, const char *p, struct conversion *c) {
  *c = (struct conversion){.width = -1, .precision = -1, .length = 4};
  for (size_t n = 0; *p && strchr("-+ #0", *p); p++)
    if (n + 1 < sizeof c->flags) c->flags[n++] = *p;
  p = parse_number(f, p, &c->width);
  if (*p == '.') {
    c->precision = 0;
    p = parse_number(f, p + 1, &c->precision);
  }
  for (; *p && strchr("hljztL", *p); p++)
    if (*p != 'h') c->length = 8;
  c->letter = *p;
  return *p ? p + 1 : p;
}

static void build(const struct conversion *c, const char *suffix, char text[LONGEST_CONVERSION]) {
  char width[12] = "", precision[12] = "";
  if (c->width != -1) snprintf(width, sizeof width, "%d", c->width);
  if (c->precision >= 0) snprintf(precision, sizeof precision, ".%d", c->precision);
  snprintf(text, LONGEST_CONVERSION, "%%%s%s%s%s", c->flags, width, precision, suffix);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void print_integer(struct formatter *f, const struct conversion *c) {
  char how[LONGEST_CONVERSION], text[LONGEST_FIELD], suffix[4] = {'l', 'l', c->letter, '\0'};
  uint64_t value = take(f, (uint32_t)c->length);
  bool is_signed = c->letter == 'd' || c->letter == 'i';
  build(c, suffix, how);
  long long as_signed = c->length == 8 ? (long long)value : (long long)(int32_t)(uint32_t)value;
  int length = is_signed ? snprintf(text, sizeof text, how, as_signed)
                         : snprintf(text, sizeof text, how, (unsigned long long)value);
  print(f, text, length, sizeof text);
}

static void print_float(struct formatter *f, const struct conversion *c) {
  char how[LONGEST_CONVERSION], text[LONGEST_FIELD], suffix[2] = {c->letter, '\0'};
  uint64_t bits = take(f, 8);
  double value;
  memcpy(&value, &bits, sizeof value);
  build(c, suffix, how);
  print(f, text, snprintf(text, sizeof text, how, value), sizeof text);
}

static void print_string(struct formatter *f, const struct conversion *c) {
  char how[LONGEST_CONVERSION], text[LONGEST_FIELD], string[LONGEST_FIELD] = "(null)";
  uint64_t address = take(f, 8);
  if (address && !system_read_string(f->w, f->lane, address, string, sizeof string)) f->failed = true;
  build(c, "s", how);
  print(f, text, snprintf(text, sizeof text, how, string), sizeof text);
}

static void print_character(struct formatter *f, const struct conversion *c) {
  char how[LONGEST_CONVERSION], text[LONGEST_FIELD];
  int value = (int)(uint32_t)take(f, 4);
  build(c, "c", how);
  print(f, text, snprintf(text, sizeof text, how, value), sizeof text);
}
#pragma GCC diagnostic pop

static void print_pointer(struct formatter *f) {
  char text[32];
  uint64_t value = take(f, 8);
  print(f, text, snprintf(text, sizeof text, "0x%llx", (unsigned long long)value), sizeof text);
}

static void convert(struct formatter *f, const struct conversion *c) {
  if (c->letter == '%')
    device_print(f->w->launch->output, "%", 1);
  else if (c->letter && strchr("diuoxX", c->letter))
    print_integer(f, c);
  else if (c->letter && strchr("fFeEgGaA", c->letter))
    print_float(f, c);
  else if (c->letter == 's')
    print_string(f, c);
  else if (c->letter == 'c')
    print_character(f, c);
  else if (c->letter == 'p')
    print_pointer(f);
}

int system_format(struct warp *w, uint32_t lane, const char *format, uint64_t arguments) {
  struct formatter f = {.w = w, .lane = lane, .next = arguments};
  const char *p = format;
  while (*p && !f.failed) {
    size_t plain = strcspn(p, "%");
    device_print(w->launch->output, p, plain);
    p += plain;
    if (!*p) break;
    struct conversion c;
    p = parse_conversion(&f, p + 1, &c);
    convert(&f, &c);
  }
  return f.failed ? -1 : f.count;
}
