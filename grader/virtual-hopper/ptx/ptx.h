// The syntax tree of a PTX module. `parse` makes the tree from PTX text, and `decode` reads the tree.
// The tree holds only names and numbers. Nothing here knows the meaning of an instruction.
// All memory belongs to the module's arena and lives as long as the module.
#ifndef VIRTUAL_HOPPER_PTX_PTX_H
#define VIRTUAL_HOPPER_PTX_PTX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "virtual-hopper/base/arena.h"

// Fundamental types and packed types, PTX ISA 5.2.
// clang-format off
enum ptx_type {
  PTX_TYPE_NONE,
  PTX_U8, PTX_U16, PTX_U32, PTX_U64,
  PTX_S8, PTX_S16, PTX_S32, PTX_S64,
  PTX_B8, PTX_B16, PTX_B32, PTX_B64, PTX_B128,
  PTX_F16, PTX_F16X2, PTX_BF16, PTX_BF16X2, PTX_F32, PTX_F32X2, PTX_F64, PTX_TF32,
  PTX_U16X2, PTX_S16X2, PTX_PRED,
  PTX_TYPE_COUNT
};
// clang-format on
size_t ptx_type_size(enum ptx_type type);           // bytes; 0 for PTX_PRED
const char *ptx_type_name(enum ptx_type type);      // "u32"
enum ptx_type ptx_type_from_name(const char *name); // without the dot; PTX_TYPE_NONE when `name` is no type

enum ptx_space { PTX_SPACE_NONE, PTX_REG, PTX_CONST, PTX_GLOBAL, PTX_LOCAL, PTX_PARAM, PTX_SHARED };

// One source position (from .loc), with the chain of inlined calls that contain it. File 0 is unknown.
struct ptx_location {
  uint32_t file;         // index into module->files
  uint32_t line, column; // line 0: code that the compiler added and that has no source line
  int32_t inlined_at;    // index into module->locations of the call site, -1 when not inlined
  uint32_t ptx_line;     // line in the PTX text, 1-based
};

struct ptx_relocation { // an address inside an initialiser
  size_t offset;
  const char *symbol;
  int64_t addend;
  bool generic; // generic(symbol): the generic address
  // Store the low `size` bytes of (address >> shift). `size` is 8 and `shift` is 0, except where a packed
  // struct is written byte by byte: 0xFF00(symbol).
  uint32_t size, shift;
};

struct ptx_variable {
  const char *name;
  enum ptx_space space;
  enum ptx_type type;
  uint32_t vector;  // elements of a .v2/.v4 type, else 1
  size_t alignment; // bytes; natural alignment when the text gives none
  size_t size;      // bytes of the whole variable; 0 for an extern array of unknown size
  bool is_extern, is_visible, is_weak, is_common, is_array, is_managed;
  uint8_t *initial;                   // `size` bytes; NULL: all zero
  struct ptx_relocation *relocations; // addresses inside the initialiser
  size_t relocation_count;
  uint32_t line; // in the PTX text
};

struct ptx_register { // one register, expanded from `%r<24>` as %r0..%r23
  const char *name;
  enum ptx_type type;
};

enum ptx_operand_kind {
  PTX_OPERAND_REGISTER, // %r1, also a predicate
  PTX_OPERAND_NOT,      // !%p1
  PTX_OPERAND_NEGATED,  // -%r1 where the grammar allows it
  PTX_OPERAND_SPECIAL,  // %tid.x, %laneid, %clock64, WARP_SZ
  PTX_OPERAND_INTEGER,  // 42, 0x2A: 'integer' holds the 64-bit pattern
  PTX_OPERAND_FLOAT,    // 0f3F800000, 0d..., 1.5: 'integer' holds the bits, 'type' is PTX_F32 or PTX_F64
  PTX_OPERAND_SYMBOL,   // variable, function, label or param name, plus 'integer' as byte offset
  // [base + integer]: elements[0] is the base (REGISTER or SYMBOL); without a base the address is absolute
  PTX_OPERAND_ADDRESS,
  PTX_OPERAND_VECTOR, // {a, b, ...} of 'count' elements
  // [map + integer, {c0, c1}] or [map, {c0}, ...]: elements[0] is the base, elements[1] is the VECTOR,
  // elements[2..] are the other operands
  PTX_OPERAND_TENSOR,
  PTX_OPERAND_SINK, // _
  PTX_OPERAND_PAIR, // p|q: elements[0], elements[1]
  PTX_OPERAND_LIST, // (a, b): call arguments
};
struct ptx_operand {
  enum ptx_operand_kind kind;
  enum ptx_type type;      // FLOAT only
  uint32_t register_index; // REGISTER, NOT, NEGATED: index into function->registers
  const char *name;        // SPECIAL, SYMBOL; for registers their own name, for messages
  int64_t integer;
  uint32_t count;
  struct ptx_operand *elements;
};

