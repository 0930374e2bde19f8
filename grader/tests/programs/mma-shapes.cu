// In: how many cases, and from which on (none: as many as the suite runs). Out: `ok` if mma.sync's products
// of floats, dense and sparse, are bit for bit those of the model in tensor-core-model.h, and those of f64
// are multiplied and added in the order of K, rounded each time as the instruction says; with arguments also
// how many cases of each class were wrong. The idea: the kernel of a case is PTX that this program writes.
// PTX ISA 9.1, 9.7.14.5 and 9.7.14.6.
#include <cfenv>
#include <cmath>
#include <cstring>
#include <cuda_fp16.h>
#include <map>
#include <string>

#include "tensor-core-model.h"

constexpr uint32_t LANES = 32, COLUMNS = 8, ROWS = 16, SUITE = 60, MOST_DEPTH = 64, NO_ONE = 0xffffffffu;

static const char *const names[ELEMENTS] = {"f16", "bf16", "tf32", "e4m3", "e5m2", "f32"};
static const char *const kinds[] = {"ordinary", "wide", "subnormal", "huge", "special"};

struct product {
  element type, other;
  uint32_t depth, selector; // depth: along K; a sparse matrix A stores half of it
  bool half, sparse;
  kind values;
  uint32_t a[ROWS][MOST_DEPTH], b[COLUMNS][MOST_DEPTH], before[ROWS][COLUMNS]; // a: as it is stored
  uint32_t places[ROWS][MOST_DEPTH], nibbles[ROWS][16];
};

static uint32_t bits_of(element type) {
  return type == TF32 ? 32 : type <= BF16 ? 16 : 8;
}
static uint32_t stored(const product &p) {
  return p.sparse ? p.depth / 2 : p.depth;
}

// Of each chunk two elements are stored; of tf32's, which are half as long, one.
static void draw_places(random_numbers &random, product &p) {
  const uint32_t size = p.type == TF32 ? 2 : 4;
  for (uint32_t row = 0; row < ROWS; row++) {
    for (uint32_t k = 0; !p.sparse && k < p.depth; k++)
      p.places[row][k] = k;
    for (uint32_t chunk = 0, n = 0; p.sparse && chunk < p.depth / size; chunk++) {
      const uint32_t first = random.next() % (size == 2 ? 2 : 3);
      const uint32_t second = first + 1 + random.next() % (3 - first);
      p.nibbles[row][chunk] = size == 2 ? (first ? 0xe : 0x4) : first | second << 2;
      p.places[row][n++] = chunk * size + first;
      if (size == 4) p.places[row][n++] = chunk * size + second;
    }
  }
}

