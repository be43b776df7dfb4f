/* The line protocol's values and conversation, and a broker that meets what no client sends. `check` runs it. */
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "librdkafka/scripted.h"
#include "lines.h"

static int failures;

static void expect(bool right, const char *what) {
    if (!right) fprintf(stderr, "not so: %s\n", what);
    failures += !right;
}

/* Whether a value, which is freed, is this JSON. */
static bool is(json_t *value, const char *json) {
    char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
    bool equal = text && !strcmp(text, json);
    if (!equal) fprintf(stderr, "%s in the place of %s\n", text ? text : "nothing", json);
    free(text);
    json_decref(value);
    return equal;
}

static void test_values(void) {
    int64_t number = 0;
    json_t *large = json_pack("{ss}", "int", "-9223372036854775808"), *beyond = json_pack("{ss}", "int", "9223372036854775808");
    expect(is(integer_value(9007199254740991), "9007199254740991"), "2^53 - 1 is a number");
    expect(is(integer_value(9007199254740992), "{\"int\":\"9007199254740992\"}"), "2^53 is digits");
    expect(as_integer(large, &number) && number == INT64_MIN, "the least integer is read");
    expect(!as_integer(beyond, &number), "an integer above 64 bits is none");
    expect(is(octets_value(NULL, 0), "null"), "no bytes are null");
    expect(is(octets_value("", 0), "{\"hex\":\"\"}"), "empty bytes are bytes");
    expect(is(text_value("a\0b", 3), "\"a\\u0000b\""), "a NUL is text");
    expect(is(text_value("\xc3\xa9\xff\xed\xa0\x80", 6), "\"\xc3\xa9\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""),
           "U+FFFD stands for each byte that is no UTF-8");
    json_decref(large);
    json_decref(beyond);
}

static void test_hex(void) {
    static const char *const WRONG[] = {"0", "0g", "0x", " 00"};
    struct octets bytes = {0};
    json_t *right = json_string("00fF");
    expect(from_hex(right, &bytes) && bytes.size == 2 && bytes.data[1] == 0xff, "hex is read");
    json_decref(right);
    for (size_t at = 0; at < sizeof WRONG / sizeof *WRONG; at++) {
        json_t *wrong = json_string(WRONG[at]);
        expect(!from_hex(wrong, &bytes), WRONG[at]);
        json_decref(wrong);
    }
    release(&bytes);
}

static json_t *echo(const char *op, const json_t *question) {
    return strcmp(op, "echo") ? NULL : json_pack("{sO*}", "value", json_object_get(question, "value"));
}

/* What a conversation answers, and its status. */
static bool converses(const char *questions, int status, const char *answers) {
    char *said = NULL;
    size_t size = 0;
    json_t *description = json_pack("{ss}", "name", "echo");
    FILE *in = fmemopen((char *)questions, strlen(questions), "r"), *out = open_memstream(&said, &size);
    bool right = converse(in, out, description, echo) == status;
    fclose(in);
    fclose(out);
    right = right && !strcmp(said, answers);
    if (!right) fprintf(stderr, "it said %s\n", said);
    free(said);
    json_decref(description);
    return right;
}

static void test_conversation(void) {
    expect(converses("{\"op\":\"describe\"}\n", 0, "{\"name\":\"echo\"}\n"), "it describes itself");
    expect(converses("{\"seq\":1,\"op\":\"echo\",\"value\":2}", 0, "{\"value\":2,\"seq\":1}\n"), "the last line needs no end");
    expect(converses("{\"seq\":1,\"op\":\"echo\",\"value\":\"\\ud83d\\ude00\"}\n", 0, "{\"value\":\"\xf0\x9f\x98\x80\",\"seq\":1}\n"),
           "a surrogate pair is a character");
    expect(converses("{\"seq\":1,\"op\":\"echo\",\"value\":\"\\ud83d\"}\n", 0,
                     "{\"unsupported\":\"a lone surrogate is no text in C's UTF-8\",\"seq\":1}\n"),
           "half of one is not offered");
    static const char *const UNRULY[] = {
        "{\"seq\":1", "[]\n", "7\n", "\n", "\xff\n", "{\"seq\":\"1\",\"op\":\"echo\"}\n", "{\"seq\":1,\"op\":\"dance\"}\n",
    };
    for (size_t at = 0; at < sizeof UNRULY / sizeof *UNRULY; at++) expect(converses(UNRULY[at], 1, ""), UNRULY[at]);
}

/* Whether the scripted broker closes a connection on which these bytes came. */
static bool closes(const struct scripted *broker, const void *bytes, size_t size) {
    char one;
    struct sockaddr_in place = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    place.sin_port = htons((uint16_t)atoi(strchr(address_of(broker), ':') + 1));
    int connection = socket(AF_INET, SOCK_STREAM, 0);
    bool closed = !connect(connection, (struct sockaddr *)&place, sizeof place) &&
                  send(connection, bytes, size, MSG_NOSIGNAL) == (ssize_t)size && recv(connection, &one, 1, 0) == 0;
    close(connection);
    return closed;
}

static void test_broker(void) {
    struct scripted *broker = start_scripted();
    if (!broker) exit(1);
    expect(closes(broker, "\xff\xff\xff\xff", 4), "a negative size");
    expect(closes(broker, "\x7f\xff\xff\xff", 4), "a size above the limit");
    expect(closes(broker, "\0\0\0\0", 4), "an empty request");
    expect(closes(broker, "\0\0\0\x0a\x03\xe7\0\0\0\0\0\1\xff\xff", 14), "an unknown api");
    expect(closes(broker, "\0\0\0\x0c\0\0\0\7\0\0\0\1\xff\xff\xff\xff", 16), "a Produce request that is cut off");
    expect(closes(broker, "\0\0\0\x0a\0\1\0\x0b\0\0\0\1\xff\xff", 14), "a Fetch request without a body");
}

int main(void) {
    test_values();
    test_hex();
    test_conversation();
    test_broker();
    return failures != 0;
}
