// In: begins and ends of ranges that you name. Out: their places in a picture of the kernel. The idea: a
// mark is a register in the PTX that nobody uses. It is no instruction, so the kernel runs as without it.
// The virtual Hopper reads the marks, and its picture shows the ranges: vhopper run --time h100 --timeline
// PICTURE.svg -- PROGRAM. Compiled with -DTIMELINE, each mark also notes the time (%globaltimer), the
// processor (%smid), the block and the warp in a buffer on the GPU, and timeline_write("FILE") writes what
// was measured; vhopper timeline FILE PICTURE.svg draws it. This takes time: such a mark keeps its warp as
// long as an atomicAdd whose result is used. PTX calls %globaltimer target-specific: its steps may be coarse,
// so the processor's clock is noted beside it. Compiled with -DTIMELINE_OFF, there are no marks.
#ifndef TMA_LAB_TIMELINE_CUH
#define TMA_LAB_TIMELINE_CUH

#ifndef __CUDACC__
#error "timeline.cuh is for CUDA: compile this file with nvcc"
#endif

#include <stdint.h>
#include <stdio.h>

// ---- Marks in a kernel ------------------------------------------------------------------------------------

#ifndef TIMELINE_OFF
// timeline_begin("load"); timeline_end("load"); Any threads, anywhere in device code. The name is a string
// literal of 1 to 24 letters. A range lasts from the first of a warp's threads that begins it until the
// last of them ends it. Ranges may lie in each other.
#define timeline_begin(name) TIMELINE_MARK(1, "begin", name)
#define timeline_end(name)   TIMELINE_MARK(0, "end", name)
#else
#define timeline_begin(name) ((void)0)
#define timeline_end(name)   ((void)0)
#endif

#define TIMELINE_LONGEST 24 // letters of a name

// Letters [first, first + 8) of a name as a number, which the PTX shows in decimal. What isn't ASCII is a ?.
__host__ __device__ constexpr unsigned long long timeline_letters(const char *name, int first) {
  unsigned long long letters = 0;
  int length = 0;
  while (name[length])
    length++;
  for (int i = 0; i < 8 && first + i < length; i++) {
    const unsigned char letter = static_cast<unsigned char>(name[first + i]);
    letters |= static_cast<unsigned long long>(letter < ' ' || letter > '~' ? '?' : letter) << 8 * i;
  }
  return letters;
}

// The mark is a register that nobody uses: no instruction comes from it.
#ifdef __CUDA_ARCH__
#define TIMELINE_MARK(begins, word, name)                                         \
  do {                                                                            \
    static_assert(sizeof("" name) > 1 && sizeof("" name) - 1 <= TIMELINE_LONGEST, \
                  "the name of a range is a string of 1 to 24 letters");          \
    constexpr unsigned long long timeline_0 = timeline_letters(name, 0);          \
    constexpr unsigned long long timeline_8 = timeline_letters(name, 8);          \
    constexpr unsigned long long timeline_16 = timeline_letters(name, 16);        \
    asm volatile("{ .reg .b32 timeline_" word "_%0_%1_%2; }"                      \
                 :                                                                \
                 : "n"(timeline_0), "n"(timeline_8), "n"(timeline_16));           \
    TIMELINE_RECORD(begins, timeline_0, timeline_8, timeline_16);                 \
  } while (0)
#else
#define TIMELINE_MARK(begins, word, name) ((void)0)
#endif

#if defined(TIMELINE) && !defined(TIMELINE_OFF)

#ifndef TIMELINE_MARKS
#define TIMELINE_MARKS 2048 // of each processor; later ones are lost, and counted
#endif
#define TIMELINE_PROCESSORS 160

struct alignas(16) timeline_mark {
  unsigned long long nanoseconds, clock; // before the mark did anything
  uint32_t cost;                         // nanoseconds that the mark took
  uint32_t launch, block, warp, lanes, begins;
  char name[TIMELINE_LONGEST];
};

static __device__ timeline_mark timeline_marks[TIMELINE_PROCESSORS][TIMELINE_MARKS];
static __device__ unsigned timeline_counts[TIMELINE_PROCESSORS]; // also of marks that found no room

__device__ __forceinline__ static unsigned long long timeline_now() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now) : : "memory");
  return now;
}

