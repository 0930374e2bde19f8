// A launch: checks the configuration as CUDA does, decodes what the kernel needs, runs the grid, keeps a
// sticky error.
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "monotonic.h"
#include "virtual-hopper/device/device.h"
#include "virtual-hopper/diagnose/way-out.h"
#include "virtual-hopper/execute/unwritten.h"
#include "virtual-hopper/execute/wgmma-registers.h"
#include "virtual-hopper/order/order.h"
#include "virtual-hopper/schedule/schedule.h"

// cudaError_t
enum { GRID_WORKSPACE_BYTES = 256, MULTIPROCESSORS = 132, CLOSE_TO_EXECUTED = 4 };

static uint64_t volume(const struct vhopper_dim *d) {
  return (uint64_t)d->x * d->y * d->z;
}

// For an impossible shape, every form of launch returns cudaErrorInvalidValue, not
// cudaErrorInvalidConfiguration. Measured on an H100 with CUDA 13.0.
static int check_block(const struct vhopper_function *f, const struct vhopper_dim *block) {
  if (!block->x || !block->y || !block->z || block->x > 1024 || block->y > 1024 || block->z > 64)
    return ERROR_INVALID_VALUE;
  if (volume(block) > BLOCK_MAX_THREADS) return ERROR_INVALID_VALUE;
  if (volume(block) > f->info.max_threads_per_block) return ERROR_INVALID_VALUE;
  const uint32_t *required = f->source->required_threads;
  struct vhopper_dim exact = {required[0], required[1] ? required[1] : 1, required[2] ? required[2] : 1};
  bool differs = block->x != exact.x || block->y != exact.y || block->z != exact.z;
  return required[0] && differs ? ERROR_INVALID_VALUE : 0;
}

static int check_grid(const struct vhopper_dim *grid) {
  if (!grid->x || !grid->y || !grid->z) return ERROR_INVALID_VALUE;
  return grid->x > INT32_MAX || grid->y > 65535 || grid->z > 65535 ? ERROR_INVALID_VALUE : 0;
}

static int choose_cluster(const struct vhopper_function *f, const struct vhopper_launch_config *config,
                          struct vhopper_dim *cluster) {
  const uint32_t *compiled = f->info.cluster;
  *cluster = config->cluster;
  if (!cluster->x && compiled[0]) *cluster = (struct vhopper_dim){compiled[0], compiled[1], compiled[2]};
  if (!cluster->x) cluster->x = 1;
  if (!cluster->y) cluster->y = 1;
  if (!cluster->z) cluster->z = 1;
  bool differs = compiled[0] && (cluster->x != compiled[0] || cluster->y != (compiled[1] ? compiled[1] : 1) ||
                                 cluster->z != (compiled[2] ? compiled[2] : 1));
  if (differs || volume(cluster) > CLUSTER_MAX_BLOCKS) return ERROR_INVALID_CLUSTER_SIZE;
  bool divides = config->grid.x % cluster->x == 0 && config->grid.y % cluster->y == 0 &&
                 config->grid.z % cluster->z == 0;
  return divides ? 0 : ERROR_INVALID_CLUSTER_SIZE;
}

static int check_shared(const struct vhopper_function *f, const struct vhopper_launch_config *config) {
  if (config->dynamic_shared_bytes > f->info.max_dynamic_shared_bytes) return ERROR_INVALID_VALUE;
  return (uint64_t)f->program->dynamic_shared_offset - SHARED_FIRST_OFFSET + config->dynamic_shared_bytes >
                 SHARED_MAX_BYTES
             ? ERROR_INVALID_VALUE
             : 0;
}

static uint32_t known_registers(const struct vhopper_function *f) {
  return f->info.registers_guessed ? 0 : f->info.register_count;
}

// The largest count that the kernel's setmaxnreg names; 0: it has none.
static uint32_t largest_count(const struct ptx_function *f) {
  uint32_t largest = 0;
  for (uint32_t i = 0; i < f->instruction_count; i++) {
    const struct ptx_instruction *in = &f->instructions[i];
    if (strcmp(in->opcode, "setmaxnreg") != 0 || !in->operand_count) continue;
    const uint64_t count = in->operands[0].integer;
    if (count <= UINT8_MAX + 1 && count > largest) largest = (uint32_t)count;
  }
  return largest;
}

