/* What librdkafka has of a broker: its mock cluster, of which this is one broker on a port of the loopback. */
#ifndef WIREPROOF_MOCK_H
#define WIREPROOF_MOCK_H

#include "../lines.h"

/* The answer to "configure": the ranges of its apis, as far as the mock cluster takes them. */
json_t *configure_mock(const json_t *settings);

/* The answer to "serve": what it sends on a fresh connection, and whether it closes it. */
json_t *serve_mock(const json_t *chunks);

/* Start it, until the process ends: the port of 127.0.0.1 at which it listens. */
int listen_mock(void);

#endif