static product draw_product(random_numbers &random) {
  product p = {};
  p.type = static_cast<element>(random.next() % F32);
  p.other = p.type >= E4M3 ? static_cast<element>(E4M3 + random.next() % 2) : p.type;
  p.sparse = random.next() % 3 == 0;
  p.depth = 256 / bits_of(p.type); // the longer shape of a dense product, the shorter of a sparse one
  if (p.sparse && p.type >= E4M3)
    p.depth *= 2; // the only shape
  else if (random.next() % 2)
    p.depth = p.sparse ? p.depth * 2 : p.depth / 2;
  const uint32_t chunks = p.depth / (p.type == TF32 ? 2 : 4);
  p.selector = p.sparse ? random.next() % (16 / chunks) : 0;
  p.half = (p.type == F16 || (p.type >= E4M3 && !p.sparse)) && random.next() % 2;
  p.values = static_cast<kind>(random.next() % KINDS);
  for (auto &row : p.a)
    for (uint32_t k = 0; k < stored(p); k++)
      row[k] = draw(random, p.type, p.values);
  for (auto &column : p.b)
    for (uint32_t k = 0; k < p.depth; k++)
      column[k] = draw(random, p.other, p.values);
  for (auto &row : p.before)
    for (auto &sum : row)
      sum = draw(random, p.half ? F16 : F32, p.values == HUGE ? WIDE : p.values);
  draw_places(random, p);
  return p;
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

// A lane's metadata: eight chunks of one row for 8-bit types, else four of both rows; all ones from lanes
// that the selector doesn't ask.
static uint32_t metadata(const product &p, uint32_t lane) {
  const uint32_t member = lane % 4, row = lane / 4, chunks = p.depth / (p.type == TF32 ? 2 : 4);
  uint32_t word = 0;
  if (!p.sparse || (chunks < 16 && (chunks == 4 ? member : member / 2) != p.selector)) return NO_ONE;
  for (uint32_t i = 0; i < 8; i++)
    word |= (chunks == 16 ? p.nibbles[row + 8 * (member % 2)][member / 2 * 8 + i]
                          : p.nibbles[row + i / 4 * 8][(chunks == 4 ? 0 : member % 2 * 4) + i % 4])
            << 4 * i;
  return word;
}

static std::vector<lane_registers> registers(const product &p) {
  std::vector<lane_registers> all(LANES);
  const uint32_t bits = bits_of(p.type);
  for (uint32_t lane = 0; lane < LANES; lane++) {
    lane_registers &r = all[lane];
    const uint32_t group = lane / 4, member = lane % 4;
    for (uint32_t i = 0; i < stored(p) * bits / 64; i++)
      r.a[i] = packed(p.a[group + i % 2 * 8], i / 2, member, bits);
    for (uint32_t i = 0; i < p.depth * bits / 128; i++)
      r.b[i] = packed(p.b[group], i, member, bits);
    for (uint32_t i = 0; i < 4; i++) {
      const uint32_t sum = p.before[group + i / 2 * 8][member * 2 + i % 2];
      if (p.half)
        r.c[i / 2] |= sum << 16 * (i % 2);
      else
        r.c[i] = sum;
    }
    r.metadata = metadata(p, lane);
  }
  return all;
}

// ---- the kernel -------------------------------------------------------------------------------------------

static std::string list(const char *name, uint32_t count) {
  std::string all = "{";
  for (uint32_t i = 0; i < count; i++)
    all += (i ? ", " : "") + (name + std::to_string(i));
  return all + "}";
}

static std::string instruction(const product &p) {
  const char *const sum = p.half ? "f16" : "f32";
  const uint32_t bits = bits_of(p.type);
  const std::string sums = list("%c", p.half ? 2 : 4);
  std::string text = std::string("mma.") + (p.sparse ? "sp::ordered_metadata." : "") + "sync.aligned.m16n8k" +
                     std::to_string(p.depth) + ".row.col." + sum + "." + names[p.type] + "." +
                     names[p.other] + "." + sum + " " + sums + ", " + list("%a", stored(p) * bits / 64) +
                     ", " + list("%b", p.depth * bits / 128) + ", " + sums;
  if (p.sparse) text += ", %metadata, " + std::to_string(p.selector);
  return text + ";\n";
}

static std::string kernel_text(const product &p) {
  return ".version 8.7\n.target sm_90a\n.address_size 64\n"
         ".visible .entry multiply(.param .u64 registers)\n{\n"
         ".reg .b32 %r0, %a<4>, %b<4>, %c<4>, %metadata;\n.reg .b64 %rd<3>;\n"
         "mov.u32 %r0, %tid.x;\nld.param.u64 %rd0, [registers];\n"
         "mul.wide.u32 %rd1, %r0, 64;\nadd.u64 %rd2, %rd0, %rd1;\n"
         "ld.global.v4.b32 {%a0, %a1, %a2, %a3}, [%rd2];\n"
         "ld.global.v4.b32 {%b0, %b1, %b2, %b3}, [%rd2 + 16];\n"
         "ld.global.v4.b32 {%c0, %c1, %c2, %c3}, [%rd2 + 32];\nld.global.b32 %metadata, [%rd2 + 48];\n" +
         instruction(p) + "st.global.v4.b32 [%rd2 + 32], {%c0, %c1, %c2, %c3};\nret;\n}\n";
}

static void launch(const std::string &text, void *data) {
  cudaLibrary_t library;
  cudaKernel_t kernel;
  void *arguments[] = {&data};
  CUDA_CHECK(cudaLibraryLoadData(&library, text.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  CUDA_CHECK(cudaLibraryGetKernel(&kernel, library, "multiply"));
  CUDA_CHECK(cudaLaunchKernel(kernel, dim3(1), dim3(LANES), arguments, 0, nullptr));
  CUDA_CHECK(cudaDeviceSynchronize());
  CUDA_CHECK(cudaLibraryUnload(library));
}

// ---- a run ------------------------------------------------------------------------------------------------

static float as_float(bool half, uint32_t bits) {
  float value;
  if (half) return __half2float(__half_raw{static_cast<unsigned short>(bits)});
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

// Hopper has no mma.sync of 8-bit floats: ptxas makes two products of f16, of the lower two and of the upper
// two elements of each register, which begin with 0, and adds them to c afterwards.
static uint32_t small_sum(const product &p, const uint32_t *a, const uint32_t *b, uint32_t before) {
  uint32_t sum = 0;
  for (uint32_t upper = 0; upper < 2; upper++) {
    uint32_t part_of_a[MOST_DEPTH], part_of_b[MOST_DEPTH];
    for (uint32_t k = 0; k < stored(p) / 2; k++) {
      part_of_a[k] = a[k / 2 * 4 + 2 * upper + k % 2];
      part_of_b[k] = b[k / 2 * 4 + 2 * upper + k % 2];
    }
    sum = model({p.type, p.other, p.half, stored(p) / 2, 25, 23}, part_of_a, part_of_b, sum);
  }
  const float total = as_float(p.half, before) + as_float(p.half, sum);
  uint32_t bits;
  std::memcpy(&bits, &total, sizeof bits);
  if (std::isnan(total)) return p.half ? 0x7fff : 0x7fffffff;
  return p.half ? __half_raw(__float2half_rn(total)).x : bits;
}

static uint32_t right_sum(const product &p, uint32_t row, uint32_t column) {
  uint32_t b[MOST_DEPTH];
  for (uint32_t k = 0; k < stored(p); k++)
    b[k] = p.b[column][p.places[row][k]];
  if (p.type < E4M3)
    return model({p.type, p.other, p.half, stored(p), 25, 23}, p.a[row], b, p.before[row][column]);
  return small_sum(p, p.a[row], b, p.before[row][column]);
}

static void say_wrong(const product &p, uint32_t which, uint32_t row, uint32_t column, uint32_t got) {
  fprintf(stderr, "case %u, %s: [%u][%u] is 0x%x, not 0x%x; %s  before 0x%x\n  a", which, kinds[p.values],
          row, column, got, right_sum(p, row, column), instruction(p).c_str(), p.before[row][column]);
  for (uint32_t k = 0; k < stored(p); k++)
    fprintf(stderr, " %x", p.a[row][k]);
  fprintf(stderr, "\n  b");
  for (uint32_t k = 0; k < stored(p); k++)
    fprintf(stderr, " %x", p.b[column][p.places[row][k]]);
  fputc('\n', stderr);
}

static bool run(const product &p, uint32_t which) {
  guarded<lane_registers> data(LANES);
  data.set(registers(p));
  launch(kernel_text(p), data.data());
  const std::vector<lane_registers> got = data.get();
  for (uint32_t i = 0; i < LANES * 4; i++) {
    const uint32_t lane = i / 4, n = i % 4, row = lane / 4 + n / 2 * 8, column = lane % 4 * 2 + n % 2;
    const uint32_t sum = p.half ? got[lane].c[n / 2] >> 16 * (n % 2) & 0xffff : got[lane].c[n];
    if (sum == right_sum(p, row, column)) continue;
    self_check_failures++;
    say_wrong(p, which, row, column, sum);
    return false;
  }
  return true;
}

static const struct {
  const char *name;
  int mode;
} roundings[] = {{"", FE_TONEAREST},
                 {".rn", FE_TONEAREST},
                 {".rz", FE_TOWARDZERO},
                 {".rm", FE_DOWNWARD},
                 {".rp", FE_UPWARD}};

// Multiplied and added in the order of K, and rounded each time.
static double chain(const double *a, const double *b, double sum, uint32_t depth, int mode) {
  volatile double total = sum; // computed between the two changes of the mode
  std::fesetround(mode);
  for (uint32_t k = 0; k < depth; k++)
    total = std::fma(a[k], b[k], total);
  std::fesetround(FE_TONEAREST);
  return total;
}

// f64 of m16n8kK: a register holds one element.
static bool run_double(random_numbers &random, uint32_t depth, uint32_t which) {
  struct doubles {
    double a[8], b[4], c[4];
  };
  double a[ROWS][16], b[COLUMNS][16], c[ROWS][COLUMNS];
  const auto any = [&] {
    return std::ldexp(static_cast<double>(random.next()) - 2147483647.0,
                      static_cast<int>(random.next() % 60) - 30);
  };
  for (uint32_t k = 0; k < depth; k++) {
    for (auto &row : a)
      row[k] = any();
    for (auto &column : b)
      column[k] = any();
  }
  std::vector<doubles> all(LANES);
  for (uint32_t lane = 0; lane < LANES; lane++) {
    for (uint32_t i = 0; i < depth / 2; i++)
      all[lane].a[i] = a[lane / 4 + i % 2 * 8][i / 2 * 4 + lane % 4];
    for (uint32_t i = 0; i < depth / 4; i++)
      all[lane].b[i] = b[lane / 4][i * 4 + lane % 4];
    for (uint32_t i = 0; i < 4; i++)
      all[lane].c[i] = c[lane / 4 + i / 2 * 8][lane % 4 * 2 + i % 2] = any();
  }
  const std::string sums = list("%c", 4);
  std::string text = ".version 8.0\n.target sm_90a\n.address_size 64\n"
                     ".visible .entry multiply(.param .u64 registers)\n{\n"
                     ".reg .b32 %r0;\n.reg .f64 %a<8>, %b<4>, %c<4>;\n.reg .b64 %rd<3>;\n"
                     "mov.u32 %r0, %tid.x;\nld.param.u64 %rd0, [registers];\n"
                     "mul.wide.u32 %rd1, %r0, 128;\nadd.u64 %rd2, %rd0, %rd1;\n";
  for (uint32_t i = 0; i < 16; i++)
    text += std::string("ld.global.f64 %") +
            (i < 8    ? "a"
             : i < 12 ? "b"
                      : "c") +
            std::to_string(i < 8 ? i : i % 4) + ", [%rd2 + " + std::to_string(8 * i) + "];\n";
  const auto &rounding = roundings[random.next() % 5];
  text += "mma.sync.aligned.m16n8k" + std::to_string(depth) + ".row.col" + rounding.name +
          ".f64.f64.f64.f64 " + sums + ", " + list("%a", depth / 2) + ", " + list("%b", depth / 4) + ", " +
          sums + ";\n";
  for (uint32_t i = 0; i < 4; i++)
    text += "st.global.f64 [%rd2 + " + std::to_string(96 + 8 * i) + "], %c" + std::to_string(i) + ";\n";
  guarded<doubles> data(LANES);
  data.set(all);
  launch(text + "ret;\n}\n", data.data());
  const std::vector<doubles> got = data.get();
  for (uint32_t i = 0; i < LANES * 4; i++) {
    const uint32_t lane = i / 4, n = i % 4, row = lane / 4 + n / 2 * 8, column = lane % 4 * 2 + n % 2;
    const double sum = chain(a[row], b[column], c[row][column], depth, rounding.mode);
    if (!check_that(got[lane].c[n] == sum, "case %u, f64%s k%u: [%u][%u] is %a, not %a", which, rounding.name,
                    depth, row, column, got[lane].c[n], sum))
      return false;
  }
  return true;
}

int main(int count, char **arguments) {
  const uint32_t cases = count > 1 ? static_cast<uint32_t>(std::atoi(arguments[1])) : SUITE;
  const uint32_t first = count > 2 ? static_cast<uint32_t>(std::atoi(arguments[2])) : 0;
  std::map<std::string, std::pair<uint32_t, uint32_t>> classes; // how many, how many wrong
  for (uint32_t i = first; i < first + cases; i++) {
    random_numbers random = {i * 0x9e3779b97f4a7c15ull + 1};
    random.next();
    std::string name = "mma f64";
    bool right;
    if (random.next() % 16 == 0) {
      right = run_double(random, 4u << random.next() % 3, i);
    } else {
      const product p = draw_product(random);
      name = std::string(p.sparse ? "mma.sp " : "mma ") + names[p.type] + (p.half ? " f16 k" : " f32 k") +
             std::to_string(p.depth) + " " + kinds[p.values];
      right = run(p, i);
    }
    classes[name].first++;
    classes[name].second += !right;
  }
  for (const auto &c : classes)
    if (count > 1) printf("%-40s %4u cases %4u wrong\n", c.first.c_str(), c.second.first, c.second.second);
  return self_check_result();
}
