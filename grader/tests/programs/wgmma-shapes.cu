// In: how many cases, and from which on (none: as many as the suite runs); `every`: not drawn instructions,
// but all that there are, one a case. Out: `ok` if wgmma's products of any shape, types, layouts and signs,
// dense and sparse, are those of whole numbers or, bit for bit, of the model in tensor-core-model.h; with
// arguments also how many cases of each class were wrong. The idea: the kernel of a case is PTX that this
// program writes, so all forms fit into one program. PTX ISA 9.1, 9.7.15.5.1, 9.7.15.5.2 and 9.7.15.6.
#include <map>
#include <string>

#include "tensor-core-model.h"

constexpr uint32_t ROWS = 64, THREADS = 128, B_AT = 16384, BYTES = 81920, SUITE = 60;
constexpr kind WHOLE = KINDS; // small whole numbers: no sum is rounded

static const struct {
  const char *name;
  uint32_t bits;
  uint32_t codes[4]; // of 0 to 3
  uint32_t sign;     // added for a negative number; 0: two's complement, or there is none
} elements[ELEMENTS] = {
    {"f16", 16, {0, 0x3c00, 0x4000, 0x4200}, 0x8000},
    {"bf16", 16, {0, 0x3f80, 0x4000, 0x4040}, 0x8000},
    {"tf32", 32, {0, 0x3f800000, 0x40000000, 0x40400000}, 0x80000000},
    {"e4m3", 8, {0, 0x38, 0x40, 0x44}, 0x80},
    {"e5m2", 8, {0, 0x3c, 0x40, 0x42}, 0x80},
    {"f32", 32, {0, 0x3f800000, 0x40000000, 0x40400000}, 0x80000000},
    {"s8", 8, {0, 1, 2, 3}, 0},
    {"u8", 8, {0, 1, 2, 3}, 0},
    {"b1", 1, {0, 1, 0, 0}, 0},
};

struct layout {
  uint32_t swizzle;               // bytes; 0: none
  bool across;                    // lines run along M or N
  uint32_t leading, stride, base; // base: how many 128 bytes behind the pattern's start
};

struct matrix {
  element type;
  uint32_t lines, depth; // depth: stored elements of a line
  bool negated;
  layout at;
  std::vector<uint32_t> codes; // [lines][depth]
};

struct product {
  uint32_t columns, depth, selector; // depth: of A as it is stored
  const char *sums;                  // "f32", "f16", "s32"
  kind values;
  bool from_registers, accumulates, saturates, sparse;
  matrix a, b;
  std::vector<uint32_t> before;  // [ROWS][columns]
  std::vector<uint32_t> nibbles; // of A's chunks: [ROWS][16]
  std::vector<uint32_t> places;  // of A's stored elements along K: [ROWS][depth]
};

static uint32_t state;
static uint32_t random_below(uint32_t end) {
  state = state * 1664525u + 1013904223u;
  return static_cast<uint32_t>(uint64_t{state >> 8} * end >> 24);
}
static random_numbers elements_drawn;

static bool is_whole(element type) {
  return type >= S8;
}
static bool is_half(const product &p) {
  return std::strcmp(p.sums, "f16") == 0;
}
static uint32_t sum_registers(const product &p) {
  return p.columns / (is_half(p) ? 4 : 2);
}

// ---- a case -----------------------------------------------------------------------------------------------

static layout draw_layout(element type, uint32_t lines, uint32_t depth) {
  static const uint32_t swizzles[] = {0, 32, 64, 128};
  layout l = {swizzles[random_below(4)], elements[type].bits == 16 && random_below(2) == 1, 0, 0, 0};
  const uint32_t gap = random_below(2), atom = 8 * l.swizzle, pieces = depth * elements[type].bits / 128;
  if (l.swizzle && !l.across && l.swizzle < 16 * pieces) l.swizzle = 0;
  if (l.swizzle && l.across && lines % (l.swizzle / 2)) l.swizzle = 0;
  if (!l.swizzle && !l.across) {
    l.leading = 128 * (1 + gap);
    l.stride = pieces * l.leading + 128 * random_below(2);
  } else if (!l.swizzle) {
    l.stride = 128 * (1 + gap);
    l.leading = lines / 8 * l.stride + 128 * random_below(2);
  } else {
    l.stride = atom * (1 + gap);
    if (l.across) l.leading = depth / 8 * l.stride + atom * random_below(2);
    if (random_below(4) == 0) l.base = random_below(l.swizzle / 16);
  }
  return l;
}

