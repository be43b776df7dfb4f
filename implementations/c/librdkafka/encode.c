#include <librdkafka/rdkafka.h>
#include <stdlib.h>
#include <string.h>

#include "clients.h"
#include "records.h"

enum {
    CODEC = 7,
    /* Milliseconds for sending a question's records. */
    PATIENCE = 8000,
};

/* A field of a struct, as an integer. False where it is none. */
static bool number_of(const json_t *fields, const char *name, int64_t *number) {
    return as_integer(json_object_get(fields, name), number);
}

static bool is_zero(const json_t *fields, const char *name) {
    int64_t number;
    return number_of(fields, name, &number) && number == 0;
}

/* Bytes, or null: `*data` is NULL then, else bytes that the caller frees. False where the value is neither. */
static bool nullable(const json_t *value, char **data, size_t *size) {
    struct octets octets = {0};
    *data = NULL;
    *size = 0;
    if (json_is_null(value)) return true;
    if (as_octets(value, &octets)) {
        *data = copied(octets.data, octets.size);
        *size = octets.size;
    }
    release(&octets);
    return *data != NULL;
}

/* A record's headers for the producer; NULL with a word in `*why` where they cannot be given to it. */
static rd_kafka_headers_t *headers_from(const json_t *pairs, const char **why) {
    rd_kafka_headers_t *headers = rd_kafka_headers_new(json_array_size(pairs));
    size_t at;
    json_t *pair;
    json_array_foreach(pairs, at, pair) {
        json_t *name = json_array_get(pair, 0);
        char *value;
        size_t size;
        if (!json_is_string(name))
            *why = "a header's name can't be NULL: -1 for its size asks for the length of a string";
        else if (!nullable(json_array_get(pair, 1), &value, &size))
            *why = "a header's value is bytes or NULL";
        else {
            rd_kafka_header_add(headers, json_string_value(name), (ssize_t)json_string_length(name), value, (ssize_t)size);
            free(value);
        }
    }
    if (!*why) return headers;
    rd_kafka_headers_destroy(headers);
    return NULL;
}

/* Why the producer can't be asked for this batch, or NULL: it makes these fields by itself, and always the same. */
static const char *beyond_the_producer(const json_t *batch) {
    json_t *records = json_object_get(batch, "records");
    int64_t attributes, base, offset, delta;
    size_t at;
    json_t *record;
    if (!json_array_size(records)) return "the producer sends no batch without records";
    if (!number_of(batch, "attributes", &attributes) || (attributes & ~CODEC))
        return "of a batch's attributes the producer takes the codec alone";
    if (!number_of(batch, "baseTimestamp", &base) || base <= 0) return "0 as a timestamp asks for the time of now";
    json_array_foreach(records, at, record) {
        if (!is_zero(record, "attributes")) return "the producer takes no attributes of a record";
        if (!number_of(record, "offsetDelta", &offset) || offset != (int64_t)at)
            return "the producer numbers the records 0, 1, 2, …";
        if (!number_of(record, "timestampDelta", &delta) || (at == 0 && delta))
            return "the producer takes the first record's time for the base";
        if (base + (uint64_t)delta > INT64_MAX) return "no timestamp of the producer's is below 0 or beyond int64_t";
    }
    return NULL;
}

/* Why a field can't be told from others in the answer, or NULL: what the producer makes by itself is compared with
 * nothing, so that a number which such a field does not hold would seem to be accepted. */
static const char *beyond_its_field(const json_t *batch) {
    static const struct {
        const char *name;
        int bits;
    } MADE[] = {
        {"baseOffset", 64},   {"partitionLeaderEpoch", 32}, {"attributes", 16},    {"lastOffsetDelta", 32}, {"baseTimestamp", 64},
        {"maxTimestamp", 64}, {"producerId", 64},           {"producerEpoch", 16}, {"baseSequence", 32},
    };
    for (size_t at = 0; at < sizeof MADE / sizeof *MADE; at++) {
        int64_t number, most = (int64_t)(UINT64_MAX >> (65 - MADE[at].bits));
        if (!number_of(batch, MADE[at].name, &number) || number > most || number < -most - 1)
            return "the producer makes this field by itself, and takes no number for it";
    }
    return NULL;
}

