// Programs that are long rather than odd. Whatever they name, and however often, they are loaded and decoded
// in a time that grows with their length, not with its square. At these lengths the square takes a minute or
// more, and no deadline stops the device while it reads a module.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include <cmocka.h>

#include "virtual-hopper/device/vhopper.h"
#include "virtual-hopper/rules/fault.h"

// SECONDS count processor time, which a busy machine doesn't use up.
enum { MANY = 150000, SECONDS = 50, LAST = MANY - 1 };

static void begin(FILE *out) {
  fputs(".visible .entry k()\n{\n.reg .b64 %d;\n.reg .b32 %r<200>;\n.reg .pred %p;\n", out);
}

static void write_labels(FILE *out) {
  begin(out);
  for (int i = 0; i < MANY; i++)
    fprintf(out, "bra L%d;\nL%d:\n", i, i);
}

static void write_variables(FILE *out) {
  for (int i = 0; i < MANY; i++)
    fprintf(out, ".global .u32 v%d;\n", i);
  fprintf(out, ".global .u64 t[%d] = {v0", MANY);
  for (int i = 1; i < MANY; i++)
    fprintf(out, ", v%d", LAST);
  fputs("};\n", out);
  begin(out);
  for (int i = 0; i < MANY; i++)
    fprintf(out, "mov.u64 %%d, v%d;\n", LAST);
}

static void write_shared_variables(FILE *out) {
  for (int i = 0; i < MANY; i++)
    fprintf(out, ".shared .b8 s%d;\n", i);
  begin(out);
  for (int i = 0; i < MANY; i++)
    fprintf(out, "mov.u64 %%d, s%d;\n", LAST - i % 2);
}

static void write_own_variables(FILE *out) {
  begin(out);
  for (int i = 0; i < MANY; i++)
    fprintf(out, ".local .b8 l%d;\n", i);
  for (int i = 0; i < MANY; i++)
    fprintf(out, "mov.u64 %%d, l%d;\n", LAST);
}

static void write_functions(FILE *out) {
  for (int i = 0; i < MANY; i++)
    fprintf(out, ".func f%d()\n{\nret;\n}\n", i);
  begin(out);
  for (int i = 0; i < MANY; i++)
    fprintf(out, "call f%d;\n", i);
}

static void write_tables(FILE *out) {
  begin(out);
  fputs("T: .branchtargets E0", out);
  for (int i = 1; i < MANY; i++)
    fprintf(out, ", E%d", i);
  fputs(";\n", out);
  for (int i = 0; i < MANY; i++)
    fprintf(out, "@%%p brx.idx %%r0, T;\nE%d:\n", i);
}

// Each loop overlaps the one before.
static void write_loops(FILE *out) {
  begin(out);
  fputs("setp.ne.u32 %p, %r0, %r0;\nL0:\n", out);
  for (int i = 1; i < MANY; i++)
    fprintf(out, "L%d:\nadd.u32 %%r%d, %%r%d, 1;\n@%%p bra L%d;\n", i, i % 200, (i + 1) % 200, i - 1);
}

// ---- names and constants that would collide if their hash were predictable ----

static uint32_t fnv(uint32_t hash, const char *text) {
  for (; *text; text++)
    hash = (hash ^ (unsigned char)*text) * 16777619u;
  return hash;
}

enum { SPELLED = 6, SPELLINGS = 400000 };

struct spelling {
  uint32_t hash;
  char text[SPELLED + 1];
};

static int by_hash(const void *left, const void *right) {
  const struct spelling *a = left, *b = right;
  return a->hash == b->hash ? strcmp(a->text, b->text) : a->hash > b->hash ? 1 : -1;
}

