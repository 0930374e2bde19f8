// report.html, for the instructor: everything in one file. The idea: charts are bars in a CSS grid, and rows
// are <details> elements, so that the page fetches nothing and is whole without its script. The script, in
// the page itself, sorts and filters the rows, and opens lists of names before the page is printed.
#include "class/class.h"
#include "class/html.h"
#include "class/marks.h"
#include "class/page-parts.h"

#include <stdlib.h>
#include <string.h>

enum { BINS = 10, LISTED = 8, MOST_STRANGE = 15 };

static const char script[] =
    "(function(){var box=document.getElementById('rows'),rows=[].slice.call(box.children),"
    "bar=document.createElement('p');bar.className='controls';"
    "bar.innerHTML='<label>Show <select id=\"which\"><option value=\"\">all</option>"
    "<option value=\"pass\">passed</option><option value=\"fail\">fell short</option>"
    "<option value=\"untouched\">not started</option><option value=\"look\">worth a look</option>"
    "</select></label> "
    "<label>with <input id=\"words\" placeholder=\"a name, a rule, a message\"></label> "
    "<label>by <select id=\"order\"><option value=\"\">name</option>"
    "<option value=\"points\">points</option>"
    "<option value=\"-points\">points, most first</option><option value=\"-time\">time</option>"
    "</select></label> "
    "<span id=\"shown\"></span>';box.parentNode.insertBefore(bar,box.previousElementSibling);"
    "rows.forEach(function(r,i){r.place=i;r.words=r.textContent.toLowerCase()});"
    "function get(n){return document.getElementById(n)}"
    "function show(){var which=get('which').value,words=get('words').value.toLowerCase(),"
    "o=get('order').value,"
    "down=o[0]=='-'?-1:1,key=o.replace('-',''),n=0;"
    "rows.slice().sort(function(a,b){return (key&&down*(a.dataset[key]-b.dataset[key]))||a.place-b.place})"
    ".forEach(function(r){box.appendChild(r)});"
    "rows.forEach(function(r){var on=(!which||r.dataset.state.split(' ').indexOf(which)>=0)&&"
    "r.words.indexOf(words)>=0;r.hidden=!on;n+=on});"
    "get('shown').textContent=n==rows.length?'':n+' of '+rows.length}"
    "['which','words','order'].forEach(function(n){get(n).addEventListener('input',show)});"
    "function reach(){var t=document.getElementById(decodeURIComponent(location.hash.slice(1)));"
    "if(t&&box.contains(t)){t.parentNode.hidden=false;t.parentNode.open=true;t.scrollIntoView()}}"
    "addEventListener('hashchange',reach);reach();var closed=[];"
    "addEventListener('beforeprint',function(){closed=[].slice.call(document.querySelectorAll("
    "'details.names:not([open]),details.cause:not([open])'));closed.forEach(function(d){d.open=true})});"
    "addEventListener('afterprint',function(){closed.forEach(function(d){d.open=false})})})();";

static void bar(FILE *out, const char *label, size_t count, size_t most, bool reached) {
  fprintf(out,
          "<span>%s</span><span%s><span class=\"bar\" style=\"width:%zu%%\"></span></span><span>%zu</span>\n",
          label, reached ? " class=\"reached\"" : "", most ? 100 * count / most : 0, count);
}

// The points as a part of the maximum. False if the maximum is 0: the submission was not graded, or the
// grader failed.
static bool share_of(const struct outcome *outcome, double *share) {
  if (!outcome->known) return false;
  const struct score score = lab_score(&outcome->lab);
  if (!(score.maximum > 0)) return false;
  *share = score.points / score.maximum;
  return true;
}

