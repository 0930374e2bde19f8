// Which student is which line of a sheet that a learning platform exported. The idea: an ID or a login decides, a name only where it can be but one
// person's; whoever fits two lines, or shares a line, or has an ID and a name that disagree, is left to a person.
#ifndef CLASS_MATCH_H
#define CLASS_MATCH_H

#include "class/csv.h"
#include "class/roster.h"

enum match_end { MATCH_FOUND, MATCH_NONE, MATCH_SEVERAL, MATCH_SHARED, MATCH_CONTRADICTS };

struct match {
  enum match_end end;
  size_t row;   // of the sheet's rows; also of MATCH_CONTRADICTS, and of MATCH_SHARED
  size_t other; // another row that fits; or another student who does
};

// Whether any heading of the sheet says who a line is.
bool match_has_people(const struct csv *sheet);
// Whether the line is a person's at all, and not one like Canvas's "Points Possible".
bool match_is_person(const struct csv *sheet, size_t row);
// What a line is called in messages: its name, else the first ID in it.
void match_row_name(const struct csv *sheet, size_t row, char text[CSV_TEXT]);
// matches: one per student of the roster, which is one of people.
void match_all(const struct roster *roster, const struct csv *sheet, struct match *matches);

#endif
