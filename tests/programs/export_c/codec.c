/* A small codec in C: primitives, strings, bytes, tag buffers, records and uncompressed batches. tests/export/test_export_c.py asks
 * it through exported tests, and through the line protocol (lines.c).
 *
 * WIREPROOF_WRONG=NAME plants one fault: see `wrong` below. Without it the codec is right. */

#include "wireproof.h"

#include <stdlib.h>
#include <string.h>

/* Whether this fault is planted. */
static int wrong(const char *name) {
  const char *chosen = getenv("WIREPROOF_WRONG");
  return chosen != NULL && strcmp(chosen, name) == 0;
}

typedef struct {
  const unsigned char *start, *at, *end;
  const char *reason; /* NULL: nothing is wrong */
  long offset;
} reader;

static void refuse(reader *in, const char *reason, const unsigned char *at) {
  if (in->reason == NULL) {
    in->reason = reason;
    in->offset = (long)(at - in->start);
  }
}

static size_t left(const reader *in) { return in->reason == NULL ? (size_t)(in->end - in->at) : 0; }

static uint64_t read_fixed(reader *in, size_t size) {
  uint64_t number = 0;
  if (left(in) < size) {
    refuse(in, "truncated", in->at);
    return 0;
  }
  for (size_t at = 0; at < size; at++) number |= (uint64_t)in->at[at] << 8 * (size - 1 - at);
  in->at += size;
  return number;
}

static int64_t with_sign(uint64_t bits, int width) {
  uint64_t sign = (uint64_t)1 << (width - 1);
  return width == 64 ? (int64_t)bits : (int64_t)(bits ^ sign) - (int64_t)sign;
}

static uint64_t read_uvarint(reader *in, int width) {
  const unsigned char *start = in->at;
  uint64_t number = 0;
  for (int shift = 0;; shift += 7) {
    if (shift >= width && !wrong("range")) {
      while (wrong("hang") && width == 64 && left(in) == 0) {}
      refuse(in, "varint-overflow", start);
      return 0;
    }
    if (left(in) == 0) {
      refuse(in, "truncated", in->at);
      return 0;
    }
    unsigned char byte = *in->at++;
    if (shift + 7 > width && !wrong("range") && (byte & 0x7f) >> (width - shift) != 0) {
      refuse(in, "varint-overflow", start);
      return 0;
    }
    if (shift < 64) number |= (uint64_t)(byte & 0x7f) << shift;
    if (byte < 0x80) return width == 32 ? number & 0xffffffff : number;
  }
}

static int64_t read_varint(reader *in, int width) {
  uint64_t number = read_uvarint(in, width);
  if (wrong("sign")) return (int64_t)number;
  return (int64_t)(number >> 1) ^ -(int64_t)(number & 1);
}

static int is_utf8(const unsigned char *bytes, size_t size) {
  for (size_t at = 0; at < size;) {
    unsigned char first = bytes[at];
    size_t more = first < 0x80 ? 0 : first >= 0xc2 && first < 0xe0 ? 1 : first >= 0xe0 && first < 0xf0 ? 2 : first >= 0xf0 && first < 0xf5 ? 3 : 9;
    if (more > size - at - 1) return 0;
    for (size_t next = 1; next <= more; next++) {
      if ((bytes[at + next] & 0xc0) != 0x80) return 0;
    }
    if (first == 0xe0 && bytes[at + 1] < 0xa0) return 0;
    if (first == 0xed && bytes[at + 1] > 0x9f) return 0;
    if (first == 0xf0 && bytes[at + 1] < 0x90) return 0;
    if (first == 0xf4 && bytes[at + 1] > 0x8f) return 0;
    at += more + 1;
  }
  return 1;
}

