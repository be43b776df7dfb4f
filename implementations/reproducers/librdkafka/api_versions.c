/* An ApiVersions request of version 99, which no broker has, is answered by error 35 in the layout of version 0: the
 * error code, then an array whose count has four bytes. The mock broker answers in the layout of later versions. */
#include <arpa/inet.h>
#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static const unsigned char REQUEST[] = {
    0,    0,    0, 11, /* size */
    0,    18,          /* api key: ApiVersions */
    0,    99,          /* version */
    0,    0,    0, 1,  /* correlation id */
    0xff, 0xff,        /* client id: null */
    0,                 /* tags */
};

int main(void) {
    char error[512];
    rd_kafka_t *client = rd_kafka_new(RD_KAFKA_PRODUCER, NULL, error, sizeof error);
    rd_kafka_mock_cluster_t *cluster = client ? rd_kafka_mock_cluster_new(client, 1) : NULL;
    const char *colon = cluster ? strrchr(rd_kafka_mock_cluster_bootstraps(cluster), ':') : NULL;
    if (!colon) return 1;

    struct sockaddr_in place = {
        .sin_family = AF_INET,
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
        .sin_port = htons((unsigned short)atoi(colon + 1)),
    };
    int connection = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(connection, (struct sockaddr *)&place, sizeof place)) return 1;
    if (send(connection, REQUEST, sizeof REQUEST, 0) != sizeof REQUEST) return 1;

    unsigned char answer[14]; /* size, correlation id, error code, and the array's first four bytes */
    if (recv(connection, answer, sizeof answer, MSG_WAITALL) != sizeof answer) return 1;
    printf("error code: %d\n", answer[8] << 8 | answer[9]);
    printf("an array of one element begins with 00 00 00 01, found: %02x %02x %02x %02x\n", answer[10], answer[11],
           answer[12], answer[13]);
    close(connection);
    rd_kafka_mock_cluster_destroy(cluster);
    rd_kafka_destroy(client);
    return 0;
}
