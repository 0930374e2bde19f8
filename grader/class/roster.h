// Who has handed in what. In: a folder, or one archive, as a learning platform exported it. Out: one entry per student.
//   a folder or an archive per student          NAME/  NAME.zip  NAME.tar.gz
//   Gradescope   submission_123/                with names from submission_metadata.yml
//   Moodle       Full Name_123_assignsubmission_file/    or the same before the name of a single file
//   Canvas       lastfirst_[LATE_]123_456_FILE  where 123 is the user's ID and 456 the submission's
#ifndef CLASS_ROSTER_H
#define CLASS_ROSTER_H

#include <stdbool.h>
#include <stddef.h>

enum { STUDENT_NAME = 96, STUDENT_MAX_SOURCES = 32 };

struct person {
  char full_name[160], id[64], email[160]; // as the platform has them; "" where it says nothing
};

// Who has handed in, or a group that has.
struct student {
  char name[STUDENT_NAME];                 // unlike all others', and good for a file name
  char full_name[160], id[64], email[160]; // of the first of a group
  struct person *partners;                 // the others; malloc'ed
  size_t partner_count;
  size_t submission; // roster_people: whose submission it is, by its place in the roster
  bool late;
  char *sources[STUDENT_MAX_SOURCES]; // files and folders, malloc'ed
  size_t source_count;
};

struct roster {
  const char *platform;     // "Gradescope", "Moodle", "Canvas", "folders"
  struct student *students; // by name
  size_t count;
  char *notes; // what was left out, one line each; malloc'ed; NULL: nothing
};

// Returns 0, or -1 with the reason in `error`. roster_free in either case.
int roster_read(const char *folder, struct roster *roster, char *error, size_t size);
void roster_free(struct roster *roster);
// Adds a line to the roster's notes, about an entry of that name.
void roster_note(struct roster *roster, const char *entry, const char *what);
// One entry per person: the members of a group on their own, `submission` saying whose work it is. Has no sources. 0, or -1: out of memory.
int roster_people(const struct roster *roster, struct roster *people);
enum { STUDENT_NAMES = 400 };
// What people call a submission: its author's name, or all names of a group; the file system's where there is none.
const char *roster_names(const struct student *student, char names[STUDENT_NAMES]);
// A file's name without what Canvas or Moodle put before it; part of `entry`.
const char *roster_file(const char *entry);
// Whose a file or folder is if Moodle or Canvas named it so in an export; false: neither did.
bool roster_owner(const char *entry, bool folder, char owner[STUDENT_NAME]);
// Whether the name ends as an archive's that can be unpacked. `stem`, if any, gets the name without that ending.
bool roster_is_archive(const char *name, char *stem, size_t size);

#endif
