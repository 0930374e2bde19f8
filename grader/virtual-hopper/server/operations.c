// The table of operations: the bytes of each request and answer, and the handler. Small operations are
// handled here. In: an operation's number from the wire. Out: its entry, or NULL.
#include "virtual-hopper/server/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/rules/fault.h"

// A new process on the same socket (a shell script that runs two programs) starts with an empty device.
static int handle_hello(struct server *server) {
  if (server->body.hello.version != PROTOCOL_VERSION) return ERROR_NOT_SUPPORTED;
  server_judge_host(server);
  server_unload_modules(server);
  server_free_allocations(server);
  stream_order_clear(vhopper_streams(server->device));
  vhopper_default_limits(server->device);
  budget_give(vhopper_budget(server->device), BUDGET_TEXT, server->output_bytes);
  server->output_bytes = 0;
  server->greeted = true;
  server->counters.processes++;
  server->counters.process = server->body.hello.process;
  server->answer.number.number = vhopper_processors(server->device);
  return 0;
}

// Also of HOST_RESTS, if the launch has ended by itself: server/launch.c has looked for it meanwhile.
static int handle_status(struct server *server) {
  (void)server;
  return 0;
}

static int handle_output(struct server *server) {
  server->reply_payload = (uint8_t *)server->output;
  server->reply.payload_bytes = server->output_bytes;
  server->output = NULL;
  budget_give(vhopper_budget(server->device), BUDGET_TEXT, server->output_bytes);
  server->output_bytes = 0;
  return 0;
}

#ifdef VHOPPER_PLANTED_BUG // tests/planted: an attacker has taken over this process
bool planted_bug(struct server *server);
#endif

static int handle_unsupported(struct server *server) {
#ifdef VHOPPER_PLANTED_BUG
  if (planted_bug(server)) return 0;
#endif
  char what[sizeof((struct unsupported *)0)->what];
  server_copy_text(what, sizeof what, server->payload, server->request.payload_bytes);
  server_record_unsupported(server, what);
  return 0;
}

static int handle_host_fault(struct server *server) {
  static const enum rule_id rules[PROTOCOL_HOST_RULE_COUNT] = {[PROTOCOL_RULE_TENSOR_MAP_ARGUMENT] =
                                                                   RULE_BAD_TENSOR_MAP_ARGUMENT};
  if (server->body.host_fault.rule >= PROTOCOL_HOST_RULE_COUNT || server->body.host_fault.reserved)
    return ERROR_INVALID_VALUE;
  struct fault fault = {.rule = rules[server->body.host_fault.rule], .severity = FAULT_ERROR};
  fault.place.file = "";
  fault.place.instruction = "";
  server_copy_text(fault.message, sizeof fault.message, server->payload, server->request.payload_bytes);
  snprintf(fault.role, sizeof fault.role, "encodes a tensor map on the host");
  fault_record(vhopper_report(server->device), &fault);
  return 0;
}

// A variable of a module keeps what it holds; what the program allocates begins with zeros.
static int handle_managed(struct server *server) {
  const uint64_t address = server->body.free.address;
  const uint64_t bytes = server_allocated_bytes(server, address);
  if (!server_charge_rows(server, 1, bytes)) return ERROR_MEMORY_ALLOCATION;
  return vhopper_make_managed(server->device, address, !bytes, &server->reply_file);
}

static int handle_reset(struct server *server) {
  server_unload_modules(server);
  server_free_allocations(server);
  stream_order_clear(vhopper_streams(server->device));
  vhopper_default_limits(server->device);
  if (!server->limits.keeps_device) vhopper_reset(server->device);
  stream_order_forget_caller(vhopper_streams(server->device));
  return 0;
}

static int handle_set_limit(struct server *server) {
  static const enum vhopper_limit limits[PROTOCOL_LIMIT_COUNT] = {
      [PROTOCOL_LIMIT_STACK] = VHOPPER_LIMIT_STACK, [PROTOCOL_LIMIT_HEAP] = VHOPPER_LIMIT_HEAP};
  const struct protocol_set_limit *body = &server->body.set_limit;
  if (body->limit >= PROTOCOL_LIMIT_COUNT || body->reserved) return ERROR_INVALID_VALUE;
  return vhopper_set_limit(server->device, limits[body->limit], body->bytes);
}

#define BODY(member)   sizeof(((union protocol_body *)0)->member)
#define ANSWER(member) sizeof(((union protocol_answer *)0)->member)