/* A refusal of a struct with other fields than these, a NULL behind them; else NULL. */
static json_t *unless_among(const json_t *fields, const char *const names[]) {
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)fields, name, value) {
        const char *const *known = names;
        while (*known && strcmp(name, *known)) known++;
        if (!*known) return refused("unknown-field", "rd_kafka_producev has no such argument");
    }
    return NULL;
}

/* A refusal of fields that no batch or record has; else NULL. */
static json_t *unless_known(const json_t *batch) {
    static const char *const OF_BATCH[] = {
        "baseOffset", "partitionLeaderEpoch", "attributes", "lastOffsetDelta", "baseTimestamp", "maxTimestamp",
        "producerId", "producerEpoch", "baseSequence", "records", NULL,
    };
    static const char *const OF_RECORD[] = {
        "attributes", "timestampDelta", "offsetDelta", "key", "value", "headers", NULL,
    };
    json_t *answer = unless_among(batch, OF_BATCH), *record;
    size_t at;
    json_array_foreach(json_object_get(batch, "records"), at, record)
        if (!answer) answer = unless_among(record, OF_RECORD);
    return answer;
}

/* Give one record to the producer. NULL, or the answer that ends the question. */
static json_t *produce(rd_kafka_t *producer, rd_kafka_topic_t *topic, const json_t *record, int64_t base) {
    char *key = NULL, *value = NULL;
    size_t key_size, value_size;
    int64_t delta = 0;
    const char *why = NULL;
    json_t *answer = NULL;
    number_of(record, "timestampDelta", &delta);
    rd_kafka_headers_t *headers = headers_from(json_object_get(record, "headers"), &why);
    if (!headers) return refused("null-not-allowed", why);
    if (!nullable(json_object_get(record, "key"), &key, &key_size) ||
        !nullable(json_object_get(record, "value"), &value, &value_size)) {
        rd_kafka_headers_destroy(headers);
        free(key);
        return NULL;
    }
    rd_kafka_resp_err_t error = rd_kafka_producev(
        producer, RD_KAFKA_V_RKT(topic), RD_KAFKA_V_PARTITION(0), RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY),
        RD_KAFKA_V_KEY(key, key_size), RD_KAFKA_V_VALUE(value, value_size), RD_KAFKA_V_TIMESTAMP(base + delta),
        RD_KAFKA_V_HEADERS(headers), RD_KAFKA_V_END);
    if (error) {
        answer = refused(NULL, rd_kafka_err2str(error));
        rd_kafka_headers_destroy(headers);
    }
    free(key);
    free(value);
    return answer;
}

json_t *encode_batch(const json_t *batch) {
    if (!json_is_object(batch)) return NULL;
    json_t *answer = unless_known(batch);
    if (answer) return answer;
    int64_t attributes = 0, base = 0;
    const char *why = beyond_its_field(batch);
    if (!why) why = beyond_the_producer(batch);
    if (why) return not_offered(why);
    number_of(batch, "attributes", &attributes);
    number_of(batch, "baseTimestamp", &base);
    const struct producing *producing = the_producer();
    rd_kafka_t *producer = producing->producer;
    if (attributes >= CODECS || !producing->topics[attributes]) return not_offered("the producer has no such codec");
    size_t at;
    json_t *record;
    json_array_foreach(json_object_get(batch, "records"), at, record) {
        answer = produce(producer, producing->topics[attributes], record, base);
        if (answer) break;
    }
    if (answer) rd_kafka_purge(producer, RD_KAFKA_PURGE_F_QUEUE);
    rd_kafka_resp_err_t error = rd_kafka_flush(producer, PATIENCE);
    struct octets sent = take_produced(the_broker());
    if (!answer) answer = error ? failed(rd_kafka_err2str(error)) : json_pack("{so}", "data", hex_text(sent.data, sent.size));
    release(&sent);
    return answer;
}
