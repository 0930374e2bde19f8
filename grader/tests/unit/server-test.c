// The device's side of the socket, before a real virtual Hopper: what each operation does and refuses, and
// how much memory the server lets a client use. In: requests. Out: replies, and the device's actions.
#include "server-client.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "virtual-hopper/device/device.h"
#include "virtual-hopper/rules/fault.h"

enum { LAUNCHES = 6 }; // the most launches that a limited connection may make

// record(p, n) writes its launch configuration to p; none() does nothing; v is a variable.
static const char module_text[] =
    ".version 9.0\n.target sm_90\n.address_size 64\n"
    ".global .align 4 .b8 v[16];\n"
    ".visible .entry none()\n{\nret;\n}\n"
    ".visible .entry record(.param .u64 p, .param .u32 n)\n{\n.reg .b64 %rd<2>;\n.reg .b32 %r<6>;\n"
    "ld.param.u64 %rd1, [p];\nld.param.u32 %r1, [n];\nst.global.u32 [%rd1], %r1;\n"
    "mov.u32 %r2, %nctaid.x;\nst.global.u32 [%rd1+4], %r2;\n"
    "mov.u32 %r3, %ntid.y;\nst.global.u32 [%rd1+8], %r3;\n"
    "mov.u32 %r4, %cluster_nctaid.y;\nst.global.u32 [%rd1+12], %r4;\n"
    "mov.u32 %r5, %dynamic_smem_size;\nst.global.u32 [%rd1+16], %r5;\nret;\n}\n";

static int set_up(void **state) {
  return set_up_with(state, NULL);
}

enum { MODULES_MEMORY = 256 << 10 };

static int set_up_narrow(void **state) {
  return set_up_with(state, &(struct server_limits){.modules_memory = MODULES_MEMORY});
}

static int set_up_limited(void **state) {
  return set_up_with(state, &(struct server_limits){.allocations = 3,
                                                    .modules = 2,
                                                    .functions = 3,
                                                    .module_bytes = 4096,
                                                    .memory_bytes = 1 << 20,
                                                    .launches = LAUNCHES,
                                                    .output_bytes = 6,
                                                    .keeps_device = true});
}

static uint64_t load(struct fixture *f) {
  assert_int_equal(ask(f, PROTOCOL_MODULE, NULL, 0, module_text, strlen(module_text)), 0);
  return ((struct protocol_handle *)f->answer)->handle;
}

static struct protocol_function find(struct fixture *f, uint64_t module, const char *name) {
  struct protocol_module body = {module};
  assert_int_equal(ask(f, PROTOCOL_FUNCTION, &body, sizeof body, name, strlen(name)), 0);
  return *(struct protocol_function *)f->answer;
}

// ---- memory -----------------------------------------------------------------------------------------------

static void moves_bytes_and_rows(void **state) {
  struct fixture *f = *state;
  greet(f);
  uint64_t address = allocate(f, 100);
  struct protocol_region whole = {address, 0, 12, 1}, rows = {address + 16, 16, 4, 3};
  assert_int_equal(ask(f, PROTOCOL_WRITE, &whole, sizeof whole, "hello, world", 12), 0);
  assert_int_equal(ask(f, PROTOCOL_WRITE, &rows, sizeof rows, "aaaabbbbcccc", 12), 0);
  assert_memory_equal(vhopper_host_view(f->device, address, 52),
                      "hello, world\0\0\0\0aaaa\0\0\0\0\0\0\0\0\0\0\0\0bbbb\0\0\0\0\0\0\0\0\0\0\0\0cccc", 52);
  assert_int_equal(ASK(f, PROTOCOL_READ, rows), 0);
  assert_int_equal(f->reply.payload_bytes, 12);
  assert_memory_equal(f->answer, "aaaabbbbcccc", 12);
  struct protocol_copy copy = {{address + 64, 4, 4, 3}, address + 16, 16};
  assert_int_equal(ASK(f, PROTOCOL_COPY, copy), 0);
  assert_memory_equal(vhopper_host_view(f->device, address + 64, 12), "aaaabbbbcccc", 12);
  struct protocol_fill fill = {{address + 64, 4, 4, 2}, 0x64636261, 4};
  assert_int_equal(ASK(f, PROTOCOL_FILL, fill), 0);
  assert_memory_equal(vhopper_host_view(f->device, address + 64, 12), "abcdabcdcccc", 12);
  assert_int_equal(server_counters(f->server)->bytes_written, 24);
}

