// Throughput of the virtual Hopper. In: nothing, or 0: columns of one worker up to as many as there are
// cores, two at least; another number: only so many workers. Then, if only some rows are wanted, a part of
// their names. With 1, as many of these processes as there are cores show what the cores themselves give
// when all of them work. Out: a table of figures on standard output. Exit 1 when one figure is below its
// promised value. One idea: the same kernels as PTX text run through the library, and the best of several
// runs counts, so that a busy machine disturbs least. How many times one worker's work all of them do is
// their number, times the part of the time in which they run (or look for work), by how much dearer the work
// is for them: its processor time to that of one worker. So a row says whether workers wait, or disturb one
// another. The last row copies tiles with memcpy alone: what the host's memory gives.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "monotonic.h"
#include "virtual-hopper/base/arena.h"
#include "virtual-hopper/device/vhopper.h"
#include "virtual-hopper/rules/fault.h"

enum { MOST_WORKERS = 16 };

#define HEADER ".version 8.5\n.target sm_90\n.address_size 64\n"
#define BEGIN                                                                                    \
  ".visible .entry k(.param .u64 out, .param .u32 n)\n{\n.reg .pred %p<8>;\n.reg .b32 %r<32>;\n" \
  ".reg .b64 %rd<8>;\n.reg .f32 %f<8>;\nld.param.u64 %rd0, [out];\nld.param.u32 %r1, [n];\n"     \
  "mov.u32 %r0, %tid.x;\nmov.u32 %r2, %ctaid.x;\n"
#define END "ret;\n}\n"

static const char arithmetic[] =
    HEADER BEGIN "mov.u32 %r3, 0;\nmov.u32 %r4, %r0;\ncvt.rn.f32.u32 %f1, %r0;\n"
                 "L: mad.lo.u32 %r4, %r4, 1664525, %r2;\nshr.u32 %r5, %r4, 7;\n"
                 "xor.b32 %r4, %r4, %r5;\nadd.u32 %r6, %r4, %r5;\n"
                 "fma.rn.f32 %f1, %f1, 0f3F7FF000, 0f3F000000;\n"
                 "add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, %r1;\n@%p1 bra L;\n"
                 "cvt.rzi.u32.f32 %r7, %f1;\nadd.u32 %r4, %r4, %r7;\n"
                 "mad.lo.u32 %r5, %r2, 256, %r0;\nmul.wide.u32 %rd1, %r5, 4;\n"
                 "add.u64 %rd1, %rd0, %rd1;\nst.global.u32 [%rd1], %r4;\n" END;
static const char divergent[] = HEADER BEGIN
    "mov.u32 %r3, 0;\nL: add.u32 %r4, %r0, %r3;\n"
    "and.b32 %r4, %r4, 3;\nsetp.eq.u32 %p1, %r4, 0;\n@%p1 bra A;\n"
    "setp.eq.u32 %p2, %r4, 1;\n@%p2 bra B;\nadd.u32 %r5, %r5, 3;\nbra N;\nA: add.u32 %r5, %r5, 1;\nbra N;\n"
    "B: add.u32 %r5, %r5, 2;\nN: add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p3, %r3, %r1;\n@%p3 bra L;\n"
    "st.global.u32 [%rd0], %r5;\n" END;
static const char copy[] = HEADER BEGIN
    "mov.u32 %r3, %nctaid.x;\nmad.lo.u32 %r4, %r2, 256, %r0;\nmul.lo.u32 %r5, %r3, 256;\nmov.u32 %r6, 0;\n"
    "L: mul.wide.u32 %rd1, %r4, 16;\nadd.u64 %rd1, %rd0, %rd1;\n"
    "ld.global.v4.u32 {%r10, %r11, %r12, %r13}, [%rd1];\n"
    "add.u32 %r10, %r10, 1;\nst.global.v4.u32 [%rd1], {%r10, %r11, %r12, %r13};\nadd.u32 %r4, %r4, %r5;\n"
    "add.u32 %r6, %r6, 1;\nsetp.lt.u32 %p1, %r6, %r1;\n@%p1 bra L;\n" END;
