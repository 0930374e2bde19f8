// In: how many turns, and from which on (none: one turn). Out: `ok` if the integer products of mma.sync,
// dense and sparse, in every shape, pair of types and way to end a sum, are those of whole numbers, for
// elements and sums of any size. The idea: the module that this program writes has one kernel for each form.
// PTX ISA 9.1, 9.7.14.5 and 9.7.14.6.
#include <cstring>
#include <string>

#include "tensor-core-model.h"

constexpr uint32_t LANES = 32, COLUMNS = 8, ROWS = 16, MOST_DEPTH = 256, NO_ONE = 0xffffffffu;

struct variant {
  uint32_t rows, depth, bits; // bits: of an element
  bool a_signed, b_signed, sparse, saturates, exclusive_or;
};

static std::string name_of(const variant &f, bool is_signed) {
  return f.bits == 1 ? "b1" : (is_signed ? "s" : "u") + std::to_string(f.bits);
}

static uint32_t stored(const variant &f) {
  return f.sparse ? f.depth / 2 : f.depth;
}

// The metadata of a short sparse product come from one half of the lanes, those of a long one from all.
static uint32_t selectors(const variant &f) {
  return f.sparse && f.depth * f.bits == 256 ? 2 : 1;
}

// All pairs of types of 4 or 8 bits, with and without .satfinite.
static void add_pairs(std::vector<variant> &all, variant f) {
  for (uint32_t i = 0; i < 8; i++) {
    f.a_signed = i & 1;
    f.b_signed = i & 2;
    f.saturates = i & 4;
    all.push_back(f);
  }
}

static std::vector<variant> all_forms() {
  std::vector<variant> all;
  for (const uint32_t bits : {8u, 4u}) {
    const uint32_t depth = 128 / bits;
    add_pairs(all, {8, depth, bits, false, false, false, false, false});
    for (const bool sparse : {false, true})
      for (const uint32_t of : {1u, 2u})
        add_pairs(all, {16, depth * of * (sparse ? 2 : 1), bits, false, false, sparse, false, false});
  }
  for (const bool exclusive_or : {false, true}) {
    all.push_back({8, 128, 1, false, false, false, false, exclusive_or});
    for (const uint32_t depth : {128u, 256u})
      all.push_back({16, depth, 1, false, false, false, false, exclusive_or});
  }
  return all;
}

// ---- a product --------------------------------------------------------------------------------------------

struct product {
  uint32_t selector;
  uint32_t a[ROWS][MOST_DEPTH], b[COLUMNS][MOST_DEPTH], before[ROWS][COLUMNS]; // a: as it is stored
  uint32_t places[ROWS][MOST_DEPTH], nibbles[ROWS][16];
};

// Of four neighbours two are stored, of 4-bit types two neighbouring pairs of four.
static void draw_places(random_numbers &random, const variant &f, product &p) {
  const uint32_t together = f.bits == 4 ? 2 : 1, size = 4 * together;
  for (uint32_t row = 0; row < f.rows; row++)
    for (uint32_t chunk = 0, n = 0; chunk < f.depth / size; chunk++) {
      const uint32_t first = random.next() % 3, second = first + 1 + random.next() % (3 - first);
      p.nibbles[row][chunk] = first | second << 2;
      for (const uint32_t place : {first, second})
        for (uint32_t i = 0; i < together; i++)
          p.places[row][n++] = chunk * size + place * together + i;
    }
}

static product draw_product(random_numbers &random, const variant &f) {
  static product p; // all of it is drawn anew
  const uint32_t mask = (1u << f.bits) - 1;
  for (uint32_t row = 0; row < ROWS; row++)
    for (uint32_t k = 0; k < MOST_DEPTH; k++) {
      p.a[row][k] = random.next() & mask;
      p.places[row][k] = k;
    }
  for (auto &column : p.b)
    for (auto &element : column)
      element = random.next() & mask;
  for (auto &row : p.before)
    for (auto &sum : row) { // small, of any size, near either end
      const uint32_t small = random.next() % 2000 - 1000, kind = random.next() % 4;
      sum = kind == 0 ? small : kind == 1 ? random.next() : 0x7fffffffu + (kind - 2) + small;
    }
  p.selector = random.next() % selectors(f);
  if (f.sparse) draw_places(random, f, p);
  return p;
}

