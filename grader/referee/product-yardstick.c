// In: matrices on a GPU. Out: launches of trusted_NAME_product and trusted_NAME_compare, with the tensor maps
// that they read through.
#include "referee/product-yardstick.h"

#include <stdio.h>

struct maps {
  struct gpu_map a, b, c;
};

static int encode(struct device *device, const struct exercise_instance *instance,
                  const struct product_place *place, struct maps *maps) {
  const size_t m = instance->output.rows, n = instance->output.columns, k = instance->input.columns;
  const struct gpu_matrix a = {place->factors, m, k, TRUSTED_PRODUCT_ROWS, TRUSTED_PRODUCT_DEPTH};
  const size_t before_b = instance->input.rows - n;
  const struct gpu_matrix b = {place->factors + before_b * k * 2, n, k, TRUSTED_PRODUCT_COLUMNS,
                               TRUSTED_PRODUCT_DEPTH};
  const struct gpu_matrix c = {place->result, m, n, TRUSTED_PRODUCT_ROWS / 2, TRUSTED_PRODUCT_PANEL};
  return gpu_map_bf16(device, &a, &maps->a) || gpu_map_bf16(device, &b, &maps->b) ||
                 gpu_map_bf16(device, &c, &maps->c)
             ? -1
             : 0;
}

static struct trusted_product_size size_of(const struct exercise_instance *instance) {
  return (struct trusted_product_size){(uint32_t)instance->output.rows, (uint32_t)instance->output.columns,
                                       (uint32_t)instance->input.columns};
}

// One block on a processor, and no more of them than the least number of turns needs.
static int start(struct device *device, const struct exercise_instance *instance, const char *what,
                 void *const *arguments) {
  const struct trusted_product_size size = size_of(instance);
  const uint32_t tiles = (size.m + TRUSTED_PRODUCT_ROWS - 1) / TRUSTED_PRODUCT_ROWS *
                         ((size.n + TRUSTED_PRODUCT_COLUMNS - 1) / TRUSTED_PRODUCT_COLUMNS);
  char kernel[80];
  struct gpu_facts facts;
  gpu_facts(device, &facts);
  const uint32_t processors = facts.processors ? facts.processors : 1,
                 turns = (tiles + processors - 1) / processors;
  const struct gpu_shape shape = {.grid = {(tiles + turns - 1) / turns, 1},
                                  .threads = TRUSTED_PRODUCT_THREADS,
                                  .shared_bytes = TRUSTED_PRODUCT_SHARED};
  snprintf(kernel, sizeof kernel, "trusted_%s_%s", instance->exercise->trusted, what);
  return gpu_start_shaped(device, kernel, &shape, arguments);
}

int product_start(struct device *device, const struct exercise_instance *instance,
                  const struct product_place *place) {
  struct maps maps;
  struct trusted_product_size size = size_of(instance);
  void *arguments[] = {&maps.a, &maps.b, &maps.c, &size, NULL};
  return encode(device, instance, place, &maps) == 0 ? start(device, instance, "product", arguments) : -1;
}

int product_start_compare(struct device *device, const struct exercise_instance *instance,
                          const struct product_place *place, uint64_t finding) {
  struct maps maps;
  struct trusted_product_size size = size_of(instance);
  uint64_t result = place->result;
  void *arguments[] = {&maps.a, &maps.b, &result, &size, &finding, NULL};
  return encode(device, instance, place, &maps) == 0 ? start(device, instance, "compare", arguments) : -1;
}
