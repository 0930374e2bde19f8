// In: submission_metadata.yml, as Gradescope writes it: a mapping from "submission_123" to a mapping in which
// ":submitters" lists mappings with ":name", ":sid" and ":email". Out: people. The idea: libyaml parses
// whatever quotes, tags and line ends the file has; this file looks up three keys.
#include "class/submitters.h"

#include "class/failure.h"
#include "report/plain-file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <yaml.h>

static const char NAME[] = "submission_metadata.yml";

static const char *scalar(const yaml_node_t *node) {
  return node && node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value : NULL;
}

// The value of the mapping's key, or NULL.
static yaml_node_t *find(yaml_document_t *document, const yaml_node_t *mapping, const char *key) {
  if (!mapping || mapping->type != YAML_MAPPING_NODE) return NULL;
  for (yaml_node_pair_t *pair = mapping->data.mapping.pairs.start; pair < mapping->data.mapping.pairs.top;
       pair++) {
    const char *name = scalar(yaml_document_get_node(document, pair->key));
    if (name && strcmp(name, key) == 0) return yaml_document_get_node(document, pair->value);
  }
  return NULL;
}

static void copy(yaml_document_t *document, const yaml_node_t *submitter, const char *key, char *to,
                 size_t size) {
  const char *value = scalar(find(document, submitter, key));
  snprintf(to, size, "%s", value ? value : "");
}

static struct person person_of(yaml_document_t *document, const yaml_node_t *submitter) {
  struct person person = {0};
  copy(document, submitter, ":name", person.full_name, sizeof person.full_name);
  copy(document, submitter, ":sid", person.id, sizeof person.id);
  copy(document, submitter, ":email", person.email, sizeof person.email);
  return person;
}

// "2026-11-01 20:13:44.120000000 Z", or with +0100 or +01:00 at the end. 0: it is no such time.
static time_t time_of(const char *text) {
  struct tm parts = {0};
  const char *rest = text ? strptime(text, "%Y-%m-%d %H:%M:%S", &parts) : NULL;
  if (!rest) return 0;
  if (*rest == '.') rest += 1 + strspn(rest + 1, "0123456789");
  rest += strspn(rest, " ");
  char sign = *rest;
  unsigned hours = 0, minutes = 0;
  if (sign == 'Z' || strcmp(rest, "UTC") == 0) return timegm(&parts);
  if ((sign != '+' && sign != '-') || (sscanf(rest + 1, "%2u:%2u", &hours, &minutes) != 2 &&
                                       sscanf(rest + 1, "%2u%2u", &hours, &minutes) != 2))
    return 0;
  time_t away = (time_t)(hours * 60 + minutes) * 60;
  return timegm(&parts) + (sign == '+' ? -away : away);
}

// The submission's number gives way to its first author's ID.
static int take_submitters(yaml_document_t *document, const yaml_node_t *list, struct student *student) {
  if (!list || list->type != YAML_SEQUENCE_NODE) return 0;
  const yaml_node_item_t *items = list->data.sequence.items.start;
  const size_t count = (size_t)(list->data.sequence.items.top - items);
  if (count == 0) return 0;
  const struct person first = person_of(document, yaml_document_get_node(document, items[0]));
  memcpy(student->full_name, first.full_name, sizeof student->full_name);
  memcpy(student->id, first.id, sizeof student->id);
  memcpy(student->email, first.email, sizeof student->email);
  student->partners = calloc(count, sizeof *student->partners);
  if (!student->partners) return -1;
  for (size_t i = 1; i < count; i++)
    student->partners[student->partner_count++] =
        person_of(document, yaml_document_get_node(document, items[i]));
  return 0;
}

static int take_document(yaml_document_t *document, struct roster *roster, char *error, size_t size) {
  const yaml_node_t *root = yaml_document_get_root_node(document);
  if (!root || root->type != YAML_MAPPING_NODE)
    return class_fail(error, size, "%s: lists no submissions", NAME);
  for (size_t i = 0; i < roster->count; i++) {
    struct student *student = &roster->students[i];
    const yaml_node_t *submission = find(document, root, student->name);
    const yaml_node_t *list = find(document, submission, ":submitters");
    student->handed_in = time_of(scalar(find(document, submission, ":created_at")));
    if (take_submitters(document, list, student) == 0) continue;
    return class_fail(error, size, "out of memory");
  }
  return 0;
}

int submitters_read(const char *folder, struct roster *roster, char *error, size_t size) {
  char path[PATH_MAX];
  yaml_parser_t parser;
  yaml_document_t document;
  if (snprintf(path, sizeof path, "%s/%s", folder, NAME) >= (int)sizeof path) return 0;
  struct stat status_of;
  if (lstat(path, &status_of) != 0 && errno == ENOENT) return 0;
  errno = EINVAL; // where it is no plain file, say a pipe that nobody writes to
  FILE *file = plain_file_open(path);
  if (!file || !yaml_parser_initialize(&parser)) {
    int reason = errno;
    if (file) fclose(file);
    return class_fail(error, size, "%s: cannot be read: %s", NAME, strerror(reason));
  }
  yaml_parser_set_input_file(&parser, file);
  int status;
  if (yaml_parser_load(&parser, &document)) {
    status = take_document(&document, roster, error, size);
    yaml_document_delete(&document);
  } else {
    status = class_fail(error, size, "%s: is no YAML at line %zu: %s", NAME, parser.problem_mark.line + 1,
                        parser.problem ? parser.problem : "it cannot be read");
  }
  yaml_parser_delete(&parser);
  fclose(file);
  return status;
}
