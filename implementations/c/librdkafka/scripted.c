#include "scripted.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    CONNECTIONS = 16,
    SIZE = 4,
    /* Bytes of the largest request that is read: a Produce request with the records of one question. */
    LARGEST = 256 << 20,
    API_PRODUCE = 0,
    API_FETCH = 1,
    API_METADATA = 3,
    API_FIND_COORDINATOR = 10,
    API_VERSIONS = 18,
    NODE = 1,
    UNSUPPORTED_VERSION = 35,
};

/* Where the log ends, as long as there are records to be fetched. */
static const int64_t FAR = (int64_t)1 << 62;

const char *const PRODUCED[] = {"none", "gzip", "snappy", "lz4", "zstd"};

/* What the broker lists: key, lowest and highest version. A client takes the highest one, which is what is answered;
 * librdkafka wants to see the lower ones too before it uses the record format 2 and zstd. */
static const int16_t APIS[][3] = {
    {API_PRODUCE, 0, 7}, {API_FETCH, 0, 11}, {API_METADATA, 0, 4}, {API_FIND_COORDINATOR, 0, 0}, {API_VERSIONS, 0, 3},
};

/* Whether this version is answered. */
static bool is_answered(int64_t key, int64_t version) {
    if (key == API_VERSIONS) return true;
    for (size_t at = 0; at < sizeof APIS / sizeof *APIS; at++)
        if (key == APIS[at][0]) return version == APIS[at][2];
    return false;
}

struct scripted {
    char address[32];
    struct pollfd polled[1 + CONNECTIONS]; /* the listening socket first */
    struct octets arrived[1 + CONNECTIONS];
    int port;

    pthread_mutex_t lock; /* of what follows */
    int32_t partition;
    struct octets records, produced;
    bool fetched;
};

const char *address_of(const struct scripted *broker) {
    return broker->address;
}

void set_records(struct scripted *broker, int32_t partition, const void *data, size_t size) {
    pthread_mutex_lock(&broker->lock);
    broker->partition = partition;
    broker->fetched = false;
    broker->records.size = 0;
    append(&broker->records, data, size);
    pthread_mutex_unlock(&broker->lock);
}

struct octets take_produced(struct scripted *broker) {
    pthread_mutex_lock(&broker->lock);
    struct octets produced = broker->produced;
    broker->produced = (struct octets){0};
    pthread_mutex_unlock(&broker->lock);
    return produced;
}

/* --- Answers: each appends a body ---------------------------------------------------------------------------------- */

/* Version 0, or 3, which is flexible. */
static void answer_api_versions(struct octets *out, int version) {
    const int count = sizeof APIS / sizeof *APIS;
    bool flexible = version == 3, known = flexible || version == 0;
    append_number(out, known ? 0 : UNSUPPORTED_VERSION, 2);
    append_number(out, flexible ? count + 1 : count, flexible ? 1 : 4);
    for (int at = 0; at < count; at++) {
        for (int part = 0; part < 3; part++) append_number(out, APIS[at][part], 2);
        if (flexible) append_number(out, 0, 1);
    }
    if (flexible) append_number(out, 0, 4 + 1); /* throttle time, tags */
}

static void append_topic(struct octets *out, const char *name, int32_t partitions) {
    append_number(out, 0, 2);
    append_text(out, name);
    append_number(out, 0, 1); /* not internal */
    append_number(out, partitions, 4);
    for (int32_t index = 0; index < partitions; index++) {
        append_number(out, 0, 2);
        append_number(out, index, 4);
        append_number(out, NODE, 4);
        for (int list = 0; list < 2; list++) { /* replicas, and those in sync */
            append_number(out, 1, 4);
            append_number(out, NODE, 4);
        }
    }
}

static void append_node(struct octets *out, const struct scripted *broker) {
    append_number(out, NODE, 4);
    append_text(out, "127.0.0.1");
    append_number(out, broker->port, 4);
}

