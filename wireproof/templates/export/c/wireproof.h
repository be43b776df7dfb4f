/* The interface between your implementation and wireproof.c, which asks it Wireproof's vectors.
 *
 * You write implementation.c: functions for the ops that your library has. Each gets a question, puts its answer into
 * `answer`, and says how it ended. SPDX-License-Identifier: Apache-2.0. @versions@. */

#ifndef WIREPROOF_H
#define WIREPROOF_H

#include <stddef.h>
#include <stdint.h>

/* A value of the protocol, without loss: null, absent and empty are different, and a float64 keeps all its bits. */
typedef enum {
  WP_NULL,
  WP_BOOL,    /* integer: 0 or 1 */
  WP_INT,     /* integer */
  WP_BIG_INT, /* bytes: the decimal digits of an integer that does not fit in 64 bits; only in questions */
  WP_FLOAT64, /* bits */
  WP_TEXT,    /* bytes: UTF-8, which may contain zeros; an answer may have other bytes, if that is what was read */
  WP_BYTES,   /* bytes */
  WP_UUID,    /* bytes: sixteen */
  WP_ARRAY,   /* items */
  WP_STRUCT   /* items, with names */
} wp_kind;

typedef struct wp_value wp_value;
struct wp_value {
  wp_kind kind;
  int64_t integer;
  uint64_t bits;
  const unsigned char *bytes;
  size_t size;            /* of bytes */
  size_t count, room;     /* of items */
  wp_value **items;
  const char **names;
};

/* What lives until the verdict: memory of zeros, and values. Ends the process when there is no memory. */
void *wp_memory(size_t size);
wp_value *wp_null(void);
wp_value *wp_bool(int truth);
wp_value *wp_int(int64_t number);
wp_value *wp_float64(uint64_t bits);
wp_value *wp_text(const void *utf8, size_t size); /* copies */
wp_value *wp_bytes(const void *bytes, size_t size); /* copies */
wp_value *wp_uuid(const void *sixteen_bytes);
wp_value *wp_array(void);
void wp_append(wp_value *array, wp_value *item);
wp_value *wp_struct(void);
void wp_set(wp_value *structure, const char *name, wp_value *item);
/* The field of a struct; NULL (not a WP_NULL) if it is absent. */
const wp_value *wp_get(const wp_value *structure, const char *name);
/* Whether a value is this text. */
int wp_is(const wp_value *text, const char *expected);

#define WP_NO_VERSION INT32_MIN

/* A question. What its op does not need is NULL. */
typedef struct {
  const char *dialect;
  const char *type;      /* decode, encode, recode, lookup, convert */
  int version;           /* WP_NO_VERSION: none; -1 is one that some questions have */
  const unsigned char *bytes; /* decode, recode, lookup, convert, consume */
  size_t size;
  const wp_value *value;  /* encode */
  const wp_value *key;    /* lookup: text or an integer */
  const char *to;         /* convert: the name of a format */
  int64_t position;        /* consume: the offset from which records are wanted */
  const char *isolation;   /* consume: "read_uncommitted" or "read_committed" */
  const wp_value *aborted; /* consume: an array of structs, "producer_id" and "first_offset", as a Fetch answer lists them */
  const wp_value *chunks; /* serve: an array of bytes, as they arrive on one connection */
  const wp_value *request, *response;        /* interpret: bytes; response is WP_NULL when the connection was closed */
  const wp_value *api_key, *client, *broker; /* negotiate: the ranges [lowest, highest]; broker may be WP_NULL */
  const wp_value *old_schema, *new_schema;   /* evolve */
  const wp_value *settings;                  /* configure */
} wp_question;

typedef enum { WP_ANSWERED, WP_REFUSED, WP_NOT_OFFERED } wp_end;

typedef struct {
  const wp_value *value; /* WP_ANSWERED: see below */
  const char *text;      /* WP_REFUSED, WP_NOT_OFFERED: why, for a person */
  const char *reason;    /* WP_REFUSED: one of the contract's reasons, or NULL */
  long offset;           /* WP_REFUSED: the byte at fault, or -1 */
  int while_writing;     /* recode, WP_REFUSED: the bytes were read, but could not be written again */
} wp_answer;

typedef wp_end (*wp_op)(const wp_question *question, wp_answer *answer);

/* Fields of a type that your writer sets itself: written bytes are compared without them. */
typedef struct {
  const char *type;
  const char *const *fields; /* their names, NULL at the end */
} wp_rebuilt;

/* The ops that you have. Those that are NULL are skipped, and counted. The answers are
 *   decode                   the value. The key of a header may be bytes
 *   encode, recode, convert  bytes. Without recode it is decode, then encode
 *   lookup                   an array: all values of the header key, in their order
 *   consume                  a struct: "records", an array of structs; "position", where the consumer reads on. A record has
 *                            "offset", "timestamp", "timestamp_type", "key", "value" and "headers"; the "timestamp_type"
 *                            may be left out of all records
 *   serve                    a struct: "sent", bytes; "closed", a boolean
 *   interpret                a struct: "outcome", text; "version", "error" and "request" where they apply
 *   negotiate                an integer, or null
 *   evolve                   an array, empty if nothing breaks
 *   configure                nothing: before the first question of a dialect it gets the settings */
typedef struct {
  const char *name;
  const char *const *readings; /* the rulings of which you chose another reading, NULL at the end: those of other rulings
                                  fail then. Without it all are contested */
  const wp_rebuilt *rebuilds;  /* a type of NULL at the end; may be NULL */
  wp_op decode, encode, recode, lookup, convert, consume, serve, interpret, negotiate, evolve, configure;
} wp_implementation;

/* You define it in implementation.c. */
extern const wp_implementation implementation;

/* Helpers for `return`. */
wp_end wp_answered(wp_answer *answer, const wp_value *value);
wp_end wp_refused(wp_answer *answer, const char *reason, long offset, const char *text);
wp_end wp_not_offered(wp_answer *answer, const char *text);

/* JSON in the value encoding, for other programs. */
wp_value *wp_from_json(const char *json, size_t size); /* NULL: it is no JSON */
wp_value *wp_decoded(wp_value *json);                  /* {"hex": …} and the other forms → values, in place */
char *wp_to_json(const wp_value *value);
void wp_forget(void); /* frees all values */

#endif
