// What a program's calls may ask of the device. In: the size of a request, before it is carried out. Out:
// whether there is work left for it. The idea: work is counted and never timed, so the same program ends at
// the same request on every machine; and what would take too long is not begun.
#include "virtual-hopper/server/internal.h"

#include <stdarg.h>
#include <stdio.h>

#include "virtual-hopper/base/checked.h"

// A unit is about 25 ns of a processor: a short row. A request takes some microseconds, a launch some more
// besides what its kernel does.
enum { WORK_OF_REQUEST = 128, WORK_OF_LAUNCH = 2048 };
#ifdef VHOPPER_FUZZ_LIMITS // so that rows reach the limit long before bytes use up the budget of memory
enum { BYTES_OF_UNIT = 4096 };
#else
enum { BYTES_OF_UNIT = 256 };
#endif

void server_renew_work(struct server *server) {
  server->work = 0;
}

bool server_charge(struct server *server, uint64_t work, const char *format, ...) {
  const uint64_t most = server->limits.work;
  if (!most) return true;
  if (!server->spent && checked_add(server->work, work, &server->work) && server->work <= most) return true;
  server->work = most;
  if (server->spent) return false;
  server->spent = true;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(server->reason, sizeof server->reason, format, arguments);
  va_end(arguments);
  return false;
}

bool server_charge_request(struct server *server) {
  const bool launches = server->request.operation == PROTOCOL_LAUNCH;
  return server_charge(
      server, launches ? WORK_OF_LAUNCH : WORK_OF_REQUEST, "%s number %llu of the program",
      launches ? "launch" : "call",
      (unsigned long long)(launches ? server->counters.launches : server->counters.requests));
}

bool server_charge_rows(struct server *server, uint64_t rows, uint64_t width) {
  uint64_t bytes = 0, work = 0;
  const bool fits = checked_multiply(rows, width, &bytes) && checked_add(rows, bytes / BYTES_OF_UNIT, &work);
  return server_charge(
      server, fits ? work : UINT64_MAX, "%llu row%s of %llu byte%s that are copied, filled or allocated",
      (unsigned long long)rows, rows == 1 ? "" : "s", (unsigned long long)width, width == 1 ? "" : "s");
}
