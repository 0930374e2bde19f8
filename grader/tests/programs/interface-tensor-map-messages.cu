// In: tensor maps with one thing wrong each. Out: `ok` if every message names the argument, its value and the
// rule. The idea: messages are what tensor-map.h is for, so all of them are spelled out here. At last one map
// is encoded, at several addresses.
#include "self-check.h"
#include "tensor-map.h"
#include <functional>
#include <string>

static const void *address(uintptr_t value) {
  return reinterpret_cast<const void *>(value);
}

// A map that breaks no rule: 100 x 50 x 20 floats, boxes of 32 x 8 x 2.
static tensor_map_options sound_options() {
  tensor_map_options o = TENSOR_MAP_NO_OPTIONS;
  o.data_type = CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
  o.rank = 3;
  o.global_address = address(0x10000);
  const uint64_t dim[] = {100, 50, 20}, strides[] = {448, 22400};
  const uint32_t box[] = {32, 8, 2};
  memcpy(o.global_dim, dim, sizeof dim);
  memcpy(o.global_strides, strides, sizeof strides);
  memcpy(o.box_dim, box, sizeof box);
  return o;
}

struct wrong {
  const char *message; // null: nothing is wrong
  std::function<void(tensor_map_options &)> change;
};

static const wrong cases[] = {
    {nullptr, [](tensor_map_options &) {}},
    {"tensorDataType = 13: must be one of the types of sm_90, 0 to 12",
     [](tensor_map_options &o) { o.data_type = static_cast<CUtensorMapDataType>(13); }},
    {"tensorRank = 0: must be 1 to 5", [](tensor_map_options &o) { o.rank = 0; }},
    {"tensorRank = 6: must be 1 to 5", [](tensor_map_options &o) { o.rank = 6; }},
    {"tensorRank = 2: must be 3 to 5 with an interleaved layout",
     [](tensor_map_options &o) {
       o.rank = 2;
       o.interleave = CU_TENSOR_MAP_INTERLEAVE_16B;
     }},
    {"globalAddress = null: must point to device memory",
     [](tensor_map_options &o) { o.global_address = nullptr; }},
    {"globalAddress = 0x10008: must be a multiple of 16",
     [](tensor_map_options &o) { o.global_address = address(0x10008); }},
    {"globalAddress = 0x10010: must be a multiple of 32 with INTERLEAVE_32B",
     [](tensor_map_options &o) {
       o.global_address = address(0x10010);
       o.interleave = CU_TENSOR_MAP_INTERLEAVE_32B;
       o.swizzle = CU_TENSOR_MAP_SWIZZLE_32B;
     }},
    {"globalDim[1] = 0 elements: must be 1 to 2^32", [](tensor_map_options &o) { o.global_dim[1] = 0; }},
    {"globalDim[2] = 4294967297 elements: must be 1 to 2^32",
     [](tensor_map_options &o) { o.global_dim[2] = (uint64_t{1} << 32) + 1; }},
    {nullptr, [](tensor_map_options &o) { o.global_dim[2] = uint64_t{1} << 32; }},
    {"globalStrides[0] = 1028 bytes: must be a multiple of 16 (strides count bytes, not elements)",
     [](tensor_map_options &o) { o.global_strides[0] = 1028; }},
    {"globalStrides[0] = 388 bytes: must be a multiple of 16 "
     "(that is a row's own bytes: pass the pitch, the bytes from one row to the next)",
     [](tensor_map_options &o) {
       o.global_dim[0] = 97;
       o.global_strides[0] = 388;
     }},
    {"globalStrides[1] = 22416 bytes: must be a multiple of 32 with INTERLEAVE_32B "
     "(strides count bytes, not elements)",
     [](tensor_map_options &o) {
       o.global_strides[1] = 22416;
       o.interleave = CU_TENSOR_MAP_INTERLEAVE_32B;
       o.swizzle = CU_TENSOR_MAP_SWIZZLE_32B;
     }},
    {"globalStrides[1] = 1099511627776 bytes: must be less than 2^40",
     [](tensor_map_options &o) { o.global_strides[1] = uint64_t{1} << 40; }},
    {"globalStrides[0] = 112 bytes: must be at least globalDim[0] = 100 elements of 4 bytes = 400 bytes "
     "(strides count bytes, not elements; sizes count elements)",
     [](tensor_map_options &o) { o.global_strides[0] = 112; }},
    {"globalStrides[0] = 112 bytes: must be at least globalDim[0] = 100 elements of 4 bytes = 400 bytes "
     "(width first, in elements: are width and height the right way round?)",
     [](tensor_map_options &o) {
       o.rank = 2;
       o.global_dim[1] = 28;
       o.global_strides[0] = 112;
     }},
    {nullptr,
     [](tensor_map_options &o) {
       o.global_strides[0] = 112;
       o.overlap_allowed = 1;
     }},
    {nullptr,
     [](tensor_map_options &o) {
       o.global_dim[1] = 1; // never stepped over
       o.global_strides[0] = 16;
     }},
    {nullptr,
     [](tensor_map_options &o) {
       o.global_strides[0] = 22400; // dimensions in any order
       o.global_strides[1] = 448;
     }},
    {"boxDim[1] = 0 elements: must be 1 to 256", [](tensor_map_options &o) { o.box_dim[1] = 0; }},
    {"boxDim[0] = 257 elements: must be 1 to 256", [](tensor_map_options &o) { o.box_dim[0] = 257; }},
    {"boxDim[0] = 1024 elements: must be 1 to 256 (boxes count elements, not bytes)",
     [](tensor_map_options &o) { o.box_dim[0] = 1024; }},
    {"boxDim[0] = 30 elements of 4 bytes = 120 bytes: must be a multiple of 16 bytes",
     [](tensor_map_options &o) { o.box_dim[0] = 30; }},
    {"boxDim[0] = 18 elements of 4 bytes = 72 bytes: must be a multiple of 16 bytes "
     "(width first: are the box's sides the right way round?)",
     [](tensor_map_options &o) {
       o.rank = 2;
       o.box_dim[0] = 18;
       o.box_dim[1] = 64;
     }},
    {"boxDim[0] = 8 elements of 1 bytes = 8 bytes: must be a multiple of 16 bytes",
     [](tensor_map_options &o) {
       o.data_type = CU_TENSOR_MAP_DATA_TYPE_UINT8;
       o.box_dim[0] = 8;
     }},
    {nullptr, [](tensor_map_options &o) { o.swizzle = CU_TENSOR_MAP_SWIZZLE_128B; }},
    {"boxDim[0] = 32 elements of 4 bytes = 128 bytes: must be at most 64 bytes with SWIZZLE_64B",
     [](tensor_map_options &o) { o.swizzle = CU_TENSOR_MAP_SWIZZLE_64B; }},
    {"boxDim[0] = 32 elements of 4 bytes = 128 bytes: must be at most 32 bytes with SWIZZLE_32B",
     [](tensor_map_options &o) { o.swizzle = CU_TENSOR_MAP_SWIZZLE_32B; }},
    {"boxDim[0] = 36 elements of 4 bytes = 144 bytes: must be at most 128 bytes with SWIZZLE_128B",
     [](tensor_map_options &o) {
       o.box_dim[0] = 36;
       o.swizzle = CU_TENSOR_MAP_SWIZZLE_128B;
     }},
    {"elementStrides[1] = 9: must be 1 to 8", [](tensor_map_options &o) { o.element_strides[1] = 9; }},
    {"interleave = 3: must be NONE (0), 16B (1) or 32B (2)",
     [](tensor_map_options &o) { o.interleave = static_cast<CUtensorMapInterleave>(3); }},
    {"swizzle = 4: must be NONE (0), 32B (1), 64B (2) or 128B (3) on sm_90",
     [](tensor_map_options &o) { o.swizzle = static_cast<CUtensorMapSwizzle>(4); }},
    {"swizzle = 0: must be 32B (1) with INTERLEAVE_32B",
     [](tensor_map_options &o) { o.interleave = CU_TENSOR_MAP_INTERLEAVE_32B; }},
    {"l2Promotion = 4: must be NONE (0), 64B (1), 128B (2) or 256B (3)",
     [](tensor_map_options &o) { o.l2_promotion = static_cast<CUtensorMapL2promotion>(4); }},
    {"oobFill = 2: must be NONE (0) or NAN_REQUEST_ZERO_FMA (1)",
     [](tensor_map_options &o) { o.oob_fill = static_cast<CUtensorMapFloatOOBfill>(2); }},
    {"oobFill = NAN_REQUEST_ZERO_FMA: must be NONE for the integer tensorDataType 3",
     [](tensor_map_options &o) {
       o.data_type = CU_TENSOR_MAP_DATA_TYPE_INT32;
       o.oob_fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA;
     }},
    {nullptr, [](tensor_map_options &o) { o.oob_fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA; }},
};

