// Shared parts of the arithmetic conformance programs: one kernel per instruction, run over all pairs of 16
// edge values. In: a list of instructions. Out: a line per instruction with its name and a fingerprint for
// each value of the first operand, so that a difference says where to look. With an argument (part of a
// name), the programs print every value of the matching instructions.
#ifndef TMA_LAB_TESTS_ARITHMETIC_CUH
#define TMA_LAB_TESTS_ARITHMETIC_CUH

#include "conformance.cuh"

enum { EDGES = 16 };
typedef void edge_kernel(const uint64_t *in, uint64_t *out);

struct arithmetic_instruction {
  const char *name;
  edge_kernel *kernel;
  const uint64_t *a, *b, *c; // the edge values of each operand
};

static const uint64_t i32[EDGES] = {0,          1,          2,          3,          31,         32,
                                    0x7f,       0x80ff,     0xffff,     0x12345678, 0x7fffffff, 0x80000000,
                                    0x80000001, 0xfffffffe, 0xffffffff, 0xdeadbeef};
static const uint64_t i64[EDGES] = {0,
                                    1,
                                    2,
                                    63,
                                    0x7fffffff,
                                    0x80000000,
                                    0xffffffff,
                                    0x100000000,
                                    0x123456789abcdef0,
                                    0x7fffffffffffffff,
                                    0x8000000000000000,
                                    0x8000000000000001,
                                    0xfffffffffffffffe,
                                    0xffffffffffffffff,
                                    0xffffffff80000000,
                                    0xdeadbeefcafef00d};
static const uint64_t shift[EDGES] = {0, 1, 5, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 255};
// divisors: no zero
static const uint64_t n32[EDGES] = {5,          1,          2,          3,          31,         32,
                                    0x7f,       0x80ff,     0xffff,     0x12345678, 0x7fffffff, 0x80000000,
                                    0x80000001, 0xfffffffe, 0xffffffff, 0xdeadbeef};
static const uint64_t n64[EDGES] = {5,
                                    1,
                                    2,
                                    63,
                                    0x7fffffff,
                                    0x80000000,
                                    0xffffffff,
                                    0x100000000,
                                    0x123456789abcdef0,
                                    0x7fffffffffffffff,
                                    0x8000000000000000,
                                    0x8000000000000001,
                                    0xfffffffffffffffe,
                                    0xffffffffffffffff,
                                    0xffffffff80000000,
                                    0xdeadbeefcafef00d};
static const uint64_t f32[EDGES] = {0,          0x80000000, 1,          0x807fffff, 0x00800000, 0x3f800000,
                                    0x3f800001, 0xbfc00000, 0x40490fdb, 0x4b7fffff, 0xcf000000, 0x7f7fffff,
                                    0x7f800000, 0xff800000, 0x7fc00000, 0xff812345};
// no NaN, and the operations on these values produce no NaN
static const uint64_t f64[EDGES] = {0x3fe0000000000000, 0x8010000000000000, 1,
                                    0x800fffffffffffff, 0x0010000000000000, 0x3ff0000000000000,
                                    0x3ff0000000000001, 0xbff8000000000000, 0x400921fb54442d18,
                                    0x433fffffffffffff, 0xc3e0000000000000, 0x41dfffffffc00000,
                                    0x36a0000000000000, 0x47efffffefffffff, 0x3ff8000000000000,
                                    0x380fffffe0000000};
static const uint64_t f16[EDGES] = {0x00003c00, 0x80000001, 0x83ff0400, 0x3c017bff, 0xbc00fbff, 0x7c003800,
                                    0xfc004248, 0x7e00fc01, 0x10013c00, 0x90013c02, 0x64006401, 0x00030001,
                                    0x7bff4c00, 0xc5003555, 0x37ff2e66, 0x00008000};
static const uint64_t bf16[EDGES] = {0x00003f80, 0x80000001, 0x807f0080, 0x3f817f7f, 0xbf80ff7f, 0x7f803f00,
                                     0xff804049, 0x7fc0ff81, 0x3b813f80, 0xbb813f82, 0x43004301, 0x00030001,
                                     0x7f7f7b80, 0xc0a03eab, 0x3effbdcd, 0x00008000};
static const uint64_t none[EDGES] = {0};

// Operand types by constraint letter: h is 16 bits, r is 32 bits, l is 64 bits. Floating-point values are
// passed as their bits.
#define TYPE_h uint16_t
#define TYPE_r uint32_t
#define TYPE_l uint64_t
#define KERNEL(id, D, A, B, C, ea, eb, ec, code)                                            \
  __global__ void kernel_##id(const uint64_t *in, uint64_t *out) {                          \
    unsigned i = threadIdx.x / EDGES, j = threadIdx.x % EDGES, k = (5 * i + 3 * j) % EDGES; \
    TYPE_##A a = static_cast<TYPE_##A>(in[i]);                                              \
    TYPE_##B b = static_cast<TYPE_##B>(in[EDGES + j]);                                      \
    TYPE_##C c = static_cast<TYPE_##C>(in[2 * EDGES + k]);                                  \
    TYPE_##D d = 0;                                                                         \
    asm volatile(code : "+" #D(d) : #A(a), #B(b), #C(c));                                   \
    out[threadIdx.x] = d;                                                                   \
  }
#define ROW(id, D, A, B, C, ea, eb, ec, code) {#id, kernel_##id, ea, eb, ec},

static inline int run_arithmetic(const arithmetic_instruction *list, size_t count, const char *wanted) {
  uint64_t in[3 * EDGES], out[EDGES * EDGES], *device_in, *device_out;
  MUST(cudaMalloc(&device_in, sizeof in));
  MUST(cudaMalloc(&device_out, sizeof out));
  for (size_t n = 0; n < count; n++) {
    const arithmetic_instruction *one = &list[n];
    if (wanted && !strstr(one->name, wanted)) continue;
    memcpy(in, one->a, sizeof none);
    memcpy(in + EDGES, one->b, sizeof none);
    memcpy(in + 2 * EDGES, one->c, sizeof none);
    MUST(cudaMemcpy(device_in, in, sizeof in, cudaMemcpyHostToDevice));
    one->kernel<<<1, EDGES * EDGES>>>(device_in, device_out);
    MUST(cudaMemcpy(out, device_out, sizeof out, cudaMemcpyDeviceToHost));
    printf("%-24s", one->name);
    for (int i = 0; i < EDGES; i++)
      printf(" %08x", static_cast<uint32_t>(fingerprint(out + i * EDGES, sizeof out / EDGES)));
    printf("\n");
    for (int i = 0; wanted && i < EDGES * EDGES; i++)
      printf("  %016llx %016llx %016llx -> %016llx\n", (unsigned long long)one->a[i / EDGES],
             (unsigned long long)one->b[i % EDGES],
             (unsigned long long)one->c[(5 * (i / EDGES) + 3 * (i % EDGES)) % EDGES],
             (unsigned long long)out[i]);
  }
  MUST(cudaFree(device_in));
  MUST(cudaFree(device_out));
  return 0;
}

#define ARITHMETIC_MAIN(LIST)                                                       \
  LIST(KERNEL)                                                                      \
  static const arithmetic_instruction instructions[] = {LIST(ROW)};                 \
  int main(int argc, char **argv) {                                                 \
    return run_arithmetic(instructions, sizeof instructions / sizeof *instructions, \
                          argc > 1 ? argv[1] : nullptr);                            \
  }

#endif
