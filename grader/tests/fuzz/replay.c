// In: files. Out: exit 0 when the linked fuzz target accepted each file without a report from the sanitizers.
// The idea: each input that fuzzing once found stays a test, and needs no fuzzer to run.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Returns 0 when the file can't be read, which is an error of the test itself.
static int replay(const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file) return 0;
  uint8_t *data = NULL;
  size_t size = 0, room = 0, got = 1;
  while (got) {
    if (size == room) {
      room = room ? 2 * room : 4096;
      uint8_t *larger = realloc(data, room);
      if (!larger) break;
      data = larger;
    }
    got = fread(data + size, 1, room - size, file);
    size += got;
  }
  int whole = feof(file) && !ferror(file);
  fclose(file);
  // The copy has the exact size, so that the sanitizers detect a read one byte too far.
  uint8_t *exact = whole ? malloc(size ? size : 1) : NULL;
  if (exact) {
    for (size_t i = 0; i < size; i++)
      exact[i] = data[i];
    LLVMFuzzerTestOneInput(exact, size);
  }
  free(exact);
  free(data);
  return exact != NULL;
}

int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    if (!replay(argv[i])) {
      fprintf(stderr, "%s: can't be read\n", argv[i]);
      return 2;
    }
  }
  printf("%d inputs taken\n", argc - 1);
  return argc > 1 ? 0 : 2;
}
