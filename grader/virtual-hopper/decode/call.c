// Decodes call: PTX ISA 9.7.12.5. A call of a system function (vprintf, malloc and others) becomes
// its own kind of op.
#include <string.h>

#include "virtual-hopper/base/checked.h"
#include "virtual-hopper/decode/decoder.h"
#include "virtual-hopper/execute/access.h"
#include "virtual-hopper/execute/child.h"
#include "virtual-hopper/execute/flow.h"
#include "virtual-hopper/execute/memory.h"
#include "virtual-hopper/execute/system.h"

static op_execute *system_function(const char *name, uint32_t *arguments) {
  static const struct {
    const char *name;
    op_execute *execute;
    uint32_t arguments;
  } table[] = {{"vprintf", system_printf, 2},
               {"__assertfail", system_assert_fail, 5},
               {"malloc", system_malloc, 1},
               {"free", system_free, 1},
               {"cudaGraphSetConditional", system_set_condition, 2}};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    if (strcmp(name, table[i].name) != 0) continue;
    *arguments = table[i].arguments;
    return table[i].execute;
  }
  return NULL;
}

// The argument is a register or an immediate: an op before the call stores it into a slot of its own.
static bool store_argument(struct decoder *d, const struct ptx_operand *operand, struct call_slot *slot) {
  enum ptx_type type = decode_register_type(d, operand);
  if (type == PTX_TYPE_NONE) type = operand->kind == PTX_OPERAND_FLOAT ? operand->type : PTX_B64;
  size_t bytes = ptx_type_size(type);
  uint32_t source = decode_source(d, operand, type);
  if (decode_failed(d) || bytes == 0)
    return decode_error(d, d->instruction, "a call can't pass this argument");
  uint64_t end = d->function->call_area_bytes, start;
  if (!checked_place(&end, 16, 16, DECODE_MOST_CALL_AREA, &start))
    return decode_error(d, d->instruction, "the arguments of the function's calls take more than %u bytes",
                        DECODE_MOST_CALL_AREA);
  d->function->call_area_bytes = (uint32_t)end;
  slot->offset = (uint32_t)start;
  slot->bytes = (uint32_t)bytes;
  struct access_plan *plan = decode_allocate(d, sizeof *plan);
  *plan = (struct access_plan){.bytes = slot->bytes,
                               .registers = {source},
                               .storage = (uint8_t)decode_storage(type),
                               .is_call_slot = true};
  struct op *op = decode_emit(d);
  op->execute = memory_store;
  op->space = PTX_PARAM;
  op->width = (uint8_t)bytes;
  op->count = 1;
  op->immediate = slot->offset;
  op->extra = plan;
  return true;
}

static bool read_slots(struct decoder *d, const struct ptx_operand *list, struct call_slot **slots,
                       uint32_t *count, bool results) {
  *count = list ? list->count : 0;
  *slots = decode_allocate(d, (*count + 1) * sizeof **slots);
  for (uint32_t i = 0; i < *count; i++) {
    const struct ptx_operand *operand = &list->elements[i];
    struct call_slot *slot = &(*slots)[i];
    if (operand->kind == PTX_OPERAND_SYMBOL) {
      if (!decode_call_slot(d, operand->name, &slot->offset, &slot->bytes))
        return decode_error(d, d->instruction, "`%s` is no .param variable", operand->name);
    } else if (results && operand->kind == PTX_OPERAND_SINK) {
      slot->bytes = 0;
    } else if (results) {
      return decode_error(d, d->instruction, "results in registers aren't supported; use a .param variable");
    } else if (!store_argument(d, operand, slot)) {
      return false;
    }
  }
  return true;
}

static bool check_callee(struct decoder *d, const struct ptx_instruction *in,
                         const struct ptx_function *callee, const struct call_site *site) {
  if (callee->is_entry)
    return decode_error(d, in, "`%s` is a kernel, and a call takes a function", callee->name);
  if (callee->parameter_count != site->argument_count || callee->result_count < site->result_count)
    return decode_error(d, in, "`%s` takes %u arguments and gives %u results", callee->name,
                        callee->parameter_count, callee->result_count);
  for (uint32_t i = 0; i < callee->parameter_count; i++)
    if (callee->parameters[i].space != PTX_PARAM)
      return decode_error(d, in, "`%s` takes arguments in registers, which isn't supported", callee->name);
  for (uint32_t i = 0; i < callee->result_count; i++)
    if (callee->results[i].space != PTX_PARAM)
      return decode_error(d, in, "`%s` gives results in registers, which isn't supported", callee->name);
  return true;
}

static const char runtime_prefix[] = "__cudaCDP2"; // of functions of CUDA's runtime that kernels call

static bool decode_named(struct decoder *d, const struct ptx_instruction *in, const char *name,
                         struct call_site *site, struct op *op) {
  site->callee = program_reach(d->program, name);
  if (site->callee >= 0) {
    op->execute = flow_call;
    return check_callee(d, in, d->program->functions[site->callee]->source, site);
  }
  uint32_t arguments = 0;
  op->execute = system_function(name, &arguments);
  if (!op->execute && (op->execute = child_function(name, &arguments))) d->program->launches_kernels = true;
  if (!op->execute && strncmp(name, runtime_prefix, sizeof runtime_prefix - 1) == 0)
    return decode_error(d, in, "the kernel calls cuda%s, which this device has for the host alone",
                        name + sizeof runtime_prefix - 1);
  if (!op->execute)
    return decode_error(
        d, in, "the function `%s` isn't defined in this module, and this device has none of that name", name);
  if (op->execute == system_malloc || op->execute == system_free || op->execute == child_allocate)
    d->program->uses_device_heap = true;
  return site->argument_count == arguments || decode_error(d, in, "`%s` takes %u arguments", name, arguments);
}

bool decode_call(struct decoder *d, const struct ptx_instruction *in, struct op *op) {
  const struct ptx_operand *results = NULL, *arguments = NULL, *target = NULL;
  for (uint32_t i = 0; i < in->operand_count; i++) {
    const struct ptx_operand *operand = &in->operands[i];
    if (operand->kind != PTX_OPERAND_LIST) {
      if (!target) target = operand;
    } else if (target) {
      arguments = operand;
    } else {
      results = operand;
    }
  }
  if (!target) return decode_error(d, in, "nothing to call");
  struct call_site *site = decode_allocate(d, sizeof *site);
  op->extra = site;
  if (!read_slots(d, results, &site->results, &site->result_count, true)) return false;
  if (!read_slots(d, arguments, &site->arguments, &site->argument_count, false)) return false;
  if (target->kind == PTX_OPERAND_SYMBOL) return decode_named(d, in, target->name, site, op);
  site->callee = -1;
  op->a = decode_source(d, target, PTX_U64);
  op->execute = flow_call;
  return true;
}