static uint32_t code(element type, int value) {
  if (value < 0 && !elements[type].sign) return static_cast<uint32_t>(value) & 0xff;
  return elements[type].codes[value < 0 ? -value : value] | (value < 0 ? elements[type].sign : 0);
}

static uint32_t draw_code(element type, kind values) {
  if (type == B1) return random_below(2);
  if (values == WHOLE)
    return code(type, static_cast<int>(random_below(type == U8 ? 4 : 7)) - (type == U8 ? 0 : 3));
  return is_whole(type) ? elements_drawn.next() & 0xff : draw(elements_drawn, type, values);
}

static matrix draw_matrix(element type, uint32_t lines, uint32_t depth, kind values) {
  matrix m = {type, lines, depth, !is_whole(type) && random_below(3) == 0, draw_layout(type, lines, depth),
              {}};
  for (uint32_t i = 0; i < lines * depth; i++)
    m.codes.push_back(draw_code(type, values));
  return m;
}

// What stands before the product in the sums.
static uint32_t draw_sum(const product &p, uint32_t row, uint32_t column) {
  const int whole = static_cast<int>((row * 7 + column * 3) % 21) - 10;
  if (p.sums[0] == 's') return p.values == WHOLE ? static_cast<uint32_t>(whole) : elements_drawn.next();
  if (p.values == WHOLE) return code(is_half(p) ? F16 : F32, whole % 4);
  return draw(elements_drawn, is_half(p) ? F16 : F32, p.values == HUGE ? WIDE : p.values);
}

// Of each chunk two elements are stored; of tf32's, which are half as long, one.
static void draw_places(product &p) {
  const uint32_t size = p.a.type == TF32 ? 2 : 4, chunks = 2 * p.depth / size;
  p.nibbles.assign(ROWS * 16, 0);
  for (uint32_t row = 0; row < ROWS; row++)
    for (uint32_t chunk = 0; chunk < chunks; chunk++) {
      const uint32_t first = random_below(size == 2 ? 2 : 3), second = first + 1 + random_below(3 - first);
      p.nibbles[row * 16 + chunk] = size == 2 ? (first ? 0xe : 0x4) : first | second << 2;
      p.places.push_back(chunk * size + first);
      if (size == 4) p.places.push_back(chunk * size + second);
    }
}

// What an instruction says of itself.
struct variant {
  element a, b;
  const char *sums;
  uint32_t columns;
  bool from_registers, sparse, saturates;
};

static variant draw_variant() {
  element type = static_cast<element>(random_below(ELEMENTS - 1));
  if (type >= F32) type = static_cast<element>(type + 1);
  const bool whole = is_whole(type), fp8 = type == E4M3 || type == E5M2;
  variant f = {type, type, "s32", 0, false, type != B1 && random_below(3) == 0, false};
  if (fp8) f.b = random_below(2) ? E4M3 : E5M2;
  if (type == S8 || type == U8) f.b = random_below(2) ? S8 : U8;
  f.columns = 8 * (1 + random_below(32));
  if (whole && f.columns > 24) f.columns = (f.columns + 15) / 16 * 16;
  if (!whole) f.sums = (type == F16 || fp8) && random_below(2) ? "f16" : "f32";
  f.from_registers = random_below(2);
  f.saturates = (type == S8 || type == U8) && random_below(2);
  return f;
}

static bool is_a_variant(const variant &f) {
  const bool whole = is_whole(f.a), small = f.a == E4M3 || f.a == E5M2;
  if (f.a == F32 || f.b == F32 || (f.columns > 24 && f.columns % 16 && whole)) return false;
  if (f.a != f.b && !(small && (f.b == E4M3 || f.b == E5M2)) && !(whole && f.b >= S8)) return false;
  if (f.a != f.b && (f.a == B1 || f.b == B1)) return false;
  if ((f.sums[0] == 's') != whole || (std::strcmp(f.sums, "f16") == 0 && f.a != F16 && !small)) return false;
  return !(f.sparse && f.a == B1) && !(f.saturates && f.a != S8 && f.a != U8);
}

