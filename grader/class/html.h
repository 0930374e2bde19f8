// What the instructor's page and the students' pages have in common: one style, text made harmless, and a verdict as a table with messages.
#ifndef CLASS_HTML_H
#define CLASS_HTML_H

#include "report/record.h"

// The head, and the body up to its first heading, which says the same as the title.
void html_begin(FILE *out, const char *title);
void html_end(FILE *out);
// Text from anywhere: what HTML would take for a tag, and what is no text, comes out harmless.
void html_text(FILE *out, const char *text);
// "pass", "fail", "error" or "none": the class that puts a sign in front.
const char *html_class(enum verdict verdict);
// All exercises in a table, then what fell short in each, under headings of that level (2 or 3).
void html_verdict(FILE *out, const struct lab_record *lab, int level);

#endif
