/* Octets: bytes that grow, in the byte order of the network, and a cursor that reads them.
 *
 * Memory that is not to be had ends the process with a line on stderr: the kit sees that as what it is.
 */
#ifndef WIREPROOF_OCTETS_H
#define WIREPROOF_OCTETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct octets {
    unsigned char *data;
    size_t size, room;
};

/* Memory of `size` bytes. It never returns NULL. */
void *taken(size_t size);

/* A copy of `size` bytes, with a NUL behind them. */
char *copied(const void *data, size_t size);

void append(struct octets *to, const void *data, size_t size);

/* Append the low `width` bytes (1, 2, 4 or 8) of a number. */
void append_number(struct octets *to, int64_t number, int width);

/* Append a STRING, or with NULL a null NULLABLE_STRING. */
void append_text(struct octets *to, const char *text);

/* Free the bytes; `octets` is empty then, and can be used again. */
void release(struct octets *octets);

/* A cursor. What is beyond the end is 0, and sets `failed`. */
struct cursor {
    const unsigned char *data;
    size_t size, at;
    bool failed;
};

int64_t read_number(struct cursor *from, int width);

/* The next `size` bytes, which are passed over; NULL beyond the end. */
const unsigned char *read_bytes(struct cursor *from, int64_t size);

/* The bytes of a NULLABLE_STRING, which are passed over, and their number: NULL and -1 for null. */
const char *read_text(struct cursor *from, int64_t *size);

#endif