/* So many bytes, or that text. `prefix`: where the length begins. */
static wp_value *read_sized(reader *in, int64_t length, int nullable, int text, const unsigned char *prefix) {
  if (in->reason != NULL) return wp_null();
  if (length == -1 && nullable && !wrong("null")) return wp_null();
  if (length == -1 && wrong("null")) length = 0;
  if (length < 0) {
    refuse(in, length == -1 ? "null-not-allowed" : "negative-length", prefix);
    return wp_null();
  }
  if ((uint64_t)length > left(in)) {
    refuse(in, "truncated", prefix);
    return wp_null();
  }
  const unsigned char *bytes = in->at;
  in->at += length;
  if (text && !wrong("utf8") && !is_utf8(bytes, (size_t)length)) refuse(in, "invalid-utf8", prefix);
  return text ? wp_text(bytes, (size_t)length) : wp_bytes(bytes, (size_t)length);
}

typedef struct {
  unsigned char *bytes;
  size_t size, room;
  const char *reason;
} writer;

static void put(writer *out, const void *bytes, size_t size) {
  if (out->room - out->size < size) {
    size_t room = 2 * (out->size + size) + 16;
    unsigned char *larger = wp_memory(room);
    if (out->size > 0) memcpy(larger, out->bytes, out->size);
    out->bytes = larger;
    out->room = room;
  }
  if (size > 0) memcpy(out->bytes + out->size, bytes, size);
  out->size += size;
}

static void put_fixed(writer *out, uint64_t bits, size_t size) {
  unsigned char bytes[8];
  for (size_t at = 0; at < size; at++) bytes[at] = (unsigned char)(bits >> 8 * (size - 1 - at) & 0xff);
  put(out, bytes, size);
}

static void put_uvarint(writer *out, uint64_t number) {
  do {
    unsigned char byte = (unsigned char)((number & 0x7f) | (number > 0x7f ? 0x80 : 0));
    put(out, &byte, 1);
    number >>= 7;
  } while (number > 0);
}

static void put_varint(writer *out, int64_t number) {
  if (wrong("sign")) put_uvarint(out, (uint64_t)number & 0xffffffff);
  else put_uvarint(out, ((uint64_t)number << 1) ^ (uint64_t)(number < 0 ? -1 : 0));
}

/* The integer in a value, which has to be in this range. */
static int64_t integer_in(writer *out, const wp_value *value, int64_t lowest, int64_t highest) {
  if (value != NULL && value->kind == WP_INT && value->integer >= lowest && value->integer <= highest) return value->integer;
  out->reason = value != NULL && value->kind == WP_NULL ? "null-not-allowed" : "out-of-range";
  return 0;
}

/* --- Integers and other fixed sizes */

typedef struct {
  const char *name;
  int size, is_signed;
} integer_type;

static const integer_type integer_types[] = {{"INT8", 1, 1},  {"INT16", 2, 1},  {"INT32", 4, 1},
                                             {"INT64", 8, 1}, {"UINT16", 2, 0}, {"UINT32", 4, 0}};

static const integer_type *integer_named(const char *type) {
  for (size_t at = 0; at < sizeof integer_types / sizeof *integer_types; at++) {
    if (strcmp(integer_types[at].name, type) == 0) return &integer_types[at];
  }
  return NULL;
}

static const char *const others[] = {"BOOLEAN", "FLOAT64", "UUID", "UNSIGNED_VARINT", "VARINT", "VARLONG", "TAG_BUFFER", "Record", "RecordBatch"};

/* Text or bytes: their prefix. */
typedef struct {
  int known, compact, nullable, text;
} sized_type;

static sized_type sized_named(const char *type) {
  sized_type found = {0};
  found.compact = strncmp(type, "COMPACT_", 8) == 0;
  if (found.compact) type += 8;
  found.nullable = strncmp(type, "NULLABLE_", 9) == 0;
  if (found.nullable) type += 9;
  found.text = strcmp(type, "STRING") == 0;
  found.known = found.text || strcmp(type, "BYTES") == 0;
  return found;
}

/* --- Tag buffers */