static int64_t number_of(uint32_t code, uint32_t bits, bool is_signed) {
  return is_signed && code >> (bits - 1) ? static_cast<int64_t>(code) - (1 << bits) : code;
}

static uint32_t right_sum(const variant &f, const product &p, uint32_t row, uint32_t column) {
  int64_t sum = static_cast<int32_t>(p.before[row][column]);
  for (uint32_t k = 0; k < stored(f); k++) {
    const uint32_t a = p.a[row][k], b = p.b[column][p.places[row][k]];
    if (f.bits == 1)
      sum += f.exclusive_or ? a ^ b : a & b;
    else
      sum += number_of(a, f.bits, f.a_signed) * number_of(b, f.bits, f.b_signed);
  }
  if (f.saturates) sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
  return static_cast<uint32_t>(sum);
}

// ---- registers --------------------------------------------------------------------------------------------

struct lane_registers {
  uint32_t a[4], b[4], c[4], metadata, unused[3];
};

// Register `step` of four lanes that share a line: neighbouring elements.
static uint32_t packed(const uint32_t *line, uint32_t step, uint32_t member, uint32_t bits) {
  const uint32_t count = 32 / bits;
  uint32_t word = 0;
  for (uint32_t i = 0; i < count; i++)
    word |= line[(step * 4 + member) * count + i] << i * bits;
  return word;
}

// Eight chunks of one row; all ones from lanes that the selector doesn't ask.
static uint32_t metadata(const variant &f, const product &p, uint32_t lane) {
  const uint32_t member = lane % 4, chunks = f.depth * f.bits / 32;
  uint32_t word = 0;
  if (!f.sparse || (chunks == 8 && member / 2 != p.selector)) return NO_ONE;
  for (uint32_t i = 0; i < 8; i++)
    word |= p.nibbles[lane / 4 + 8 * (member % 2)][(chunks == 16 ? member / 2 * 8 : 0) + i] << 4 * i;
  return word;
}

static std::vector<lane_registers> registers(const variant &f, const product &p) {
  std::vector<lane_registers> all(LANES);
  const uint32_t halves = f.rows / 8;
  for (uint32_t lane = 0; lane < LANES; lane++) {
    lane_registers &r = all[lane];
    const uint32_t group = lane / 4, member = lane % 4;
    for (uint32_t i = 0; i < stored(f) * f.bits / 128 * halves; i++)
      r.a[i] = packed(p.a[group + i % halves * 8], i / halves, member, f.bits);
    for (uint32_t i = 0; i < f.depth * f.bits / 128; i++)
      r.b[i] = packed(p.b[group], i, member, f.bits);
    for (uint32_t i = 0; i < 2 * halves; i++)
      r.c[i] = p.before[group + i / 2 * 8][member * 2 + i % 2];
    r.metadata = metadata(f, p, lane);
  }
  return all;
}

// ---- the kernels ------------------------------------------------------------------------------------------

static std::string list(const char *name, uint32_t count) {
  std::string all = "{";
  for (uint32_t i = 0; i < count; i++)
    all += (i ? ", " : "") + (name + std::to_string(i));
  return all + "}";
}

static std::string words(const variant &f) {
  return std::string("mma.") + (f.sparse ? "sp::ordered_metadata." : "") + "sync.aligned.m" +
         std::to_string(f.rows) + "n8k" + std::to_string(f.depth) + ".row.col" +
         (f.saturates ? ".satfinite" : "") + ".s32." + name_of(f, f.a_signed) + "." + name_of(f, f.b_signed) +
         ".s32" +
         (f.bits > 1       ? ""
          : f.exclusive_or ? ".xor.popc"
                           : ".and.popc");
}

static std::string name_of_kernel(size_t form, uint32_t selector) {
  return "form" + std::to_string(form) + "_" + std::to_string(selector);
}

