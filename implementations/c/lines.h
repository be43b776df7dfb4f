/* The line protocol (docs/reference/contract.md): questions on stdin, answers on stdout, a JSON object per line.
 *
 * A program gives `converse` a description and a function that answers a question. Questions are answered in their
 * order, and each answer is flushed. A line that is no question ends the conversation.
 */
#ifndef WIREPROOF_LINES_H
#define WIREPROOF_LINES_H

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

#include "octets.h"

/* The answer to a question, without "seq": an object that the caller owns. NULL for what is no question. */
typedef json_t *answering(const char *op, const json_t *question);

/* Answer until the questions end. 0, or 1 after a line that is no question, which stderr is told. `description` is the
 * answer to "describe"; it stays the caller's. */
int converse(FILE *questions, FILE *answers, const json_t *description, answering *answer);

/* Answers. Text may hold any bytes: what is no UTF-8 becomes U+FFFD. */
json_t *refused(const char *reason, const char *detail); /* `reason` is NULL where it is not known */
json_t *not_offered(const char *why);
json_t *failed(const char *text);

/* Values of the contract. */
json_t *integer_value(int64_t number);
json_t *octets_value(const void *data, size_t size); /* null for NULL */
json_t *text_value(const char *data, size_t size);
json_t *hex_text(const void *data, size_t size); /* a plain text, as in "data" */

/* Whether a text is hex digits; its bytes are appended. */
bool from_hex(const json_t *text, struct octets *to);

/* Whether a value is an integer that int64_t holds. */
bool as_integer(const json_t *value, int64_t *number);

/* Whether a value is bytes; they are appended. */
bool as_octets(const json_t *value, struct octets *to);

#endif
