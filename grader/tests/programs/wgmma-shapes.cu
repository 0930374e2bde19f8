// In: how many cases, and from which on (none: as many as the suite runs). Out: `ok` if products of any
// shape, types, layouts and signs give the sums that plain arithmetic gives. The idea: the kernel of a case
// is PTX that this program writes, so all forms fit into one program; all numbers are small whole ones, so
// that no sum is rounded. PTX ISA 9.1, 9.7.15.5.1 and 9.7.15.5.2.
#include <cuda_fp16.h>

#include <string>

#include "self-check.h"

constexpr uint32_t ROWS = 64, THREADS = 128, B_AT = 16384, BYTES = 81920, SUITE = 40;

enum element { F16, BF16, TF32, E4M3, E5M2, S8, U8, B1, ELEMENTS };
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
    {"s8", 8, {0, 1, 2, 3}, 0},
    {"u8", 8, {0, 1, 2, 3}, 0},
    {"b1", 1, {0, 1, 0, 0}, 0},
};

struct layout {
  uint32_t swizzle; // bytes; 0: none
  bool across;      // lines run along M or N
  uint32_t leading, stride;
};

struct matrix {
  element type;
  uint32_t lines;
  bool negated;
  layout at;
  std::vector<int> values; // [lines][depth]
};

struct product {
  uint32_t columns, depth;
  const char *sums; // "f32", "f16", "s32"
  bool from_registers, accumulates, saturates;
  matrix a, b;
};

static uint32_t state;
static uint32_t random_below(uint32_t end) {
  state = state * 1664525u + 1013904223u;
  return static_cast<uint32_t>(uint64_t{state >> 8} * end >> 24);
}

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

static layout draw_layout(element type, uint32_t lines) {
  static const uint32_t swizzles[] = {0, 32, 64, 128};
  layout l = {swizzles[random_below(4)], elements[type].bits == 16 && random_below(2) == 1, 0, 0};
  const uint32_t gap = random_below(2), atom = 8 * l.swizzle;
  if (!l.swizzle && !l.across) {
    l.leading = 128 * (1 + gap);
    l.stride = 2 * l.leading + 128 * random_below(2);
  } else if (!l.swizzle) {
    l.stride = 128 * (1 + gap);
    l.leading = lines / 8 * l.stride + 128 * random_below(2);
  } else if (!l.across) {
    l.stride = atom * (1 + gap);
  } else {
    l.stride = atom * (1 + gap);
    l.leading = 2 * l.stride + atom * random_below(2);
    if (lines % (l.swizzle / 2)) l.swizzle = 0, l.stride = 128, l.leading = lines / 8 * 128;
  }
  return l;
}

static matrix draw_matrix(element type, uint32_t lines, uint32_t depth) {
  matrix m = {type, lines, !is_whole(type) && random_below(3) == 0, draw_layout(type, lines), {}};
  for (uint32_t i = 0; i < lines * depth; i++) {
    if (type == B1)
      m.values.push_back(static_cast<int>(random_below(2)));
    else
      m.values.push_back(static_cast<int>(random_below(type == U8 ? 4 : 7)) - (type == U8 ? 0 : 3));
  }
  return m;
}

static product draw_product() {
  const element type = static_cast<element>(random_below(ELEMENTS));
  const bool whole = is_whole(type), fp8 = type == E4M3 || type == E5M2;
  element other = type;
  if (fp8) other = random_below(2) ? E4M3 : E5M2;
  if (type == S8 || type == U8) other = random_below(2) ? S8 : U8;
  product p = {};
  p.columns = 8 * (1 + random_below(32));
  if (whole && p.columns > 24) p.columns = (p.columns + 15) / 16 * 16;
  p.depth = 256 / elements[type].bits;
  p.sums = whole ? "s32" : (type == F16 || fp8) && random_below(2) ? "f16" : "f32";
  p.from_registers = random_below(2);
  p.accumulates = random_below(3) > 0;
  p.saturates = (type == S8 || type == U8) && random_below(2);
  p.a = draw_matrix(type, ROWS, p.depth);
  p.b = draw_matrix(other, p.columns, p.depth);
  if (p.from_registers) p.a.at.across = false;
  return p;
}