static wp_value *read_tags(reader *in) {
  wp_value *tags = wp_array();
  const unsigned char *prefix = in->at;
  uint64_t count = read_uvarint(in, 32);
  int64_t before = -1;
  if (count > left(in) && in->reason == NULL) refuse(in, "truncated", prefix);
  while (count-- > 0 && in->reason == NULL) {
    const unsigned char *start = in->at;
    int64_t tag = (int64_t)read_uvarint(in, 32);
    if (in->reason == NULL && tag <= before && !wrong("order")) refuse(in, tag == before ? "tag-duplicate" : "tag-order", start);
    before = tag;
    const unsigned char *size_at = in->at;
    int64_t size = (int64_t)read_uvarint(in, 32);
    wp_value *pair = wp_array();
    wp_append(pair, wp_int(tag));
    wp_append(pair, read_sized(in, size, 0, 0, size_at));
    wp_append(tags, pair);
  }
  return tags;
}

static void put_tags(writer *out, const wp_value *tags) {
  put_uvarint(out, tags->count);
  int64_t before = -1;
  for (size_t at = 0; at < tags->count; at++) {
    const wp_value *pair = tags->items[at];
    int64_t tag = integer_in(out, pair->items[0], 0, 0xffffffff);
    if (tag <= before && !wrong("order")) out->reason = tag == before ? "tag-duplicate" : "tag-order";
    before = tag;
    put_uvarint(out, (uint64_t)tag);
    if (!wrong("tag-size")) put_uvarint(out, pair->items[1]->size);
    put(out, pair->items[1]->bytes, pair->items[1]->size);
  }
}

/* --- Records */

static wp_value *read_varint_sized(reader *in, int nullable, int text) {
  const unsigned char *prefix = in->at;
  return read_sized(in, read_varint(in, 32), nullable, text, prefix);
}

static wp_value *read_headers(reader *in) {
  wp_value *headers = wp_array();
  const unsigned char *prefix = in->at;
  int64_t count = read_varint(in, 32);
  if (in->reason == NULL && count < 0) refuse(in, "negative-length", prefix);
  if (in->reason == NULL && (uint64_t)count > left(in)) refuse(in, "truncated", prefix);
  for (; count > 0 && in->reason == NULL; count--) {
    wp_value *pair = wp_array();
    wp_append(pair, read_varint_sized(in, 0, !wrong("keys")));
    wp_append(pair, read_varint_sized(in, 1, 0));
    size_t at = headers->count;
    if (wrong("multimap")) {
      const wp_value *key = pair->items[0];
      for (at = 0; at < headers->count; at++) {
        const wp_value *other = headers->items[at]->items[0];
        if (other->size == key->size && memcmp(other->bytes, key->bytes, key->size) == 0) break;
      }
    }
    if (at < headers->count) headers->items[at] = pair;
    else wp_append(headers, pair);
  }
  return headers;
}

static wp_value *read_record(reader *in) {
  const unsigned char *prefix = in->at;
  int64_t length = read_varint(in, 32);
  wp_value *record = wp_struct();
  if (in->reason == NULL && length < 0) refuse(in, "negative-length", prefix);
  if (in->reason == NULL && (uint64_t)length > left(in)) refuse(in, "truncated", prefix);
  if (in->reason != NULL) return record;
  reader window = {in->start, in->at, in->at + length, NULL, 0};
  wp_set(record, "attributes", wp_int(with_sign(read_fixed(&window, 1), 8)));
  wp_set(record, "timestampDelta", wp_int(read_varint(&window, 64)));
  wp_set(record, "offsetDelta", wp_int(read_varint(&window, 32)));
  wp_set(record, "key", read_varint_sized(&window, 1, 0));
  wp_set(record, "value", read_varint_sized(&window, 1, 0));
  wp_set(record, "headers", read_headers(&window));
  if (wrong("keys")) wp_set(record, "length", wp_int(length));
  if (window.reason == NULL && window.at != window.end) refuse(&window, "length-mismatch", prefix);
  in->at += length;
  if (window.reason != NULL) refuse(in, window.reason, window.start + window.offset);
  return record;
}

