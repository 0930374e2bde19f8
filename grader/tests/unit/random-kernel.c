// Random kernels as PTX text (random-kernel.h).
#include "random-kernel.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "virtual-hopper/machine/machine.h"

enum {
  SHARED_BYTES = 4096,
  LOCAL_BYTES = 128,
  VALUES = 8,
  WIDE_VALUES = 4,
  HALF_VALUES = 4,
  MOST_NESTED = 2
};

struct drawing {
  FILE *out;
  uint64_t random;
  struct random_kernel kernel;
  uint32_t labels;
  bool bulk;
};

static uint32_t below(struct drawing *d, uint32_t most) {
  return (uint32_t)(machine_random(&d->random) >> 32) % most;
}

static bool chance(struct drawing *d, uint32_t percent) {
  return below(d, 100) < percent;
}

__attribute__((format(printf, 2, 3))) static void say(struct drawing *d, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vfprintf(d->out, format, arguments);
  va_end(arguments);
}

// ---- places -----------------------------------------------------------------------------------------------

// Distances as kernels have them, and now and then any.
static int32_t distance(struct drawing *d, uint32_t bytes) {
  static const int32_t usual[] = {0, 1, 1, 1, 2, 4, 8, 16, 33, 3, -1, -4, 32};
  const uint32_t kind = below(d, 15);
  const int32_t units = kind < sizeof usual / sizeof *usual ? usual[kind] : (int32_t)below(d, 70) - 35;
  return units * (int32_t)bytes;
}

static int32_t least(int32_t a) {
  return a < 0 ? a : 0;
}
static int32_t most(int32_t a) {
  return a > 0 ? a : 0;
}

// %r40 = an offset of each thread, strided by half warps: first + lane % 16 * step + lane / 16 * half + ..
static bool say_strided(struct drawing *d, uint32_t room, uint32_t bytes) {
  const int32_t step = distance(d, bytes), half = chance(d, 60) ? 16 * step : distance(d, bytes);
  const int32_t warp = chance(d, 50) ? 0 : chance(d, 60) ? 32 * step : distance(d, bytes);
  const int32_t warps = (int32_t)(d->kernel.block + WARP_LANES - 1) / WARP_LANES;
  const int32_t low = least(15 * step) + least(half) + least(warp * (warps - 1));
  const int32_t high = most(15 * step) + most(half) + most(warp * (warps - 1));
  const int32_t space = (int32_t)room - (int32_t)bytes - (high - low);
  if (space < 0) return false;
  int32_t first = -low + (int32_t)below(d, (uint32_t)space / bytes + 1) * (int32_t)bytes;
  if (chance(d, 40)) first -= (first + low) % 128; // often at a line
  if (bytes > 1 && chance(d, 1)) first += (int32_t)bytes / 2;
  if (chance(d, 1)) { // beyond the end, or before the beginning: where the next block's data may be
    first += chance(d, 50) ? (int32_t)room : -first - 16;
    d->kernel.apart = false;
  }
  say(d, "mad.lo.s32 %%r40, %%r3, %d, %d;\nmad.lo.s32 %%r40, %%r4, %d, %%r40;\n", step, first, half);
  say(d, "mad.lo.s32 %%r40, %%r5, %d, %%r40;\n", warp);
  return true;
}

// %r40 = an offset of each thread, as threads go over the rows of a tile: a row may end within a warp.
static bool say_rows(struct drawing *d, uint32_t room, uint32_t bytes) {
  const uint32_t width = 8 + below(d, 60), pitch = width + 4 * below(d, 20);
  const uint32_t last = ((d->kernel.block - 1) / width * pitch + width) * bytes;
  if (last > room) return false;
  say(d, "rem.u32 %%r40, %%r0, %u;\ndiv.u32 %%r43, %%r0, %u;\nmad.lo.u32 %%r40, %%r43, %u, %%r40;\n", width,
      width, pitch);
  say(d, "mad.lo.u32 %%r40, %%r40, %u, %u;\n", bytes, below(d, (room - last) / bytes + 1) * bytes);
  return true;
}