static int sum_before(uint32_t row, uint32_t column) {
  return static_cast<int>((row * 7 + column * 3) % 21) - 10;
}

static int right_sum(const product &p, uint32_t row, uint32_t column) {
  int sum = 0;
  for (uint32_t k = 0; k < p.depth; k++)
    sum += p.a.values[row * p.depth + k] * p.b.values[column * p.depth + k];
  if (p.a.negated != p.b.negated) sum = -sum;
  return sum + (p.accumulates ? sum_before(row, column) : 0);
}

// ---- bytes ------------------------------------------------------------------------------------------------

static uint32_t code(element type, int value) {
  if (value < 0 && !elements[type].sign) return static_cast<uint32_t>(value) & 0xff;
  return elements[type].codes[value < 0 ? -value : value] | (value < 0 ? elements[type].sign : 0);
}

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
  return l.swizzle ? at ^ (at >> 7 & (l.swizzle / 16 - 1)) << 4 : at;
}

static void lay(const matrix &m, uint32_t depth, unsigned char *memory) {
  for (uint32_t line = 0; line < m.lines; line++) {
    for (uint32_t k = 0; m.type == B1 && k < depth; k += 8) {
      unsigned bits = 0;
      for (uint32_t i = 0; i < 8; i++)
        bits |= static_cast<unsigned>(m.values[line * depth + k + i]) << i;
      memory[place(m.at, 1, line, k / 8)] = static_cast<unsigned char>(bits);
    }
    for (uint32_t k = 0; m.type != B1 && k < depth; k++) {
      const uint32_t bits = code(m.type, m.values[line * depth + k]), bytes = elements[m.type].bits / 8;
      std::memcpy(memory + place(m.at, bytes, line, k), &bits, bytes);
    }
  }
}

static uint64_t descriptor(const layout &l) { // without the address
  const uint64_t mode = l.swizzle == 128 ? 1 : l.swizzle == 64 ? 2 : l.swizzle == 32 ? 3 : 0;
  return uint64_t{l.leading >> 4} << 16 | uint64_t{l.stride >> 4} << 32 | mode << 62;
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
      word |= code(p.a.type, p.a.values[row * p.depth + k + e]) << e * bits;
    all.push_back(word);
  }
  return all;
}

static uint32_t half_code(int value) {
  const __half half = __float2half(static_cast<float>(value));
  uint16_t bits;
  std::memcpy(&bits, &half, sizeof bits);
  return bits;
}

// Number `part` of the sums in register i of a thread: row and column.
static void sum_place(const product &p, uint32_t thread, uint32_t i, uint32_t part, uint32_t *row,
                      uint32_t *column) {
  const uint32_t pair = is_half(p) ? i : i / 2, odd = is_half(p) ? part : i % 2;
  *row = thread / 32 * 16 + thread % 32 / 4 + pair % 2 * 8;
  *column = pair / 2 * 8 + thread % 4 * 2 + odd;
}

static uint32_t sum_code(const product &p, int value) {
  const float number = static_cast<float>(value);
  uint32_t bits;
  std::memcpy(&bits, &number, sizeof bits);
  return is_half(p) ? half_code(value) : p.sums[0] == 's' ? static_cast<uint32_t>(value) : bits;
}

