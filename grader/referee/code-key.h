// What a program does, as a key. In: the object file that nvcc has made of a source. Out: hashes. Two sources
// that differ in comments, layout and the like become the same code; nvcc's own traces of the source (line
// numbers, the file's name, debug information, a hash of the text) are left out.
#ifndef REFEREE_CODE_KEY_H
#define REFEREE_CODE_KEY_H

#include <stdbool.h>

#include "virtual-hopper/base/sha256.h"

struct code_keys {
  char code[SHA256_TEXT];  // of all that runs: the host's sections and symbols, PTX and machine code
  char lines[SHA256_TEXT]; // of that, and of the line of the source that each instruction is from
};

// False: it is no object file whose code is known as a whole. The bytes may be anything.
bool code_keys_of(const char *object, struct code_keys *keys);

#endif