static void say_offset(struct drawing *d, uint32_t room, uint32_t bytes) {
  if (chance(d, 12) && say_rows(d, room, bytes)) return;
  if (chance(d, 25) || !say_strided(d, room, bytes))
    say(d, "mad.lo.s32 %%r40, %%r%d, %u, %u;\nand.b32 %%r40, %%r40, %u;\n", chance(d, 50) ? 0 : 2,
        (2 * below(d, 50) + 1) * bytes, below(d, 64) * bytes, room - bytes);
  else if (chance(d, 8)) // one lane elsewhere
    say(d, "setp.eq.u32 %%p3, %%r2, %u;\nselp.b32 %%r40, %u, %%r40, %%p3;\n", below(d, WARP_LANES),
        below(d, room / bytes) * bytes);
}

enum space {
  SHARED,
  SHARED_WIDE,
  SHARED_GENERIC,
  PEER,
  GLOBAL,
  GLOBAL_GENERIC,
  LOCAL,
  LOCAL_GENERIC,
  SPACES
};
struct place {
  const char *space, *address; // of ld and st, a register
  bool is_local;
};

static struct place say_place(struct drawing *d, uint32_t bytes, bool local_too) {
  const uint32_t drawn = below(d, local_too ? 16 : 14), wide = below(d, 2);
  say_offset(d, drawn < 8 ? SHARED_BYTES : drawn < 14 ? RANDOM_DATA_BYTES / 4 : LOCAL_BYTES, bytes);
  if (drawn < 4) {
    say(d, "add.u32 %%r41, %%r40, box;\n");
    if (!wide) return (struct place){".shared", "%r41", false};
    say(d, "cvt.u64.u32 %%rd40, %%r41;\n");
    return (struct place){".shared", "%rd40", false};
  }
  if (drawn < 8 && d->kernel.cluster > 1) {
    say(d, "add.u32 %%r41, %%r40, box;\nmapa.shared::cluster.u32 %%r41, %%r41, %%r9;\n");
    return (struct place){".shared::cluster", "%r41", false};
  }
  say(d, "cvt.s64.s32 %%rd40, %%r40;\n");
  if (drawn < 8) {
    say(d, "mov.u64 %%rd41, box;\ncvta.shared.u64 %%rd41, %%rd41;\nadd.u64 %%rd40, %%rd40, %%rd41;\n");
    return (struct place){"", "%rd40", false};
  }
  if (drawn < 14) {
    say(d, "add.u64 %%rd40, %%rd40, %%rd1;\n");
    return (struct place){wide ? ".global" : "", "%rd40", false};
  }
  say(d, "mov.u64 %%rd41, own;\n%sadd.u64 %%rd40, %%rd40, %%rd41;\n",
      wide ? "" : "cvta.local.u64 %rd41, %rd41;\n");
  return (struct place){wide ? ".local" : "", "%rd40", true};
}

// ---- statements -------------------------------------------------------------------------------------------

// %p1 of some lanes. Returns what stands before a guarded instruction.
static const char *say_guard(struct drawing *d, uint32_t percent) {
  static const char *const compare[] = {"lt", "ge", "eq", "ne"};
  if (!chance(d, percent)) return "";
  if (chance(d, 70))
    say(d, "setp.%s.u32 %%p1, %%r%d, %u;\n", compare[below(d, 4)], chance(d, 80) ? 2 : 0, below(d, 33));
  else
    say(d, "shr.u32 %%r42, %%r6, %u;\nand.b32 %%r42, %%r42, 1;\nsetp.eq.u32 %%p1, %%r42, 0;\n", below(d, 30));
  return chance(d, 50) ? "@%p1 " : "@!%p1 ";
}

static const struct type {
  const char *name;
  uint32_t bytes;
} types[] = {{"u8", 1},  {"s8", 1},  {"b8", 1},  {"u16", 2}, {"s16", 2}, {"b16", 2}, {"u32", 4}, {"u32", 4},
             {"s32", 4}, {"f32", 4}, {"b32", 4}, {"b32", 4}, {"u64", 8}, {"s64", 8}, {"f64", 8}, {"b64", 8}};

