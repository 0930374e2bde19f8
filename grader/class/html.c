// In: records, and text from strangers. Out: HTML that fetches nothing, and can be read on a
// phone and in dark mode. The idea: each colour is named once for light and once for dark mode. Wide content
// scrolls or wraps, the page never does.
#include "class/html.h"

#include "virtual-hopper/base/printable.h"

#include <stdlib.h>
#include <string.h>

static const char style[] =
    ":root{color-scheme:light dark;--line:#8885;--soft:#8881;--dim:#5a626b;--good:#1d6f2b;--bad:#b3261e;"
    "--odd:#8a4b00;--bar:#3a6ea5}"
    "@media(prefers-color-scheme:dark){:root{--dim:#a5adb5;--good:#7bd088;--bad:#ff9a90;--odd:#ffb866;"
    "--bar:#6d9ed1}}"
    "*{box-sizing:border-box}body{font:1rem/1.5 system-ui,\"DejaVu Sans\",sans-serif;max-width:68rem;"
    "margin:1rem auto;padding:0 1rem}"
    "h1{font-size:1.7rem;line-height:1.25}h2{font-size:1.3rem;margin:2rem 0 .6rem}h3{font-size:1.1rem}"
    "h4{font-size:1rem}"
    "h1,h2,h3,h4,p,li{overflow-wrap:anywhere}"
    ".wide{overflow-x:auto}table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.3rem "
    ".6rem;border-bottom:1px solid var(--line);"
    "vertical-align:top}th{color:var(--dim);font-weight:600}.number{white-space:nowrap}"
    "pre{font:.9rem/1.45 ui-monospace,\"DejaVu Sans Mono\",monospace;overflow-x:auto;background:var(--soft);"
    "padding:.7rem;border-left:4px solid var(--line)}"
    ".pass::before{content:\"\\2713\\00a0\";color:var(--good)}.fail::before{content:\"\\2717\\00a0\";"
    "color:var(--bad)}"
    ".error::before{content:\"!\\00a0\";color:var(--odd);font-weight:700}"
    ".none::before{content:\"\\2013\\00a0\";color:var(--dim)}"
    ".chart{display:grid;grid-template-columns:fit-content(45%) 1fr 3rem;gap:2px .6rem}"
    ".bar{background:var(--bar);display:block;height:1.1rem}"
    ".reached .bar{background:var(--good)}.note,.dim{color:var(--dim)}"
    ".row{display:grid;grid-template-columns:minmax(0,4fr) minmax(0,4fr) minmax(0,3fr) 6rem 4rem;gap:.6rem;"
    "padding:.3rem .6rem;"
    "border-bottom:1px solid var(--line)}.row>*{overflow-wrap:anywhere}.head{color:var(--dim);"
    "font-weight:600}summary{cursor:pointer}"
    "summary::marker{content:none}summary::-webkit-details-marker{display:none}.mark{white-space:nowrap;"
    "margin-right:.5rem}.file,.time{color:var(--dim)}"
    ".who::before{content:\"\\25b8\\00a0\";color:var(--dim)}details[open]>summary "
    ".who::before{content:\"\\25be\\00a0\"}"
    ".verdict{padding:.5rem 0 1rem 1rem;border-bottom:1px solid var(--line);scroll-margin-top:3rem}"
    "@media(max-width:44rem){.file,.time,.head .marks{display:none}.row{grid-template-columns:minmax(0,1fr) "
    "auto}.marks{grid-area:2/1/3/3}"
    "pre{white-space:pre-wrap;overflow-wrap:anywhere}table{font-size:.9rem}th,td{padding:.3rem}"
    ".verdict{padding-left:0;scroll-margin-top:5rem}}"
    ".meter{display:inline-block;width:4.5rem;height:.7rem;background:var(--soft);margin:0 .4rem}"
    ".meter>span{display:block;height:100%;background:var(--bar)}"
    "td .names{max-width:16rem}.names>summary{color:var(--bad)}.names{font-size:.9rem;overflow-wrap:anywhere}"
    ".cause>summary{padding:.2rem 0}.cause .number{display:inline-block;min-width:3ch;text-align:right}"
    ".plot{width:100%;max-width:44rem;height:auto}"
    ".plot text{font-size:13px;fill:var(--dim)}.plot line{stroke:var(--dim);stroke-dasharray:3}"
    ".plot .reached{fill:var(--good)}.plot .below{fill:var(--bar)}"
    ".predicted rect{fill-opacity:.25}.predicted .reached{stroke:var(--good)}.predicted .below{stroke:var("
    "--bar)}@media(max-width:44rem){.plot text{font-size:22px}}"
    ".controls{position:sticky;top:0;background:Canvas;padding:.4rem 0}[hidden]{display:none}"
    "@media print{html{font-size:9pt}.controls,.slow{display:none}body{max-width:none;margin:0}"
    "details,tr,svg{break-inside:avoid}details.cause{break-inside:auto}pre{white-space:pre-wrap}"
    "a{color:inherit;text-decoration:none}}";

void html_text(FILE *out, const char *text) {
  char shown[PRINTABLE_CHARACTER];
  while (*text) {
    text += printable_character(text, shown);
    switch (shown[0]) {
    case '&': fputs("&amp;", out); break;
    case '<': fputs("&lt;", out); break;
    case '>': fputs("&gt;", out); break;
    case '"': fputs("&quot;", out); break;
    default: fputs(shown, out);
    }
  }
}