// The map's bytes are the same wherever the host keeps them.
static void check_addresses(const tensor_map_options *o) {
  alignas(128) char room[4 * sizeof(CUtensorMap)];
  tensor_map_options real = *o;
  CUtensorMap map;
  CUDA_CHECK(cudaMalloc(const_cast<void **>(&real.global_address), 1 << 20));
  CUDA_CHECK(tensor_map_encode(&map, &real));
  for (const size_t at : {1, 8, 16, 32, 64}) {
    memset(room, 0, sizeof room);
    CUDA_CHECK(tensor_map_encode(reinterpret_cast<CUtensorMap *>(room + at), &real));
    check_that(memcmp(room + at, &map, sizeof map) == 0, "at a multiple of %zu the map is another", at);
  }
  CUDA_CHECK(cudaFree(const_cast<void *>(real.global_address)));
}

int main() {
  CUtensorMap map;
  char message[256];
  for (const wrong &test : cases) {
    tensor_map_options o = sound_options();
    test.change(o);
    const bool sound = tensor_map_check(&map, &o, message, sizeof message) != 0;
    const std::string got = sound ? "nothing" : message, expected = test.message ? test.message : "nothing";
    check_that(got == expected, "expected  %s\n     got  %s", expected.c_str(), got.c_str());
  }
  const tensor_map_options o = sound_options();
  check_that(!tensor_map_check(nullptr, &o, message, sizeof message) && strstr(message, "tensorMap = NULL"),
             "no map is accepted");
  check_addresses(&o);
  return self_check_result();
}