// The opcode of a mark: interface/timeline.cuh. Its modifier is "begin" or "end", its `text` the range's
// name. No text can spell this opcode.
#define PTX_MARK "{timeline}"
enum { PTX_MAX_MODIFIERS = 24 };
struct ptx_instruction {
  const char *opcode; // "cp" of cp.async.bulk...
  // "async", "bulk", "shared::cluster", ...: the words after the dots, interned
  const char *modifiers[PTX_MAX_MODIFIERS];
  uint32_t modifier_count;
  int32_t guard; // register index of @%p, -1 when unguarded
  bool guard_negated;
  // The comma-separated operands, in order. For call:
  // [LIST results] SYMBOL|REGISTER [LIST arguments] [SYMBOL prototype/table]
  struct ptx_operand *operands;
  uint32_t operand_count;
  int32_t location; // index into module->locations, -1 when unknown
  uint32_t ptx_line;
  const char *text; // the statement as one line, for messages
};

struct ptx_label {
  const char *name;
  uint32_t instruction; // index of the next instruction; instruction_count when no instruction follows
};
struct ptx_branch_targets { // .branchtargets, .calltargets
  const char *name;
  const char **labels;
  uint32_t count;
};
struct ptx_prototype { // .callprototype
  const char *name;
  struct ptx_variable *results, *parameters;
  uint32_t result_count, parameter_count;
};

struct ptx_function {
  const char *name; // an .alias is a second function that shares the first one's body
  bool is_entry, is_extern, is_weak, is_visible, has_body, is_noreturn;
  uint32_t line;
  // .param or .reg; a .reg parameter is also in `registers`, under the same name:
  struct ptx_variable *results, *parameters;
  uint32_t result_count, parameter_count;
  // includes the registers of inner scopes; each register has its own index
  struct ptx_register *registers;
  uint32_t register_count;
  // .local, .shared, .param declared in the body; variables of inner scopes get a unique name: "param0#3"
  struct ptx_variable *variables;
  uint32_t variable_count;
  struct ptx_instruction *instructions;
  uint32_t instruction_count;
  // includes the labels, tables and prototypes of inner scopes, with unique names:
  struct ptx_label *labels;
  uint32_t label_count;
  struct ptx_branch_targets *targets;
  uint32_t target_count;
  struct ptx_prototype *prototypes;
  uint32_t prototype_count;
  // launch requirements:
  uint32_t required_threads[3], max_threads[3]; // .reqntid, .maxntid; 0 when absent
  uint32_t required_cluster[3];                 // .reqnctapercluster; 0 when absent
  bool explicit_cluster, blocks_are_clusters;   // .explicitcluster, .blocksareclusters
  uint32_t max_registers, min_blocks;           // .maxnreg, .minnctapersm; 0 when absent
};

struct ptx_module {
  struct arena *arena;
  uint32_t version_major, version_minor;
  const char *target; // "sm_90"
  bool is_debug;      // .target NAME, debug: nvcc -G
  bool keeps_loops;   // the machine code beside it was made with -Xptxas -O0 or -O1
  uint32_t address_size;
  const char **files; // .file N "name": index N; [0] is ""
  uint32_t file_count;
  bool *file_is_library; // of each file, by fault_look_at_files; NULL: not looked at
  struct ptx_location *locations;
  uint32_t location_count;
  struct ptx_variable *variables;
  uint32_t variable_count;
  struct ptx_function *functions; // declarations and definitions; a definition replaces its declaration
  uint32_t function_count;
};

struct ptx_error {
  uint32_t line; // in the PTX text, 1-based
  char message[256];
  bool needs_memory; // the text may be PTX, but needs more memory than its limit
};

// Parses `length` bytes of PTX. Returns NULL and fills `error` when the text is not PTX. No bytes can crash
// this function.
struct ptx_module *ptx_parse(const char *text, size_t length, struct ptx_error *error);
// The same as ptx_parse, with a memory limit of `bytes`. A larger `bytes` does not raise ptx_parse's own
// limit.
struct ptx_module *ptx_parse_within(const char *text, size_t length, size_t bytes, struct ptx_error *error);
void ptx_module_free(struct ptx_module *module);

// True when the instruction carries the modifier, spelt without its dot.
bool ptx_has_modifier(const struct ptx_instruction *instruction, const char *modifier);

#endif