static const char barriers[] =
    HEADER ".shared .align 4 .b8 box[1024];\n" BEGIN
           "mov.u32 %r3, 0;\nmov.u32 %r4, box;\nshl.b32 %r5, %r0, 2;\nadd.u32 %r5, %r4, %r5;\n"
           "L: st.shared.u32 [%r5], %r3;\nbar.sync 0;\n"
           "ld.shared.u32 %r6, [%r5];\nbar.sync 0;\nadd.u32 %r3, %r3, 1;\n"
           "setp.lt.u32 %p1, %r3, %r1;\n@%p1 bra L;\n" END;
static const char atomics[] = HEADER BEGIN "mov.u32 %r3, 0;\nL: atom.global.add.u32 %r4, [%rd0], 1;\n"
                                           "add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, %r1;\n"
                                           "@%p1 bra L;\n" END;
static const char nothing[] = HEADER ".visible .entry k(.param .u64 out, .param .u32 n)\n{\nret;\n}\n";
// One 16 KiB tile per block: load, wait, add one, fence, store.
static const char bulk[] = HEADER
    ".shared .align 128 .b8 tile[16384];\n.shared .align 8 .b64 bar;\n" BEGIN
    "mov.u32 %r3, tile;\nmov.u32 %r4, bar;\nmul.wide.u32 %rd1, %r2, 16384;\nadd.u64 %rd1, %rd0, %rd1;\n"
    "setp.ne.u32 %p1, %r0, 0;\n@%p1 bra W;\n"
    "mbarrier.init.shared::cta.b64 [%r4], 1;\nfence.mbarrier_init.release.cluster;\n"
    "W: bar.sync 0;\n@%p1 bra V;\nmbarrier.arrive.expect_tx.shared::cta.b64 _, [%r4], 16384;\n"
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r3], [%rd1], 16384, [%r4];\n"
    "V: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r4], 0;\n@!%p2 bra V;\n"
    "mad.lo.u32 %r5, %r0, 16, %r3;\nmov.u32 %r6, 0;\n"
    "L: ld.shared.v4.u32 {%r10, %r11, %r12, %r13}, [%r5];\nadd.u32 %r10, %r10, 1;\nadd.u32 %r11, %r11, 1;\n"
    "add.u32 %r12, %r12, 1;\nadd.u32 %r13, %r13, 1;\nst.shared.v4.u32 [%r5], {%r10, %r11, %r12, %r13};\n"
    "add.u32 %r5, %r5, 4096;\nadd.u32 %r6, %r6, 1;\nsetp.lt.u32 %p3, %r6, 4;\n@%p3 bra L;\n"
    "fence.proxy.async.shared::cta;\nbar.sync 0;\n@%p1 bra E;\n"
    "cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r3], 16384;\ncp.async.bulk.commit_group;\n"
    "cp.async.bulk.wait_group.read 0;\nE:\n" END;

struct measurement {
  const char *name, *ptx, *unit;
  uint32_t grid, block, n;
  double per_launch; // units of work in one launch; 0: the unit is a counted thread-instruction
  double promised;   // the least number of units per second and core; 0: no promise
  bool check;
};

