// Finds each student's line in a sheet that a learning platform exported. The idea: an ID or a login decides;
// a name decides only where it fits one line alone. A person has to decide where a student fits two lines,
// where two students fit one line, and where ID and name disagree.
#ifndef CLASS_MATCH_H
#define CLASS_MATCH_H

#include "class/csv.h"
#include "class/roster.h"

enum match_end { MATCH_FOUND, MATCH_NONE, MATCH_SEVERAL, MATCH_SHARED, MATCH_CONTRADICTS };

struct match {
  enum match_end end;
  size_t row;   // the student's row; set for all but MATCH_NONE
  size_t other; // MATCH_SEVERAL: another row that fits; MATCH_SHARED: another student who fits the row
};

// Whether any column of the sheet identifies people.
bool match_has_people(const struct csv *sheet);
// Whether the line is a person's, unlike Canvas's "Points Possible".
bool match_is_person(const struct csv *sheet, size_t row);
// The name of a line in messages: the person's name, or else the first ID in it.
void match_row_name(const struct csv *sheet, size_t row, char text[CSV_TEXT]);
// Fills one match per entry of the roster, which is one of people (roster_people).
void match_all(const struct roster *roster, const struct csv *sheet, struct match *matches);

#endif