void html_begin(FILE *out, const char *title) {
  fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><meta name=\"viewport\" "
        "content=\"width=device-width,initial-scale=1\"><title>",
        out);
  html_text(out, title);
  fprintf(out, "</title><style>%s</style></head>\n<body><main>\n<h1>", style);
  html_text(out, title);
  fputs("</h1>\n", out);
}

void html_end(FILE *out) {
  fputs("</main></body></html>\n", out);
}

const char *html_class(enum verdict verdict) {
  return verdict == VERDICT_PASS    ? "pass"
         : verdict == VERDICT_FAIL  ? "fail"
         : verdict == VERDICT_ERROR ? "error"
                                    : "none";
}

// ---- a verdict ----

// The points come first: on a phone the stages may lie outside the screen.
static void exercise_row(FILE *out, const struct exercise_record *exercise) {
  struct score score = exercise_score(exercise);
  fprintf(out, "<tr><td class=\"%s\">%s</td><td class=\"number\">%g of %g</td>",
          exercise->not_started ? "none" : html_class(exercise->verdict), exercise->name, score.points,
          score.maximum);
  for (int stage = 0; stage < STAGE_COUNT; stage++) {
    fputs("<td>", out);
    html_text(out,
              exercise->not_started ? (stage == 0 ? "not started" : "") : exercise->stages[stage].summary);
    fputs("</td>", out);
  }
  fputs("</tr>\n", out);
}

// Whether the stage gets a section of its own. That bandwidth is not graded without a GPU stands at the top
// of the page.
static bool has_news(const struct lab_record *lab, const struct stage_record *stage) {
  bool detail = stage->detail && stage->detail[0];
  return stage->verdict == VERDICT_FAIL || stage->verdict == VERDICT_ERROR ||
         (stage->verdict == VERDICT_PASS && detail) ||
         (stage->verdict == VERDICT_UNGRADED && (lab->gpu || stage->has_predicted));
}

void html_picture(FILE *out, const char *svg) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const size_t length = strlen(svg);
  fputs("<p><img alt=\"One moment of the kernel, predicted. The text above says what it shows.\" "
        "style=\"max-width:100%\" src=\"data:image/svg+xml;base64,",
        out);
  for (size_t i = 0; i < length; i += 3) {
    uint32_t bits = (uint32_t)(unsigned char)svg[i] << 16;
    if (i + 1 < length) bits |= (uint32_t)(unsigned char)svg[i + 1] << 8;
    if (i + 2 < length) bits |= (unsigned char)svg[i + 2];
    for (size_t k = 0; k < 4; k++)
      fputc(k <= length - i ? digits[bits >> (18 - 6 * k) & 63] : '=', out);
  }
  fputs("\"></p>\n", out);
}

static bool is_slow(const struct lab_config *config, const char *exercise, const struct stage_record *stage) {
  for (unsigned i = 0; i < config->exercise_count; i++)
    if (strcmp(config->exercises[i].name, exercise) == 0)
      return !(stage->predicted_ratio >= config->exercises[i].bandwidth);
  return true;
}

static void stage_section(FILE *out, const struct stage_record *stage, enum stage which, int level,
                          bool drawn) {
  fprintf(out, "<h%d class=\"%s\">%s: ", level, html_class(stage->verdict), stage_name(which));
  html_text(out, stage->headline);
  fprintf(out, "</h%d>\n", level);
  if (stage->detail && stage->detail[0]) {
    fputs("<pre tabindex=\"0\">", out);
    html_text(out, stage->detail);
    fputs("</pre>\n", out);
  }
  if (stage->picture && drawn) html_picture(out, stage->picture);
  if (stage->rule[0]) fprintf(out, "<p>More about it: <code>make explain RULE=%s</code></p>\n", stage->rule);
}

static void exercise_section(FILE *out, const struct lab_record *lab, const struct exercise_record *exercise,
                             int level, const struct lab_config *config) {
  bool headed = false;
  for (int stage = 0; stage < STAGE_COUNT && !exercise->not_started; stage++) {
    if (!has_news(lab, &exercise->stages[stage])) continue;
    if (!headed)
      fprintf(out, "<h%d class=\"%s\">%s</h%d>\n", level, html_class(exercise->verdict), exercise->name,
              level);
    headed = true;
    bool drawn = !config || is_slow(config, exercise->name, &exercise->stages[stage]);
    stage_section(out, &exercise->stages[stage], (enum stage)stage, level + 1, drawn);
  }
}

void html_verdict(FILE *out, const struct lab_record *lab, int level, const struct lab_config *config) {
  fputs("<div class=\"wide\" tabindex=\"0\"><table><tr><th>exercise<th>points<th>build"
        "<th>rules<th>correctness<th>bandwidth</tr>\n",
        out);
  for (size_t i = 0; i < lab->exercise_count; i++)
    exercise_row(out, &lab->exercises[i]);
  fputs("</table></div>\n", out);
  for (size_t i = 0; i < lab->exercise_count; i++)
    exercise_section(out, lab, &lab->exercises[i], level, config);
}