// All pairs of types with all sums and shapes, dense and sparse, A in shared memory and in registers.
static std::vector<variant> every_variant() {
  std::vector<variant> all;
  for (uint32_t pair = 0; pair < ELEMENTS * ELEMENTS; pair++)
    for (const char *sums : {"f16", "f32", "s32"})
      for (uint32_t columns = 8; columns <= 256; columns += 8)
        for (uint32_t flags = 0; flags < 8; flags++) {
          const variant f = {static_cast<element>(pair / ELEMENTS),
                             static_cast<element>(pair % ELEMENTS),
                             sums,
                             columns,
                             (flags & 1) != 0,
                             (flags & 2) != 0,
                             (flags & 4) != 0};
          if (is_a_variant(f)) all.push_back(f);
        }
  return all;
}

static product draw_product(const variant &f) {
  product p = {};
  p.values = static_cast<kind>(random_below(KINDS + 1));
  p.sparse = f.sparse;
  p.columns = f.columns;
  p.depth = 256 / elements[f.a].bits;
  p.sums = f.sums;
  p.from_registers = f.from_registers;
  p.accumulates = random_below(3) > 0;
  p.saturates = f.saturates;
  p.selector = p.sparse && elements[f.a].bits > 8 ? random_below(2) : 0;
  p.a = draw_matrix(f.a, ROWS, p.depth, p.values);
  p.b = draw_matrix(f.b, p.columns, p.sparse ? 2 * p.depth : p.depth, p.values);
  if (p.from_registers) p.a.at.across = false, p.a.at.base = 0;
  for (uint32_t i = 0; i < ROWS * p.columns; i++)
    p.before.push_back(draw_sum(p, i / p.columns, i % p.columns));
  if (p.sparse) draw_places(p);
  return p;
}

// ---- what is right ----------------------------------------------------------------------------------------

static int64_t whole_number(element type, uint32_t bits) {
  return type == S8 ? static_cast<int8_t>(bits) : static_cast<int64_t>(bits);
}

static uint32_t right_sum(const product &p, uint32_t row, uint32_t column) {
  uint32_t a[32], b[32], chosen[256];
  int64_t sum = 0;
  for (uint32_t k = 0; k < p.depth; k++) {
    const uint32_t from = p.sparse ? p.places[row * p.depth + k] : k;
    const uint32_t x = p.a.codes[row * p.depth + k], y = p.b.codes[column * p.b.depth + from];
    sum += is_whole(p.a.type) ? whole_number(p.a.type, x) * whole_number(p.b.type, y) : 0;
    chosen[k] = y;
    if (k < 32) a[k] = x ^ (p.a.negated ? elements[p.a.type].sign : 0);
  }
  const uint32_t before = p.accumulates ? p.before[row * p.columns + column] : 0;
  if (is_whole(p.a.type)) {
    sum += static_cast<int32_t>(before);
    if (p.saturates) sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
    return static_cast<uint32_t>(sum);
  }
  for (uint32_t k = 0; k < p.depth; k++)
    b[k] = chosen[k] ^ (p.b.negated ? elements[p.b.type].sign : 0);
  const bool small = elements[p.a.type].bits == 8, half = is_half(p);
  return model({p.a.type, p.b.type, half, p.depth, small ? 13 : 25, small ? 13 : 23}, a, b, before);
}

// ---- bytes ------------------------------------------------------------------------------------------------

// Where the element lies, of a type with whole bytes; for bits, byte `k` of the line.
static uint32_t place(const layout &l, uint32_t bytes, uint32_t line, uint32_t k) {
  const uint32_t width = l.swizzle / bytes, byte = k * bytes;
  uint32_t at;
  if (!l.swizzle && !l.across)
    at = line / 8 * l.stride + byte / 16 * l.leading + line % 8 * 16 + byte % 16;
  else if (!l.swizzle)
    at = line / 8 * l.stride + k / 8 * l.leading + k % 8 * 16 + line % 8 * bytes;
  else if (!l.across)
    at = line / 8 * l.stride + line % 8 * l.swizzle + byte;
  else
    at = line / width * l.leading + k / 8 * l.stride + k % 8 * l.swizzle + line % width * bytes;
  return l.base * 128 + (l.swizzle ? at ^ (at >> 7 & (l.swizzle / 16 - 1)) << 4 : at);
}

