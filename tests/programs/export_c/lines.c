/* Speaks the kit's line protocol (docs/reference/contract.md) for any implementation.c of an exported test: compiled with
 * the exported wireproof.c, without its main. */

#define _POSIX_C_SOURCE 200809L

#include "wireproof.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *text(const wp_value *question, const char *name) {
  const wp_value *value = wp_get(question, name);
  return value != NULL && value->kind == WP_TEXT ? (const char *)value->bytes : "";
}

/* A text of hex digits → bytes; anything else as it is. */
static wp_value *bytes_of(const wp_value *digits) {
  if (digits == NULL) return NULL;
  if (digits->kind == WP_ARRAY) {
    wp_value *all = wp_array();
    for (size_t at = 0; at < digits->count; at++) wp_append(all, bytes_of(digits->items[at]));
    return all;
  }
  if (digits->kind != WP_TEXT) return wp_null();
  wp_value *form = wp_struct();
  wp_set(form, "hex", wp_text(digits->bytes, digits->size));
  return wp_decoded(form);
}

static void hex(const wp_value *bytes) {
  putchar('"');
  for (size_t at = 0; at < bytes->size; at++) printf("%02x", bytes->bytes[at]);
  putchar('"');
}

static void describe(void) {
  const struct {
    const char *name;
    wp_op op;
  } ops[] = {{"decode", implementation.decode},       {"encode", implementation.encode},       {"recode", implementation.recode},
             {"lookup", implementation.lookup},       {"convert", implementation.convert},     {"serve", implementation.serve},
             {"interpret", implementation.interpret}, {"negotiate", implementation.negotiate}, {"evolve", implementation.evolve}};
  int first = 1;
  printf("{\"name\":\"%s\",\"version\":\"1\",\"language\":\"c\",\"ops\":[", implementation.name);
  for (size_t at = 0; at < sizeof ops / sizeof *ops; at++) {
    int by_two = at == 2 && implementation.decode != NULL && implementation.encode != NULL;
    if (ops[at].op == NULL && !by_two) continue;
    printf("%s\"%s\"", first ? "" : ",", ops[at].name);
    first = 0;
  }
  printf("],\"rebuilds\":{");
  for (const wp_rebuilt *one = implementation.rebuilds; one != NULL && one->type != NULL; one++) {
    printf("%s\"%s\":[", one == implementation.rebuilds ? "" : ",", one->type);
    for (const char *const *name = one->fields; *name != NULL; name++) printf("%s\"%s\"", name == one->fields ? "" : ",", *name);
    printf("]");
  }
  printf("}}\n");
}

static wp_end recode(wp_question *question, wp_answer *answer) {
  if (implementation.recode != NULL) return implementation.recode(question, answer);
  wp_end end = implementation.decode(question, answer);
  if (end != WP_ANSWERED) return end;
  question->value = answer->value;
  answer->while_writing = 1;
  return implementation.encode(question, answer);
}

static void answer_to(const wp_value *asked) {
  wp_question question = {0};
  wp_answer answer = {0};
  const char *op = text(asked, "op"), *name = "value";
  const wp_value *version = wp_get(asked, "version"), *data = bytes_of(wp_get(asked, "data"));
  question.dialect = text(asked, "dialect");
  question.type = text(asked, "type");
  question.version = version != NULL && version->kind == WP_INT ? (int)version->integer : WP_NO_VERSION;
  if (data != NULL) {
    question.bytes = data->bytes;
    question.size = data->size;
  }
  question.value = wp_get(asked, "value");
  if (question.value != NULL) question.value = wp_decoded((wp_value *)question.value);
  question.key = wp_get(asked, "key");
  question.to = text(asked, "to");
  question.chunks = bytes_of(wp_get(asked, "chunks"));
  question.request = bytes_of(wp_get(asked, "request"));
  question.response = bytes_of(wp_get(asked, "response"));
  question.api_key = wp_get(asked, "api_key");
  question.client = wp_get(asked, "client");
  question.broker = wp_get(asked, "broker");
  question.old_schema = wp_get(asked, "old");
  question.new_schema = wp_get(asked, "new");
  question.settings = wp_get(asked, "settings");
  answer.offset = -1;
  int recodes = strcmp(op, "recode") == 0, writes = strcmp(op, "encode") == 0 || strcmp(op, "convert") == 0;
  const struct {
    const char *op, *answer;
    wp_op call;
  } calls[] = {{"decode", "value", implementation.decode},      {"encode", "data", implementation.encode},
               {"lookup", "value", implementation.lookup},      {"convert", "data", implementation.convert},
               {"serve", "sent", implementation.serve},         {"interpret", "outcome", implementation.interpret},
               {"negotiate", "version", implementation.negotiate}, {"evolve", "breaks", implementation.evolve},
               {"configure", "ok", implementation.configure}};
  wp_end end = recodes ? recode(&question, &answer) : WP_NOT_OFFERED;
  for (size_t at = 0; at < sizeof calls / sizeof *calls; at++) {
    if (strcmp(calls[at].op, op) != 0) continue;
    name = calls[at].answer;
    if (calls[at].call != NULL) end = calls[at].call(&question, &answer);
  }
  printf("{\"seq\":%lld,", (long long)wp_get(asked, "seq")->integer);
  if (end == WP_NOT_OFFERED) {
    printf("\"unsupported\":\"not offered\"}\n");
  } else if (end == WP_REFUSED) {
    printf("\"reject\":{");
    if (answer.reason != NULL) printf("\"reason\":\"%s\",", answer.reason);
    if (answer.offset >= 0) printf("\"offset\":%ld,", answer.offset);
    if (recodes) printf("\"half\":\"%s\",", answer.while_writing ? "encode" : "decode");
    printf("\"detail\":%s}}\n", wp_to_json(wp_text(answer.text, answer.text != NULL ? strlen(answer.text) : 0)));
  } else if (strcmp(name, "ok") == 0) {
    printf("\"ok\":true}\n");
  } else if (strcmp(name, "sent") == 0) {
    printf("\"sent\":");
    hex(wp_get(answer.value, "sent"));
    printf(",\"closed\":%s}\n", wp_get(answer.value, "closed")->integer ? "true" : "false");
  } else if (recodes || writes) {
    printf("\"data\":");
    hex(answer.value);
    printf("}\n");
  } else {
    printf("\"%s\":%s}\n", name, wp_to_json(answer.value));
  }
}

int main(void) {
  char *line = NULL;
  size_t room = 0;
  ssize_t size;
  while ((size = getline(&line, &room, stdin)) > 0) {
    const wp_value *asked = wp_from_json(line, (size_t)size);
    if (asked == NULL) return 2;
    if (strcmp(text(asked, "op"), "describe") == 0) describe();
    else answer_to(asked);
    fflush(stdout);
    wp_forget();
  }
  free(line);
  return 0;
}
