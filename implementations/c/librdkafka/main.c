/* librdkafka behind the line protocol: see README.md in the folder above. */
#include <librdkafka/rdkafka.h>
#include <string.h>

#include "../lines.h"
#include "mock.h"
#include "records.h"

static bool is_text(const json_t *value, const char *text) {
    return json_is_string(value) && !strcmp(json_string_value(value), text);
}

static json_t *decode(const json_t *question, int magic) {
    struct octets data = {0};
    json_t *answer = NULL;
    if (from_hex(json_object_get(question, "data"), &data))
        answer = decode_records(magic, data.data ? data.data : (const unsigned char *)"", data.size);
    release(&data);
    return answer;
}

static json_t *answer(const char *op, const json_t *question) {
    json_t *type = json_object_get(question, "type"), *version = json_object_get(question, "version");
    if (!is_text(json_object_get(question, "dialect"), "kafka")) return not_offered("librdkafka speaks Kafka alone");
    if (!strcmp(op, "configure")) return configure_mock(json_object_get(question, "settings"));
    if (!strcmp(op, "serve")) return serve_mock(json_object_get(question, "chunks"));
    if (!strcmp(op, "decode") && is_text(type, "RecordBatch")) return decode(question, 2);
    if (!strcmp(op, "decode") && is_text(type, "MessageSet")) {
        json_int_t magic = json_is_integer(version) ? json_integer_value(version) : -1;
        return magic == 0 || magic == 1 ? decode(question, (int)magic) : not_offered("no such magic of message sets");
    }
    if (!strcmp(op, "encode") && is_text(type, "RecordBatch")) return encode_batch(json_object_get(question, "value"));
    return not_offered("librdkafka shows this to nobody");
}

/* The mock cluster on a socket, as the kit starts a broker: it answers one line, and listens until its stdin ends. */
static int listening(void) {
    char line[1 << 12];
    if (!fgets(line, sizeof line, stdin)) return 0; /* nobody asks */
    json_t *description = json_pack(
        "{s:s, s:s, s:s, s:[s], s:[s], s:{s:s, s:s, s:s}, s:o}", "name", "librdkafka's mock cluster", "version",
        rd_kafka_version_str(), "language", "c", "dialects", "kafka", "ops", "serve", "readings", "R-K-7", "other",
        "R-K-11", "other", "R-K-17", "full", "listens", json_sprintf("127.0.0.1:%d", listen_mock()));
    json_dumpf(description, stdout, 0);
    putchar('\n');
    fflush(stdout);
    json_decref(description);
    while (fgets(line, sizeof line, stdin)) continue;
    return 0;
}

int main(int count, char **arguments) {
    if (count == 2 && !strcmp(arguments[1], "-listen")) return listening();
    if (count > 1) {
        fputs("usage: wrapper, or broker (they take no arguments)\n", stderr);
        return 2;
    }
    json_t *description = json_pack(
        "{s:s, s:s, s:s, s:[s], s:[s,s,s]}", "name", "librdkafka", "version", rd_kafka_version_str(), "language", "c",
        "dialects", "kafka", "ops", "decode", "encode", "serve");
    json_t *types = json_pack(
        "{s:{s:{s:n, s:[s,s]}, s:{s:[i,i], s:[s]}}}", "kafka", "RecordBatch", "versions", "ops", "decode", "encode",
        "MessageSet", "versions", 0, 1, "ops", "decode");
    json_t *readings = json_pack("{s:s, s:s, s:s, s:s}", "R-K-7", "other", "R-K-17", "full", "R-K-22c", "other", "R-K-22d", "other");
    /* Fields that neither a message nor rd_kafka_producev has. */
    json_t *rebuilds = json_pack(
        "{s:[s,s,s,s,s,s,s,s,s], s:[s]}", "RecordBatch", "baseOffset", "partitionLeaderEpoch", "attributes",
        "lastOffsetDelta", "baseTimestamp", "maxTimestamp", "producerId", "producerEpoch", "baseSequence", "MessageSet",
        "attributes");
    json_object_set_new(description, "types", types);
    json_object_set_new(description, "readings", readings);
    json_object_set_new(description, "rebuilds", rebuilds);
    int status = converse(stdin, stdout, description, answer);
    json_decref(description);
    return status;
}