static void answer_metadata(struct octets *out, const struct scripted *broker) {
    append_number(out, 0, 4); /* throttle time */
    append_number(out, 1, 4);
    append_node(out, broker);
    append_text(out, NULL); /* rack */
    append_text(out, "scripted");
    append_number(out, NODE, 4);
    append_number(out, 1 + CODECS, 4);
    append_topic(out, FETCHED, PARTITIONS);
    for (int codec = 0; codec < CODECS; codec++) append_topic(out, PRODUCED[codec], 1);
}

static void answer_find_coordinator(struct octets *out, const struct scripted *broker) {
    append_number(out, 0, 2);
    append_node(out, broker);
}

/* The end of the log, and the records, of a fetch from an offset. */
static void append_fetched(struct octets *out, struct scripted *broker, int32_t partition, int64_t offset) {
    pthread_mutex_lock(&broker->lock);
    bool asked = partition == broker->partition && offset == 0 && !broker->fetched;
    if (asked) broker->fetched = true;
    int64_t end = asked ? FAR : offset;
    append_number(out, partition, 4);
    append_number(out, 0, 2);
    append_number(out, end, 8);
    append_number(out, end, 8); /* last stable offset */
    append_number(out, 0, 8);   /* the log's start */
    append_number(out, -1, 4);  /* no aborted transactions */
    append_number(out, -1, 4);  /* no other replica */
    append_number(out, asked ? (int64_t)broker->records.size : 0, 4);
    if (asked) append(out, broker->records.data, broker->records.size);
    pthread_mutex_unlock(&broker->lock);
}

static void answer_fetch(struct octets *out, struct scripted *broker, struct cursor *request) {
    read_bytes(request, 4 + 4 + 4 + 4 + 1 + 4 + 4);
    append_number(out, 0, 4 + 2); /* throttle time, error */
    append_number(out, 0, 4);     /* no session */
    int64_t topics = read_number(request, 4);
    append_number(out, topics, 4);
    for (; topics > 0 && !request->failed; topics--) {
        int64_t size;
        const char *name = read_text(request, &size);
        append_number(out, size, 2);
        append(out, name, name ? (size_t)size : 0);
        int64_t partitions = read_number(request, 4);
        append_number(out, partitions, 4);
        for (; partitions > 0 && !request->failed; partitions--) {
            int32_t partition = (int32_t)read_number(request, 4);
            read_bytes(request, 4);
            int64_t offset = read_number(request, 8);
            read_bytes(request, 8 + 4);
            append_fetched(out, broker, partition, offset);
        }
    }
}

static void answer_produce(struct octets *out, struct scripted *broker, struct cursor *request) {
    int64_t size;
    read_text(request, &size); /* transactional id */
    read_bytes(request, 2 + 4);
    int64_t topics = read_number(request, 4);
    append_number(out, topics, 4);
    for (; topics > 0 && !request->failed; topics--) {
        const char *name = read_text(request, &size);
        append_number(out, size, 2);
        append(out, name, name ? (size_t)size : 0);
        int64_t partitions = read_number(request, 4);
        append_number(out, partitions, 4);
        for (; partitions > 0 && !request->failed; partitions--) {
            append_number(out, read_number(request, 4), 4);
            int64_t length = read_number(request, 4);
            const unsigned char *records = read_bytes(request, length);
            pthread_mutex_lock(&broker->lock);
            if (records) append(&broker->produced, records, (size_t)length);
            pthread_mutex_unlock(&broker->lock);
            append_number(out, 0, 2);
            append_number(out, 0, 8);  /* base offset */
            append_number(out, -1, 8); /* no LogAppendTime */
            append_number(out, 0, 8);  /* the log's start */
        }
    }
    append_number(out, 0, 4); /* throttle time */
}

/* --- Connections --------------------------------------------------------------------------------------------------- */

static bool send_all(int socket, const struct octets *out) {
    for (size_t at = 0; at < out->size;) {
        ssize_t sent = send(socket, out->data + at, out->size - at, MSG_NOSIGNAL);
        if (sent <= 0) return false;
        at += (size_t)sent;
    }
    return true;
}