// ptxas ignores setmaxnreg in a kernel whose registers its directives don't fix; otherwise it gives each
// thread as many as they allow.
static uint32_t pool_registers(const struct vhopper_function *f) {
  enum { REGISTERS = 65536, UNIT = 8, MOST = 255 };
  const struct ptx_function *source = f->source;
  const bool has_size = source->max_threads[0] || source->required_threads[0];
  const uint32_t largest = largest_count(source), known = known_registers(f);
  if (!largest || !(source->max_registers || (source->min_blocks && has_size))) return 0;
  if (known) return (known + UNIT - 1) / UNIT * UNIT;
  uint32_t count = source->max_registers;
  if (!count) count = REGISTERS / source->min_blocks / f->info.max_threads_per_block;
  if (count > MOST) count = MOST;
  count = count / UNIT * UNIT;
  return count < largest ? count : largest;
}

static enum vhopper_schedule choose_schedule(const struct vhopper *v) {
  if (v->options.schedule != SCHEDULE_BY_SEED) return v->options.schedule;
  if (!v->options.seed) return SCHEDULE_FAIR;
  uint64_t random = v->options.seed * 0x9e3779b97f4a7c15ull + v->launches;
  return (enum vhopper_schedule)(SCHEDULE_FAIR +
                                 machine_random(&random) % (SCHEDULE_FIRST_LATE - SCHEDULE_FAIR));
}

// Counts the launches of the kernels that are judged.
static bool is_selected(struct vhopper *v, const struct vhopper_function *f) {
  const struct vhopper_options *options = &v->options;
  char name[256];
  fault_demangle(f->source->name, name, sizeof name);
  bool named = options->kernel_count == 0;
  for (unsigned i = 0; i < options->kernel_count && !named; i++)
    named =
        fnmatch(options->kernels[i], name, 0) == 0 || fnmatch(options->kernels[i], f->source->name, 0) == 0;
  if (!named) return false;
  const uint64_t number = v->selected_launches++;
  return number >= options->skip_launches &&
         (!options->judge_launches || number - options->skip_launches < options->judge_launches);
}

static void fill_shared(struct launch *l, const struct program *p,
                        const struct vhopper_launch_config *config) {
  const uint32_t dynamic_end = p->dynamic_shared_offset - SHARED_FIRST_OFFSET + config->dynamic_shared_bytes,
                 bytes = config->dynamic_shared_bytes ? dynamic_end : p->static_shared_bytes;
  l->static_shared_bytes = p->static_shared_bytes;
  l->dynamic_shared_bytes = config->dynamic_shared_bytes;
  l->dynamic_shared_offset = p->dynamic_shared_offset;
  l->shared_of_groups = p->uses_shared_of_groups ? SHARED_OF_GROUPS : 0;
  l->shared_bytes = l->shared_of_groups ? (bytes + 15) / 16 * 16 + l->shared_of_groups : bytes;
}

// seconds: 0: none
static void set_deadline(struct launch *l, double seconds) {
  if (seconds <= 0) return;
  l->seconds = seconds;
  l->deadline = monotonic_seconds() + seconds;
}

static void fill_launch(struct launch *l, struct vhopper *v, struct vhopper_function *f,
                        const struct vhopper_launch_config *config, const struct vhopper_dim *cluster,
                        const void *parameters) {
  const struct program *p = f->program;
  uint64_t random = v->options.seed + v->launches;
  const bool judged = v->options.check && is_selected(v, f);
  *l = (struct launch){.output = &v->output,
                       .function = p->entry,
                       .program = p,
                       .report = v->report,
                       .memory = v->memory,
                       .budget = &v->budget,
                       .chunks = v->chunks,
                       .limits = &v->limits,
                       .grid = config->grid,
                       .block = config->block,
                       .cluster = *cluster,
                       .threads_per_block = (uint32_t)volume(&config->block),
                       .blocks_per_cluster = (uint32_t)volume(cluster),
                       .registers = known_registers(f),
                       .processors = vhopper_processors(v),
                       .pool_registers = pool_registers(f),
                       .parameters = parameters,
                       .parameter_bytes = f->info.parameter_bytes,
                       .seed = v->options.seed,
                       .launch_index = v->launches,
                       .way_out = way_out_of_cluster,
                       .tries = judged,
                       .check = judged && !v->options.unjudged,
                       .strict = v->options.strict,
                       .plain = v->options.plain,
                       .start_time = v->virtual_time + LAUNCH_NANOSECONDS,
                       .now = v->virtual_time + LAUNCH_NANOSECONDS,
                       .timer_origin = v->options.timer_origin};
  fill_shared(l, p, config);
  l->before = l->check && config->programmatic ? v->before : NULL;
  v->limits.heap_is_fixed |= p->uses_device_heap;
  l->explicit_cluster = config->cluster.x || f->info.cluster[0] || f->source->explicit_cluster;
  l->warps_per_block = (l->threads_per_block + WARP_LANES - 1) / WARP_LANES;
  l->cluster_count = volume(&config->grid) / l->blocks_per_cluster;
  l->slice_ops = v->options.seed ? SLICE_OPS >> (machine_random(&random) & 3) : SLICE_OPS;
  l->schedule = choose_schedule(v);
  l->trace = v->options.trace;
  l->unwritten = v->options.unwritten && l->check ? unwritten_begin() : NULL;
  l->products = l->check ? wgmma_registers_begin(p) : NULL;
  l->observed = l->trace || l->unwritten || l->products;
  l->stop = v->options.stop;
  l->most_instructions = v->options.launch_budget ? v->options.launch_budget : DEFAULT_BUDGET;
  l->puts_off = v->options.puts_off;
  set_deadline(l, v->options.launch_deadline);
}