// All sums in their registers; `function` says which.
template <class function> static std::vector<uint32_t> sums(const product &p, function value_of) {
  std::vector<uint32_t> all;
  for (uint32_t thread = 0; thread < THREADS; thread++)
    for (uint32_t i = 0; i < sum_registers(p); i++) {
      uint32_t word = 0, row, column;
      for (uint32_t part = 0; part < (is_half(p) ? 2 : 1); part++) {
        sum_place(p, thread, i, part, &row, &column);
        word |= sum_code(p, value_of(row, column)) << 16 * part;
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
  std::string text = "wgmma.mma_async.sync.aligned.m64n" + number(p.columns) + "k" + number(p.depth) + "." +
                     p.sums + "." + elements[p.a.type].name + "." + elements[p.b.type].name;
  if (p.a.type == B1) text += ".and.popc";
  if (p.saturates) text += ".satfinite";
  text +=
      " " + list("%d", sum_registers(p)) + ", " + (p.from_registers ? list("%a", 4) : "%rd5") + ", %rd6, %p1";
  if (floating) text += std::string(p.a.negated ? ", -1" : ", 1") + (p.b.negated ? ", -1" : ", 1");
  if (transposable && !p.from_registers) text += p.a.at.across ? ", 1" : ", 0";
  if (transposable) text += p.b.at.across ? ", 1" : ", 0";
  return text + ";\n";
}

static std::string kernel_text(const product &p) {
  std::string text =
      ".version 8.0\n.target sm_90a\n.address_size 64\n"
      ".extern .shared .align 1024 .b8 memory[];\n"
      ".visible .entry multiply(.param .u64 image, .param .u64 fragments, .param .u64 sums,\n"
      "  .param .u64 of_a, .param .u64 of_b, .param .u32 accumulates)\n"
      ".maxntid 128, 1, 1\n{\n"
      ".reg .pred %p<3>;\n.reg .b32 %r<10>, %a<4>, %d<128>;\n.reg .b64 %rd<12>;\n"
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

static void run(const product &p, uint32_t which) {
  std::vector<unsigned char> memory(BYTES, 0x7c); // gaps: infinities and NaNs
  lay(p.a, p.depth, memory.data());
  lay(p.b, p.depth, memory.data() + B_AT);
  const std::vector<uint32_t> before = sums(p, sum_before);
  const std::vector<uint32_t> right =
      sums(p, [&](uint32_t row, uint32_t column) { return right_sum(p, row, column); });
  guarded<unsigned char> image(BYTES);
  guarded<uint32_t> of_a(THREADS * 4), out(before.size());
  image.set(memory);
  of_a.set(fragments(p));
  out.set(before);
  cudaLibrary_t library;
  cudaKernel_t kernel;
  const std::string text = kernel_text(p);
  CUDA_CHECK(cudaLibraryLoadData(&library, text.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  CUDA_CHECK(cudaLibraryGetKernel(&kernel, library, "multiply"));
  CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES));
  const void *pointers[] = {image.data(), of_a.data(), out.data()};
  uint64_t a = descriptor(p.a.at), b = descriptor(p.b.at) + (B_AT >> 4);
  uint32_t accumulates = p.accumulates;
  void *arguments[] = {&pointers[0], &pointers[1], &pointers[2], &a, &b, &accumulates};
  CUDA_CHECK(cudaLaunchKernel(kernel, dim3(1), dim3(THREADS), arguments, BYTES, nullptr));
  CUDA_CHECK(cudaDeviceSynchronize());
  const std::vector<uint32_t> got = out.get();
  for (uint32_t i = 0; i < got.size(); i++)
    if (!check_that(got[i] == right[i], "case %u, %sregister %u of thread %u is 0x%08x, not 0x%08x", which,
                    instruction(p).c_str(), i % sum_registers(p), i / sum_registers(p), got[i], right[i]))
      break;
  CUDA_CHECK(cudaLibraryUnload(library));
}

int main(int count, char **arguments) {
  const uint32_t cases = count > 1 ? static_cast<uint32_t>(std::atoi(arguments[1])) : SUITE;
  const uint32_t first = count > 2 ? static_cast<uint32_t>(std::atoi(arguments[2])) : 0;
  for (uint32_t i = first; i < first + cases; i++) {
    state = i * 2654435761u + 12345;
    random_below(2);
    run(draw_product(), i);
  }
  return self_check_result();
}