static const struct measurement measurements[] = {
    {"arithmetic loop, full warps", arithmetic, "M thread-instructions/s", 1024, 256, 500, 0, 300, false},
    {"arithmetic loop, rules checked", arithmetic, "M thread-instructions/s", 1024, 256, 500, 0, 60, true},
    {"divergent loop", divergent, "M thread-instructions/s", 1024, 256, 125, 0, 0, false},
    {"16-byte loads and stores", copy, "MB/s", 256, 256, 30, 256 * 256 * 30 * 32.0, 0, false},
    {"__syncthreads of 256 threads", barriers, "M barriers/s", 512, 256, 250, 512 * 500, 0, false},
    {"__syncthreads, rules checked", barriers, "M barriers/s", 512, 256, 250, 512 * 500, 0, true},
    {"atomics with a result, one place", atomics, "M atomics/s", 64, 256, 10, 64 * 256 * 10, 0, false},
    {"empty blocks of 128 threads", nothing, "M blocks/s", 200000, 128, 0, 200000, 0, false},
    {"bulk copies, a tile of 16 KiB per block", bulk, "MB/s", 2048, 256, 0, 2048 * 32768.0, 1000, false},
    {"bulk copies, rules checked", bulk, "MB/s", 2048, 256, 0, 2048 * 32768.0, 0, true},
};

static uint64_t instructions(struct vhopper *v) {
  const struct observed *o = observed_at(vhopper_report(v), 0);
  return o ? o->thread_instructions : 0;
}

struct speed {
  double units;     // a second
  double seconds;   // of a launch
  double processor; // seconds of processor time that the launch took
};