static void say_registers(struct drawing *d, const struct type *t, uint32_t count) {
  const bool wide = t->bytes == 8 || (count == 1 && t->name[0] != 'f' && chance(d, 20)),
             half = !wide && t->bytes <= 2 && chance(d, 40);
  const uint32_t most_values = wide   ? WIDE_VALUES
                               : half ? HALF_VALUES
                                      : VALUES,
                 first = below(d, most_values);
  say(d, count > 1 ? "{" : "");
  for (uint32_t i = 0; i < count; i++)
    say(d, "%s%%%c%u", i ? ", " : "", wide ? 'w' : half ? 'h' : 'v', (first + i) % most_values);
  say(d, count > 1 ? "}" : "");
}

static void say_access(struct drawing *d) {
  const struct type *t = &types[below(d, sizeof types / sizeof *types)];
  uint32_t count = 1u << below(d, 3);
  while (count * t->bytes > 16 || (count > 2 && t->bytes == 8))
    count /= 2;
  const bool load = chance(d, 55);
  const struct place p = say_place(d, count * t->bytes, true);
  const char *guard = say_guard(d, 30);
  const bool strong = !p.is_local && count == 1 && chance(d, 8);
  say(d, "%s%s%s%s%s.%s ", guard, load ? "ld" : "st", strong ? ".volatile" : "", p.space,
      count == 1   ? ""
      : count == 2 ? ".v2"
                   : ".v4",
      t->name);
  if (load) say_registers(d, t, count);
  say(d, "%s[%s]%s", load ? ", " : "", p.address, load ? "" : ", ");
  if (!load) say_registers(d, t, count);
  say(d, ";\n");
}

static void say_atomic(struct drawing *d) {
  static const char *const operations[] = {"add.u32", "add.u32", "and.b32", "or.b32",   "xor.b32", "min.u32",
                                           "max.s32", "inc.u32", "add.s32", "exch.b32", "cas.b32"};
  const uint32_t kind = below(d, sizeof operations / sizeof *operations);
  const bool tells = kind >= 9 || chance(d, 50);
  const struct place p = say_place(d, 4, false);
  const char *guard = say_guard(d, 30);
  say(d, "%s%s%s.%s ", guard, tells ? "atom" : "red", p.space, operations[kind]);
  if (tells) say(d, "%%v%u, ", below(d, VALUES));
  say(d, "[%s], %%v%u", p.address, below(d, VALUES));
  if (kind == 10) say(d, ", %%v%u", below(d, VALUES));
  say(d, ";\n");
}

// As a histogram counts: where the lanes' values say, many of them at one place.
static void say_count(struct drawing *d) {
  static const char *const operations[] = {"add.u32", "add.u32", "or.b32", "xor.b32"};
  const uint32_t bytes = 32u << below(d, 6), at = 16 * below(d, (SHARED_BYTES - bytes) / 16 + 1);
  const bool tells = chance(d, 60);
  if (chance(d, 40)) say(d, "bar.sync 0;\n");
  say(d, "shr.u32 %%r40, %%v%u, %u;\nand.b32 %%r40, %%r40, %u;\nadd.u32 %%r40, %%r40, box;\n",
      below(d, VALUES), below(d, 16), bytes - 4);
  for (uint32_t times = 1 + below(d, 3); times > 0; times--) {
    const char *guard = say_guard(d, 20);
    say(d, "%s%s.shared.%s ", guard, tells ? "atom" : "red", operations[below(d, 4)]);
    if (tells) say(d, "%%v%u, ", below(d, VALUES));
    say(d, "[%%r40+%u], %%v%u;\n", at, below(d, VALUES));
  }
  if (chance(d, 60)) say(d, "bar.sync 0;\n");
}