// One thread of those that have come here together writes for all of them.
__device__ __forceinline__ static void timeline_record(uint32_t begins, unsigned long long letters0,
                                                       unsigned long long letters1,
                                                       unsigned long long letters2) {
  uint32_t lanes, lane, processor;
  unsigned long long launch;
  asm volatile("activemask.b32 %0;" : "=r"(lanes) : : "memory");
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  if (lane != (uint32_t)__ffs((int)lanes) - 1) return;
  const unsigned long long nanoseconds = timeline_now(), clock = (unsigned long long)clock64();
  // volatile: by the PTX ISA %smid may change while a thread runs, after a preemption, say.
  asm volatile("mov.u32 %0, %%smid;" : "=r"(processor));
  asm volatile("mov.u64 %0, %%gridid;" : "=l"(launch));
  processor %= TIMELINE_PROCESSORS;
  const unsigned at = atomicAdd(&timeline_counts[processor], 1u);
  if (at >= TIMELINE_MARKS) return;
  const uint32_t block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const uint32_t thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  timeline_mark *mark = &timeline_marks[processor][at];
  unsigned long long *name = reinterpret_cast<unsigned long long *>(mark->name);
  mark->nanoseconds = nanoseconds;
  mark->clock = clock;
  mark->launch = (uint32_t)launch;
  mark->block = block;
  mark->warp = thread / 32;
  mark->lanes = lanes;
  mark->begins = begins;
  name[0] = letters0;
  name[1] = letters1;
  name[2] = letters2;
  mark->cost = (uint32_t)(timeline_now() - nanoseconds);
}

#define TIMELINE_RECORD(begins, letters0, letters1, letters2) \
  timeline_record(begins, letters0, letters1, letters2)
#else
#define TIMELINE_RECORD(begins, letters0, letters1, letters2) ((void)0)
#endif

// ---- On the host ------------------------------------------------------------------------------------------

#if defined(TIMELINE) && !defined(TIMELINE_OFF)
static inline cudaError_t timeline_fail(const char *file, cudaError_t error) {
  fprintf(stderr, "timeline_write(\"%s\"): %s\n", file,
          error == cudaSuccess ? "the file can't be written" : cudaGetErrorString(error));
  return error == cudaSuccess ? cudaErrorOperatingSystem : error;
}

static inline void timeline_print(FILE *out, unsigned processor, const timeline_mark *mark) {
  fprintf(out, "mark %u %u %u %u %08x %s %llu %llu %u %.*s\n", processor, mark->launch, mark->block,
          mark->warp, mark->lanes, mark->begins ? "begin" : "end", mark->nanoseconds, mark->clock, mark->cost,
          TIMELINE_LONGEST, mark->name);
}

static inline cudaError_t timeline_print_all(FILE *out) {
  static unsigned counts[TIMELINE_PROCESSORS];
  static timeline_mark marks[TIMELINE_MARKS];
  int device = 0;
  cudaDeviceProp properties;
  cudaError_t error = cudaDeviceSynchronize();
  if (error == cudaSuccess) error = cudaGetDevice(&device);
  if (error == cudaSuccess) error = cudaGetDeviceProperties(&properties, device);
  if (error == cudaSuccess) error = cudaMemcpyFromSymbol(counts, timeline_counts, sizeof counts);
  if (error != cudaSuccess) return error;
  fprintf(out, "timeline 1\ndevice %s\nroom %u\n", properties.name, (unsigned)TIMELINE_MARKS);
  for (unsigned i = 0; i < TIMELINE_PROCESSORS && error == cudaSuccess; i++) {
    const unsigned kept = counts[i] < TIMELINE_MARKS ? counts[i] : TIMELINE_MARKS;
    if (kept) error = cudaMemcpyFromSymbol(marks, timeline_marks, kept * sizeof *marks, i * sizeof marks);
    for (unsigned k = 0; k < kept && error == cudaSuccess; k++)
      timeline_print(out, i, &marks[k]);
    if (counts[i] > kept) fprintf(out, "lost %u %u\n", i, counts[i] - kept);
    counts[i] = 0;
  }
  fprintf(out, "end\n");
  if (error == cudaSuccess) error = cudaMemcpyToSymbol(timeline_counts, counts, sizeof counts);
  return error;
}

// timeline_write("FILE"), when the kernels have been launched: waits for the GPU, writes all marks that the
// kernels of this source file have left, for vhopper timeline, and begins afresh. Returns cudaSuccess, or an
// error that it has printed. Without -DTIMELINE it does nothing.
static inline cudaError_t timeline_write(const char *file) {
  FILE *out = fopen(file, "w");
  if (!out) return timeline_fail(file, cudaSuccess);
  const cudaError_t error = timeline_print_all(out);
  const bool written = !ferror(out);
  if (fclose(out) != 0 || !written) return timeline_fail(file, cudaSuccess);
  return error == cudaSuccess ? error : timeline_fail(file, error);
}
#else
static inline cudaError_t timeline_write(const char *file) {
  (void)file;
  return cudaSuccess;
}
#endif

#endif
