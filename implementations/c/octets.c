#include "octets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 256 };

static void *there(void *memory) {
    if (!memory) {
        fputs("out of memory\n", stderr);
        exit(1);
    }
    return memory;
}

void *taken(size_t size) {
    return there(calloc(1, size ? size : 1));
}

char *copied(const void *data, size_t size) {
    char *copy = taken(size + 1);
    if (size) memcpy(copy, data, size);
    return copy;
}

void append(struct octets *to, const void *data, size_t size) {
    if (size > to->room - to->size) {
        size_t room = to->room ? to->room : FIRST_ROOM;
        while (room - to->size < size) room *= 2;
        to->data = there(realloc(to->data, room));
        to->room = room;
    }
    if (size) memcpy(to->data + to->size, data, size);
    to->size += size;
}

void append_number(struct octets *to, int64_t number, int width) {
    unsigned char bytes[8];
    for (int at = 0; at < width; at++) bytes[at] = (unsigned char)((uint64_t)number >> (8 * (width - 1 - at)));
    append(to, bytes, (size_t)width);
}

void append_text(struct octets *to, const char *text) {
    append_number(to, text ? (int64_t)strlen(text) : -1, 2);
    if (text) append(to, text, strlen(text));
}

void release(struct octets *octets) {
    free(octets->data);
    *octets = (struct octets){0};
}

const unsigned char *read_bytes(struct cursor *from, int64_t size) {
    if (from->failed || size < 0 || (uint64_t)size > from->size - from->at) {
        from->failed = true;
        return NULL;
    }
    from->at += (size_t)size;
    return from->data + from->at - size;
}

int64_t read_number(struct cursor *from, int width) {
    const unsigned char *bytes = read_bytes(from, width);
    if (!bytes) return 0;
    uint64_t number = bytes[0] & 0x80 ? ~(uint64_t)0 : 0;
    for (int at = 0; at < width; at++) number = number << 8 | bytes[at];
    return (int64_t)number;
}

const char *read_text(struct cursor *from, int64_t *size) {
    *size = read_number(from, 2);
    return *size == -1 ? NULL : (const char *)read_bytes(from, *size);
}