static void put_varint_sized(writer *out, const wp_value *value, int nullable) {
  if (value == NULL || (value->kind == WP_NULL && !nullable)) {
    out->reason = "null-not-allowed";
  } else if (value->kind == WP_NULL && !wrong("null")) {
    put_varint(out, -1);
  } else {
    put_varint(out, (int64_t)value->size);
    put(out, value->bytes, value->size);
  }
}

#define RECORD_FIELDS 6

static void put_record(writer *out, const wp_value *record) {
  if (record->count > RECORD_FIELDS + (wp_get(record, "length") != NULL)) out->reason = "unknown-field";
  writer inner = {0};
  const wp_value *headers = wp_get(record, "headers");
  put_fixed(&inner, (uint64_t)integer_in(&inner, wp_get(record, "attributes"), -128, 127), 1);
  put_varint(&inner, integer_in(&inner, wp_get(record, "timestampDelta"), INT64_MIN, INT64_MAX));
  put_varint(&inner, integer_in(&inner, wp_get(record, "offsetDelta"), INT32_MIN, INT32_MAX));
  put_varint_sized(&inner, wp_get(record, "key"), 1);
  put_varint_sized(&inner, wp_get(record, "value"), 1);
  if (headers == NULL || headers->kind != WP_ARRAY) {
    out->reason = "null-not-allowed";
    return;
  }
  put_varint(&inner, (int64_t)headers->count);
  for (size_t at = 0; at < headers->count; at++) {
    put_varint_sized(&inner, headers->items[at]->items[0], 0);
    put_varint_sized(&inner, headers->items[at]->items[1], 1);
  }
  if (out->reason == NULL) out->reason = inner.reason;
  put_varint(out, (int64_t)inner.size);
  put(out, inner.bytes, inner.size);
}

/* CRC-32C (Castagnoli), bit by bit. */
static uint32_t crc32c(const unsigned char *bytes, size_t size) {
  uint32_t crc = 0xffffffff;
  for (size_t at = 0; at < size; at++) {
    crc ^= bytes[at];
    for (int bit = 0; bit < 8; bit++) crc = crc & 1 ? crc >> 1 ^ 0x82f63b78 : crc >> 1;
  }
  return crc ^ 0xffffffff;
}

/* The fields behind a batch's CRC, up to the count of records. */
static const struct {
  const char *name;
  int size;
} batch_fields[] = {{"attributes", 2},   {"lastOffsetDelta", 4}, {"baseTimestamp", 8}, {"maxTimestamp", 8},
                    {"producerId", 8}, {"producerEpoch", 2},   {"baseSequence", 4}};

#define BATCH_FIELDS (sizeof batch_fields / sizeof *batch_fields)