static int record_problems(struct vhopper *v, const struct program *p) {
  for (uint32_t i = 0; i < p->problem_count; i++) {
    const struct decode_problem *problem = &p->problems[i];
    struct unsupported u = {.place = {.file = "", .instruction = ""}};
    snprintf(u.what, sizeof u.what, "%s", problem->text);
    snprintf(u.kernel, sizeof u.kernel, "%s", p->entry->name);
    const struct ptx_instruction *in = problem->instruction;
    if (in) fault_place_from_location(&u.place, p->module, in->location, in->text, in->ptx_line);
    unsupported_record(v->report, &u);
  }
  return p->problem_count ? ERROR_NO_KERNEL_IMAGE_FOR_DEVICE : 0;
}

// A cluster, or a whole cooperative grid, must be resident at once. If its local memory doesn't fit, the
// launch fails as on the chip.
static int check_local(const struct vhopper_function *f, const struct vhopper_launch_config *config,
                       const struct vhopper_dim *cluster) {
  uint64_t warps = (volume(&config->block) + WARP_LANES - 1) / WARP_LANES,
           blocks = volume(config->cooperative ? &config->grid : cluster);
  size_t most = launch_resident_most(&f->module->device->budget);
  return grid_resident_bytes(f->program->entry, warps * blocks) > most ? ERROR_MEMORY_ALLOCATION : 0;
}

static int check_configuration(struct vhopper_function *f, const struct vhopper_launch_config *config,
                               struct vhopper_dim *cluster) {
  vhopper_function_info(f); // decodes the program too
  int status = check_grid(&config->grid);
  if (!status) status = check_block(f, &config->block);
  if (!status) status = choose_cluster(f, config, cluster);
  if (!status) status = check_shared(f, config);
  if (!status && !f->program->problem_count) status = check_local(f, config, cluster);
  if (status || !config->cooperative) return status;
  uint32_t shared = f->program->static_shared_bytes + config->dynamic_shared_bytes;
  return volume(&config->grid) >
                 grid_most_resident_blocks((uint32_t)volume(&config->block), shared, known_registers(f))
             ? ERROR_COOPERATIVE_LAUNCH_TOO_LARGE
             : 0;
}

// Explains an error number: which number of the launch was out of range, and what the range is.
static void say_refusal(struct vhopper *v, const struct vhopper_function *f,
                        const struct vhopper_launch_config *config, const struct vhopper_dim *cluster) {
  const struct vhopper_dim *grid = &config->grid;
  char name[128];
  fault_demangle(f->source->name, name, sizeof name);
  const uint64_t threads = volume(&config->block);
  const uint32_t most = f->info.max_threads_per_block, fixed = f->info.static_shared_bytes;
  if (threads > BLOCK_MAX_THREADS || check_block(f, &config->block))
    fault_refuse(v->report, "%s was launched with %llu threads per block (%u x %u x %u): %s %u%s.", name,
                 (unsigned long long)threads, config->block.x, config->block.y, config->block.z,
                 f->source->required_threads[0] ? "its .reqntid asks for another shape; at most"
                                                : "a block may have from 1 to",
                 most < BLOCK_MAX_THREADS ? most : BLOCK_MAX_THREADS,
                 most < BLOCK_MAX_THREADS ? " here, which is its __launch_bounds__" : "");
  else if (check_grid(grid))
    fault_refuse(v->report,
                 "%s was launched with a grid of %u x %u x %u blocks: none may be 0, and the most is "
                 "2147483647 x 65535 x 65535.",
                 name, grid->x, grid->y, grid->z);
  else if (check_shared(f, config))
    fault_refuse(v->report,
                 "%s was launched with %u bytes of dynamic shared memory beside its %u static ones: at "
                 "most %u dynamic ones are allowed to it. More than 48 KiB in all have to be asked for with "
                 "cudaFuncSetAttribute, up to %u.",
                 name, config->dynamic_shared_bytes, fixed, f->info.max_dynamic_shared_bytes,
                 SHARED_MAX_BYTES);
  else if (!f->program->problem_count && check_local(f, config, cluster))
    fault_refuse(
        v->report,
        "%s was launched in blocks of %llu threads with %u bytes of local memory each: what has to run at "
        "once needs more than there is.",
        name, (unsigned long long)threads, f->program->entry->local_bytes_per_thread);
}

