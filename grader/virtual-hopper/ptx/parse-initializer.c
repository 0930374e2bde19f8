// In: the text after the "=" of a variable. Out: the variable's bytes, and the offsets that need an address.
// The one idea: a position moves through the array in memory order, and each value is stored there. An inner
// brace starts a sub-array at the position. When the brace closes, the position moves to the end of the
// sub-array, so a short list leaves zeroes. PTX ISA 5.4.4.
#include "virtual-hopper/base/checked.h"
#include "virtual-hopper/ptx/parse.h"

#include <string.h>

struct filling {
  struct ptx_variable *variable;
  struct shape *shape;
  uint64_t element_size;
  uint64_t position; // byte offset of the next value
};

// Returns the bytes of one item at brace level `level`: a whole row, or one element at the innermost level.
static uint64_t size_of_level(struct parser *parser, const struct filling *filling, uint32_t level) {
  uint64_t size = filling->element_size;
  for (uint32_t i = level + 1; i < filling->shape->count; i++) {
    if (!checked_multiply(size, filling->shape->dimensions[i], &size))
      parse_fail_at(parser, filling->variable->line, "a row of more than 2^64 bytes");
  }
  return size;
}

// Moves the position to `end`. `end` must lie inside the variable. When the variable's length is not given,
// `end` must lie inside the largest size that an initialised variable may have.
static void move_to(struct parser *parser, struct filling *filling, uint64_t end, uint32_t line) {
  if (filling->shape->first_unknown ? end > PARSE_MEMORY_LIMIT : end > filling->variable->size) {
    if (filling->shape->first_unknown)
      parse_fail_at(parser, line, "an initialised variable of more than %d MiB", PARSE_MEMORY_LIMIT >> 20);
    parse_fail_at(parser, line, "more values than the variable has elements");
  }
  filling->position = end;
}

// Returns the bytes of the next element. The bytes grow when the array's length is not given.
static uint8_t *next_element(struct parser *parser, struct filling *filling, uint32_t line) {
  uint64_t start = filling->position, end;
  if (!checked_add(start, filling->element_size, &end)) end = UINT64_MAX;
  move_to(parser, filling, end, line);
  if (end > parser->bytes.count) list_extend(parser, &parser->bytes, (size_t)(end - parser->bytes.count), 1);
  return (uint8_t *)parser->bytes.items + start;
}

static uint64_t bits_of_constant(struct parser *parser, struct constant value, enum ptx_type type,
                                 uint32_t line) {
  bool is_float = value.type == PTX_F32 || value.type == PTX_F64;
  double number = value.type == PTX_S64 ? (double)(int64_t)value.bits : (double)value.bits;
  float single;
  uint32_t low = (uint32_t)value.bits;
  if (value.type == PTX_F64) memcpy(&number, &value.bits, sizeof number);
  if (value.type == PTX_F32) {
    memcpy(&single, &low, sizeof single);
    number = single;
  }
  switch (type) {
  case PTX_F64: memcpy(&value.bits, &number, sizeof number); return value.bits;
  case PTX_F32:
    if (value.type == PTX_F32) return low;
    single = (float)number;
    memcpy(&low, &single, sizeof low);
    return low;
  case PTX_F16:
  case PTX_F16X2:
  case PTX_BF16:
  case PTX_BF16X2: // PTX ISA 5.4.4
    parse_fail_at(parser, line, "a variable of this type can't be initialised: declare it .b16 or .b32");
  default:
    if (is_float && ptx_type_size(type) < (value.type == PTX_F32 ? 4 : 8)) {
      parse_fail_at(parser, line, "a floating-point value for a .%s variable", ptx_type_name(type));
    }
    return value.bits;
  }
}

// Adds an address at the element. Consecutive bytes of the same address become one relocation.
static void add_relocation(struct parser *parser, struct ptx_relocation relocation) {
  struct ptx_relocation *last = parser->relocations.items;
  if (parser->relocations.count) {
    last += parser->relocations.count - 1;
    bool continues = last->symbol == relocation.symbol && last->addend == relocation.addend &&
                     last->generic == relocation.generic && last->size < 8 && relocation.size == 1 &&
                     last->offset + last->size == relocation.offset &&
                     last->shift + 8 * last->size == relocation.shift;
    if (continues) {
      last->size++;
      return;
    }
  }
  *(struct ptx_relocation *)list_extend(parser, &parser->relocations, 1, sizeof relocation) = relocation;
}

// address = ("generic" "(" name offset ")" | name) offset
static void parse_address(struct parser *parser, struct ptx_relocation *relocation) {
  bool generic = parse_at_name(parser, KEYWORD_GENERIC);
  if (generic) {
    parse_advance(parser);
    parse_expect(parser, '(');
  }
  uint32_t line = parser->token.line;
  struct name *name = parse_expect_name(parser, "a number or the name of a variable or a function");
  uint64_t addend = (uint64_t)parse_offset(parser);
  if (generic) parse_expect(parser, ')');
  relocation->addend = (int64_t)(addend + (uint64_t)parse_offset(parser));
  relocation->generic = generic;
  // The name belongs to the module and is not renamed. It is looked up when the text ends, so a later
  // definition counts, too.
  relocation->symbol = name->text;
  struct pending_name *pending = list_extend(parser, &parser->unresolved, 1, sizeof *pending);
  *pending = (struct pending_name){.name = name, .line = line};
}