static wp_value *read_batch(reader *in, int *compressed) {
  wp_value *batch = wp_struct(), *records = wp_array();
  wp_set(batch, "baseOffset", wp_int(with_sign(read_fixed(in, 8), 64)));
  const unsigned char *prefix = in->at;
  int64_t length = with_sign(read_fixed(in, 4), 32);
  if (in->reason == NULL && length < 0) refuse(in, "negative-length", prefix);
  if (in->reason == NULL && (uint64_t)length > left(in)) refuse(in, "truncated", prefix);
  if (in->reason == NULL && (uint64_t)length < left(in)) refuse(in, "trailing-bytes", in->at + length);
  int64_t epoch = with_sign(read_fixed(in, 4), 32);
  if (!wrong("epoch")) wp_set(batch, "partitionLeaderEpoch", wp_int(epoch));
  const unsigned char *magic = in->at;
  if (read_fixed(in, 1) != 2 && in->reason == NULL) refuse(in, "unsupported-magic", magic);
  const unsigned char *crc_at = in->at;
  uint64_t crc = read_fixed(in, 4);
  if (in->reason == NULL && crc != crc32c(in->at, left(in)) && !wrong("crc")) refuse(in, "crc-mismatch", crc_at);
  for (size_t at = 0; at < BATCH_FIELDS; at++) {
    int size = batch_fields[at].size;
    int64_t number = with_sign(read_fixed(in, (size_t)size), 8 * size);
    wp_set(batch, batch_fields[at].name, wp_int(number));
    if (at == 0) *compressed = (number & 7) != 0;
  }
  prefix = in->at;
  int64_t count = with_sign(read_fixed(in, 4), 32);
  if (*compressed) return batch;
  if (in->reason == NULL && count < 0) refuse(in, "negative-length", prefix);
  if (in->reason == NULL && (uint64_t)count > left(in)) refuse(in, "truncated", prefix);
  for (; count > 0 && in->reason == NULL; count--) wp_append(records, read_record(in));
  if (in->reason == NULL && left(in) > 0) refuse(in, "count-mismatch", prefix);
  wp_set(batch, "records", records);
  return batch;
}

static void put_batch(writer *out, const wp_value *batch) {
  writer inner = {0};
  const wp_value *records = wp_get(batch, "records");
  if (batch->count > BATCH_FIELDS + 3) out->reason = "unknown-field";
  for (size_t at = 0; at < BATCH_FIELDS; at++) {
    int size = batch_fields[at].size;
    int64_t highest = (int64_t)(UINT64_MAX >> (65 - 8 * size));
    put_fixed(&inner, (uint64_t)integer_in(&inner, wp_get(batch, batch_fields[at].name), -highest - 1, highest), (size_t)size);
  }
  put_fixed(&inner, records->count, 4);
  for (size_t at = 0; at < records->count; at++) put_record(&inner, records->items[at]);
  if (out->reason == NULL) out->reason = inner.reason;
  put_fixed(out, (uint64_t)integer_in(out, wp_get(batch, "baseOffset"), INT64_MIN, INT64_MAX), 8);
  put_fixed(out, 9 + inner.size, 4);
  const wp_value *epoch = wrong("epoch") ? wp_int(0) : wp_get(batch, "partitionLeaderEpoch");
  put_fixed(out, (uint64_t)integer_in(out, epoch, INT32_MIN, INT32_MAX), 4);
  put_fixed(out, 2, 1);
  put_fixed(out, crc32c(inner.bytes, inner.size), 4);
  put(out, inner.bytes, inner.size);
}

/* --- The ops */

static int is_offered(const wp_question *question) {
  if (strcmp(question->dialect, "kafka") != 0) return 0;
  for (size_t at = 0; at < sizeof others / sizeof *others; at++) {
    if (strcmp(others[at], question->type) == 0) return 1;
  }
  return integer_named(question->type) != NULL || sized_named(question->type).known;
}