// As tables are read: many threads read each word, by many instructions; now and then somebody writes one.
static void say_table(struct drawing *d) {
  static const char *const types[] = {"u8", "u16", "u32", "u32", "v2.u32", "v4.u32"};
  static const uint32_t sizes[] = {1, 2, 4, 4, 8, 16};
  const uint32_t kind = below(d, 6), bytes = sizes[kind], area = 64u << below(d, 4),
                 at = 64 * below(d, (SHARED_BYTES - area) / 64 + 1), step = bytes * (1 + below(d, 5));
  if (chance(d, 70)) say(d, "bar.sync 0;\n");
  for (uint32_t i = 0, times = 3 + below(d, 6); i < times; i++) {
    say(d, "mad.lo.s32 %%r40, %%r0, %u, %u;\nand.b32 %%r40, %%r40, %u;\nadd.u32 %%r40, %%r40, box;\n", step,
        i * bytes * (1 + 2 * below(d, 4)), area - bytes);
    const char *guard = say_guard(d, 15);
    if (i && bytes >= 4 && chance(d, 8))
      say(d, "%sst.shared.u32 [%%r40+%u], %%v0;\n", guard, at);
    else
      say(d, "%sld.%sshared.%s %s, [%%r40+%u];\n", guard, kind < 4 && chance(d, 5) ? "volatile." : "",
          types[kind],
          bytes == 16  ? "{%v1, %v2, %v3, %v4}"
          : bytes == 8 ? "{%v1, %v2}"
                       : "%v5",
          at);
  }
  if (chance(d, 70)) say(d, "bar.sync 0;\n");
}

static void say_arithmetic(struct drawing *d) {
  static const char *const operations[] = {"add.u32", "xor.b32", "mul.lo.u32",
                                           "min.s32", "sub.u32", "shf.l.wrap.b32"};
  const uint32_t kind = below(d, sizeof operations / sizeof *operations);
  const char *guard = say_guard(d, 40);
  say(d, "%s%s %%v%u, %%v%u, %%v%u", guard, operations[kind], below(d, VALUES), below(d, VALUES),
      below(d, VALUES));
  say(d, kind == 5 ? ", %u;\n" : ";\n", below(d, 32));
}

// A load by one thread, for which nearly always all wait.
static void say_bulk_load(struct drawing *d) {
  const uint32_t bytes = 16 * (1 + below(d, chance(d, 50) ? 64 : 16)),
                 at = 16 * below(d, (SHARED_BYTES - bytes) / 16 + 1),
                 from = 16 * below(d, (RANDOM_DATA_BYTES / 4 - bytes) / 16 + 1);
  if (chance(d, 90)) say(d, "fence.proxy.async;\n");
  if (chance(d, 90)) say(d, "bar.sync 0;\n");
  say(d, "@%%p5 mbarrier.arrive.expect_tx.shared::cta.b64 _, [phases], %u;\n", bytes);
  say(d,
      "@%%p5 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [box+%u], [%%rd1+%u], %u, "
      "[phases];\n",
      at, from, bytes);
  const uint32_t label = d->labels++;
  if (chance(d, 95))
    say(d,
        "and.b32 %%r42, %%r8, 1;\nL%u: mbarrier.try_wait.parity.shared::cta.b64 %%p3, [phases], %%r42;\n"
        "@!%%p3 bra L%u;\n",
        label, label);
  say(d, "add.u32 %%r8, %%r8, 1;\n");
}

static void say_bulk_store(struct drawing *d) {
  const uint32_t bytes = 16 * (1 + below(d, chance(d, 50) ? 64 : 16)),
                 at = 16 * below(d, (SHARED_BYTES - bytes) / 16 + 1),
                 to = 16 * below(d, (RANDOM_DATA_BYTES / 4 - bytes) / 16 + 1);
  if (chance(d, 90)) say(d, "fence.proxy.async;\n");
  if (chance(d, 90)) say(d, "bar.sync 0;\n");
  say(d, "@%%p5 cp.async.bulk.global.shared::cta.bulk_group [%%rd1+%u], [box+%u], %u;\n", to, at, bytes);
  say(d, "@%%p5 cp.async.bulk.commit_group;\n");
  if (chance(d, 80)) say(d, "@%%p5 cp.async.bulk.wait_group%s 0;\n", chance(d, 60) ? "" : ".read");
  if (chance(d, 85)) say(d, "bar.sync 0;\n");
}