static void refuses_what_is_no_memory(void **state) {
  struct fixture *f = *state;
  greet(f);
  uint64_t a = allocate(f, 64);
  const struct {
    uint64_t address, pitch, width, rows;
  } bad[] = {
      {a, 0, 65, 1},          {a + 64, 0, 1, 1},     {a - 1, 0, 2, 1},      {0, 0, 1, 1},
      {UINT64_MAX, 0, 1, 1},  {UINT64_MAX, 0, 2, 1}, {a, 32, 32, 3},        {a, 8, 16, 2},
      {a, UINT64_MAX, 16, 2}, {a, 16, 16, 1 << 20},  {a, 1ull << 63, 1, 3}, {a, 0, 1ull << 63, 1},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    struct protocol_region region = {bad[i].address, bad[i].pitch, bad[i].width, bad[i].rows};
    if (ASK(f, PROTOCOL_READ, region) != 1) fail_msg("row %zu was read", i);
    if (ASK(f, PROTOCOL_FILL, (struct protocol_fill){region, 0, 1}) != 1) fail_msg("row %zu was filled", i);
    if (ASK(f, PROTOCOL_COPY, (struct protocol_copy){region, a, 16}) != 1)
      fail_msg("row %zu was copied to", i);
    assert_int_equal(f->reply.payload_bytes, 0);
  }
  struct protocol_region nothing = {0, 0, 0, 1ull << 60};
  assert_int_equal(ASK(f, PROTOCOL_READ, nothing), 0);
  assert_int_equal(ASK(f, PROTOCOL_FILL, (struct protocol_fill){nothing, 0, 4}), 0);
  assert_int_equal(ASK(f, PROTOCOL_FILL, (struct protocol_fill){{a, 0, 4, 1}, 0, 3}), 1);
  assert_int_equal(ASK(f, PROTOCOL_FREE, (struct protocol_free){a + 1}), 1);
  assert_int_equal(ASK(f, PROTOCOL_FREE, (struct protocol_free){a}), 0);
  assert_int_equal(ASK(f, PROTOCOL_FREE, (struct protocol_free){a}), 1);
}

static void goes_on_after_a_refused_write(void **state) {
  struct fixture *f = *state;
  greet(f);
  struct protocol_region region = {12345, 0, 70000, 1};
  uint8_t *payload = calloc(1, 70000);
  assert_non_null(payload);
  assert_int_equal(ask(f, PROTOCOL_WRITE, &region, sizeof region, payload, 70000), 1);
  free(payload);
  assert_int_equal(ask(f, PROTOCOL_STATUS, NULL, 0, NULL, 0), 0);
}

// Writes and reads at once would fill both sockets' buffers. A client that writes and reads in turn gets all
// bytes.
static void streams_many_megabytes(void **state) {
  struct fixture *f = *state;
  enum { BYTES = 24 << 20 };
  greet(f);
  uint64_t address = allocate(f, BYTES);
  uint8_t *sent = malloc(BYTES), *got = calloc(1, BYTES);
  assert_true(sent && got);
  for (uint32_t i = 0; i < BYTES; i++)
    sent[i] = (uint8_t)(i * 2654435761u >> 24);
  struct protocol_region region = {address, 0, BYTES, 1};
  struct protocol_request request = {PROTOCOL_REQUEST_MAGIC, PROTOCOL_WRITE, sizeof region, 0, BYTES};
  put(f, &request, sizeof request);
  put(f, &region, sizeof region);
  fcntl(f->ends[0], F_SETFL, O_NONBLOCK);
  for (size_t done = 0; done < BYTES;) {
    ssize_t count = write(f->ends[0], sent + done, BYTES - done);
    if (count > 0) done += (size_t)count;
    assert_int_equal(settle(f), SERVER_WAITING);
  }
  assert_int_equal(read(f->ends[0], &f->reply, sizeof f->reply), sizeof f->reply);
  assert_memory_equal(vhopper_host_view(f->device, address, BYTES), sent, BYTES);
  request = (struct protocol_request){PROTOCOL_REQUEST_MAGIC, PROTOCOL_READ, sizeof region, 0, 0};
  put(f, &request, sizeof request);
  put(f, &region, sizeof region);
  for (size_t done = 0, head = sizeof f->reply; done < BYTES;) {
    assert_int_equal(settle(f), SERVER_WAITING);
    if (head) {
      assert_int_equal(read(f->ends[0], &f->reply, head), (ssize_t)head);
      head = 0;
    }
    assert_int_equal(server_events(f->server) == POLLOUT || done > 0 || BYTES < (1 << 20), true);
    ssize_t count = read(f->ends[0], got + done, BYTES - done);
    if (count > 0) done += (size_t)count;
  }
  assert_memory_equal(got, sent, BYTES);
  free(sent);
  free(got);
}