static void score_chart(FILE *out, const struct class *class) {
  size_t bins[BINS + 1] = {0}, most = 0;
  for (size_t i = 0; i < class->roster.count; i++) {
    double share;
    if (!share_of(&class->outcomes[i], &share)) continue;
    size_t bin = share >= 1 ? BINS : (size_t)(share * BINS);
    if (++bins[bin] > most) most = bins[bin];
  }
  fputs("<h2>Scores</h2>\n<div class=\"chart\">\n", out);
  for (size_t i = 0; i <= BINS; i++) {
    char label[32];
    snprintf(label, sizeof label, i == BINS ? "100 %%" : "%zu to %zu %%", i * 100 / BINS,
             (i + 1) * 100 / BINS);
    bar(out, label, bins[i], most, i == BINS);
  }
  fputs("</div>\n", out);
}

// The first result from a GPU; NULL: there is none.
static const struct lab_record *from_gpu(const struct class *class) {
  for (size_t i = 0; i < class->roster.count; i++)
    if (class->outcomes[i].known && class->outcomes[i].lab.gpu) return &class->outcomes[i].lab;
  return NULL;
}

// ---- slowest and strangest ----

static void link_to(FILE *out, const struct student *student) {
  fputs("<li>", out);
  page_link(out, student);
  fputs(": ", out);
}

static void slowest(FILE *out, const struct class *class) {
  bool *listed = calloc(class->roster.count, sizeof *listed);
  fputs("<h2>Slowest to grade</h2>\n<ol>\n", out);
  for (int n = 0; listed && n < LISTED; n++) {
    size_t found = class->roster.count;
    for (size_t i = 0; i < class->roster.count; i++)
      if (class->outcomes[i].known && !listed[i] &&
          (found == class->roster.count ||
           lab_work_seconds(&class->outcomes[i].lab) > lab_work_seconds(&class->outcomes[found].lab)))
        found = i;
    if (found == class->roster.count) break;
    listed[found] = true;
    link_to(out, &class->roster.students[found]);
    fprintf(out, "%.1f s</li>\n", lab_work_seconds(&class->outcomes[found].lab));
  }
  fputs("</ol>\n", out);
  free(listed);
}

// Why a person should look at the submission; NULL: no reason.
static const char *strange(const struct class *class, size_t index, char notes[OUTCOME_LINE]) {
  const struct outcome *outcome = &class->outcomes[index];
  if (outcome->ask) {
    static const char ask[] = "ask the student to hand in again: ";
    char line[OUTCOME_LINE];
    snprintf(notes, OUTCOME_LINE, "%s%.*s", ask, (int)(OUTCOME_LINE - sizeof ask),
             outcome_notes(outcome, line));
    return notes;
  }
  if (!outcome->known) return "was not graded";
  bool unjudged = false, error = lab_verdict(&outcome->lab) == VERDICT_ERROR;
  for (size_t i = 0; i < outcome->lab.exercise_count; i++)
    unjudged |= exercise_is_unjudged(&outcome->lab.exercises[i]);
  if (error) return unjudged ? "was not judged: this machine was too busy" : "the grader itself failed";
  for (size_t i = 0; i < outcome->lab.exercise_count; i++) {
    const struct stage_record *stages = outcome->lab.exercises[i].stages;
    if (stages[STAGE_BANDWIDTH].has_ratio && stages[STAGE_BANDWIDTH].ratio > 1.08)
      return "is much faster than the yardstick";
    if (stages[STAGE_CORRECTNESS].hidden_case) return "fits the public cases only";
    const char *remark = json_string_value(json_array_get(outcome->lab.exercises[i].remarks, 0));
    if (remark) return remark;
  }
  if (mark_of(class, index).late_unknown)
    return "is late, and nobody says by how much: write late_days into overrides.csv";
  if (outcome->stale) return "keeps a result from before the kit or the submission has changed";
  return outcome->notes[0] ? outcome_notes(outcome, notes) : NULL;
}

static void strangest(FILE *out, const struct class *class) {
  size_t count = 0;
  fputs("<h2>Worth a look</h2>\n", out);
  for (size_t i = 0; i < class->roster.count; i++) {
    char notes[OUTCOME_LINE];
    const char *reason = strange(class, i, notes);
    if (!reason) continue;
    if (count == 0) fputs("<ul>\n", out);
    if (count++ == MOST_STRANGE)
      fputs("</ul>\n<details class=\"names\"><summary>and more</summary><ul>\n", out);
    link_to(out, &class->roster.students[i]);
    html_text(out, reason);
    fputs("</li>\n", out);
  }
  if (count > MOST_STRANGE)
    fputs("</ul></details>\n", out);
  else
    fputs(count ? "</ul>\n" : "<p>Nothing out of the ordinary.</p>\n", out);
}