static wp_value *read_value(reader *in, const char *type, int *compressed) {
  const integer_type *integer = integer_named(type);
  sized_type sized = sized_named(type);
  const unsigned char *prefix = in->at;
  if (integer != NULL) {
    uint64_t bits = read_fixed(in, (size_t)integer->size);
    if (wrong("endian") && integer->size == 4) {
      bits = (bits & 0xff) << 24 | (bits & 0xff00) << 8 | (bits >> 8 & 0xff00) | bits >> 24;
    }
    return wp_int(integer->is_signed ? with_sign(bits, 8 * integer->size) : (int64_t)bits);
  }
  if (sized.known) {
    if (wrong("refuses")) refuse(in, NULL, prefix), in->reason = "truncated";
    int64_t length = sized.compact ? (int64_t)read_uvarint(in, 32) - 1 : sized.text ? with_sign(read_fixed(in, 2), 16) : with_sign(read_fixed(in, 4), 32);
    if (in->reason == NULL && sized.text && length > 32767 && (uint64_t)length <= left(in)) refuse(in, "string-too-long", prefix);
    return read_sized(in, length, sized.nullable, sized.text, prefix);
  }
  if (strcmp(type, "BOOLEAN") == 0) {
    uint64_t byte = read_fixed(in, 1);
    if (wrong("crash") && byte > 1) abort();
    return wp_bool(byte != 0);
  }
  if (strcmp(type, "FLOAT64") == 0) {
    uint64_t bits = read_fixed(in, 8);
    if (wrong("nan") && (bits & 0x7ff0000000000000) == 0x7ff0000000000000 && (bits & 0xfffffffffffff) != 0) bits = 0x7ff8000000000000;
    return wp_float64(bits);
  }
  if (strcmp(type, "UUID") == 0) {
    if (left(in) < 16) refuse(in, "truncated", prefix);
    if (in->reason == NULL) in->at += 16;
    return in->reason == NULL ? wp_uuid(prefix) : wp_null();
  }
  if (strcmp(type, "UNSIGNED_VARINT") == 0) return wp_int((int64_t)read_uvarint(in, 32));
  if (strcmp(type, "VARINT") == 0) return wp_int(read_varint(in, 32));
  if (strcmp(type, "VARLONG") == 0) return wp_int(read_varint(in, 64));
  if (strcmp(type, "TAG_BUFFER") == 0) return read_tags(in);
  return strcmp(type, "Record") == 0 ? read_record(in) : read_batch(in, compressed);
}

static wp_end decode(const wp_question *question, wp_answer *answer) {
  static const unsigned char nothing[1];
  const unsigned char *bytes = question->size > 0 ? question->bytes : nothing;
  reader in = {bytes, bytes, bytes + question->size, NULL, 0};
  int compressed = 0;
  if (!is_offered(question)) return wp_not_offered(answer, question->type);
  const wp_value *value = read_value(&in, question->type, &compressed);
  if (compressed && in.reason == NULL) return wp_not_offered(answer, "compression");
  if (in.reason == NULL && in.at != in.end && !wrong("trailing")) refuse(&in, "trailing-bytes", in.at);
  if (in.reason != NULL) return wp_refused(answer, in.reason, in.offset, "");
  return wp_answered(answer, value);
}

static void put_value(writer *out, const char *type, const wp_value *value) {
  const integer_type *integer = integer_named(type);
  sized_type sized = sized_named(type);
  if (integer != NULL) {
    int bits = 8 * integer->size - integer->is_signed;
    int64_t highest = (int64_t)(UINT64_MAX >> (64 - bits));
    put_fixed(out, (uint64_t)integer_in(out, value, integer->is_signed ? -highest - 1 : 0, highest), (size_t)integer->size);
  } else if (sized.known) {
    int64_t length = value->kind == WP_NULL && !wrong("null") ? -1 : (int64_t)value->size;
    if (length < 0 && !sized.nullable) out->reason = "null-not-allowed";
    if (sized.text && length > 32767) out->reason = "string-too-long";
    if (sized.compact) put_uvarint(out, (uint64_t)(length + 1));
    else put_fixed(out, (uint64_t)length, sized.text ? 2 : 4);
    if (length > 0) put(out, value->bytes, value->size);
  } else if (value->kind == WP_NULL) {
    out->reason = "null-not-allowed";
  } else if (strcmp(type, "BOOLEAN") == 0) {
    put_fixed(out, (uint64_t)value->integer, 1);
  } else if (strcmp(type, "FLOAT64") == 0) {
    put_fixed(out, value->bits, 8);
  } else if (strcmp(type, "UUID") == 0) {
    put(out, value->bytes, 16);
  } else if (strcmp(type, "UNSIGNED_VARINT") == 0) {
    put_uvarint(out, (uint64_t)integer_in(out, value, 0, 0xffffffff));
  } else if (strcmp(type, "VARINT") == 0) {
    put_varint(out, integer_in(out, value, INT32_MIN, INT32_MAX));
  } else if (strcmp(type, "VARLONG") == 0) {
    put_varint(out, integer_in(out, value, INT64_MIN, INT64_MAX));
  } else if (strcmp(type, "TAG_BUFFER") == 0) {
    put_tags(out, value);
  } else if (strcmp(type, "Record") == 0) {
    put_record(out, value);
  } else {
    put_batch(out, value);
  }
}