static void lay(const matrix &m, unsigned char *memory) {
  for (uint32_t line = 0; line < m.lines; line++) {
    for (uint32_t k = 0; m.type == B1 && k < m.depth; k += 8) {
      unsigned bits = 0;
      for (uint32_t i = 0; i < 8; i++)
        bits |= m.codes[line * m.depth + k + i] << i;
      memory[place(m.at, 1, line, k / 8)] = static_cast<unsigned char>(bits);
    }
    for (uint32_t k = 0; m.type != B1 && k < m.depth; k++) {
      const uint32_t bits = m.codes[line * m.depth + k], bytes = elements[m.type].bits / 8;
      std::memcpy(memory + place(m.at, bytes, line, k), &bits, bytes);
    }
  }
}

static uint64_t descriptor(const layout &l) { // without the address
  const uint64_t mode = l.swizzle == 128 ? 1 : l.swizzle == 64 ? 2 : l.swizzle == 32 ? 3 : 0;
  return uint64_t{l.leading >> 4} << 16 | uint64_t{l.stride >> 4} << 32 | uint64_t{l.base} << 49 |
         mode << 62 | l.base * 8;
}

// The four registers of A of each thread.
static std::vector<uint32_t> fragments(const product &p) {
  const uint32_t bits = elements[p.a.type].bits, each = 32 / bits;
  std::vector<uint32_t> all;
  for (uint32_t i = 0; i < THREADS * 4; i++) {
    const uint32_t lane = i / 4 % 32, row = i / 128 * 16 + lane / 4 + i % 2 * 8;
    const uint32_t k = each * (i % 4 / 2 * 4 + lane % 4);
    uint32_t word = 0;
    for (uint32_t e = 0; e < each; e++)
      word |= p.a.codes[row * p.depth + k + e] << e * bits;
    all.push_back(word);
  }
  return all;
}

// The metadata of each thread: of wide elements four chunks of two rows, of narrow ones eight of one row.
static std::vector<uint32_t> metadata(const product &p) {
  std::vector<uint32_t> all(THREADS, 0xffffffffu); // of the threads that the selector doesn't ask
  const bool narrow = elements[p.a.type].bits == 8;
  for (uint32_t thread = 0; p.sparse && thread < THREADS; thread++) {
    const uint32_t member = thread % 4, row = thread / 32 * 16 + thread % 32 / 4;
    uint32_t bits = 0;
    for (uint32_t i = 0; i < 8; i++)
      bits |= (narrow ? p.nibbles[(row + 8 * (member % 2)) * 16 + member / 2 * 8 + i]
                      : p.nibbles[(row + i / 4 * 8) * 16 + member % 2 * 4 + i % 4])
              << 4 * i;
    if (narrow || member / 2 == p.selector) all[thread] = bits;
  }
  return all;
}

// Number `part` of the sums in register i of a thread: row and column.
static void sum_place(const product &p, uint32_t thread, uint32_t i, uint32_t part, uint32_t *row,
                      uint32_t *column) {
  const uint32_t pair = is_half(p) ? i : i / 2, odd = is_half(p) ? part : i % 2;
  *row = thread / 32 * 16 + thread % 32 / 4 + pair % 2 * 8;
  *column = pair / 2 * 8 + thread % 4 * 2 + odd;
}

// All sums in their registers; `function` says which.
template <class function> static std::vector<uint32_t> sums(const product &p, function value_of) {
  std::vector<uint32_t> all;
  for (uint32_t thread = 0; thread < THREADS; thread++)
    for (uint32_t i = 0; i < sum_registers(p); i++) {
      uint32_t word = 0, row, column;
      for (uint32_t part = 0; part < (is_half(p) ? 2 : 1); part++) {
        sum_place(p, thread, i, part, &row, &column);
        word |= value_of(row, column) << 16 * part;
      }
      all.push_back(word);
    }
  return all;
}

// ---- the kernel -------------------------------------------------------------------------------------------

static std::string number(uint32_t n) {
  return std::to_string(n);
}

static std::string list(const char *name, uint32_t count) {
  std::string all = "{";
  for (uint32_t i = 0; i < count; i++)
    all += (i ? ", " : "") + (name + number(i));
  return all + "}";
}