// What a block leaves of its records meets the next one, which may go another way.
static void say_blocks_apart(struct drawing *d, void (*each)(struct drawing *d)) {
  const uint32_t label = d->labels++;
  say(d, "and.b32 %%r42, %%r1, 1;\nsetp.eq.u32 %%p4, %%r42, %u;\n@%%p4 bra L%u;\n", below(d, 2), label);
  each(d);
  say(d, "L%u:\n", label);
}

static void say_statements(struct drawing *d, uint32_t count, uint32_t nested) {
  while (count--) {
    const uint32_t kind = below(d, 100);
    if (kind < 62) {
      say_access(d);
    } else if (kind < 68) {
      say_atomic(d);
    } else if (kind < 72) {
      say_count(d);
    } else if (kind < 76) {
      say_arithmetic(d);
    } else if (kind < 82 && nested < MOST_NESTED) {
      const char *guard = say_guard(d, 100);
      const uint32_t label = d->labels++;
      say(d, "%sbra L%u;\n", guard, label);
      say_statements(d, 1 + below(d, 3), nested + 1);
      say(d, "L%u:\n", label);
    } else if (kind < 88 && d->bulk && !nested) {
      if (chance(d, 60))
        say_bulk_load(d);
      else
        say_bulk_store(d);
    } else if (kind >= 88 && kind < 94) {
      say_table(d);
    } else if (kind >= 94 && kind < 97 && !nested) {
      say_blocks_apart(d, kind < 96 ? say_access : say_table);
    }
    if (!nested && chance(d, 60)) say(d, "bar.sync 0;\n");
  }
}

static void say_begin(struct drawing *d) {
  say(d,
      ".version 8.5\n.target sm_90\n.address_size 64\n"
      ".visible .entry k(.param .u64 out, .param .u64 data)%s\n{\n",
      d->kernel.cluster > 1 ? " .explicitcluster .reqnctapercluster 2, 1, 1" : "");
  say(d, ".shared .align 128 .b8 box[%d];\n.shared .align 8 .b64 phases;\n.local .align 16 .b8 own[%d];\n",
      SHARED_BYTES, LOCAL_BYTES);
  say(d,
      ".reg .pred %%p<8>;\n.reg .b32 %%r<48>;\n.reg .b64 %%rd<48>;\n.reg .b32 %%v<%d>;\n.reg .b64 %%w<%d>;\n"
      ".reg .b16 %%h<%d>;\n",
      VALUES, WIDE_VALUES, HALF_VALUES);
  say(d, "ld.param.u64 %%rd0, [out];\nld.param.u64 %%rd1, [data];\nmov.u32 %%r0, %%tid.x;\n"
         "and.b32 %%r2, %%r0, 31;\nand.b32 %%r3, %%r2, 15;\nshr.u32 %%r4, %%r2, 4;\nshr.u32 %%r5, %%r0, 5;\n"
         "mov.u32 %%r1, %%ctaid.x;\nmov.u32 %%r7, %%ntid.x;\nmad.lo.u32 %%r7, %%r1, %%r7, %%r0;\n"
         "mad.lo.u32 %%r6, %%r7, 1664525, 1013904223;\nmov.u32 %%r8, 0;\nmov.u32 %%r9, %%cluster_ctarank;\n"
         "xor.b32 %%r9, %%r9, 1;\nsetp.eq.u32 %%p5, %%r0, 0;\n");
  if (d->kernel.apart)
    say(d, "mul.wide.u32 %%rd40, %%r1, %d;\nadd.u64 %%rd1, %%rd1, %%rd40;\n", RANDOM_DATA_BYTES / 4);
  for (int i = 0; i < VALUES; i++)
    say(d, "mad.lo.u32 %%v%d, %%r6, %d, %d;\n", i, 2 * i + 69069, i);
  for (int i = 0; i < WIDE_VALUES; i++)
    say(d, "mul.wide.u32 %%w%d, %%r6, %%v%d;\n", i, i);
  for (int i = 0; i < HALF_VALUES; i++)
    say(d, "cvt.u16.u32 %%h%d, %%v%d;\n", i, i);
  say(d, "@%%p5 mbarrier.init.shared::cta.b64 [phases], 1;\n@%%p5 fence.mbarrier_init.release.cluster;\n");
  for (int i = 0; i < LOCAL_BYTES; i += 8)
    say(d, "st.local.b64 [own+%d], %%w%d;\n", i, i / 8 % WIDE_VALUES);
}