// Notes on the export as a whole, one line each.
static void about_all(FILE *out, const struct class *class) {
  const char *rest = class->roster.notes;
  if (!rest) return;
  fputs("<h2>About what was handed in</h2>\n<ul>\n", out);
  for (; *rest; rest += strcspn(rest, "\n") + 1) {
    char line[1024];
    snprintf(line, sizeof line, "%.*s", (int)strcspn(rest, "\n"), rest);
    fputs("<li>", out);
    html_text(out, line);
    fputs("</li>\n", out);
  }
  fputs("</ul>\n", out);
}

// ---- rows ----

// A sign and a number for each exercise, seen before the row is opened.
static void marks(FILE *out, const struct lab_record *lab) {
  for (size_t i = 0; i < lab->exercise_count; i++) {
    const struct exercise_record *exercise = &lab->exercises[i];
    fprintf(out, "<span class=\"mark %s\" title=\"%s: %s\">%.*s</span> ",
            exercise->not_started ? "none" : html_class(exercise->verdict), exercise->name,
            exercise->not_started ? "not started" : verdict_name(exercise->verdict),
            (int)strcspn(exercise->name, "-"), exercise->name);
  }
}

static void called(FILE *out, const struct student *student) {
  char names[STUDENT_NAMES];
  html_text(out, roster_names(student, names));
}

static void summary(FILE *out, const struct class *class, size_t index) {
  const struct student *student = &class->roster.students[index];
  const struct outcome *outcome = &class->outcomes[index];
  const struct mark mark = mark_of(class, index);
  enum verdict verdict = outcome->known ? lab_verdict(&outcome->lab) : VERDICT_ERROR;
  fprintf(out, "<summary><span class=\"row\"><span class=\"who\"><span class=\"%s\">", html_class(verdict));
  called(out, student);
  fprintf(out, "</span>%s</span><span class=\"file\">%s</span><span class=\"marks\">",
          student->late ? " (late)" : "", student->name);
  if (outcome->known) {
    marks(out, &outcome->lab);
    fprintf(out,
            "</span><span class=\"number\" title=\"%g measured\">%g%s of %g</span>"
            "<span class=\"time\">%.1f s</span>",
            mark.measured, mark.points, mark.why[0] ? "*" : "", mark.maximum,
            lab_work_seconds(&outcome->lab));
  } else {
    fprintf(out, "</span><span>%s</span><span class=\"time\"></span>",
            outcome->ask ? "ask the student" : "not graded");
  }
  fputs("</span></summary>\n", out);
}

// What the filter asks for.
static const char *state_of(const struct class *class, size_t index) {
  const struct outcome *outcome = &class->outcomes[index];
  char notes[OUTCOME_LINE];
  bool begun = false;
  for (size_t i = 0; outcome->known && i < outcome->lab.exercise_count; i++)
    begun |= !outcome->lab.exercises[i].not_started;
  return !outcome->known                              ? "look"
         : lab_verdict(&outcome->lab) == VERDICT_PASS ? "pass"
         : !begun                                     ? "untouched"
         : strange(class, index, notes)               ? "fail look"
                                                      : "fail";
}