static std::string instruction(const product &p) {
  const bool floating = !is_whole(p.a.type), transposable = elements[p.a.type].bits == 16;
  std::string text = "wgmma.mma_async." + std::string(p.sparse ? "sp." : "") + "sync.aligned.m64n" +
                     number(p.columns) + "k" + number(p.b.depth) + "." + p.sums + "." +
                     elements[p.a.type].name + "." + elements[p.b.type].name;
  if (p.a.type == B1) text += ".and.popc";
  if (p.saturates) text += ".satfinite";
  text += " " + list("%d", sum_registers(p)) + ", " + (p.from_registers ? list("%a", 4) : "%rd5") +
          ", %rd6, " + (p.sparse ? "%meta, " + number(p.selector) + ", " : "") + "%p1";
  if (floating) text += std::string(p.a.negated ? ", -1" : ", 1") + (p.b.negated ? ", -1" : ", 1");
  if (transposable && !p.from_registers) text += p.a.at.across ? ", 1" : ", 0";
  if (transposable) text += p.b.at.across ? ", 1" : ", 0";
  return text + ";\n";
}

static std::string kernel_text(const product &p) {
  std::string text =
      ".version 8.7\n.target sm_90a\n.address_size 64\n"
      ".extern .shared .align 1024 .b8 memory[];\n"
      ".visible .entry multiply(.param .u64 image, .param .u64 fragments, .param .u64 sums,\n"
      "  .param .u64 of_a, .param .u64 of_b, .param .u32 accumulates, .param .u64 metadata)\n"
      ".maxntid 128, 1, 1\n{\n"
      ".reg .pred %p<3>;\n.reg .b32 %r<10>, %a<4>, %d<128>, %meta;\n.reg .b64 %rd<12>;\n"
      "mov.u32 %r0, %tid.x;\nmov.u32 %r1, memory;\nld.param.u64 %rd0, [image];\n"
      "shl.b32 %r2, %r0, 4;\n"
      "next: cvt.u64.u32 %rd1, %r2;\nadd.u64 %rd2, %rd0, %rd1;\nadd.u32 %r3, %r1, %r2;\n"
      "ld.global.v4.b32 {%r4, %r5, %r6, %r7}, [%rd2];\n"
      "st.shared.v4.b32 [%r3], {%r4, %r5, %r6, %r7};\nadd.u32 %r2, %r2, 2048;\n"
      "setp.lt.u32 %p2, %r2, " +
      number(BYTES) +
      ";\n@%p2 bra next;\n"
      "fence.proxy.async.shared::cta;\nbar.sync 0;\n"
      "ld.param.u64 %rd3, [fragments];\nmul.wide.u32 %rd1, %r0, 16;\nadd.u64 %rd3, %rd3, %rd1;\n"
      "ld.global.v4.b32 {%a0, %a1, %a2, %a3}, [%rd3];\n"
      "ld.param.u64 %rd8, [metadata];\nmul.wide.u32 %rd1, %r0, 4;\nadd.u64 %rd8, %rd8, %rd1;\n"
      "ld.global.b32 %meta, [%rd8];\n"
      "ld.param.u64 %rd4, [sums];\nmul.wide.u32 %rd1, %r0, " +
      number(4 * sum_registers(p)) + ";\nadd.u64 %rd4, %rd4, %rd1;\n";
  for (uint32_t i = 0; i < sum_registers(p); i++)
    text += "ld.global.b32 %d" + number(i) + ", [%rd4 + " + number(4 * i) + "];\n";
  text += "shr.u32 %r8, %r1, 4;\ncvt.u64.u32 %rd7, %r8;\n"
          "ld.param.u64 %rd5, [of_a];\nadd.u64 %rd5, %rd5, %rd7;\n"
          "ld.param.u64 %rd6, [of_b];\nadd.u64 %rd6, %rd6, %rd7;\n"
          "ld.param.u32 %r9, [accumulates];\nsetp.ne.u32 %p1, %r9, 0;\n"
          "wgmma.fence.sync.aligned;\n" +
          instruction(p) + "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n";
  for (uint32_t i = 0; i < sum_registers(p); i++)
    text += "st.global.b32 [%rd4 + " + number(4 * i) + "], %d" + number(i) + ";\n";
  return text + "ret;\n}\n";
}

// ---- a run ------------------------------------------------------------------------------------------------

static std::string text_of(const layout &l) {
  return std::string(l.across ? "across" : "along K") + ", swizzle " + number(l.swizzle) + ", base " +
         number(l.base) + ", leading " + number(l.leading) + ", stride " + number(l.stride);
}

static std::string class_of(const product &p) {
  static const char *const kinds[] = {"ordinary", "wide", "subnormal", "huge", "special", "whole"};
  const bool shifted = p.b.at.base || (!p.from_registers && p.a.at.base);
  return std::string(p.sparse ? "sparse " : "dense ") + elements[p.a.type].name + " " + p.sums + " " +
         kinds[p.values] + (shifted ? " base-offset" : "");
}

