// In: any bytes. The parser must return a syntax tree or an error. A tree must keep every promise of ptx.h:
// indices are in range, names are present, and chains of inlined calls end. A broken promise aborts. Some
// texts are linked with themselves, too, and what comes out is parsed. The linker's work is counted: it may
// compare each token with a few texts, but not with every name that there is.
#include "virtual-hopper/base/budget.h"
#include "virtual-hopper/ptx/link.h"
#include "virtual-hopper/ptx/ptx.h"

#include <stdlib.h>
#include <string.h>

static void require(bool promise) {
  if (!promise) abort();
}

static void check_name(const char *name) {
  // strlen runs under the address sanitizer: the name must end
  require(name != NULL && strlen(name) < SIZE_MAX / 2);
}

static void check_operand(const struct ptx_function *function, const struct ptx_operand *operand) {
  switch (operand->kind) {
  case PTX_OPERAND_REGISTER:
  case PTX_OPERAND_NOT:
  case PTX_OPERAND_NEGATED:
    require(operand->register_index < function->register_count);
    check_name(operand->name);
    break;
  case PTX_OPERAND_SPECIAL:
  case PTX_OPERAND_SYMBOL: check_name(operand->name); break;
  case PTX_OPERAND_FLOAT: require(operand->type == PTX_F32 || operand->type == PTX_F64); break;
  case PTX_OPERAND_ADDRESS:
    require(operand->count <= 1);
    if (operand->count == 1) {
      require(operand->elements[0].kind == PTX_OPERAND_REGISTER ||
              operand->elements[0].kind == PTX_OPERAND_SYMBOL);
    }
    break;
  case PTX_OPERAND_TENSOR:
  case PTX_OPERAND_PAIR: require(operand->count >= 2); break;
  case PTX_OPERAND_VECTOR: require(operand->count >= 1); break;
  case PTX_OPERAND_INTEGER:
  case PTX_OPERAND_SINK: require(operand->count == 0); break;
  case PTX_OPERAND_LIST: break;
  default: require(false);
  }
  for (uint32_t i = 0; i < operand->count; i++)
    check_operand(function, &operand->elements[i]);
}

static void check_variable(const struct ptx_variable *variable) {
  check_name(variable->name);
  require(variable->space != PTX_SPACE_NONE && variable->type != PTX_TYPE_NONE && variable->vector >= 1);
  require(variable->alignment > 0 || variable->type == PTX_PRED);
  unsigned sum = 0;
  for (size_t i = 0; variable->initial && i < variable->size; i++)
    sum += variable->initial[i];
  for (size_t i = 0; i < variable->relocation_count; i++) {
    const struct ptx_relocation *relocation = &variable->relocations[i];
    check_name(relocation->symbol);
    require(relocation->size >= 1 && relocation->size <= 8 && relocation->shift <= 56);
    require(relocation->offset < variable->size && relocation->size <= variable->size - relocation->offset);
  }
  // the sum must be used, so that the compiler keeps the reads
  require(sum != 1u << 31 || variable->size > 0);
}

static void check_variables(const struct ptx_variable *variables, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    check_variable(&variables[i]);
}

static void check_instruction(const struct ptx_module *module, const struct ptx_function *function,
                              const struct ptx_instruction *instruction) {
  check_name(instruction->opcode);
  check_name(instruction->text);
  require(instruction->modifier_count <= PTX_MAX_MODIFIERS);
  for (uint32_t i = 0; i < instruction->modifier_count; i++)
    check_name(instruction->modifiers[i]);
  require(instruction->guard >= -1 && instruction->guard < (int64_t)function->register_count);
  require(instruction->location >= -1 && instruction->location < (int64_t)module->location_count);
  for (uint32_t i = 0; i < instruction->operand_count; i++)
    check_operand(function, &instruction->operands[i]);
}

static void check_function(const struct ptx_module *module, const struct ptx_function *function) {
  check_name(function->name);
  check_variables(function->results, function->result_count);
  check_variables(function->parameters, function->parameter_count);
  check_variables(function->variables, function->variable_count);
  for (uint32_t i = 0; i < function->register_count; i++)
    check_name(function->registers[i].name);
  for (uint32_t i = 0; i < function->instruction_count; i++) {
    check_instruction(module, function, &function->instructions[i]);
  }
  for (uint32_t i = 0; i < function->label_count; i++) {
    check_name(function->labels[i].name);
    require(function->labels[i].instruction <= function->instruction_count);
  }
  for (uint32_t i = 0; i < function->target_count; i++) {
    check_name(function->targets[i].name);
    for (uint32_t j = 0; j < function->targets[i].count; j++)
      check_name(function->targets[i].labels[j]);
  }
  for (uint32_t i = 0; i < function->prototype_count; i++) {
    check_name(function->prototypes[i].name);
    check_variables(function->prototypes[i].results, function->prototypes[i].result_count);
    check_variables(function->prototypes[i].parameters, function->prototypes[i].parameter_count);
  }
}

static void check_module(const struct ptx_module *module) {
  require(module->file_count >= 1);
  for (uint32_t i = 0; i < module->file_count; i++)
    check_name(module->files[i]);
  for (uint32_t i = 0; i < module->location_count; i++) {
    const struct ptx_location *location = &module->locations[i];
    require(location->file < module->file_count);
    require(location->inlined_at >= -1 && location->inlined_at < (int64_t)i); // so every chain ends
  }
  check_variables(module->variables, module->variable_count);
  for (uint32_t i = 0; i < module->function_count; i++)
    check_function(module, &module->functions[i]);
}

static void parse(const char *text, size_t length) {
  struct ptx_error error;
  struct ptx_module *module = ptx_parse(text, length, &error);
  if (module) {
    check_module(module);
  } else {
    require(error.message[0] && strlen(error.message) < sizeof error.message && error.line >= 1);
  }
  ptx_module_free(module);
}

// Every call of memcmp comes here (--wrap=memcmp), so nobody's own counting is believed.
static size_t comparisons;
int __real_memcmp(const void *a, const void *b, size_t length);
int __wrap_memcmp(const void *a, const void *b, size_t length);
int __wrap_memcmp(const void *a, const void *b, size_t length) {
  comparisons++;
  return __real_memcmp(a, b, length);
}

static void link_with_itself(const uint8_t *bytes, size_t length) {
  char *text = malloc(length + 1);
  size_t linked_length = 0;
  require(text != NULL);
  if (length) memcpy(text, bytes, length);
  text[length] = '\0';
  char *linked;
  struct budget budget = {.limit = 1 << 16};
  comparisons = 0;
  const enum ptx_link_result result = ptx_link((char *[]){text, text}, 2, &budget, &linked, &linked_length);
  require(comparisons <= 8 * (length + 8));
  require((linked != NULL) == (result == PTX_LINK_DONE));
  require(!linked || strlen(linked) == linked_length);
  require(budget.used == (linked ? linked_length + 1 : 0));
  if (linked) parse(linked, linked_length);
  free(linked);
  free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  parse((const char *)bytes, length);
  if (length % 4 == 0) link_with_itself(bytes, length);
  return 0;
}
