// The functions that the interface's and a lab's headers declare. In: the headers' text. Out: names with
// their parameters, and the name that a misspelt one stands for. The idea: the headers are the only list;
// nothing is listed twice.
#ifndef REFEREE_DECLARATIONS_H
#define REFEREE_DECLARATIONS_H

#include <stdbool.h>
#include <stddef.h>

enum { DECLARED_NAME = 64, DECLARED_PARAMETERS = 200 };

struct declaration {
  char name[DECLARED_NAME];
  char parameters[DECLARED_PARAMETERS]; // "uint64_t *bar, uint32_t parity"; "" for none
  unsigned least, most;                 // how many arguments a call may have
  bool template;                        // has one parameter between < and >
  size_t header;                        // its header among `headers`; none if there are not so many
};

struct declarations {
  struct declaration *list;
  size_t count;
  char (*headers)[DECLARED_NAME]; // the headers' own names
  size_t header_count;
};

// Adds the inline functions and the launchers of a header. Of functions with the same name the first one is
// kept.
void declarations_add(struct declarations *declared, const char *header);
// Adds those of all headers in a folder. Files that can't be read are left out.
void declarations_read(struct declarations *declared, const char *folder);
void declarations_free(struct declarations *declared);

// NULL: there is none of that name.
const struct declaration *declarations_find(const struct declarations *declared, const char *name);
// How far a misspelt name is from a right one: 0 the same; a missing, wrong or swapped letter counts 1,
// words in another order (barrier_init) count 1 together. More than DECLARED_FAR: it is another name.
enum { DECLARED_FAR = 3 };
unsigned declarations_distance(const char *misspelt, const char *right);
// The header whose name is nearest to a name; NULL: none is near.
const char *declarations_near_header(const struct declarations *declared, const char *name);
// The declared function that is nearest to a name; NULL: none is near.
const struct declaration *declarations_near(const struct declarations *declared, const char *name,
                                            unsigned *distance);

#endif
