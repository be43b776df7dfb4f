#include "mock.h"

#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "clients.h"

enum {
    /* Seconds until a broker that does not answer counts as stuck. */
    PATIENCE = 8,
    /* How many answers to a second connection are waited for, before what came on the first one counts as all: the mock
     * cluster has one thread, which looks at every connection between two answers. */
    ROUNDS = 3,
};

static const unsigned char WITNESS[] = {0, 0, 0, 10, 0, 18, 0, 0, 0, 0, 0, 1, 0xff, 0xff};

struct mock {
    rd_kafka_mock_cluster_t *cluster;
    struct sockaddr_in place;
    int witness; /* a connection of the wrapper's own */
};

/* The ranges of "configure", from its one call on. */
static json_t *wanted;

static int connected(const struct mock *mock) {
    int one = 1, made = socket(AF_INET, SOCK_STREAM, 0);
    struct timeval patience = {PATIENCE, 0};
    setsockopt(made, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    setsockopt(made, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(made, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    if (connect(made, (const struct sockaddr *)&mock->place, sizeof mock->place)) {
        perror("the mock cluster takes no connection");
        exit(1);
    }
    return made;
}

static void start(struct mock *mock) {
    const char *const settings[] = {NULL};
    mock->cluster = rd_kafka_mock_cluster_new(new_client(RD_KAFKA_PRODUCER, settings), 1);
    const char *colon = mock->cluster ? strchr(rd_kafka_mock_cluster_bootstraps(mock->cluster), ':') : NULL;
    if (!colon) {
        fputs("librdkafka: no mock cluster\n", stderr);
        exit(1);
    }
    mock->place = (struct sockaddr_in){
        .sin_family = AF_INET,
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
        .sin_port = htons((uint16_t)atoi(colon + 1)),
    };
}

/* What the mock cluster answers to an ApiVersions request on the wrapper's own connection: the body of version 0, behind
 * the correlation id. Empty where it does not answer. */
static struct octets witnessed(const struct mock *mock) {
    struct octets body = {0};
    unsigned char answer[1 << 16];
    if (send(mock->witness, WITNESS, sizeof WITNESS, MSG_NOSIGNAL) < 0) return body;
    if (recv(mock->witness, answer, 4, MSG_WAITALL) != 4) return body;
    size_t size = (size_t)answer[2] << 8 | answer[3];
    if (size > 4 && recv(mock->witness, answer, size, MSG_WAITALL) == (ssize_t)size) append(&body, answer + 4, size - 4);
    return body;
}

/* Wait until the mock cluster has looked at every connection. False where it does not answer. */
static bool has_looked(const struct mock *mock) {
    bool looked = true;
    for (int round = 0; round < ROUNDS && looked; round++) {
        struct octets body = witnessed(mock);
        looked = body.size > 0;
        release(&body);
    }
    return looked;
}

/* Append what has come; whether the connection is at its end. */
static bool arrived(int connection, struct octets *sent) {
    unsigned char piece[1 << 16];
    ssize_t size;
    while ((size = recv(connection, piece, sizeof piece, MSG_DONTWAIT)) > 0) append(sent, piece, (size_t)size);
    return size == 0 || (errno != EAGAIN && errno != EWOULDBLOCK);
}

static json_t *conversed(const struct mock *mock, int connection, const json_t *chunks) {
    struct octets sent = {0}, chunk = {0};
    bool closed = false, looked = has_looked(mock), question = json_is_array(chunks);
    size_t at;
    json_t *text;
    json_array_foreach(chunks, at, text) {
        chunk.size = 0;
        question = question && from_hex(text, &chunk);
        if (!question || closed || !looked) break;
        if (chunk.size && send(connection, chunk.data, chunk.size, MSG_NOSIGNAL) < 0) closed = true;
        looked = has_looked(mock);
        closed = arrived(connection, &sent) || closed;
    }
    json_t *answer = NULL;
    if (question && !looked)
        answer = failed("the mock cluster does not answer");
    else if (question)
        answer = json_pack("{sosb}", "sent", hex_text(sent.data, sent.size), "closed", closed);
    release(&sent);
    release(&chunk);
    return answer;
}

/* Set the range of an api to what both have: rd_kafka_mock_set_apiversion takes more than the mock cluster can answer. */
static void narrow(const struct mock *mock, int64_t key, int64_t least, int64_t most, const json_t *apis) {
    char name[8];
    snprintf(name, sizeof name, "%d", (int)key);
    const json_t *span = json_object_get(apis, name);
    int64_t lowest = json_integer_value(json_array_get(span, 0)), highest = json_integer_value(json_array_get(span, 1));
    if (!span) return;
    if (lowest < least) lowest = least;
    if (highest > most) highest = most;
    if (lowest == least && highest == most) return; /* the call may take a second: until the cluster's thread looks */
    if (lowest <= highest) rd_kafka_mock_set_apiversion(mock->cluster, (int16_t)key, (int16_t)lowest, (int16_t)highest);
}

static void narrow_all(const struct mock *mock, const json_t *apis) {
    struct octets body = witnessed(mock);
    struct cursor from = {body.data, body.size, 0, false};
    read_number(&from, 2);
    for (int64_t count = read_number(&from, 4); count > 0 && !from.failed; count--) {
        int64_t key = read_number(&from, 2), least = read_number(&from, 2), most = read_number(&from, 2);
        if (!from.failed) narrow(mock, key, least, most, apis);
    }
    release(&body);
}

/* Started by the first question to it. */
static struct mock *the_mock(void) {
    static struct mock mock;
    if (mock.cluster) return &mock;
    start(&mock);
    mock.witness = connected(&mock);
    narrow_all(&mock, wanted);
    return &mock;
}

json_t *configure_mock(const json_t *settings) {
    json_decref(wanted);
    wanted = json_incref(json_object_get(settings, "apis"));
    return json_pack("{sb}", "ok", 1);
}

json_t *serve_mock(const json_t *chunks) {
    struct mock *mock = the_mock();
    int connection = connected(mock);
    json_t *answer = conversed(mock, connection, chunks);
    close(connection);
    return answer;
}

int listen_mock(void) {
    static struct mock mock;
    start(&mock);
    return ntohs(mock.place.sin_port);
}