// Finds two spellings of a few letters that lead from this state of FNV-1a to the same next state. Returns
// that state.
static uint32_t find_pair(uint32_t state, char pair[2][SPELLED + 1]) {
  static struct spelling all[SPELLINGS];
  uint64_t drawn = 1;
  for (int i = 0; i < SPELLINGS; i++) {
    for (int letter = 0; letter < SPELLED; letter++) {
      drawn = drawn * 6364136223846793005u + 1442695040888963407u;
      all[i].text[letter] = (char)('a' + (drawn >> 33) % 26);
    }
    all[i].hash = fnv(state, all[i].text);
  }
  qsort(all, SPELLINGS, sizeof *all, by_hash);
  for (int i = 1; i < SPELLINGS; i++) {
    if (all[i].hash != all[i - 1].hash || strcmp(all[i].text, all[i - 1].text) == 0) continue;
    memcpy(pair[0], all[i - 1].text, sizeof all[i].text);
    memcpy(pair[1], all[i].text, sizeof all[i].text);
    return all[i].hash;
  }
  fail_msg("no two spellings collide");
  return 0;
}

// Each name takes one spelling of each pair, so all names have the same FNV-1a hash.
static void write_colliding_names(FILE *out) {
  enum { PAIRS = 17 };
  char pairs[PAIRS][2][SPELLED + 1];
  uint32_t state = 2166136261u;
  for (int i = 0; i < PAIRS; i++)
    state = find_pair(state, pairs[i]);
  for (int name = 0; name < 1 << PAIRS; name++) {
    fputs(".global .u32 ", out);
    for (int i = 0; i < PAIRS; i++)
      fputs(pairs[i][name >> i & 1], out);
    fputs(";\n", out);
  }
  begin(out);
}

// Writes values whose products with the golden ratio's bits, 0x9e3779b97f4a7c15, differ only in their lowest
// half.
static void write_colliding_constants(FILE *out) {
  const uint64_t inverse = 0xf1de83e19937733du; // the inverse of 0x9e3779b97f4a7c15
  begin(out);
  for (uint64_t i = 1; i < 3 * MANY; i++) {
    const uint64_t mixed = i * inverse; // = value ^ value >> 29
    uint64_t value = mixed ^ mixed >> 29;
    value = mixed ^ value >> 29;
    value = mixed ^ value >> 29;
    fprintf(out, "mov.b64 %%d, 0x%llx;\n", (unsigned long long)value);
  }
}

// Ends the process by SIGPROF when it has used `seconds` more of processor time. 0: no limit.
static void set_limit(long seconds) {
  assert_int_equal(setitimer(ITIMER_PROF, &(struct itimerval){.it_value.tv_sec = seconds}, NULL), 0);
}

struct program {
  const char *name;
  void (*write)(FILE *out);
};

static void test_program(void **state) {
  const struct program *program = *state;
  char *text = NULL, *error = NULL;
  size_t length;
  struct vhopper_module *module;
  FILE *out = open_memstream(&text, &length);
  assert_non_null(out);
  fputs(".version 8.7\n.target sm_90\n.address_size 64\n", out);
  program->write(out);
  fputs("ret;\n}\n", out);
  fclose(out);
  struct vhopper *v = vhopper_create(&(struct vhopper_options){.workers = 1, .launch_deadline = 1});
  set_limit(SECONDS);
  if (vhopper_module_load(v, text, length, &module, &error)) fail_msg("%s", error);
  struct vhopper_function *kernel = vhopper_module_function(module, "k");
  assert_non_null(kernel);
  vhopper_function_info(kernel);
  set_limit(0);
  free(text);
  vhopper_destroy(v);
}

int main(void) {
  static struct program programs[] = {
      {"labels", write_labels},
      {"variables", write_variables},
      {"shared variables", write_shared_variables},
      {"own variables", write_own_variables},
      {"functions", write_functions},
      {"tables", write_tables},
      {"loops", write_loops},
      {"colliding names", write_colliding_names},
      {"colliding constants", write_colliding_constants},
  };
  struct CMUnitTest tests[sizeof programs / sizeof *programs];
  for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
    tests[i] = (struct CMUnitTest){programs[i].name, test_program, NULL, NULL, &programs[i]};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