static const struct server_operation operations[PROTOCOL_OPERATION_COUNT] = {
    [PROTOCOL_HELLO] = {"HELLO", BODY(hello), ANSWER(number), false, NULL, handle_hello},
    [PROTOCOL_STATUS] = {"STATUS", 0, 0, false, NULL, handle_status},
    [PROTOCOL_OUTPUT] = {"OUTPUT", 0, 0, false, NULL, handle_output},
    [PROTOCOL_ALLOCATE] = {"ALLOCATE", BODY(allocate), ANSWER(address), false, NULL, server_handle_allocate},
    [PROTOCOL_FREE] = {"FREE", BODY(free), 0, false, NULL, server_handle_free},
    [PROTOCOL_WRITE] = {"WRITE", BODY(region), 0, true, server_begin_write, server_handle_write},
    [PROTOCOL_READ] = {"READ", BODY(region), 0, false, NULL, server_handle_read},
    [PROTOCOL_COPY] = {"COPY", BODY(copy), 0, false, NULL, server_handle_copy},
    [PROTOCOL_FILL] = {"FILL", BODY(fill), 0, false, NULL, server_handle_fill},
    [PROTOCOL_PIN] = {"PIN", BODY(pin), ANSWER(location), false, NULL, server_handle_pin},
    [PROTOCOL_UNPIN] = {"UNPIN", BODY(free), 0, false, NULL, server_handle_unpin},
    [PROTOCOL_LOCATE] = {"LOCATE", BODY(locate), ANSWER(location), false, NULL, server_handle_locate},
    [PROTOCOL_MEMORY] = {"MEMORY", 0, ANSWER(memory), false, NULL, server_handle_memory},
    [PROTOCOL_MODULE] = {"MODULE", 0, ANSWER(handle), true, NULL, server_handle_module},
    [PROTOCOL_UNLOAD] = {"UNLOAD", BODY(module), 0, false, NULL, server_handle_unload},
    [PROTOCOL_FUNCTION] = {"FUNCTION", BODY(module), ANSWER(function), true, NULL, server_handle_function},
    [PROTOCOL_VARIABLE] = {"VARIABLE", BODY(module), ANSWER(location), true, NULL, server_handle_variable},
    [PROTOCOL_SET_SHARED] = {"SET_SHARED", BODY(set_shared), 0, false, NULL, server_handle_set_shared},
    [PROTOCOL_LAUNCH] = {"LAUNCH", BODY(launch), 0, true, NULL, server_handle_launch},
    [PROTOCOL_UNSUPPORTED] = {"UNSUPPORTED", 0, 0, true, NULL, handle_unsupported},
    [PROTOCOL_HOST_FAULT] = {"HOST_FAULT", BODY(host_fault), 0, true, NULL, handle_host_fault},
    [PROTOCOL_RESET] = {"RESET", 0, 0, false, NULL, handle_reset},
    [PROTOCOL_ORDER] = {"ORDER", BODY(order), ANSWER(number), false, NULL, server_handle_order},
    [PROTOCOL_SET_LIMIT] = {"SET_LIMIT", BODY(set_limit), 0, false, NULL, handle_set_limit},
    [PROTOCOL_CALLERS] = {"CALLERS", 0, 0, true, NULL, server_handle_callers},
    [PROTOCOL_CALL_FAILED] = {"CALL_FAILED", BODY(call_failed), 0, true, NULL, server_handle_call_failed},
    [PROTOCOL_CALLS_SEEN] = {"CALLS_SEEN", 0, 0, false, NULL, server_handle_calls_seen},
    [PROTOCOL_MANAGED] = {"MANAGED", BODY(free), 0, false, NULL, handle_managed},
    [PROTOCOL_HOST_RESTS] = {"HOST_RESTS", 0, 0, false, NULL, handle_status},
};

const struct server_operation *server_operation(uint32_t operation) {
  return operation < PROTOCOL_OPERATION_COUNT ? &operations[operation] : NULL;
}

static uint64_t module_limit(const struct server *server) {
  const size_t left = budget_left(vhopper_budget(server->device));
  return left < server->limits.module_bytes ? left : server->limits.module_bytes;
}

uint64_t server_payload_limit(const struct server *server) {
  switch (server->request.operation) {
  case PROTOCOL_WRITE: return server->limits.memory_bytes; // streamed: costs nothing here
  case PROTOCOL_MODULE: return module_limit(server);
  case PROTOCOL_FUNCTION:
  case PROTOCOL_VARIABLE: return PROTOCOL_MAX_NAME;
  case PROTOCOL_LAUNCH: return PROTOCOL_MAX_PARAMETER_BYTES;
  case PROTOCOL_CALLERS: return PROTOCOL_MAX_CALLERS;
  case PROTOCOL_CALL_FAILED:
  case PROTOCOL_UNSUPPORTED:
  case PROTOCOL_HOST_FAULT: return PROTOCOL_MAX_MESSAGE;
  default: return 0;
  }
}
