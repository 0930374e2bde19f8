// What the program's host code does wrong, for `vhopper run`. In: who calls, which calls have failed, whether
// the program has asked for the error. Out: faults, when the program has ended. One idea: a call that failed
// is no fault while somebody looks: cudaGetLastError right after it forgets it.
#include "virtual-hopper/server/internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/base/arena.h"
#include "virtual-hopper/rules/fault.h"

enum { MOST_FAILURES = 64 };

int server_handle_callers(struct server *server) {
  if (!server->limits.host_faults && !server->limits.leaks) return 0;
  const size_t room = (size_t)server->request.payload_bytes + 1;
  stream_order_called_from(vhopper_streams(server->device), NULL);
  free(server->callers);
  server->callers = malloc(room);
  if (!server->callers) die("no memory for %zu bytes of callers", room);
  server_copy_text(server->callers, room, server->payload, server->request.payload_bytes);
  return 0;
}

int server_refuse_address(struct server *server, const char *what, uint64_t address, uint64_t bytes) {
  char where[256];
  if (!server->limits.host_faults) return ERROR_INVALID_VALUE;
  const bool from_start = bytes == 0 || !vhopper_host_view(server->device, address, 1);
  const uint64_t told = from_start ? address : address + bytes - 1;
  vhopper_describe(server->device, told, where, sizeof where);
  server->was_freed = from_start && vhopper_was_freed(server->device, address);
  if (server->was_freed)
    snprintf(server->detail, sizeof server->detail, "the memory was freed before: 0x%" PRIx64 " is %s",
             address, where);
  else if (from_start)
    snprintf(server->detail, sizeof server->detail, "the address of %s, 0x%" PRIx64 ", is %s", what, address,
             where);
  else
    snprintf(server->detail, sizeof server->detail,
             "%s has %" PRIu64 " bytes from 0x%" PRIx64 " on, and the last one is %s", what, bytes, address,
             where);
  return ERROR_INVALID_VALUE;
}

static const char harm_of_freed[] =
    " Had the address been given out again, it would have hit somebody else's memory.";
static const char use_before_free[] =
    "Free memory once, after its last use: let one part of the program own it, and set the pointer to "
    "nullptr after cudaFree.";

static const char *error_name(uint32_t number) {
  static const struct {
    uint32_t number;
    const char *name;
  } errors[] = {
#define CUDA_ERROR(id, number, runtime_name, driver_name, text) {number, runtime_name},
#include "virtual-hopper/base/cuda-errors.def"
  };
  for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
    if (errors[i].number == number && errors[i].name[0]) return errors[i].name;
  return "an error";
}

int server_handle_call_failed(struct server *server) {
  const struct protocol_call_failed *body = &server->body.call_failed;
  char call[64];
  if (server->limits.host_faults &&
      server_grow((void **)&server->failures, server->failure_count, &server->failure_room,
                  sizeof *server->failures, MOST_FAILURES)) {
    struct server_failure *failure = &server->failures[server->failure_count++];
    server_copy_text(call, sizeof call, server->payload, server->request.payload_bytes);
    *failure = (struct server_failure){.launch = body->launch != 0,
                                       .freed = server->detail[0] && server->was_freed,
                                       .callers = server->callers ? strdup(server->callers) : NULL};
    snprintf(failure->text, sizeof failure->text, "%s returned %s%s%s. %s%s", call, error_name(body->error),
             server->detail[0] ? ": " : "", server->detail,
             body->launch ? "The kernel didn't run, and nothing asked for the error."
                          : "The call did nothing, and nothing asked for the error.",
             failure->freed ? harm_of_freed : "");
  }
  server->detail[0] = '\0';
  return 0;
}

static void forget_failures(struct server *server) {
  for (size_t i = 0; i < server->failure_count; i++)
    free(server->failures[i].callers);
  server->failure_count = 0;
}

int server_handle_calls_seen(struct server *server) {
  forget_failures(server);
  return 0;
}

void server_forget_host(struct server *server) {
  forget_failures(server);
  stream_order_called_from(vhopper_streams(server->device), NULL);
  free(server->failures);
  free(server->callers);
  server->failures = NULL;
  server->callers = NULL;
  server->failure_room = 0;
}

static void record(struct server *server, enum rule_id rule, enum fault_severity severity,
                   const char *callers, const char *message, const char *remedy) {
  struct fault fault = {.rule = rule, .severity = severity, .callers = callers};
  fault.place.file = "";
  fault.place.instruction = "";
  snprintf(fault.message, sizeof fault.message, "%s", message);
  snprintf(fault.remedy, sizeof fault.remedy, "%s", remedy);
  fault_record(vhopper_report(server->device), &fault);
}

static bool same_callers(const struct server_allocation *a, const struct server_allocation *b) {
  return strcmp(a->callers ? a->callers : "", b->callers ? b->callers : "") == 0;
}

// Allocations of one line of code are one fault.
static void record_leaks(struct server *server) {
  char text[320];
  for (size_t i = 0; i < server->allocation_count; i++) {
    const struct server_allocation *first = &server->allocations[i];
    uint64_t bytes = 0, count = 0;
    if (first->pinned || first->told) continue;
    for (size_t k = i; k < server->allocation_count; k++) {
      struct server_allocation *one = &server->allocations[k];
      if (one->pinned || !same_callers(one, first)) continue;
      one->told = true;
      bytes += one->bytes;
      count++;
    }
    snprintf(text, sizeof text,
             "%" PRIu64 " allocation%s made here, of %" PRIu64
             " bytes in all, %s still there when the program ends. The first has %" PRIu64
             " bytes at 0x%" PRIx64 ".",
             count, count == 1 ? "" : "s", bytes, count == 1 ? "is" : "are", first->bytes, first->address);
    record(server, RULE_LEAK, FAULT_ERROR, first->callers, text, "");
  }
}

void server_judge_host(struct server *server) {
  const bool error = server->limits.host_faults == HOST_FAULTS_ERROR;
  stream_order_settle(vhopper_streams(server->device));
  for (size_t i = 0; i < server->failure_count; i++) {
    const struct server_failure *failure = &server->failures[i];
    // A launch that never happened and memory that is used or freed again are mistakes, whatever follows.
    const bool certain = failure->launch || failure->freed;
    record(server, RULE_FAILED_CALL, error || certain ? FAULT_ERROR : FAULT_WARNING, failure->callers,
           failure->text, failure->freed ? use_before_free : "");
  }
  forget_failures(server);
  // After a device error nobody can free anything.
  if (server->limits.leaks && !vhopper_sticky_error(server->device)) record_leaks(server);
}