static void locates_addresses(void **state) {
  struct fixture *f = *state;
  greet(f);
  uint64_t first = allocate(f, 1000), second = allocate(f, 10);
  const struct protocol_location *location = (void *)f->answer;
  assert_int_equal(ASK(f, PROTOCOL_LOCATE, (struct protocol_locate){first + 999, 1}), 0);
  assert_int_equal(location->base, first);
  assert_int_equal(location->bytes, 1000);
  assert_int_equal(ASK(f, PROTOCOL_LOCATE, (struct protocol_locate){second, 1}), 0);
  assert_int_equal(location->base, second);
  assert_int_equal(ASK(f, PROTOCOL_LOCATE, (struct protocol_locate){first + 1000, 1}), 1);
  uint64_t foreign = 0; // the address belongs to another user of the device
  assert_int_equal(vhopper_allocate(f->device, 64, &foreign), 0);
  assert_int_equal(ASK(f, PROTOCOL_LOCATE, (struct protocol_locate){foreign + 8, 1}), 0);
  assert_int_equal(location->base, foreign + 8);
  // this connection must not free it
  assert_int_equal(ASK(f, PROTOCOL_FREE, (struct protocol_free){foreign}), 1);
  assert_int_equal(vhopper_free(f->device, foreign), 0);
}

static void limits_what_piles_up(void **state) {
  struct fixture *f = *state;
  greet(f);
  allocate(f, 100);
  uint64_t second = allocate(f, 100);
  allocate(f, 100);
  assert_int_equal(ASK(f, PROTOCOL_ALLOCATE, (struct protocol_allocate){100}), 2);
  assert_int_equal(ASK(f, PROTOCOL_FREE, (struct protocol_free){second}), 0);
  assert_int_equal(ASK(f, PROTOCOL_ALLOCATE, (struct protocol_allocate){1 << 20}), 2);
  assert_int_equal(ASK(f, PROTOCOL_ALLOCATE, (struct protocol_allocate){UINT64_MAX}), 2);
  assert_int_equal(ASK(f, PROTOCOL_ALLOCATE, (struct protocol_allocate){0}), 1);
  uint64_t module = load(f);
  load(f);
  assert_int_equal(ask(f, PROTOCOL_MODULE, NULL, 0, module_text, strlen(module_text)), 2);
  assert_int_equal(ASK(f, PROTOCOL_UNLOAD, (struct protocol_module){module}), 0);
  assert_int_equal(load(f), module); // the module's slot is reused
  for (int i = 0; i < 20; i++)
    find(f, module, i % 2 ? "record" : "none"); // finding a known function again costs no memory
  struct protocol_function none = find(f, module, "none");
  struct protocol_launch launch = {.function = none.function, .grid = {1, 1, 1}, .block = {1, 1, 1}};
  for (int i = 0; i < LAUNCHES; i++)
    assert_int_equal(ASK(f, PROTOCOL_LAUNCH, launch), 0);
  assert_int_equal(ASK(f, PROTOCOL_LAUNCH, launch), 701);
  assert_int_equal(server_counters(f->server)->launches, LAUNCHES);
}

// The limit counts memory, not text: here a module costs many times its text's length, and so does each of
// its kernels.
static void limits_the_memory_of_modules(void **state) {
  struct fixture *f = *state;
  greet(f);
  uint64_t first = load(f);
  int status = 0, loaded = 1;
  while (!status && ++loaded < 1000)
    status = ask(f, PROTOCOL_MODULE, NULL, 0, module_text, strlen(module_text));
  assert_int_equal(status, 2);
  assert_in_range(vhopper_module_bytes(f->device), MODULES_MEMORY, 2 * MODULES_MEMORY);
  struct protocol_module body = {first};
  assert_int_equal(ask(f, PROTOCOL_FUNCTION, &body, sizeof body, "none", 4), 2);
  assert_int_equal(ASK(f, PROTOCOL_UNLOAD, body), 0);
  assert_int_equal(ASK(f, PROTOCOL_UNLOAD, (struct protocol_module){first + 1}), 0);
  find(f, load(f), "none"); // there is room again
}

