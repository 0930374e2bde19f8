// In: any bytes, read as PTX. The device must run every kernel in the text, or report why not: a module comes
// from a stranger, and the device runs on the referee's side. No access may leave the device's own memory
// (the sanitizers detect that), and every launch must end.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/device/vhopper.h"
#include "virtual-hopper/rules/fault.h"

enum { LONGEST = 64 << 10, OUT_BYTES = 4096, MOST_PARAMETERS = 32768, MOST_KERNELS = 4 };

static void run_kernel(struct vhopper *v, struct vhopper_function *f, uint64_t out) {
  static uint8_t parameters[MOST_PARAMETERS];
  memset(parameters, 0, sizeof parameters);
  memcpy(parameters, &out, sizeof out);
  parameters[sizeof out] = 3;
  const struct vhopper_function_info *info = vhopper_function_info(f);
  struct vhopper_launch_config config = {.grid = {2, 1, 1}, .block = {40, 1, 1}, .dynamic_shared_bytes = 512};
  if (info->cluster[0])
    config.grid = (struct vhopper_dim){info->cluster[0], info->cluster[1], info->cluster[2]};
  if (info->parameter_bytes <= sizeof parameters) vhopper_launch(v, f, &config, parameters);
}

// Runs the entries by the names that stand in the text.
static void run_kernels(struct vhopper *v, struct vhopper_module *module, const char *text, uint64_t out) {
  int found = 0;
  for (const char *at = strstr(text, ".entry"); at && found < MOST_KERNELS; at = strstr(at, ".entry")) {
    at += strlen(".entry");
    at += strspn(at, " \t\n");
    size_t length = strcspn(at, " \t\n({");
    char name[256];
    if (!length || length >= sizeof name) continue;
    memcpy(name, at, length);
    name[length] = '\0';
    struct vhopper_function *f = vhopper_module_function(module, name);
    if (!f) continue;
    found++;
    run_kernel(v, f, out);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size > LONGEST) return 0;
  char *text = malloc(size + 1);
  if (!text) abort();
  memcpy(text, data, size);
  text[size] = '\0';
  struct vhopper_options options = {.workers = 1,
                                    .seed = size,
                                    .check = true,
                                    .launch_deadline = 0.05,
                                    .memory_limit = 64 << 20,
                                    .output_limit = 4096};
  struct vhopper *v = vhopper_create(&options);
  struct vhopper_module *module;
  char *error = NULL;
  uint64_t out;
  if (vhopper_allocate(v, OUT_BYTES, &out)) abort();
  if (vhopper_module_load(v, text, size, &module, &error) == 0) run_kernels(v, module, text, out);
  size_t length;
  free(vhopper_take_output(v, &length));
  free(error);
  vhopper_destroy(v);
  free(text);
  return 0;
}
