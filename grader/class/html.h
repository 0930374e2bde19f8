// What the instructor's page and the students' pages share: the style, escaped text, and a verdict as a table
// with messages.
#ifndef CLASS_HTML_H
#define CLASS_HTML_H

#include "referee/lab-config.h"
#include "report/record.h"

// Prints the head, and the body up to its first heading, which repeats the title.
void html_begin(FILE *out, const char *title);
void html_end(FILE *out);
// Prints text from anywhere: escapes it for HTML, and shows what is no text, or would not be seen, as
// printable.h does.
void html_text(FILE *out, const char *text);
// "pass", "fail", "error" or "none": the CSS class that puts a sign before the text.
const char *html_class(enum verdict verdict);
// Prints a picture of its own, whose style and names stay inside.
void html_picture(FILE *out, const char *svg);
// Prints a table of all exercises, then the messages of each, under headings of that level (2 or 3). With a
// `config`, only those timelines are shown whose kernel is predicted to miss its target: with all of them,
// the page of a class would have tens of megabytes.
void html_verdict(FILE *out, const struct lab_record *lab, int level, const struct lab_config *config);

#endif