static std::string kernel_text(const variant &f, const std::string &name, uint32_t selector) {
  const uint32_t halves = f.rows / 8;
  const std::string sums = list("%c", 2 * halves);
  return ".visible .entry " + name +
         "(.param .u64 registers)\n{\n"
         ".reg .b32 %r0, %a<4>, %b<4>, %c<4>, %metadata;\n.reg .b64 %rd<3>;\n"
         "mov.u32 %r0, %tid.x;\nld.param.u64 %rd0, [registers];\n"
         "mul.wide.u32 %rd1, %r0, 64;\nadd.u64 %rd2, %rd0, %rd1;\n"
         "ld.global.v4.b32 {%a0, %a1, %a2, %a3}, [%rd2];\n"
         "ld.global.v4.b32 {%b0, %b1, %b2, %b3}, [%rd2 + 16];\n"
         "ld.global.v4.b32 {%c0, %c1, %c2, %c3}, [%rd2 + 32];\nld.global.b32 %metadata, [%rd2 + 48];\n" +
         words(f) + " " + sums + ", " + list("%a", stored(f) * f.bits / 128 * halves) + ", " +
         list("%b", f.depth * f.bits / 128) + ", " + sums +
         (f.sparse ? ", %metadata, " + std::to_string(selector) : "") +
         ";\nst.global.v4.b32 [%rd2 + 32], {%c0, %c1, %c2, %c3};\nret;\n}\n";
}

// ---- a run ------------------------------------------------------------------------------------------------

static bool run(cudaKernel_t kernel, const variant &f, const product &p, uint32_t turn) {
  guarded<lane_registers> data(LANES);
  data.set(registers(f, p));
  void *pointer = data.data(), *arguments[] = {&pointer};
  CUDA_CHECK(cudaLaunchKernel(kernel, dim3(1), dim3(LANES), arguments, 0, nullptr));
  CUDA_CHECK(cudaDeviceSynchronize());
  const std::vector<lane_registers> got = data.get();
  for (uint32_t i = 0; i < LANES * f.rows / 4; i++) {
    const uint32_t lane = i % LANES, n = i / LANES, row = lane / 4 + n / 2 * 8, column = lane % 4 * 2 + n % 2;
    const uint32_t right = right_sum(f, p, row, column);
    if (!check_that(got[lane].c[n] == right, "turn %u, %s: [%u][%u] is 0x%x, not 0x%x; before 0x%x", turn,
                    words(f).c_str(), row, column, got[lane].c[n], right, p.before[row][column]))
      return false;
  }
  return true;
}

int main(int count, char **arguments) {
  const uint32_t turns = count > 1 ? static_cast<uint32_t>(std::atoi(arguments[1])) : 1;
  const uint32_t first = count > 2 ? static_cast<uint32_t>(std::atoi(arguments[2])) : 0;
  const std::vector<variant> forms = all_forms();
  std::string text = ".version 8.7\n.target sm_90a\n.address_size 64\n";
  for (size_t i = 0; i < forms.size(); i++)
    for (uint32_t selector = 0; selector < selectors(forms[i]); selector++)
      text += kernel_text(forms[i], name_of_kernel(i, selector), selector);
  cudaLibrary_t library;
  CUDA_CHECK(cudaLibraryLoadData(&library, text.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  uint32_t wrong = 0;
  for (uint32_t turn = first; turn < first + turns; turn++) {
    random_numbers random = {turn * 0x9e3779b97f4a7c15ull + 1};
    for (size_t i = 0; i < forms.size(); i++) {
      const product p = draw_product(random, forms[i]);
      cudaKernel_t kernel;
      CUDA_CHECK(cudaLibraryGetKernel(&kernel, library, name_of_kernel(i, p.selector).c_str()));
      wrong += !run(kernel, forms[i], p, turn);
    }
  }
  if (count > 1) printf("%zu forms, %u turns, %u products wrong\n", forms.size(), turns, wrong);
  return self_check_result();
}