static void a_new_process_finds_an_empty_device(void **state) {
  struct fixture *f = *state;
  greet(f);
  uint64_t address = allocate(f, 100), module = load(f);
  greet(f);
  assert_int_equal(server_counters(f->server)->live_allocations, 0);
  assert_int_equal(server_counters(f->server)->live_modules, 0);
  assert_null(vhopper_host_view(f->device, address, 1));
  assert_int_equal(ASK(f, PROTOCOL_FREE, (struct protocol_free){address}), 1);
  assert_int_equal(ASK(f, PROTOCOL_UNLOAD, (struct protocol_module){module}), 400);
  assert_int_equal(server_counters(f->server)->processes, 2);
}

// ---- modules and launches ---------------------------------------------------------------------------------

static void loads_modules_and_finds_names(void **state) {
  struct fixture *f = *state;
  greet(f);
  assert_int_equal(ask(f, PROTOCOL_MODULE, NULL, 0, "bad", 3), 218);
  const struct loaded_modules *modules = fault_loaded_modules(vhopper_report(f->device));
  assert_int_equal(modules->count, 1);
  assert_non_null(strstr(modules->refused, "line 1 of the PTX: "));
  assert_int_equal(unsupported_count(vhopper_report(f->device)), 0);
  assert_int_equal(ask(f, PROTOCOL_MODULE, NULL, 0, "\x50\xED\x55\xBA and nothing else", 20), 209);
  assert_int_equal(unsupported_count(vhopper_report(f->device)), 1); // nvcc's output must be readable
  assert_int_equal(modules->count, 1);
  uint64_t module = load(f);
  assert_int_equal(modules->count, 2);
  struct protocol_function record = find(f, module, "record");
  assert_int_equal(record.parameter_count, 2);
  assert_int_equal(record.parameter_bytes, 12);
  const struct protocol_parameter *parameters = (void *)(f->answer + sizeof record);
  assert_int_equal(parameters[1].offset, 8);
  assert_int_equal(parameters[1].size, 4);
  struct protocol_module body = {module}, other = {77};
  assert_int_equal(ask(f, PROTOCOL_FUNCTION, &body, sizeof body, "missing", 7), 98);
  assert_int_equal(ask(f, PROTOCOL_FUNCTION, &body, sizeof body, "a\0b", 3), 1);
  assert_int_equal(ask(f, PROTOCOL_FUNCTION, &body, sizeof body, NULL, 0), 1);
  assert_int_equal(ask(f, PROTOCOL_FUNCTION, &other, sizeof other, "record", 6), 400);
  assert_int_equal(ask(f, PROTOCOL_VARIABLE, &body, sizeof body, "v", 1), 0);
  assert_int_equal(((struct protocol_location *)f->answer)->bytes, 16);
  assert_int_equal(ask(f, PROTOCOL_VARIABLE, &body, sizeof body, "w", 1), 13);
  assert_int_equal(ASK(f, PROTOCOL_UNLOAD, (struct protocol_module){module}), 0);
  struct protocol_launch launch = {.function = record.function, .grid = {1, 1, 1}, .block = {1, 1, 1}};
  // the function's module is unloaded
  assert_int_equal(ask(f, PROTOCOL_LAUNCH, &launch, sizeof launch, "123456789012", 12), 98);
}

static void launches_what_was_asked_for(void **state) {
  struct fixture *f = *state;
  greet(f);
  uint64_t address = allocate(f, 64);
  struct protocol_function record = find(f, load(f), "record");
  struct protocol_launch launch = {.function = record.function,
                                   .grid = {5, 4, 3},
                                   .block = {1, 2, 1},
                                   .cluster = {1, 2, 1},
                                   .dynamic_shared_bytes = 1024};
  struct {
    uint64_t p;
    uint32_t n;
  } parameters = {address, 4711};
  assert_int_equal(ask(f, PROTOCOL_LAUNCH, &launch, sizeof launch, &parameters, 12), 0);
  assert_int_equal(f->reply.device_error, 0);
  const uint32_t *seen = vhopper_host_view(f->device, address, 20), expected[5] = {4711, 5, 2, 2, 1024};
  assert_memory_equal(seen, expected, sizeof expected);
  assert_int_equal(server_kernel_count(f->server), 1);
  assert_string_equal(server_kernel_at(f->server, 0).name, "record");
  assert_int_equal(server_kernel_at(f->server, 0).launches, 1);
  assert_true(f->reply.virtual_time > 0);
}

