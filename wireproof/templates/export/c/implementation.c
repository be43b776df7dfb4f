/* Your implementation: put calls of your library here, and leave out what it does not have. wireproof.h has the interface.
 * As an example it offers INT16. */

#include "wireproof.h"

#include <string.h>

static int is_int16(const wp_question *question) {
  return strcmp(question->dialect, "kafka") == 0 && strcmp(question->type, "INT16") == 0;
}

static wp_end decode(const wp_question *question, wp_answer *answer) {
  if (!is_int16(question)) return wp_not_offered(answer, question->type);
  if (question->size < 2) return wp_refused(answer, "truncated", 0, "an INT16 has two bytes");
  if (question->size > 2) return wp_refused(answer, "trailing-bytes", 2, "an INT16 has two bytes");
  int number = question->bytes[0] << 8 | question->bytes[1];
  return wp_answered(answer, wp_int(number < 0x8000 ? number : number - 0x10000));
}

static wp_end encode(const wp_question *question, wp_answer *answer) {
  const wp_value *value = question->value;
  if (!is_int16(question)) return wp_not_offered(answer, question->type);
  if (value->kind != WP_INT || value->integer < INT16_MIN || value->integer > INT16_MAX) {
    return wp_refused(answer, "out-of-range", -1, "no INT16");
  }
  unsigned char bytes[2] = {(unsigned char)(value->integer >> 8 & 0xff), (unsigned char)(value->integer & 0xff)};
  return wp_answered(answer, wp_bytes(bytes, sizeof bytes));
}

const wp_implementation implementation = {.name = "example", .decode = decode, .encode = encode};
