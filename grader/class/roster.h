// Who has handed in what. In: a folder as a learning platform exported it. Out: one entry per student.
//   a folder or an archive per student          NAME/  NAME.zip  NAME.tar.gz
//   Gradescope   submission_123/                with names from submission_metadata.yml
//   Moodle       Full Name_123_assignsubmission_file/    or the same before the name of a single file
//   Canvas       lastfirst_[LATE_]123_456_FILE  where 123 is the user's ID and 456 the submission's
#ifndef CLASS_ROSTER_H
#define CLASS_ROSTER_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>

enum { STUDENT_NAME = 96, STUDENT_MAX_SOURCES = 32 };

struct person {
  char full_name[160], id[64], email[160]; // as the platform has them; "": not known
};

// A student who has handed in, or a group.
struct student {
  char name[STUDENT_NAME];                 // unique also where capitals don't count, and safe in file names
  char wanted[STUDENT_NAME];               // the name if nobody else had it
  char entry[NAME_MAX + 1];                // what the name is kept for: class/names.h
  char full_name[160], id[64], email[160]; // of the first member of a group
  struct person *partners;                 // the other members; malloc'ed
  size_t partner_count;
  size_t submission; // set by roster_people: the index of the submission in the roster
  bool late;
  time_t handed_in;                   // 0: the export does not say
  char *sources[STUDENT_MAX_SOURCES]; // files and folders, malloc'ed
  size_t source_count;
};

struct roster {
  const char *platform;     // "Gradescope", "Moodle", "Canvas", "folders"
  struct student *students; // sorted by name
  size_t count;
  char *notes; // what was odd or left out, one line each; malloc'ed; NULL: nothing
};

// roster_free in either case.
int roster_read(const char *folder, struct roster *roster, char *error, size_t size);
void roster_free(struct roster *roster);
// Adds a line about an entry to the roster's notes. Out of memory, the line is lost.
void roster_note(struct roster *roster, const char *entry, const char *what);
// One entry per person, without sources: each member of a group has an entry, and `submission` names the
// group's submission. roster_free in either case.
int roster_people(const struct roster *roster, struct roster *people, char *error, size_t size);
enum { STUDENT_NAMES = 400 };
// The names of a submission's authors; without one, the name in the file system. Returns `names`.
const char *roster_names(const struct student *student, char names[STUDENT_NAMES]);
// The name of a file without the prefix of Canvas or Moodle. Points into `entry`.
const char *roster_file(const char *entry);
// The student that Moodle's or Canvas's name for the file or folder names; false: it has no such name.
bool roster_owner(const char *entry, bool folder, char owner[STUDENT_NAME]);
// Whether the name has the ending of an archive that can be unpacked. `stem`, unless NULL, gets the name
// without the ending.
bool roster_is_archive(const char *name, char *stem, size_t size);
// The same ending taken off, also one of archives that can't be opened here. Returns `stem`.
const char *roster_stem(const char *entry, char stem[NAME_MAX + 1]);
// Whether a submission may be called so.
bool roster_is_name(const char *name);
// Adds the first digits of the hash of a text to a name.
void roster_add_hash(const char *text, char *name, size_t size);

#endif
