#include <librdkafka/rdkafka.h>
#include <stdlib.h>
#include <string.h>

#include "clients.h"
#include "records.h"

enum {
    /* A batch's fields: where they are. */
    MAGIC_AT = 16,
    ATTRIBUTES_AT = 21,
    BASE_TIMESTAMP_AT = 27,
    LENGTH_AT = 8,
    MESSAGE_ATTRIBUTES_AT = 17,
    ENTRY_AT = 12,
    /* Bits of attributes. */
    CODEC = 7,
    LOG_APPEND_TIME = 8,
    CONTROL = 32,
};

static int64_t number_at(const unsigned char *data, size_t size, size_t at, int width) {
    struct cursor from = {data, size, 0, false};
    read_bytes(&from, (int64_t)at);
    return read_number(&from, width);
}

/* The offset that the scripted broker gives to a batch, as brokers do: no consumer asks for one below 0, and a batch's own
 * base and deltas may lead there. The CRC does not cover it. */
static const int64_t GIVEN = (int64_t)1 << 40;

/* a - b, modulo 2^64. */
static int64_t difference(int64_t a, int64_t b) {
    return (int64_t)((uint64_t)a - (uint64_t)b);
}

/* The headers, which the library reads only now. False, with its error in `error`, where it cannot. */
static bool headers_of(const rd_kafka_message_t *message, json_t *shown, char **error) {
    rd_kafka_headers_t *headers;
    const char *name;
    const void *value;
    size_t size;
    rd_kafka_resp_err_t failure = rd_kafka_message_headers(message, &headers);
    if (failure == RD_KAFKA_RESP_ERR__NOENT) return true;
    if (failure) {
        const char *text = rd_kafka_err2str(failure);
        *error = copied(text, strlen(text));
        return false;
    }
    for (size_t at = 0; !rd_kafka_header_get_all(headers, at, &name, &value, &size); at++) {
        json_t *pair = json_array();
        json_array_append_new(pair, text_value(name, strlen(name)));
        json_array_append_new(pair, octets_value(value, size));
        json_array_append_new(shown, pair);
    }
    return true;
}

/* A message as a record of a batch: the consumer gives its offset and time, of which the batch's bases are taken off. */
static json_t *record_of(const rd_kafka_message_t *message, json_t *headers, int64_t base_time) {
    int64_t time = rd_kafka_message_timestamp(message, NULL);
    json_t *record = json_object();
    json_object_set_new(record, "offsetDelta", integer_value(difference(message->offset, GIVEN)));
    json_object_set_new(record, "timestampDelta", integer_value(difference(time, base_time)));
    json_object_set_new(record, "key", octets_value(message->key, message->key_len));
    json_object_set_new(record, "value", octets_value(message->payload, message->len));
    json_object_set_new(record, "headers", headers);
    return record;
}

/* A message as one of a message set. */
static json_t *message_of(const rd_kafka_message_t *message, int magic) {
    json_t *shown = json_object();
    json_object_set_new(shown, "offset", integer_value(message->offset));
    if (magic == 1) json_object_set_new(shown, "timestamp", integer_value(rd_kafka_message_timestamp(message, NULL)));
    json_object_set_new(shown, "key", octets_value(message->key, message->key_len));
    json_object_set_new(shown, "value", octets_value(message->payload, message->len));
    return shown;
}

/* What the consumer did with the bytes. */
struct delivered {
    json_t *messages;
    int64_t end; /* the offset from which it would go on */
    char *error; /* its error, or NULL */
    bool append_time;
};

static void assign(rd_kafka_t *consumer, int32_t partition) {
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(1);
    if (partition >= 0) rd_kafka_topic_partition_list_add(list, FETCHED, partition)->offset = 0;
    rd_kafka_assign(consumer, list);
    rd_kafka_topic_partition_list_destroy(list);
}

/* Take in one message or event of the consumer's. Whether it is the last one of this partition. */
static bool take(struct delivered *delivered, const rd_kafka_message_t *message, int32_t partition, int magic,
                 int64_t base_time) {
    rd_kafka_timestamp_type_t kind;
    if (!message->rkt || message->partition != partition) return false;
    if (message->err == RD_KAFKA_RESP_ERR__PARTITION_EOF) {
        delivered->end = message->offset;
        return true;
    }
    /* It says this once it was fetched in vain ten times in this partition, and goes on. */
    if (message->err == RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE) return false;
    if (message->err) {
        const char *text = rd_kafka_message_errstr(message);
        delivered->error = copied(text, strlen(text));
        return true;
    }
    rd_kafka_message_timestamp(message, &kind);
    if (kind == RD_KAFKA_TIMESTAMP_LOG_APPEND_TIME) delivered->append_time = true;
    if (magic != 2) {
        json_array_append_new(delivered->messages, message_of(message, magic));
        return false;
    }
    json_t *headers = json_array();
    bool read = headers_of(message, headers, &delivered->error);
    json_array_append_new(delivered->messages, record_of(message, headers, base_time));
    return !read;
}