// Whole lines by neighbouring lanes, which later copies and accesses meet.
static void say_filled(struct drawing *d) {
  const uint32_t all = d->kernel.block * 16;
  if (chance(d, 20)) return;
  say(d, "shl.b32 %%r40, %%r0, 4;\nadd.u32 %%r40, %%r40, box;\n");
  for (uint32_t at = 0; at + all <= SHARED_BYTES; at += all)
    say(d, "st.shared.v4.u32 [%%r40+%u], {%%v0, %%v1, %%v2, %%v3};\n", at);
  if (chance(d, 90)) say(d, "bar.sync 0;\n");
}

// What is left in registers and in shared memory becomes the result.
static void say_end(struct drawing *d) {
  if (chance(d, 95)) say(d, "bar.sync 0;\n");
  say(d, "mov.u32 %%r41, 0;\nshl.b32 %%r40, %%r0, 2;\nadd.u32 %%r40, %%r40, box;\n");
  for (uint32_t at = 0; at < SHARED_BYTES; at += 4 * d->kernel.block)
    if (at + 4 * d->kernel.block <= SHARED_BYTES)
      say(d, "ld.shared.u32 %%r42, [%%r40+%u];\nmad.lo.u32 %%r41, %%r41, 31, %%r42;\n", at);
  if (d->kernel.cluster > 1 && chance(d, 95))
    say(d, "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n");
  say(d, "mul.wide.u32 %%rd40, %%r7, %d;\nadd.u64 %%rd40, %%rd0, %%rd40;\nst.global.u32 [%%rd40], %%r41;\n",
      4 * RANDOM_OUT_WORDS);
  uint32_t word = 2;
  for (int i = 0; i < VALUES; i++)
    say(d, "st.global.u32 [%%rd40+%u], %%v%d;\n", 4 * word++, i);
  for (int i = 0; i < WIDE_VALUES; i++, word += 2)
    say(d, "st.global.u64 [%%rd40+%u], %%w%d;\n", 4 * word, i);
  for (int i = 0; i < HALF_VALUES; i++)
    say(d, "st.global.u16 [%%rd40+%u], %%h%d;\n", 4 * word++, i);
  say(d, "ret;\n}\n");
}

struct random_kernel random_kernel_make(uint64_t number) {
  static const uint32_t blocks[] = {32, 64, 64, 128, 128, 48, 20};
  struct drawing d = {.random = number * 2 + 1};
  size_t size;
  for (int i = 0; i < 4; i++)
    below(&d, 2);
  d.kernel = (struct random_kernel){.grid = 1u << below(&d, 3), .cluster = 1, .apart = chance(&d, 80)};
  d.kernel.block = blocks[below(&d, sizeof blocks / sizeof *blocks)];
  if (d.kernel.grid > 1 && chance(&d, 20)) d.kernel.cluster = 2;
  d.bulk = chance(&d, 50);
  d.out = open_memstream(&d.kernel.text, &size);
  say_begin(&d);
  say_filled(&d);
  if (d.kernel.cluster > 1) say(&d, "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n");
  say(&d, "mov.u32 %%r10, 0;\nAGAIN:\n");
  say_statements(&d, 2 + below(&d, 10), 0);
  say(&d, "add.u32 %%r10, %%r10, 1;\nsetp.lt.u32 %%p6, %%r10, %u;\n@%%p6 bra AGAIN;\n", 1 + below(&d, 3));
  say_end(&d);
  fclose(d.out);
  return d.kernel;
}