static double processor_seconds(void) {
  struct rusage u;
  getrusage(RUSAGE_SELF, &u);
  return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
         1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

static void keep_best(struct speed *best, double work, double seconds, double processor) {
  if (!best->seconds || work / seconds > best->units)
    *best = (struct speed){work / seconds, seconds, processor};
}

// Returns the best of `runs` launches.
static struct speed measure(const struct measurement *m, unsigned workers, int runs) {
  struct vhopper_options options = {.workers = workers, .check = m->check};
  struct vhopper *v = vhopper_create(&options);
  struct vhopper_module *module;
  char *error;
  struct {
    uint64_t out;
    uint32_t n;
  } parameters = {0, m->n};
  struct vhopper_launch_config config = {.grid = {m->grid, 1, 1}, .block = {m->block, 1, 1}};
  if (vhopper_module_load(v, m->ptx, strlen(m->ptx), &module, &error)) die("%s: %s", m->name, error);
  size_t bytes = m->grid > 1 ? 32 << 20 : 1 << 16;
  if (vhopper_allocate(v, bytes, &parameters.out)) die("no memory");
  vhopper_fill(v, parameters.out, 0, 4, bytes);
  struct speed best = {0};
  for (int i = 0; i < runs; i++) {
    uint64_t before = instructions(v);
    const double spent = processor_seconds(), began = monotonic_seconds();
    int status = vhopper_launch(v, vhopper_module_function(module, "k"), &config, &parameters);
    const double took = monotonic_seconds() - began, processor = processor_seconds() - spent;
    if (status || fault_count(vhopper_report(v)))
      die("%s: error %d, %zu faults", m->name, status, fault_count(vhopper_report(v)));
    double work = m->per_launch > 0 ? m->per_launch : (double)(instructions(v) - before);
    keep_best(&best, work, took, processor);
  }
  vhopper_destroy(v);
  return best;
}

// Returns the milliseconds from the start to the end of a first launch.
static double start_up(void) {
  double began = monotonic_seconds();
  struct measurement once = {.name = "start", .ptx = bulk, .grid = 1, .block = 256, .per_launch = 1};
  measure(&once, 1, 1);
  return 1e3 * (monotonic_seconds() - began);
}

// The columns: 1, 2, 4, .. workers, or as many as were asked for.
struct columns {
  unsigned first, last;
};

static struct columns choose_columns(const char *asked) {
  const long cores = sysconf(_SC_NPROCESSORS_ONLN);
  const unsigned asked_for = asked ? (unsigned)strtoul(asked, NULL, 10) : 0;
  const unsigned number = asked_for < MOST_WORKERS ? asked_for : MOST_WORKERS;
  if (number) return (struct columns){number, number};
  unsigned most = 2;
  while (2 * most <= MOST_WORKERS && 2L * most <= cores)
    most *= 2;
  return (struct columns){1, most};
}

static void print_workers(const struct speed *one, const struct speed *last, unsigned most) {
  printf(" %6.1f x %5.0f %% %5.2f", last->units / one->units,
         100 * last->processor / last->seconds / (double)most,
         last->processor / one->processor * (one->units * one->seconds) / (last->units * last->seconds));
}

// Prints a row. Returns whether one worker does less than is promised.
static bool print_row(const struct measurement *m, struct columns c) {
  struct speed one = {0}, last = {0};
  printf("%-40s", m->name);
  for (unsigned workers = c.first; workers <= c.last; workers *= 2) {
    last = measure(m, workers, 7);
    if (workers == c.first) one = last;
    printf(" %9.1f", last.units / 1e6);
    fflush(stdout);
  }
  const bool short_of = c.first == 1 && !(one.units / 1e6 >= m->promised);
  print_workers(&one, &last, c.last);
  printf("  %s%s\n", m->unit, short_of ? "  BELOW THE PROMISE" : "");
  return short_of;
}

// ---- for comparison: memcpy -------------------------------------------------------------------------------

enum { TILE_BYTES = 16 << 10, COPIED_BYTES = 32 << 20, COPIED_TURNS = 8 };

struct share { // of one thread
  uint8_t *memory;
  size_t begin, end;
};

// Each tile goes to a buffer of the thread's own, and back, as the bulk copies do.
static void *copy_share(void *argument) {
  const struct share *s = argument;
  uint8_t tile[TILE_BYTES];
  for (int turn = 0; turn < COPIED_TURNS; turn++) {
    for (size_t at = s->begin; at < s->end; at += TILE_BYTES) {
      memcpy(tile, s->memory + at, sizeof tile);
      tile[turn]++;
      memcpy(s->memory + at, tile, sizeof tile);
    }
  }
  return NULL;
}

static struct speed measure_copies(uint8_t *memory, unsigned threads) {
  struct speed best = {0};
  for (int run = 0; run < 5; run++) {
    pthread_t thread[MOST_WORKERS];
    struct share share[MOST_WORKERS];
    const double spent = processor_seconds(), began = monotonic_seconds();
    for (unsigned i = 0; i < threads; i++) {
      const size_t each = COPIED_BYTES / threads;
      share[i] = (struct share){memory, i * each, (i + 1) * each};
      if (pthread_create(&thread[i], NULL, copy_share, &share[i])) die("no thread for copies");
    }
    for (unsigned i = 0; i < threads; i++)
      pthread_join(thread[i], NULL);
    const double took = monotonic_seconds() - began;
    keep_best(&best, 2.0 * COPIED_BYTES * COPIED_TURNS, took, processor_seconds() - spent);
  }
  return best;
}

static void print_copies(struct columns c) {
  struct speed one = {0}, last = {0};
  uint8_t *memory = malloc(COPIED_BYTES);
  if (!memory) die("no memory");
  memset(memory, 1, COPIED_BYTES);
  printf("%-40s", "memcpy alone, the same tiles");
  for (unsigned threads = c.first; threads <= c.last; threads *= 2) {
    last = measure_copies(memory, threads);
    if (threads == c.first) one = last;
    printf(" %9.1f", last.units / 1e6);
  }
  print_workers(&one, &last, c.last);
  printf("  MB/s\n");
  free(memory);
}

int main(int count, char **arguments) {
  int failed = 0;
  const struct columns columns = choose_columns(count > 1 ? arguments[1] : NULL);
  printf("%-40s", "workers");
  for (unsigned workers = columns.first; workers <= columns.last; workers *= 2)
    printf(" %9u", workers);
  printf("  %u to %u   run dearer\n", columns.last, columns.first);
  for (size_t i = 0; i < sizeof measurements / sizeof *measurements; i++)
    if (count < 3 || strstr(measurements[i].name, arguments[2]))
      failed += print_row(&measurements[i], columns);
  if (count > 2) return failed != 0;
  print_copies(columns);
  printf("%-40s %9.1f  ms\n", "device, module and first launch", start_up());
  return failed != 0;
}
