/* The scripted broker, and the clients that are connected to it, each made when it is first wanted. */
#ifndef WIREPROOF_CLIENTS_H
#define WIREPROOF_CLIENTS_H

#include <librdkafka/rdkafka.h>

#include "scripted.h"

struct clients {
    struct scripted *broker;
    rd_kafka_t *consumer, *producer;
    rd_kafka_topic_t *topics[CODECS]; /* of the producer, by the codec's number; NULL where it lacks the codec */
};

/* Never NULL: without a client there is nothing to ask, and the process ends with a line on stderr. */
struct clients *the_clients(void);

/* A client with these settings, a NULL behind them: name, value, name, value … */
rd_kafka_t *new_client(rd_kafka_type_t type, const char *const settings[]);

#endif
