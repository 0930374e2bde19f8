// In: nothing. Out: `ok` if managed memory is one memory for host and device, and copies and fills know it.
// The idea: a linked list, whose pointers must mean the same on both sides, is built by the host and walked
// by a kernel.
#include "self-check.h"

struct node {
  node *next;
  int value;
};

__global__ void walk(node *first, int *sum) {
  for (node *at = first; at; at = at->next) {
    *sum += at->value;
    at->value = -at->value;
  }
}

static void pointers_mean_the_same_on_both_sides() {
  constexpr int COUNT = 1000;
  node *nodes;
  int *sum;
  CUDA_CHECK(cudaMallocManaged(&nodes, COUNT * sizeof *nodes));
  CUDA_CHECK(cudaMallocManaged(&sum, sizeof *sum));
  for (int i = 0; i < COUNT; i++)
    nodes[i] = {i + 1 < COUNT ? &nodes[i + 1] : nullptr, i};
  *sum = 1;
  walk<<<1, 1>>>(nodes, sum);
  CUDA_CHECK(cudaDeviceSynchronize());
  check_that(*sum == 1 + COUNT * (COUNT - 1) / 2, "the sum is %d", *sum);
  for (int i = 0; i < COUNT; i++)
    if (!check_that(nodes[i].value == -i, "node %d is %d", i, nodes[i].value)) break;
  *sum = 0;
  walk<<<1, 1>>>(nodes, sum);
  CUDA_CHECK(cudaDeviceSynchronize());
  check_that(*sum == -COUNT * (COUNT - 1) / 2, "the sum is %d the second time", *sum);
  CUDA_CHECK(cudaFree(nodes));
  CUDA_CHECK(cudaFree(sum));
}

static void copies_and_fills_know_it() {
  int *managed, *device, host[4] = {1, 2, 3, 4}, back[4] = {0, 0, 0, 0};
  CUDA_CHECK(cudaMallocManaged(&managed, sizeof host));
  CUDA_CHECK(cudaMalloc(&device, sizeof host));
  CUDA_CHECK(cudaMemcpy(managed, host, sizeof host, cudaMemcpyHostToDevice));
  check_that(managed[3] == 4, "copied to managed memory: %d", managed[3]);
  CUDA_CHECK(cudaMemcpy(device, managed, sizeof host, cudaMemcpyDeviceToDevice));
  CUDA_CHECK(cudaMemset(managed, 0, sizeof host));
  check_that(managed[2] == 0, "filled: %d", managed[2]);
  CUDA_CHECK(cudaMemcpy(managed, device, sizeof host, cudaMemcpyDefault));
  CUDA_CHECK(cudaMemcpy(back, managed, sizeof host, cudaMemcpyDeviceToHost));
  check_that(back[0] == 1 && back[3] == 4, "there and back: %d and %d", back[0], back[3]);
  cudaPointerAttributes attributes;
  CUDA_CHECK(cudaPointerGetAttributes(&attributes, managed));
  check_that(attributes.type == cudaMemoryTypeManaged && attributes.devicePointer == attributes.hostPointer,
             "managed memory is of type %d", attributes.type);
  CUDA_CHECK(cudaFree(managed));
  CUDA_CHECK(cudaFree(device));
}

__managed__ int counter = 5;
__managed__ struct {
  double table[3];
  node *list;
} both = {{1, 2, 3}, nullptr};
__managed__ int untouched_by_the_host;

__global__ void use_variables() {
  counter += 1;
  both.table[1] *= 2;
  both.list->value = 7;
  untouched_by_the_host += counter;
}

static void variables_are_managed_too() {
  node *one;
  int copied = 0;
  cudaPointerAttributes attributes;
  CUDA_CHECK(cudaMallocManaged(&one, sizeof *one));
  counter += 10;
  both.list = one;
  for (int i = 0; i < 2; i++)
    use_variables<<<1, 1>>>();
  CUDA_CHECK(cudaDeviceSynchronize());
  check_that(counter == 17, "the counter is %d", counter);
  check_that(both.table[0] == 1 && both.table[1] == 8, "the table has %g and %g", both.table[0],
             both.table[1]);
  check_that(one->value == 7, "the kernel stored %d through the host's pointer", one->value);
  check_that(untouched_by_the_host == 16 + 17, "the kernels' own variable is %d", untouched_by_the_host);
  CUDA_CHECK(cudaMemcpyFromSymbol(&copied, counter, sizeof copied));
  check_that(copied == 17, "copied from the symbol: %d", copied);
  CUDA_CHECK(cudaPointerGetAttributes(&attributes, &counter));
  check_that(attributes.type == cudaMemoryTypeManaged, "the variable's memory is of type %d",
             attributes.type);
  CUDA_CHECK(cudaFree(one));
}

int main() {
  variables_are_managed_too();
  pointers_mean_the_same_on_both_sides();
  copies_and_fills_know_it();
  int *lost;
  CUDA_CHECK(cudaMallocManaged(&lost, 4));
  CUDA_CHECK(cudaDeviceReset());
  pointers_mean_the_same_on_both_sides();
  return self_check_result();
}