static wp_end encode(const wp_question *question, wp_answer *answer) {
  writer out = {0};
  if (!is_offered(question)) return wp_not_offered(answer, question->type);
  const wp_value *attributes = wp_get(question->value, "attributes");
  if (strcmp(question->type, "RecordBatch") == 0 && attributes != NULL && (attributes->integer & 7) != 0) {
    return wp_not_offered(answer, "compression");
  }
  put_value(&out, question->type, question->value);
  if (out.reason != NULL) return wp_refused(answer, out.reason, -1, "");
  return wp_answered(answer, wp_bytes(out.bytes, out.size));
}

static wp_end lookup(const wp_question *question, wp_answer *answer) {
  wp_end end = decode(question, answer);
  if (end != WP_ANSWERED || strcmp(question->type, "Record") != 0) return end == WP_ANSWERED ? wp_not_offered(answer, question->type) : end;
  const wp_value *headers = wp_get(answer->value, "headers");
  wp_value *found = wp_array();
  for (size_t at = 0; at < headers->count; at++) {
    const wp_value *key = headers->items[at]->items[0];
    if (key->size == question->key->size && memcmp(key->bytes, question->key->bytes, key->size) == 0) {
      wp_append(found, headers->items[at]->items[1]);
    }
  }
  return wp_answered(answer, found);
}

static wp_end negotiate(const wp_question *question, wp_answer *answer) {
  const wp_value *client = question->client, *broker = question->broker;
  if (strcmp(question->dialect, "kafka") != 0) return wp_not_offered(answer, question->dialect);
  if (broker->kind == WP_NULL) return wp_answered(answer, wp_null());
  int64_t lowest = client->items[0]->integer, highest = client->items[1]->integer;
  if (broker->items[0]->integer > lowest) lowest = broker->items[0]->integer;
  if (broker->items[1]->integer < highest || wrong("version")) highest = broker->items[1]->integer;
  return wp_answered(answer, lowest > highest ? wp_null() : wp_int(highest));
}

/* The least that can be said of these: asked where a fault shows in them, for it makes many of their answers wrong. */
static wp_end interpret(const wp_question *question, wp_answer *answer) {
  (void)question;
  if (!wrong("outcome")) return wp_not_offered(answer, "interpret");
  wp_value *outcome = wp_struct();
  wp_set(outcome, "outcome", wp_text("accepted", 8));
  return wp_answered(answer, outcome);
}

static wp_end evolve(const wp_question *question, wp_answer *answer) {
  (void)question;
  return wrong("breaks") ? wp_answered(answer, wp_array()) : wp_not_offered(answer, "evolve");
}

#ifdef CHOSEN
static const char *const chosen[] = {CHOSEN, NULL};
#else
#define chosen NULL
#endif

#ifdef REBUILDS
static const char *const epochs[] = {"partitionLeaderEpoch", NULL};
static const wp_rebuilt own[] = {{"RecordBatch", epochs}, {NULL, NULL}};
#else
#define own NULL
#endif

const wp_implementation implementation = {.name = "small codec",
                                          .readings = chosen,
                                          .rebuilds = own,
                                          .decode = decode,
                                          .encode = encode,
                                          .lookup = lookup,
                                          .interpret = interpret,
                                          .negotiate = negotiate,
                                          .evolve = evolve};
