/* librdkafka's mock broker as an implementation of `serve`: a cluster of one broker in this process, over TCP on loopback.
 * tests/export/test_export_c.py asks it through exported tests, and through the line protocol (lines.c).
 *
 * When the chunks end with a whole frame, one more request follows, an ApiVersions 0 with a correlation id of its own: all
 * that comes before its answer is the answer to the chunks. Behind a part of a frame nothing can be sent; there the broker
 * counts as silent after QUIET. */

#define _POSIX_C_SOURCE 200809L

#include "wireproof.h"

#include <arpa/inet.h>
#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define QUIET 500   /* milliseconds */
#define LONGEST 5000 /* milliseconds, for an answer that has to come */

static const unsigned char last_request[] = {0, 0, 0, 10, 0, 18, 0, 0, 0x7e, 0x57, 0x1a, 0x57, 0xff, 0xff};

static rd_kafka_mock_cluster_t *cluster;

/* The broker's port; the cluster is started when it is first asked for, so that each process has its own. */
static int port(void) {
  char error[512];
  if (cluster == NULL) {
    rd_kafka_conf_t *configuration = rd_kafka_conf_new();
    rd_kafka_conf_set(configuration, "log_level", "0", error, sizeof error);
    rd_kafka_t *client = rd_kafka_new(RD_KAFKA_PRODUCER, configuration, error, sizeof error);
    cluster = client != NULL ? rd_kafka_mock_cluster_new(client, 1) : NULL;
    if (cluster == NULL) {
      fprintf(stderr, "librdkafka: %s\n", error);
      exit(2);
    }
  }
  const char *colon = strrchr(rd_kafka_mock_cluster_bootstraps(cluster), ':');
  return (int)strtol(colon + 1, NULL, 10);
}

static wp_end configure(const wp_question *question, wp_answer *answer) {
  const wp_value *apis = wp_get(question->settings, "apis");
  if (strcmp(question->dialect, "kafka") != 0 || apis == NULL) return wp_not_offered(answer, question->dialect);
  port();
  for (size_t at = 0; at < apis->count; at++) {
    const wp_value *range = apis->items[at];
    rd_kafka_mock_set_apiversion(cluster, (int16_t)strtol(apis->names[at], NULL, 10), (int16_t)range->items[0]->integer,
                                 (int16_t)range->items[1]->integer);
  }
  return wp_answered(answer, wp_null());
}

static int connection(void) {
  struct sockaddr_in address = {0};
  int descriptor = socket(AF_INET, SOCK_STREAM, 0);
  address.sin_family = AF_INET;
  address.sin_port = htons((uint16_t)port());
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (descriptor < 0 || connect(descriptor, (struct sockaddr *)&address, sizeof address) != 0) {
    perror("librdkafka's broker");
    exit(2);
  }
  return descriptor;
}

static int64_t number_at(const unsigned char *bytes) {
  return (int32_t)((uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3]);
}

/* Where the frames that are whole end. */
static size_t end_of_frames(const unsigned char *bytes, size_t size) {
  size_t at = 0;
  while (size - at >= 4 && number_at(bytes + at) >= 0 && (uint64_t)number_at(bytes + at) <= size - at - 4) {
    at += 4 + (size_t)number_at(bytes + at);
  }
  return at;
}

/* Where the answer to the last request begins, if it is there. */
static int has_last_answer(const unsigned char *bytes, size_t size, size_t *start) {
  for (size_t at = 0; at + 8 <= size;) {
    if (memcmp(bytes + at + 4, last_request + 8, 4) == 0) {
      *start = at;
      return 1;
    }
    if (number_at(bytes + at) < 0) return 0;
    at += 4 + (size_t)number_at(bytes + at);
  }
  return 0;
}

static int send_all(int to, const unsigned char *bytes, size_t size) {
  while (size > 0) {
    ssize_t sent = send(to, bytes, size, MSG_NOSIGNAL);
    if (sent <= 0) return 0;
    bytes += sent;
    size -= (size_t)sent;
  }
  return 1;
}

static wp_end serve(const wp_question *question, wp_answer *answer) {
  if (strcmp(question->dialect, "kafka") != 0) return wp_not_offered(answer, question->dialect);
  static unsigned char got[1 << 20];
  size_t all = 0, filled = 0, size = 0;
  for (size_t at = 0; at < question->chunks->count; at++) all += question->chunks->items[at]->size;
  unsigned char *bytes = wp_memory(all + 1);
  int descriptor = connection(), open = 1, closed = 0;
  for (size_t at = 0; at < question->chunks->count; at++) {
    const wp_value *chunk = question->chunks->items[at];
    memcpy(bytes + filled, chunk->bytes, chunk->size);
    filled += chunk->size;
    open = open && send_all(descriptor, chunk->bytes, chunk->size);
  }
  int whole = end_of_frames(bytes, all) == all;
  if (open && whole) send_all(descriptor, last_request, sizeof last_request);
  while (size < sizeof got) {
    struct pollfd ready = {descriptor, POLLIN, 0};
    if (poll(&ready, 1, whole ? LONGEST : QUIET) <= 0) break;
    ssize_t read = recv(descriptor, got + size, sizeof got - size, 0);
    if (read <= 0) {
      closed = 1;
      break;
    }
    size += (size_t)read;
    size_t start;
    if (whole && has_last_answer(got, size, &start)) {
      size = start;
      break;
    }
  }
  close(descriptor);
  wp_value *sent = wp_struct();
  wp_set(sent, "sent", wp_bytes(got, size));
  wp_set(sent, "closed", wp_bool(closed));
  return wp_answered(answer, sent);
}

const wp_implementation implementation = {.name = "librdkafka", .serve = serve, .configure = configure};
