/* The scripted broker, and the clients that are connected to it, each made when it is first wanted. */
#ifndef WIREPROOF_CLIENTS_H
#define WIREPROOF_CLIENTS_H

#include <librdkafka/rdkafka.h>

#include "scripted.h"

struct producing {
    rd_kafka_t *producer;
    rd_kafka_topic_t *topics[CODECS]; /* by the codec's number; NULL where it lacks the codec */
};

/* Never NULL: without a client there is nothing to ask, and the process ends with a line on stderr. */
struct scripted *the_broker(void);
rd_kafka_t *the_consumer(void);
const struct producing *the_producer(void);

/* A client with these settings, a NULL behind them: name, value, name, value … */
rd_kafka_t *new_client(rd_kafka_type_t type, const char *const settings[]);

#endif