static void refuses_launches_that_were_not_allowed(void **state) {
  struct fixture *f = *state;
  greet(f);
  struct protocol_function record = find(f, load(f), "record");
  const struct {
    int status;
    struct protocol_launch launch;
    size_t bytes;
  } bad[] = {
      {1, {.grid = {1, 1, 1}, .block = {1, 1, 1}}, 11},
      {1, {.grid = {1, 1, 1}, .block = {1, 1, 1}}, 13},
      {912, {.grid = {16, 1, 1}, .block = {1, 1, 1}, .cluster = {16, 1, 1}}, 12},
      {912, {.grid = {16, 1, 1}, .block = {1, 1, 1}, .cluster = {3, 3, 0}}, 12},
      {912,
       {.grid = {16, 1, 1}, .block = {1, 1, 1}, .cluster = {1u << 22, 1u << 21, 1u << 21}},
       12}, // 2^64 blocks
      {912, {.grid = {16, 1, 1}, .block = {1, 1, 1}, .cluster = {65536, 1, 1}, .nonportable_cluster = 1}, 12},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    struct protocol_launch launch = bad[i].launch;
    launch.function = record.function;
    int status = ask(f, PROTOCOL_LAUNCH, &launch, sizeof launch, "abcdefgh1234", bad[i].bytes);
    if (status != bad[i].status) fail_msg("launch %zu: got %d, expected %d", i, status, bad[i].status);
  }
  assert_int_equal(server_counters(f->server)->launches, 0);
  struct protocol_launch made_up = {.function = 12345, .grid = {1, 1, 1}, .block = {1, 1, 1}};
  assert_int_equal(ASK(f, PROTOCOL_LAUNCH, made_up), 98);
  struct protocol_set_shared shared = {.function = record.function, .bytes = 232448};
  assert_int_equal(ASK(f, PROTOCOL_SET_SHARED, shared), 0);
  shared.bytes++;
  assert_int_equal(ASK(f, PROTOCOL_SET_SHARED, shared), 1);
  struct protocol_launch large = {
      .function = record.function, .grid = {1, 1, 1}, .block = {1, 1, 1}, .dynamic_shared_bytes = 232448};
  uint64_t parameters[2] = {allocate(f, 64), 0};
  assert_int_equal(ask(f, PROTOCOL_LAUNCH, &large, sizeof large, parameters, 12), 0);
  assert_int_equal(f->reply.device_error, 0);
  large.dynamic_shared_bytes++;
  assert_int_equal(ask(f, PROTOCOL_LAUNCH, &large, sizeof large, parameters, 12), 1);
}

// A kernel that writes where no memory is.
static void sets_limits_of_the_context(void **state) {
  struct fixture *f = *state;
  greet(f);
  struct protocol_set_limit set = {.limit = PROTOCOL_LIMIT_HEAP, .bytes = 1 << 20};
  assert_int_equal(ASK(f, PROTOCOL_SET_LIMIT, set), 0);
  set.reserved = 1;
  assert_int_equal(ASK(f, PROTOCOL_SET_LIMIT, set), 1);
  set = (struct protocol_set_limit){.limit = PROTOCOL_LIMIT_COUNT};
  assert_int_equal(ASK(f, PROTOCOL_SET_LIMIT, set), 1);
  set = (struct protocol_set_limit){.limit = PROTOCOL_LIMIT_STACK, .bytes = 256 << 10};
  assert_int_equal(ASK(f, PROTOCOL_SET_LIMIT, set), 0);
  set.bytes++;
  assert_int_equal(ASK(f, PROTOCOL_SET_LIMIT, set), 1);
}

static void crash(struct fixture *f) {
  struct protocol_function record = find(f, load(f), "record");
  struct protocol_launch launch = {.function = record.function, .grid = {1, 1, 1}, .block = {1, 1, 1}};
  uint64_t parameters[2] = {16, 0};
  assert_int_equal(ask(f, PROTOCOL_LAUNCH, &launch, sizeof launch, parameters, 12), 0);
}

