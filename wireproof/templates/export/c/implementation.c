/* Your implementation: put calls of your library here, and leave out what it does not have. wireproof.h has the interface.
 * As an example it has the type VARINT. */

#include "wireproof.h"

#include <string.h>

static int is_varint(const wp_question *question) {
  return strcmp(question->dialect, "kafka") == 0 && strcmp(question->type, "VARINT") == 0;
}

static wp_end decode(const wp_question *question, wp_answer *answer) {
  uint64_t bits = 0;
  size_t at = 0;
  if (!is_varint(question)) return wp_not_offered(answer, question->type);
  do {
    if (at == question->size) return wp_refused(answer, "truncated", 0, "the last byte says that more come");
    if (at == 5) return wp_refused(answer, "varint-overflow", 0, "a VARINT has at most five bytes");
    bits |= (uint64_t)(question->bytes[at] & 0x7f) << (7 * at);
  } while (question->bytes[at++] & 0x80);
  if (bits > UINT32_MAX) return wp_refused(answer, "varint-overflow", 0, "a VARINT has 32 bits");
  if (at < question->size) return wp_refused(answer, "trailing-bytes", (long)at, "bytes after a VARINT");
  int64_t half = (int64_t)(bits >> 1);
  return wp_answered(answer, wp_int(bits & 1 ? -half - 1 : half));
}

static wp_end encode(const wp_question *question, wp_answer *answer) {
  const wp_value *value = question->value;
  unsigned char bytes[5];
  size_t size = 0;
  if (!is_varint(question)) return wp_not_offered(answer, question->type);
  if (value->kind != WP_INT || value->integer < INT32_MIN || value->integer > INT32_MAX) {
    return wp_refused(answer, "out-of-range", -1, "no int32");
  }
  uint64_t left = value->integer < 0 ? 2 * (uint64_t)-(value->integer + 1) + 1 : 2 * (uint64_t)value->integer;
  for (; left > 0x7f; left >>= 7) bytes[size++] = (unsigned char)(left & 0x7f) | 0x80;
  bytes[size++] = (unsigned char)left;
  return wp_answered(answer, wp_bytes(bytes, size));
}

const wp_implementation implementation = {.name = "example", .decode = decode, .encode = encode};