// mask = ("0xFF" | "0xFF00" | ...) "(" address ")": one byte of an address                     PTX ISA 5.4.4
static void parse_mask(struct parser *parser, uint64_t mask, uint32_t line,
                       struct ptx_relocation *relocation) {
  while (relocation->shift < 56 && mask >> relocation->shift != 0xFF)
    relocation->shift += 8;
  if (mask != (uint64_t)0xFF << relocation->shift) {
    parse_fail_at(parser, line, "a mask before '(' picks one byte of an address: 0xFF, 0xFF00, ...");
  }
  relocation->size = 1;
  parse_expect(parser, '(');
  parse_address(parser, relocation);
  parse_expect(parser, ')');
}

// value = mask | address | constant
static void parse_value(struct parser *parser, struct filling *filling) {
  uint32_t line = parser->token.line;
  struct ptx_relocation relocation = {.offset = (size_t)filling->position};
  uint8_t *element = next_element(parser, filling, line);
  if (parser->token.kind == TOKEN_NAME && !parse_at_constant(parser)) {
    relocation.size = (uint32_t)filling->element_size;
    if (relocation.size != 4 && relocation.size != 8) {
      parse_fail_at(parser, line, "an address needs an element of 4 or 8 bytes, or a mask like 0xFF(...)");
    }
    parse_address(parser, &relocation);
    add_relocation(parser, relocation);
    return;
  }
  if (!parse_at_constant(parser)) parse_expected(parser, "a number or the name of a variable or a function");
  bool single_integer = parser->token.kind == TOKEN_INTEGER;
  struct constant value = parse_constant(parser);
  if (single_integer && parse_at(parser, '(')) {
    parse_mask(parser, value.bits, line, &relocation);
    add_relocation(parser, relocation);
    return;
  }
  uint64_t bits = bits_of_constant(parser, value, filling->variable->type, line);
  // The host and the device are both little-endian.
  memcpy(element, &bits, filling->element_size < 8 ? (size_t)filling->element_size : 8);
}

static void parse_list(struct parser *parser, struct filling *filling, uint32_t level);

// Parses one row of a list. An empty row moves the position, too, so the end of the row is checked like the
// end of a value.
static void parse_row(struct parser *parser, struct filling *filling, uint32_t level) {
  uint32_t line = parser->token.line;
  uint64_t end;
  if (!checked_add(filling->position, size_of_level(parser, filling, level), &end)) end = UINT64_MAX;
  parse_list(parser, filling, level + 1);
  if (filling->position > end) parse_fail_at(parser, line, "a row with more values than it has elements");
  move_to(parser, filling, end, line);
}

// list = "{" ((list | value) ("," (list | value))* ","?)? "}"
static void parse_list(struct parser *parser, struct filling *filling, uint32_t level) {
  parse_enter(parser);
  uint32_t line = parser->token.line;
  uint32_t deepest = filling->shape->count ? filling->shape->count - 1 : 0;
  if (level > deepest) parse_fail_at(parser, line, "more levels of '{' than the variable has dimensions");
  parse_expect(parser, '{');
  while (!parse_at(parser, '}')) {
    if (parse_at(parser, '{')) {
      parse_row(parser, filling, level);
    } else {
      parse_value(parser, filling);
    }
    if (!parse_accept(parser, ',')) break;
  }
  parse_expect(parser, '}');
  parse_leave(parser);
}

// An array without a length takes the length of its initialiser, rounded up to whole rows.
static void set_unknown_size(struct parser *parser, struct filling *filling) {
  uint64_t row = size_of_level(parser, filling, 0), size;
  if (row == 0 && filling->position > 0)
    parse_fail_at(parser, filling->variable->line, "more values than the variable has elements");
  if (!checked_align_up(filling->position, row, &size) || size > PARSE_MEMORY_LIMIT) {
    parse_fail_at(parser, filling->variable->line, "an initialised variable of more than %d MiB",
                  PARSE_MEMORY_LIMIT >> 20);
  }
  filling->shape->dimensions[0] = row ? size / row : 0;
  filling->variable->size = (size_t)size;
}

// initializer = list | value
void parse_initializer(struct parser *parser, struct ptx_variable *variable, struct shape *shape) {
  struct filling filling = {variable, shape, ptx_type_size(variable->type), 0};
  parser->bytes.count = 0;
  parser->relocations.count = 0;
  if (parse_at(parser, '{')) {
    parse_list(parser, &filling, 0);
  } else {
    parse_value(parser, &filling);
  }
  if (shape->first_unknown) set_unknown_size(parser, &filling);
  variable->initial = parse_allocate(parser, variable->size, 1);
  size_t given = parser->bytes.count < variable->size ? parser->bytes.count : variable->size;
  if (given) memcpy(variable->initial, parser->bytes.items, given);
  variable->relocation_count = parser->relocations.count;
  variable->relocations = list_take(parser, &parser->relocations, 0, sizeof(struct ptx_relocation));
}