static void tells_device_errors_late_and_keeps_them(void **state) {
  struct fixture *f = *state;
  greet(f);
  crash(f);
  assert_int_equal(f->reply.device_error, 700);
  struct protocol_function none = find(f, load(f), "none");
  struct protocol_launch launch = {.function = none.function, .grid = {1, 1, 1}, .block = {1, 1, 1}};
  assert_int_equal(ASK(f, PROTOCOL_LAUNCH, launch), 700);
  assert_int_equal(server_counters(f->server)->launches, 1);
  assert_int_equal(ask(f, PROTOCOL_RESET, NULL, 0, NULL, 0), 0);
  assert_int_equal(f->reply.device_error, 0);
}

static void keeps_a_shared_devices_error(void **state) {
  struct fixture *f = *state;
  greet(f);
  crash(f);
  assert_int_equal(ask(f, PROTOCOL_RESET, NULL, 0, NULL, 0), 0);
  assert_int_equal(f->reply.device_error, 700);
}

static void passes_printed_text_on(void **state) {
  struct fixture *f = *state;
  greet(f);
  struct protocol_function none = find(f, load(f), "none");
  struct protocol_launch launch = {.function = none.function, .grid = {1, 1, 1}, .block = {1, 1, 1}};
  device_print(&f->device->output, "one\n", 4);
  assert_int_equal(ASK(f, PROTOCOL_LAUNCH, launch), 0);
  assert_int_equal(f->reply.output_waits, 1);
  device_print(&f->device->output, "two\n", 4);
  assert_int_equal(ASK(f, PROTOCOL_LAUNCH, launch), 0);
  assert_int_equal(ask(f, PROTOCOL_OUTPUT, NULL, 0, NULL, 0), 0);
  assert_int_equal(f->reply.payload_bytes, 8);
  assert_memory_equal(f->answer, "one\ntwo\n", 8);
  assert_int_equal(ask(f, PROTOCOL_OUTPUT, NULL, 0, NULL, 0), 0);
  assert_int_equal(f->reply.payload_bytes, 0);
}

// A program that launches and never waits must not fill the referee's memory with the text that its kernels
// print.
static void keeps_little_of_what_nobody_takes(void **state) {
  static const char kept[] =
      "one\ntw\n[kernels printed more than is kept until the program waits; the rest is lost]\n";
  struct fixture *f = *state;
  greet(f);
  struct protocol_function none = find(f, load(f), "none");
  struct protocol_launch launch = {.function = none.function, .grid = {1, 1, 1}, .block = {1, 1, 1}};
  for (int round = 0; round < 2; round++) {
    static const char *const printed[] = {"one\n", "two\n", "three\n"};
    for (int i = 0; i < 3; i++) {
      device_print(&f->device->output, printed[i], strlen(printed[i]));
      assert_int_equal(ASK(f, PROTOCOL_LAUNCH, launch), 0);
    }
    assert_int_equal(ask(f, PROTOCOL_OUTPUT, NULL, 0, NULL, 0), 0);
    assert_int_equal(f->reply.payload_bytes, sizeof kept - 1);
    assert_memory_equal(f->answer, kept, sizeof kept - 1);
  }
}

static void records_what_the_client_tells(void **state) {
  struct fixture *f = *state;
  greet(f);
  struct protocol_host_fault body = {PROTOCOL_RULE_TENSOR_MAP_ARGUMENT, 0};
  assert_int_equal(ask(f, PROTOCOL_HOST_FAULT, &body, sizeof body, "globalStrides[0] = 1028", 23), 0);
  assert_int_equal(fault_count(vhopper_report(f->device)), 1);
  assert_int_equal(fault_at(vhopper_report(f->device), 0)->rule, RULE_BAD_TENSOR_MAP_ARGUMENT);
  assert_string_equal(fault_at(vhopper_report(f->device), 0)->message, "globalStrides[0] = 1028");
  body.rule = 99;
  assert_int_equal(ask(f, PROTOCOL_HOST_FAULT, &body, sizeof body, "x", 1), 1);
  assert_int_equal(fault_count(vhopper_report(f->device)), 1);
  assert_int_equal(ask(f, PROTOCOL_UNSUPPORTED, NULL, 0, "cudaGraph\x1b\xff", 11), 0);
  assert_string_equal(unsupported_at(vhopper_report(f->device), 0)->what,
                      "cudaGraph??"); // control characters and broken UTF-8 are replaced
  // What goes wrong after that may follow from it.
  body.rule = PROTOCOL_RULE_TENSOR_MAP_ARGUMENT;
  assert_int_equal(ask(f, PROTOCOL_HOST_FAULT, &body, sizeof body, "globalStrides[1] = 1028", 23), 0);
  assert_int_equal(fault_count(vhopper_report(f->device)), 1);
  assert_int_equal(fault_unjudged_count(vhopper_report(f->device)), 1);
}