/* Answer one request, a frame without its size. False where the connection has to end. */
static bool answer(struct scripted *broker, int socket, const unsigned char *frame, size_t size) {
    struct cursor request = {frame, size, 0, false};
    int64_t key = read_number(&request, 2), version = read_number(&request, 2), correlation = read_number(&request, 4);
    int64_t client;
    read_text(&request, &client);
    if (!is_answered(key, version)) return false;
    struct octets out = {0};
    append_number(&out, 0, SIZE);
    append_number(&out, correlation, 4);
    switch (key) {
    case API_VERSIONS: answer_api_versions(&out, (int)version); break;
    case API_METADATA: answer_metadata(&out, broker); break;
    case API_FIND_COORDINATOR: answer_find_coordinator(&out, broker); break;
    case API_FETCH: answer_fetch(&out, broker, &request); break;
    case API_PRODUCE: answer_produce(&out, broker, &request); break;
    }
    uint32_t prefix = htonl((uint32_t)(out.size - SIZE));
    memcpy(out.data, &prefix, SIZE);
    bool answered = !request.failed && send_all(socket, &out);
    release(&out);
    return answered;
}

/* Read what has arrived, and answer each whole frame. False at the connection's end. */
static bool serve(struct scripted *broker, int slot) {
    unsigned char piece[1 << 16];
    struct octets *arrived = &broker->arrived[slot];
    ssize_t size = recv(broker->polled[slot].fd, piece, sizeof piece, 0);
    if (size <= 0) return false;
    append(arrived, piece, (size_t)size);
    for (;;) {
        struct cursor from = {arrived->data, arrived->size, 0, false};
        int64_t length = read_number(&from, SIZE);
        if (from.failed) return true;
        if (length < 0 || length > LARGEST) return false;
        const unsigned char *frame = read_bytes(&from, length);
        if (!frame) return true;
        if (!answer(broker, broker->polled[slot].fd, frame, (size_t)length)) return false;
        arrived->size -= from.at;
        memmove(arrived->data, arrived->data + from.at, arrived->size);
    }
}

static void accept_into(struct scripted *broker) {
    int socket = accept(broker->polled[0].fd, NULL, NULL), one = 1;
    for (int slot = 1; slot <= CONNECTIONS && socket >= 0; slot++) {
        if (broker->polled[slot].fd >= 0) continue;
        setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        broker->polled[slot] = (struct pollfd){.fd = socket, .events = POLLIN};
        return;
    }
    if (socket >= 0) close(socket);
}

static void *run(void *argument) {
    struct scripted *broker = argument;
    while (poll(broker->polled, 1 + CONNECTIONS, -1) >= 0 || errno == EINTR) {
        if (broker->polled[0].revents) accept_into(broker);
        for (int slot = 1; slot <= CONNECTIONS; slot++) {
            if (broker->polled[slot].fd < 0 || !broker->polled[slot].revents || serve(broker, slot)) continue;
            close(broker->polled[slot].fd);
            broker->polled[slot].fd = -1;
            release(&broker->arrived[slot]);
        }
    }
    return NULL;
}

struct scripted *start_scripted(void) {
    struct scripted *broker = taken(sizeof *broker);
    struct sockaddr_in place = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof place;
    int listening = socket(AF_INET, SOCK_STREAM, 0);
    pthread_t thread;
    for (int slot = 0; slot <= CONNECTIONS; slot++) broker->polled[slot].fd = -1;
    broker->polled[0] = (struct pollfd){.fd = listening, .events = POLLIN};
    broker->partition = -1;
    pthread_mutex_init(&broker->lock, NULL);
    if (listening < 0 || bind(listening, (struct sockaddr *)&place, sizeof place) || listen(listening, CONNECTIONS) ||
        getsockname(listening, (struct sockaddr *)&place, &size)) {
        perror("no port of the loopback");
        return NULL;
    }
    broker->port = ntohs(place.sin_port);
    snprintf(broker->address, sizeof broker->address, "127.0.0.1:%d", broker->port);
    if (pthread_create(&thread, NULL, run, broker)) {
        perror("no thread");
        return NULL;
    }
    pthread_detach(thread);
    return broker;
}