static std::string codes_of(const matrix &m, uint32_t line) {
  std::string all;
  for (uint32_t k = 0; k < m.depth && m.type != B1; k++) {
    char one[16];
    snprintf(one, sizeof one, " %x", m.codes[line * m.depth + k]);
    all += one;
  }
  return all;
}

static std::vector<uint32_t> multiply(const product &p) {
  std::vector<unsigned char> memory(BYTES, 0x7c); // gaps: infinities and NaNs
  lay(p.a, memory.data());
  lay(p.b, memory.data() + B_AT);
  guarded<unsigned char> image(BYTES);
  guarded<uint32_t> of_a(THREADS * 4), of_metadata(THREADS), out(THREADS * sum_registers(p));
  image.set(memory);
  of_a.set(fragments(p));
  of_metadata.set(metadata(p));
  out.set(sums(p, [&](uint32_t row, uint32_t column) { return p.before[row * p.columns + column]; }));
  cudaLibrary_t library;
  cudaKernel_t kernel;
  const std::string text = kernel_text(p);
  CUDA_CHECK(cudaLibraryLoadData(&library, text.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  CUDA_CHECK(cudaLibraryGetKernel(&kernel, library, "multiply"));
  CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES));
  const void *pointers[] = {image.data(), of_a.data(), out.data(), of_metadata.data()};
  uint64_t a = descriptor(p.a.at), b = descriptor(p.b.at) + (B_AT >> 4);
  uint32_t accumulates = p.accumulates;
  void *arguments[] = {&pointers[0], &pointers[1], &pointers[2], &a, &b, &accumulates, &pointers[3]};
  CUDA_CHECK(cudaLaunchKernel(kernel, dim3(1), dim3(THREADS), arguments, BYTES, nullptr));
  CUDA_CHECK(cudaDeviceSynchronize());
  CUDA_CHECK(cudaLibraryUnload(library));
  return out.get();
}

// Returns whether all sums are right; says of the first wrong one what was multiplied.
static bool run(const product &p, uint32_t which) {
  const std::vector<uint32_t> got = multiply(p), right = sums(p, [&](uint32_t row, uint32_t column) {
                                                   return right_sum(p, row, column);
                                                 });
  uint32_t wrong = 0, first = 0;
  for (uint32_t i = 0; i < got.size(); i++)
    if (got[i] != right[i] && !wrong++) first = i;
  if (!wrong) return true;
  uint32_t row, column;
  sum_place(p, first / sum_registers(p), first % sum_registers(p), 0, &row, &column);
  self_check_failures++;
  fprintf(
      stderr,
      "case %u, %s: %u of %zu registers are wrong; register %u of thread %u (row %u, column %u) is 0x%08x, "
      "not 0x%08x\n  %s  A %s%s; B %s; before 0x%x\n  a%s\n  b%s\n",
      which, class_of(p).c_str(), wrong, got.size(), first % sum_registers(p), first / sum_registers(p), row,
      column, got[first], right[first], instruction(p).c_str(), p.from_registers ? "in registers, " : "",
      text_of(p.a.at).c_str(), text_of(p.b.at).c_str(), p.before[row * p.columns + column],
      codes_of(p.a, row).c_str(), codes_of(p.b, column).c_str());
  return false;
}

int main(int count, char **arguments) {
  const uint32_t cases = count > 1 ? static_cast<uint32_t>(std::atoi(arguments[1])) : SUITE;
  const uint32_t first = count > 2 ? static_cast<uint32_t>(std::atoi(arguments[2])) : 0;
  std::vector<variant> variants;
  if (count > 3) variants = every_variant();
  std::map<std::string, std::pair<uint32_t, uint32_t>> classes; // how many, how many wrong
  for (uint32_t i = first; i < first + cases; i++) {
    state = i * 2654435761u + 12345;
    elements_drawn.state = i * 0x9e3779b97f4a7c15ull + 1;
    random_below(2);
    if (count > 3 && i >= variants.size()) break;
    const product p = draw_product(count > 3 ? variants[i] : draw_variant());
    auto &c = classes[class_of(p)];
    c.first++;
    c.second += !run(p, i);
  }
  for (const auto &c : classes)
    if (count > 1) printf("%-40s %4u cases %4u wrong\n", c.first.c_str(), c.second.first, c.second.second);
  return self_check_result();
}