static unsigned worker_count(const struct vhopper *v) {
  if (v->options.trace) return 1; // one worker keeps the lines in order
  if (v->chip) return 1;          // and the cache of the time model
  if (v->options.workers) return v->options.workers;
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online > 0 ? (unsigned)online : 1;
}

// Cooperative groups keep the grid's barrier in memory from the driver. That memory holds its size, then the
// barrier.
static int make_workspace(struct launch *l) {
  int status = memory_allocate(l->memory, GRID_WORKSPACE_BYTES, GRID_WORKSPACE_BYTES, &l->grid_workspace);
  if (status) return status;
  memory_name(l->memory, l->grid_workspace, "the grid barrier of a cooperative launch");
  uint32_t *words = (uint32_t *)(void *)memory_host(l->memory, l->grid_workspace, GRID_WORKSPACE_BYTES);
  memset(words, 0, GRID_WORKSPACE_BYTES);
  words[0] = GRID_WORKSPACE_BYTES;
  return 0;
}

void device_forget_launch(struct vhopper *v) {
  order_keep_drop(v->before);
  v->before = NULL;
}

static int check_launch(struct vhopper *v, struct vhopper_function *f,
                        const struct vhopper_launch_config *config, struct vhopper_dim *cluster) {
  if (v->sticky_error) return v->sticky_error;
  *cluster = (struct vhopper_dim){1, 1, 1};
  int status = check_configuration(f, config, cluster);
  if (status) say_refusal(v, f, config, cluster);
  return status ? status : record_problems(v, f->program);
}

int vhopper_check_launch(struct vhopper *v, struct vhopper_function *f,
                         const struct vhopper_launch_config *config) {
  struct vhopper_dim cluster;
  return check_launch(v, f, config, &cluster);
}

static void end_observers(struct launch *l) {
  unwritten_end(l->unwritten);
  wgmma_registers_end(l->products);
}

int vhopper_launch(struct vhopper *v, struct vhopper_function *f, const struct vhopper_launch_config *config,
                   const void *parameters) {
  struct vhopper_dim cluster;
  int status = check_launch(v, f, config, &cluster);
  if (status) return status;
  struct launch l;
  fill_launch(&l, v, f, config, &cluster, parameters);
  if (config->cooperative && (status = make_workspace(&l))) {
    end_observers(&l);
    return status;
  }
  l.others_may_act = config->stream && stream_order_others_may_act(v->streams, config->stream);
  l.clocks = device_rehearse(v, &l);
  l.host_awaited = v->host_awaited; // a rehearsal tells nobody
  l.host_context = v->host_context;
  v->launches++;
  fault_begin_launch(v->report, v->launches);
  fault_use_tokens(v->report, l.program->waits_by_token && !l.program->waits_by_parity);
  fault_report_next_stage(v->report);
  if (l.check) order_launch_begin(&l);
  if (l.check && config->stream) stream_order_launch_begins(v->streams, config->stream, &l);
  device_begin_time(v, &l);
  device_begin_family(v, &l);
  grid_run(&l, v->crew, worker_count(v));
  device_count_family(v, &l);
  stream_order_launch_ends(v->streams, &l);
  struct global_shadow *before = v->before;
  v->before = l.check ? order_launch_keep(&l, before) : NULL;
  if (!l.check) order_keep_drop(before);
  const bool outgrown = l.check && order_launch_outgrown(&l);
  if (l.check) order_launch_end(&l);
  budget_give(&v->budget, BUDGET_COPIES, atomic_load(&l.taken));
  if (l.grid_workspace) memory_free(l.memory, l.grid_workspace, NULL);
  struct observed observed = {.launches = 1,
                              .block_threads = (uint32_t)volume(&config->block),
                              .block_shared_bytes = l.static_shared_bytes + l.dynamic_shared_bytes,
                              .grid_blocks = (uint32_t)volume(&config->grid),
                              .launches_outgrown = outgrown};
  snprintf(observed.kernel, sizeof observed.kernel, "%s", l.function->name);
  observed_merge(v->report, &observed);
  v->virtual_time = l.start_time + l.instructions / WARP_LANES / MULTIPROCESSORS * CLOSE_TO_EXECUTED;
  if (l.now > v->virtual_time) v->virtual_time = l.now; // its clocks have shown this
  device_end_time(v, &l);
  fault_begin_launch(v->report, 0);
  end_observers(&l);
  v->sticky_error = atomic_load(&l.device_error);
  return device_run_children(v, f, l.children, config->stream);
}
