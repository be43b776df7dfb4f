#include "clients.h"

#include <stdio.h>
#include <stdlib.h>

/* Milliseconds until a client that gets no metadata counts as stuck. */
enum { PATIENCE = 8000 };

static void die(const char *what, const char *why) {
    fprintf(stderr, "librdkafka: %s: %s\n", what, why);
    exit(1);
}

/* What is worth to be seen when the process ends: nothing below "critical". */
static void log_little(const rd_kafka_t *client, int level, const char *facility, const char *text) {
    (void)client;
    if (level <= 2) fprintf(stderr, "%s: %s\n", facility, text);
}

static void pass_over_error(rd_kafka_t *client, int error, const char *reason, void *opaque) {
    (void)client, (void)error, (void)reason, (void)opaque;
}

rd_kafka_t *new_client(rd_kafka_type_t type, const char *const settings[]) {
    char why[512];
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    rd_kafka_conf_set_log_cb(conf, log_little);
    rd_kafka_conf_set_error_cb(conf, pass_over_error);
    for (; *settings; settings += 2)
        if (rd_kafka_conf_set(conf, settings[0], settings[1], why, sizeof why)) die(settings[0], why);
    rd_kafka_t *client = rd_kafka_new(type, conf, why, sizeof why);
    if (!client) die("no client", why);
    return client;
}

static rd_kafka_topic_t *topic_with_codec(rd_kafka_t *producer, const char *codec) {
    char why[512];
    rd_kafka_topic_conf_t *conf = rd_kafka_topic_conf_new();
    if (rd_kafka_topic_conf_set(conf, "compression.codec", codec, why, sizeof why)) {
        rd_kafka_topic_conf_destroy(conf);
        return NULL;
    }
    return rd_kafka_topic_new(producer, codec, conf);
}

/* Wait until the producer knows a topic's partition: records that came before would leave it apart from later ones. */
static void get_to_know(rd_kafka_t *producer, rd_kafka_topic_t *topic) {
    const struct rd_kafka_metadata *metadata;
    rd_kafka_resp_err_t error = rd_kafka_metadata(producer, 0, topic, &metadata, PATIENCE);
    if (error) die("the producer does not get to know its topics", rd_kafka_err2str(error));
    rd_kafka_metadata_destroy(metadata);
}

struct scripted *the_broker(void) {
    static struct scripted *broker;
    if (!broker) broker = start_scripted();
    if (!broker) exit(1);
    return broker;
}

rd_kafka_t *the_consumer(void) {
    static rd_kafka_t *consumer;
    if (consumer) return consumer;
    const char *const settings[] = {
        "bootstrap.servers",        address_of(the_broker()),
        "group.id",                 "wireproof", /* without which there is no assignment */
        "check.crcs",               "true",      /* off by default */
        "enable.partition.eof",     "true",      /* says when a question's bytes are used up */
        "enable.auto.commit",       "false",
        "auto.offset.reset",        "error",
        "isolation.level",          "read_uncommitted",
        "fetch.error.backoff.ms",   "0",
        "allow.auto.create.topics", "false",
        NULL,
    };
    consumer = new_client(RD_KAFKA_CONSUMER, settings);
    rd_kafka_poll_set_consumer(consumer);
    return consumer;
}

const struct producing *the_producer(void) {
    static struct producing made;
    if (made.producer) return &made;
    /* Whole batches: nothing is sent before the flush. */
    const char *const settings[] = {
        "bootstrap.servers",          address_of(the_broker()),
        "linger.ms",                  "200000",
        "batch.num.messages",         "1000000",
        "batch.size",                 "104857600",
        "message.max.bytes",          "104857600",
        "queue.buffering.max.kbytes", "1048576",
        NULL,
    };
    made.producer = new_client(RD_KAFKA_PRODUCER, settings);
    for (int codec = 0; codec < CODECS; codec++) {
        made.topics[codec] = topic_with_codec(made.producer, PRODUCED[codec]);
        if (made.topics[codec]) get_to_know(made.producer, made.topics[codec]);
    }
    return &made;
}
