// In: what a grid's kernel has asked for (execute/child.h), once the grid has ended. Out: those kernels have
// run, and what they launched in turn, and so have copies and fills. One idea: each is a launch like the
// host's, in the same stream, after its parent; only budget and deadline are the family's.
#include <string.h>

#include "virtual-hopper/device/device.h"
#include "virtual-hopper/execute/child.h"

void device_begin_family(struct vhopper *v, struct launch *l) {
  struct family *family = &v->family;
  if (family->depth) v->child_launches++;
  if (!family->depth) *family = (struct family){0, l->deadline, l->most_instructions};
  l->deadline = family->deadline;
  l->most_instructions = family->instructions;
  if (l->program->launches_kernels) l->children = child_list_create(family->depth);
}

void device_count_family(struct vhopper *v, const struct launch *l) {
  uint64_t *left = &v->family.instructions, used = l->instructions / WARP_LANES;
  if (*left != UINT64_MAX) *left = used < *left ? *left - used : 1;
}

static int run_kernel(struct vhopper *v, struct vhopper_function *parent, const struct child *child,
                      uint32_t stream) {
  struct vhopper_function *f = vhopper_module_function(parent->module, child->kernel->name);
  const struct vhopper_launch_config config = {.grid = child->grid,
                                               .block = child->block,
                                               .dynamic_shared_bytes = child->shared_bytes,
                                               .stream = stream};
  if (!f) return ERROR_INVALID_DEVICE_FUNCTION;
  const uint32_t bytes = vhopper_function_info(f)->parameter_bytes;
  const void *parameters = memory_host(v->memory, child->parameters, bytes ? bytes : 1);
  return parameters ? vhopper_launch(v, f, &config, parameters) : ERROR_INVALID_VALUE;
}

static int run_child(struct vhopper *v, struct vhopper_function *parent, const struct child *child,
                     uint32_t stream) {
  if (child->kind == CHILD_COPY) return vhopper_copy(v, child->to, child->from, child->size);
  if (child->kind == CHILD_FILL) return vhopper_fill(v, child->to, (uint32_t)child->from, 1, child->size);
  return run_kernel(v, parent, child, stream);
}

int device_run_children(struct vhopper *v, struct vhopper_function *parent, struct child_list *children,
                        uint32_t stream) {
  int status = v->sticky_error;
  v->family.depth++;
  for (int last = 0; children && last < 2; last++)
    for (uint32_t i = 0; i < children->started && !status; i++) {
      const struct child *child = &children->all[children->order[i]];
      if (child->last == last) status = run_child(v, parent, child, stream);
    }
  v->family.depth--;
  child_list_free(children, v->memory);
  return status;
}
