/* An implementation that answers from a table: tests/support/replayed.py makes it. table.txt has a question and its answer, as JSON,
 * on each line, with a tab between them. */

#include "wireproof.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  char *text;
  size_t size;
} key;

static void add(key *to, const char *text, size_t size) {
  char *longer = wp_memory(to->size + size + 1);
  if (to->size > 0) memcpy(longer, to->text, to->size);
  if (size > 0) memcpy(longer + to->size, text, size);
  to->text = longer;
  to->size += size;
}

static void part(key *to, const char *text) {
  if (to->size > 0) add(to, "|", 1);
  add(to, text, strlen(text));
}

static void part_hex(key *to, const unsigned char *bytes, size_t size) {
  char *digits = wp_memory(2 * size + 1);
  for (size_t at = 0; at < size; at++) snprintf(digits + 2 * at, 3, "%02x", bytes[at]);
  part(to, digits);
}

static void add_number(key *to, int64_t number) {
  char digits[32];
  add(to, digits, (size_t)snprintf(digits, sizeof digits, "%lld", (long long)number));
}

static void part_number(key *to, int64_t number) {
  part(to, "");
  add_number(to, number);
}

static char *table(void) {
  static char *content;
  if (content != NULL) return content;
  FILE *file = fopen("table.txt", "rb");
  if (file == NULL || fseek(file, 0, SEEK_END) != 0) abort();
  size_t size = (size_t)ftell(file);
  content = calloc(size + 1, 1);
  rewind(file);
  if (content == NULL || fread(content, 1, size, file) != size) abort();
  fclose(file);
  return content;
}

/* Ends as the table says; with the part of the answer that has this name. */
static wp_end look(const key *asked, const char *name, wp_answer *answer) {
  for (const char *line = table(); *line != 0; line = strchr(line, '\n') + 1) {
    if (strncmp(line, asked->text, asked->size) != 0 || line[asked->size] != '\t') continue;
    const char *json = line + asked->size + 1;
    wp_value *found = wp_from_json(json, strcspn(json, "\n"));
    if (found == NULL || wp_get(found, "error") != NULL) abort();
    if (wp_get(found, "unsupported") != NULL) return wp_not_offered(answer, "not by what is replayed");
    if (wp_get(found, "reject") != NULL) return wp_refused(answer, NULL, -1, "it refused");
    return wp_answered(answer, name == NULL ? found : wp_get(wp_decoded(found), name));
  }
  return wp_not_offered(answer, "not in the table");
}

static key of_bytes(const char *op, const wp_question *question) {
  key asked = {NULL, 0};
  char version[16] = "-";
  if (question->version != WP_NO_VERSION) snprintf(version, sizeof version, "%d", question->version);
  part(&asked, op);
  part(&asked, question->dialect);
  part(&asked, question->type);
  part(&asked, version);
  part_hex(&asked, question->bytes, question->size);
  return asked;
}

static key of_dialect(const char *op, const wp_question *question) {
  key asked = {NULL, 0};
  part(&asked, op);
  part(&asked, question->dialect);
  return asked;
}

/* A part of the answer that is hex digits → bytes. */
static wp_value *octets(const wp_value *digits) {
  wp_value *form = wp_struct();
  wp_set(form, "hex", wp_text(digits->bytes, digits->size));
  return wp_decoded(form);
}

static wp_end decode(const wp_question *question, wp_answer *answer) {
  key asked = of_bytes("decode", question);
  return look(&asked, "value", answer);
}

static wp_end lookup(const wp_question *question, wp_answer *answer) {
  key asked = of_bytes("lookup", question);
  part(&asked, wp_to_json(question->key));
  return look(&asked, "value", answer);
}

static wp_end convert(const wp_question *question, wp_answer *answer) {
  key asked = of_bytes("convert", question);
  part(&asked, wp_to_json(wp_text(question->to, strlen(question->to))));
  wp_end end = look(&asked, "data", answer);
  if (end == WP_ANSWERED) answer->value = octets(answer->value);
  return end;
}

static wp_end consume(const wp_question *question, wp_answer *answer) {
  key asked = of_dialect("consume", question);
  part_hex(&asked, question->bytes, question->size);
  part_number(&asked, question->position);
  part(&asked, question->isolation);
  for (size_t at = 0; at < question->aborted->count; at++) {
    const wp_value *one = question->aborted->items[at];
    part_number(&asked, wp_get(one, "producer_id")->integer);
    add(&asked, ":", 1);
    add_number(&asked, wp_get(one, "first_offset")->integer);
  }
  return look(&asked, "delivered", answer);
}

static wp_end serve(const wp_question *question, wp_answer *answer) {
  key asked = of_dialect("serve", question);
  for (size_t at = 0; at < question->chunks->count; at++) {
    part_hex(&asked, question->chunks->items[at]->bytes, question->chunks->items[at]->size);
  }
  wp_end end = look(&asked, NULL, answer);
  if (end != WP_ANSWERED) return end;
  wp_value *conversation = wp_struct();
  wp_set(conversation, "sent", octets(wp_get(answer->value, "sent")));
  wp_set(conversation, "closed", (wp_value *)wp_get(answer->value, "closed"));
  return wp_answered(answer, conversation);
}

static wp_end interpret(const wp_question *question, wp_answer *answer) {
  key asked = of_dialect("interpret", question);
  part_hex(&asked, question->request->bytes, question->request->size);
  if (question->response->kind == WP_NULL) part(&asked, "null");
  else part_hex(&asked, question->response->bytes, question->response->size);
  return look(&asked, "outcome", answer);
}

static wp_end negotiate(const wp_question *question, wp_answer *answer) {
  key asked = of_dialect("negotiate", question);
  part(&asked, wp_to_json(question->api_key));
  part(&asked, wp_to_json(question->client));
  part(&asked, wp_to_json(question->broker));
  return look(&asked, "version", answer);
}

static wp_end evolve(const wp_question *question, wp_answer *answer) {
  key asked = of_dialect("evolve", question);
  part(&asked, wp_to_json(question->old_schema));
  part(&asked, wp_to_json(question->new_schema));
  return look(&asked, "breaks", answer);
}

static wp_end configure(const wp_question *question, wp_answer *answer) {
  (void)question;
  return wp_answered(answer, wp_null());
}

const wp_implementation implementation = {.name = "a table",
                                          .decode = decode,
                                          .lookup = lookup,
                                          .convert = convert,
                                          .consume = consume,
                                          .serve = serve,
                                          .interpret = interpret,
                                          .negotiate = negotiate,
                                          .evolve = evolve,
                                          .configure = configure};