static struct delivered consume(int magic, const unsigned char *data, size_t size) {
    static int32_t partition = 0;
    rd_kafka_t *consumer = the_consumer();
    int64_t base_time = number_at(data, size, BASE_TIMESTAMP_AT, 8);
    struct octets records = {0};
    struct delivered delivered = {.messages = json_array()};
    partition = (partition + 1) % PARTITIONS;
    if (magic == 2 && size >= LENGTH_AT) append_number(&records, GIVEN, LENGTH_AT);
    append(&records, data + records.size, size - records.size);
    set_records(the_broker(), partition, records.data, records.size);
    release(&records);
    assign(consumer, partition);
    for (bool done = false; !done;) {
        /* For ever: a consumer that neither delivers nor goes on is a hang, which the kit bounds. */
        rd_kafka_message_t *message = rd_kafka_consumer_poll(consumer, -1);
        if (!message) continue;
        done = take(&delivered, message, partition, magic, base_time);
        rd_kafka_message_destroy(message);
    }
    assign(consumer, -1);
    return delivered;
}

static json_t *batch_answer(struct delivered *delivered, const unsigned char *data, size_t size) {
    if (number_at(data, size, MAGIC_AT, 1) != 2) return refused("unsupported-magic", "the consumer finds a message here, and no batch");
    if (delivered->append_time) return not_offered("a message shows the time of its batch, and its own is lost");
    return json_pack("{s{sO}}", "value", "records", delivered->messages);
}

/* What a set's entries are, as far as their sizes lead. */
struct entries {
    size_t whole; /* how many end within the set */
    bool has_wrapper, has_offset_below_0;
};

static struct entries entries_of(const unsigned char *data, size_t size) {
    struct entries entries = {0};
    for (size_t at = 0; size - at > MESSAGE_ATTRIBUTES_AT;) {
        int64_t length = number_at(data + at, size - at, LENGTH_AT, 4);
        if (number_at(data + at, size - at, 0, 8) < 0) entries.has_offset_below_0 = true;
        if (data[at + MESSAGE_ATTRIBUTES_AT] & CODEC) entries.has_wrapper = true;
        if (length >= 0 && (uint64_t)length > size - at - ENTRY_AT) break;
        entries.whole++;
        if (length < 0) break;
        at += ENTRY_AT + (size_t)length;
    }
    return entries;
}

/* Whether a batch does not fill the bytes. */
static bool is_followed(const unsigned char *data, size_t size) {
    int64_t length = number_at(data, size, LENGTH_AT, 4);
    return size > ENTRY_AT && length >= 0 && (uint64_t)length < size - ENTRY_AT;
}

json_t *decode_records(int magic, const unsigned char *data, size_t size) {
    struct entries entries = {.whole = 1};
    if (magic == 2 && is_followed(data, size)) return not_offered("the consumer reads what is behind a batch too");
    if (magic == 2 && number_at(data, size, MAGIC_AT, 1) == 2 && number_at(data, size, ATTRIBUTES_AT, 2) & CONTROL)
        return not_offered("the consumer reads a control batch in another way, and keeps it to itself");
    if (magic != 2) entries = entries_of(data, size);
    if (entries.has_offset_below_0) return not_offered("no consumer asks for offsets below 0");
    struct delivered delivered = consume(magic, data, size);
    bool in_vain = !json_array_size(delivered.messages) && delivered.end == 0;
    json_t *answer;
    if (delivered.error)
        answer = refused(NULL, delivered.error);
    else if (in_vain && entries.whole) /* else the message is cut off, and to ask for it again is right */
        answer = refused(NULL, "the consumer delivers nothing, and asks for the same offset again");
    else if (entries.has_wrapper)
        answer = not_offered("the consumer delivers what is in a wrapper, and not the wrapper");
    else if (magic != 2)
        answer = json_pack("{sO}", "value", delivered.messages);
    else
        answer = batch_answer(&delivered, data, size);
    json_decref(delivered.messages);
    free(delivered.error);
    return answer;
}