// The target of links lies inside <details>, so that a browser opens the row.
static void row(FILE *out, const struct class *class, size_t index) {
  const struct student *student = &class->roster.students[index];
  const struct outcome *outcome = &class->outcomes[index];
  const char *name = student->name;
  const struct mark mark = mark_of(class, index);
  double share = mark.maximum > 0 ? mark.points / mark.maximum : -1;
  fprintf(out, "<details class=\"student\" data-points=\"%.4f\" data-time=\"%.1f\" data-state=\"%s\">", share,
          lab_work_seconds(&outcome->lab), state_of(class, index));
  summary(out, class, index);
  fprintf(out, "<div class=\"verdict\" id=\"%s\">\n", name);
  if (outcome->notes[0]) {
    fputs("<pre class=\"note\" tabindex=\"0\">", out);
    html_text(out, outcome->notes);
    fputs("</pre>\n", out);
  }
  if (mark.why[0]) {
    fprintf(out, "<p>%g of %g points count: ", mark.points, mark.maximum);
    html_text(out, mark.why);
    fputs(".</p>\n", out);
  }
  if (outcome->known) {
    html_verdict(out, &outcome->lab, 3, &class->grading->config);
    fprintf(out,
            "<p><a href=\"feedback/%s.html\">The student's page</a>, <a href=\"results/%s.json\">the whole "
            "result</a>, "
            "<a href=\"submissions/%s/\">the files</a></p>\n",
            name, name, name);
  }
  if (!outcome->ask && (!outcome->known || lab_verdict(&outcome->lab) == VERDICT_ERROR))
    fprintf(out, "<p><a href=\"logs/%s.log\">What the grader had to say</a></p>\n", name);
  fputs("</div></details>\n", out);
}

static int by_size(const void *left, const void *right) {
  double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

// How many passed, and the median score.
static void in_short(FILE *out, const struct class *class) {
  size_t passed = 0, failed = 0, graded = 0, asked = 0, count = class->roster.count;
  double *shares = calloc(count, sizeof *shares);
  for (size_t i = 0; i < count && shares; i++) {
    asked += class->outcomes[i].ask;
    if (!class->outcomes[i].known) continue;
    enum verdict verdict = lab_verdict(&class->outcomes[i].lab);
    passed += verdict == VERDICT_PASS;
    failed += verdict == VERDICT_FAIL;
    graded += share_of(&class->outcomes[i], &shares[graded]);
  }
  fprintf(out, "<p>%zu passed, %zu fell short", passed, failed);
  if (passed + failed + asked < count)
    fprintf(out, ", %zu with grader errors", count - passed - failed - asked);
  if (asked) fprintf(out, ", %zu to be asked to hand in again", asked);
  if (graded) {
    qsort(shares, graded, sizeof *shares, by_size);
    fprintf(out, "; median %.0f %%", 50 * (shares[(graded - 1) / 2] + shares[graded / 2]));
  }
  fputs(".</p>\n", out);
  free(shares);
}

void page_print(FILE *out, const struct class *class) {
  html_begin(out, class->grading->config.title);
  fprintf(out, "<p>%zu submission%s (%s), graded on ", class->roster.count,
          class->roster.count == 1 ? "" : "s", class->roster.platform);
  html_text(out, from_gpu(class) ? from_gpu(class)->device : "the virtual Hopper");
  fprintf(out, ". Seed %llu repeats all numbers.</p>\n", (unsigned long long)class->seed);
  in_short(out, class);
  score_chart(out, class);
  page_stages(out, class);
  page_people(out, class);
  page_changes(out, class);
  page_causes(out, class);
  page_plots(out, class);
  strangest(out, class);
  slowest(out, class);
  about_all(out, class);
  fputs(
      "<h2>Submissions</h2>\n<div class=\"row head\"><span>name</span><span class=\"file\">submission</span>"
      "<span class=\"marks\">exercises</span><span>points</span><span class=\"time\">time</span></div>\n",
      out);
  fputs("<div id=\"rows\">\n", out);
  for (size_t i = 0; i < class->roster.count; i++)
    row(out, class, i);
  fprintf(out, "</div>\n<script>%s</script>\n", script);
  html_end(out);
}

static int write_page(FILE *out, const void *class) {
  page_print(out, class);
  return ferror(out) ? -1 : 0;
}

int page_save(const struct class *class, char *error, size_t size) {
  char path[PATH_MAX];
  class_path(class, path, "", "report", ".html");
  return class_write(path, false, write_page, class, error, size);
}