// ---- one budget for all memory ----------------------------------------------------------------------------

static void shares_one_budget(void **state) {
  struct fixture *f = *state;
  const size_t limit = 8 << 20;
  struct budget *budget = vhopper_budget(f->device);
  budget->limit = limit;
  greet(f);
  uint64_t address = allocate(f, 5 << 20);
  assert_int_equal(ASK(f, PROTOCOL_ALLOCATE, (struct protocol_allocate){2 << 20}), 2);
  assert_non_null(strstr(fault_refusal(vhopper_report(f->device)), "8 MiB in all"));
  assert_non_null(strstr(fault_refusal(vhopper_report(f->device)), "5 MiB of device memory"));
  // A module of more than the last 3 MiB is refused first, and loaded after the memory is given back.
  char *text = calloc(1, 2 << 20);
  assert_non_null(text);
  size_t length = (size_t)sprintf(text, ".version 9.0\n.target sm_90\n.address_size 64\n");
  for (int i = 0; length < 1 << 20; i++)
    length += (size_t)sprintf(text + length, ".global .align 4 .b8 variable_%d[4];\n", i);
  size_t before = atomic_load(&budget->used);
  struct vhopper_module *refused = NULL;
  char *why = NULL;
  assert_int_not_equal(vhopper_module_load(f->device, text, length, &refused, &why), 0);
  free(why);
  assert_int_equal(atomic_load(&budget->used), before); // a failed request holds no memory
  assert_int_equal(ASK(f, PROTOCOL_FREE, (struct protocol_free){address}), 0);
  assert_in_range(atomic_load(&budget->used), 1, 4096); // the record of the freed allocation
  uint64_t module = load(f);
  uint64_t out = allocate(f, 64);
  struct protocol_function record = find(f, module, "record");
  size_t loaded = atomic_load(&budget->used);
  uint8_t parameters[12] = {0};
  memcpy(parameters, &out, sizeof out);
  struct protocol_launch launch = {.function = record.function, .grid = {64, 1, 1}, .block = {32, 1, 1}};
  assert_int_equal(ask(f, PROTOCOL_LAUNCH, &launch, sizeof launch, parameters, sizeof parameters), 0);
  // Registers, notes and messages are given back, but decoded code stays.
  for (int kind = 0; kind < BUDGET_KINDS; kind++)
    if (kind != BUDGET_MEMORY && kind != BUDGET_MODULES)
      assert_int_equal(atomic_load(&budget->used_by[kind]), 0);
  assert_true(atomic_load(&budget->used) >= loaded);
  free(text);
}

int main(void) {
#define CASE(name)    cmocka_unit_test_setup_teardown(name, set_up, tear_down)
#define LIMITED(name) cmocka_unit_test_setup_teardown(name, set_up_limited, tear_down)
  const struct CMUnitTest tests[] = {
      CASE(moves_bytes_and_rows),
      CASE(refuses_what_is_no_memory),
      CASE(goes_on_after_a_refused_write),
      CASE(streams_many_megabytes),
      CASE(locates_addresses),
      LIMITED(limits_what_piles_up),
      cmocka_unit_test_setup_teardown(limits_the_memory_of_modules, set_up_narrow, tear_down),
      CASE(a_new_process_finds_an_empty_device),
      CASE(loads_modules_and_finds_names),
      CASE(launches_what_was_asked_for),
      CASE(refuses_launches_that_were_not_allowed),
      CASE(sets_limits_of_the_context),
      CASE(tells_device_errors_late_and_keeps_them),
      LIMITED(keeps_a_shared_devices_error),
      CASE(passes_printed_text_on),
      LIMITED(keeps_little_of_what_nobody_takes),
      CASE(records_what_the_client_tells),
      CASE(shares_one_budget),
  };
  return cmocka_run_group_tests_name("server", tests, NULL, NULL);
}
