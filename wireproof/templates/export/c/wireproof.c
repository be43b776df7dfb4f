/* Asks the implementation in implementation.c Wireproof's vectors, and judges the answers: see README.md.
 *
 *   memory and values     what lives until a verdict
 *   JSON                  a reader and a writer
 *   comparing             values, and texts that show the same bytes
 *   frames and patterns   what a broker sent
 *   judging               by the rules of docs/reference/export-format.md of Wireproof; comments with numbers name them
 *   asking                a child for each block of cases, so that a crash is the verdict of one case
 *
 * SPDX-License-Identifier: Apache-2.0. @versions@. */

#if !defined(WIREPROOF_ONE_PROCESS) && (defined(__unix__) || defined(__APPLE__))
#define WITH_CHILDREN 1
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#endif

#include "wireproof.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef WITH_CHILDREN
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

#define FORMAT 1
#define DEEPEST 200 /* nested JSON */
#define SHOWN 400   /* characters of a value in a text */
#define MOST_TYPES 10 /* named of those that were skipped */

/* --- Memory and values -------------------------------------------------------------------------------------------- */

typedef union block block;
union block {
  struct {
    block *next;
    size_t used, size;
  } head;
  long double aligned;
};

static block *blocks;

void *wp_memory(size_t size) {
  const size_t unit = sizeof(block);
  if (size > SIZE_MAX / 2) abort();
  size = (size + unit - 1) / unit * unit;
  if (blocks == NULL || blocks->head.size - blocks->head.used < size) {
    size_t room = size > 65536 ? size : 65536;
    block *new = malloc(unit + room);
    if (new == NULL) abort();
    new->head.next = blocks;
    new->head.used = 0;
    new->head.size = room;
    blocks = new;
  }
  void *memory = (char *)(blocks + 1) + blocks->head.used;
  blocks->head.used += size;
  return memset(memory, 0, size);
}

void wp_forget(void) {
  while (blocks != NULL) {
    block *next = blocks->head.next;
    free(blocks);
    blocks = next;
  }
}

static char *copied(const void *bytes, size_t size) {
  char *copy = wp_memory(size + 1);
  if (size > 0) memcpy(copy, bytes, size);
  return copy;
}

static wp_value *new_value(wp_kind kind) {
  wp_value *value = wp_memory(sizeof *value);
  value->kind = kind;
  return value;
}

static wp_value *of_bytes(wp_kind kind, const void *bytes, size_t size) {
  wp_value *value = new_value(kind);
  value->bytes = (unsigned char *)copied(bytes, size);
  value->size = size;
  return value;
}

wp_value *wp_null(void) { return new_value(WP_NULL); }
wp_value *wp_text(const void *utf8, size_t size) { return of_bytes(WP_TEXT, utf8, size); }
wp_value *wp_bytes(const void *bytes, size_t size) { return of_bytes(WP_BYTES, bytes, size); }
wp_value *wp_uuid(const void *sixteen_bytes) { return of_bytes(WP_UUID, sixteen_bytes, 16); }
wp_value *wp_array(void) { return new_value(WP_ARRAY); }
wp_value *wp_struct(void) { return new_value(WP_STRUCT); }

wp_value *wp_bool(int truth) {
  wp_value *value = new_value(WP_BOOL);
  value->integer = truth != 0;
  return value;
}

wp_value *wp_int(int64_t number) {
  wp_value *value = new_value(WP_INT);
  value->integer = number;
  return value;
}

wp_value *wp_float64(uint64_t bits) {
  wp_value *value = new_value(WP_FLOAT64);
  value->bits = bits;
  return value;
}

static void add(wp_value *value, const char *name, wp_value *item) {
  if (value->count == value->room) {
    size_t room = value->room == 0 ? 4 : 2 * value->room;
    wp_value **items = wp_memory(room * sizeof *items);
    if (value->count > 0) memcpy(items, value->items, value->count * sizeof *items);
    value->items = items;
    if (value->kind == WP_STRUCT) {
      const char **names = wp_memory(room * sizeof *names);
      if (value->count > 0) memcpy(names, value->names, value->count * sizeof *names);
      value->names = names;
    }
    value->room = room;
  }
  if (value->kind == WP_STRUCT) value->names[value->count] = name;
  value->items[value->count++] = item;
}

void wp_append(wp_value *array, wp_value *item) { add(array, NULL, item); }

void wp_set(wp_value *structure, const char *name, wp_value *item) { add(structure, copied(name, strlen(name)), item); }

const wp_value *wp_get(const wp_value *structure, const char *name) {
  if (structure == NULL || structure->kind != WP_STRUCT) return NULL;
  for (size_t at = 0; at < structure->count; at++) {
    if (strcmp(structure->names[at], name) == 0) return structure->items[at];
  }
  return NULL;
}

int wp_is(const wp_value *text, const char *expected) {
  return text != NULL && text->kind == WP_TEXT && text->size == strlen(expected) &&
         memcmp(text->bytes, expected, text->size) == 0;
}

/* A text as C has it; NULL for what is none. */
static const char *string(const wp_value *text) {
  return text != NULL && text->kind == WP_TEXT ? (const char *)text->bytes : NULL;
}

wp_end wp_answered(wp_answer *answer, const wp_value *value) {
  answer->value = value;
  return WP_ANSWERED;
}

wp_end wp_refused(wp_answer *answer, const char *reason, long offset, const char *text) {
  answer->reason = reason;
  answer->offset = offset;
  answer->text = text;
  return WP_REFUSED;
}

wp_end wp_not_offered(wp_answer *answer, const char *text) {
  answer->text = text;
  return WP_NOT_OFFERED;
}

/* --- JSON --------------------------------------------------------------------------------------------------------- */

typedef struct {
  const char *at, *end;
} json;

static void skip_blanks(json *in) {
  while (in->at < in->end && strchr(" \t\r\n", *in->at) != NULL && *in->at != 0) in->at++;
}

static int digit_of(int character) {
  if (character >= '0' && character <= '9') return character - '0';
  if (character >= 'a' && character <= 'f') return character - 'a' + 10;
  if (character >= 'A' && character <= 'F') return character - 'A' + 10;
  return -1;
}

static int read_unit(json *in, unsigned *unit) {
  *unit = 0;
  if (in->end - in->at < 4) return 0;
  for (int count = 0; count < 4; count++) {
    int digit = digit_of(*in->at++);
    if (digit < 0) return 0;
    *unit = *unit << 4 | (unsigned)digit;
  }
  return 1;
}

static char *append_utf8(char *out, unsigned long point) {
  if (point < 0x80) {
    *out++ = (char)point;
  } else if (point < 0x800) {
    *out++ = (char)(0xc0 | point >> 6);
    *out++ = (char)(0x80 | (point & 0x3f));
  } else if (point < 0x10000) {
    *out++ = (char)(0xe0 | point >> 12);
    *out++ = (char)(0x80 | (point >> 6 & 0x3f));
    *out++ = (char)(0x80 | (point & 0x3f));
  } else {
    *out++ = (char)(0xf0 | point >> 18);
    *out++ = (char)(0x80 | (point >> 12 & 0x3f));
    *out++ = (char)(0x80 | (point >> 6 & 0x3f));
    *out++ = (char)(0x80 | (point & 0x3f));
  }
  return out;
}

static wp_value *read_string(json *in) {
  const char *close = ++in->at;
  while (close < in->end && *close != '"') close += *close == '\\' && close + 1 < in->end ? 2 : 1;
  if (close >= in->end) return NULL;
  char *text = wp_memory((size_t)(close - in->at) + 1), *out = text; /* an escape is longer than what it means */
  while (in->at < close) {
    char character = *in->at++;
    if (character != '\\') {
      *out++ = character;
      continue;
    }
    const char *plain = "\"\\/bfnrt", *means = "\"\\/\b\f\n\r\t";
    char escaped = *in->at++;
    if (escaped == 'u') {
      unsigned unit, second;
      if (!read_unit(in, &unit)) return NULL;
      unsigned long point = unit;
      if (unit >= 0xd800 && unit < 0xdc00 && close - in->at >= 6 && in->at[0] == '\\' && in->at[1] == 'u') {
        json ahead = {in->at + 2, in->end};
        if (!read_unit(&ahead, &second)) return NULL;
        if (second >= 0xdc00 && second < 0xe000) {
          point = 0x10000 + ((unsigned long)(unit - 0xd800) << 10) + (second - 0xdc00);
          in->at = ahead.at;
        }
      }
      out = append_utf8(out, point);
    } else {
      const char *found = escaped == 0 ? NULL : strchr(plain, escaped);
      if (found == NULL) return NULL;
      *out++ = means[found - plain];
    }
  }
  in->at = close + 1;
  wp_value *value = new_value(WP_TEXT);
  value->bytes = (unsigned char *)text;
  value->size = (size_t)(out - text);
  return value;
}

/* Digits, perhaps with a minus → an integer, of 64 bits where it fits. */
static wp_value *integer_of(const char *digits, size_t size) {
  char *text = copied(digits, size), *end;
  errno = 0;
  long long number = strtoll(text, &end, 10);
  if (size == 0 || *end != 0) return NULL;
  return errno == ERANGE ? of_bytes(WP_BIG_INT, digits, size) : wp_int(number);
}

static wp_value *read_number(json *in) {
  const char *start = in->at;
  while (in->at < in->end && (digit_of(*in->at) >= 0 || strchr("+-.eE", *in->at) != NULL) && *in->at != 0) in->at++;
  size_t size = (size_t)(in->at - start);
  if (memchr(start, '.', size) == NULL && memchr(start, 'e', size) == NULL && memchr(start, 'E', size) == NULL) {
    return integer_of(start, size);
  }
  double number = strtod(copied(start, size), NULL);
  uint64_t bits;
  memcpy(&bits, &number, sizeof bits);
  return wp_float64(bits);
}

static int word(json *in, const char *expected) {
  size_t size = strlen(expected);
  if ((size_t)(in->end - in->at) < size || memcmp(in->at, expected, size) != 0) return 0;
  in->at += size;
  return 1;
}

static wp_value *read_json(json *in, int depth) {
  skip_blanks(in);
  if (in->at >= in->end || depth > DEEPEST) return NULL;
  char first = *in->at;
  if (first == '"') return read_string(in);
  if (first == '-' || (first >= '0' && first <= '9')) return read_number(in);
  if (word(in, "null")) return wp_null();
  if (word(in, "true")) return wp_bool(1);
  if (word(in, "false")) return wp_bool(0);
  if (first != '[' && first != '{') return NULL;
  wp_value *value = new_value(first == '[' ? WP_ARRAY : WP_STRUCT);
  char close = first == '[' ? ']' : '}';
  in->at++;
  skip_blanks(in);
  if (in->at < in->end && *in->at == close) {
    in->at++;
    return value;
  }
  for (;;) {
    const char *name = NULL;
    skip_blanks(in);
    if (first == '{') {
      wp_value *text = in->at < in->end && *in->at == '"' ? read_string(in) : NULL;
      if (text == NULL) return NULL;
      name = string(text);
      skip_blanks(in);
      if (in->at >= in->end || *in->at++ != ':') return NULL;
    }
    wp_value *item = read_json(in, depth + 1);
    if (item == NULL) return NULL;
    add(value, name, item);
    skip_blanks(in);
    if (in->at >= in->end) return NULL;
    if (*in->at == close) {
      in->at++;
      return value;
    }
    if (*in->at++ != ',') return NULL;
  }
}

wp_value *wp_from_json(const char *text, size_t size) {
  json in = {text, text + size};
  wp_value *value = read_json(&in, 0);
  skip_blanks(&in);
  return in.at == in.end ? value : NULL;
}

/* Hex digits → bytes; NULL for others. Hyphens are passed over: those of a UUID. */
static wp_value *unhexed(wp_kind kind, const wp_value *digits) {
  if (digits == NULL || digits->kind != WP_TEXT) return NULL;
  unsigned char *bytes = wp_memory(digits->size / 2 + 1);
  size_t size = 0;
  int high = -1;
  for (size_t at = 0; at < digits->size; at++) {
    if (kind == WP_UUID && digits->bytes[at] == '-') continue;
    int digit = digit_of(digits->bytes[at]);
    if (digit < 0) return NULL;
    if (high < 0) {
      high = digit;
    } else {
      bytes[size++] = (unsigned char)(high << 4 | digit);
      high = -1;
    }
  }
  if (high >= 0) return NULL;
  wp_value *value = new_value(kind);
  value->bytes = bytes;
  value->size = size;
  return value;
}

wp_value *wp_decoded(wp_value *value) {
  if (value->kind == WP_STRUCT && value->count == 1) {
    const char *form = value->names[0];
    const wp_value *content = value->items[0];
    wp_value *found = NULL;
    if (strcmp(form, "hex") == 0) {
      found = unhexed(WP_BYTES, content);
    } else if (strcmp(form, "uuid") == 0) {
      found = unhexed(WP_UUID, content);
    } else if (strcmp(form, "int") == 0 && content->kind == WP_TEXT) {
      found = integer_of((const char *)content->bytes, content->size);
    } else if (strcmp(form, "float64") == 0) {
      found = unhexed(WP_FLOAT64, content);
      for (size_t at = 0; found != NULL && at < found->size; at++) found->bits = found->bits << 8 | found->bytes[at];
    }
    if (found != NULL) return found;
  }
  for (size_t at = 0; at < value->count; at++) value->items[at] = wp_decoded(value->items[at]);
  return value;
}

/* A text that grows. */
typedef struct {
  char *text;
  size_t size, room;
} buffer;

static void put(buffer *out, const char *text, size_t size) {
  if (out->room - out->size <= size) {
    size_t room = 2 * (out->size + size) + 64;
    char *larger = wp_memory(room);
    if (out->size > 0) memcpy(larger, out->text, out->size);
    out->text = larger;
    out->room = room;
  }
  memcpy(out->text + out->size, text, size);
  out->size += size;
  out->text[out->size] = 0;
}

static void say(buffer *out, const char *text) { put(out, text, strlen(text)); }

static void put_hex(buffer *out, const unsigned char *bytes, size_t size) {
  static const char digits[] = "0123456789abcdef";
  for (size_t at = 0; at < size; at++) {
    char pair[2] = {digits[bytes[at] >> 4], digits[bytes[at] & 15]};
    put(out, pair, 2);
  }
}

/* The length of the UTF-8 character at the start of some bytes; 0 if there is none. */
static size_t character_at(const unsigned char *bytes, size_t size) {
  unsigned char first = bytes[0];
  size_t length = first < 0x80 ? 1 : first >= 0xc2 && first < 0xe0 ? 2 : (first & 0xf0) == 0xe0 ? 3 : first >= 0xf0 && first < 0xf5 ? 4 : 0;
  if (length == 0 || length > size) return 0;
  for (size_t at = 1; at < length; at++) {
    if ((bytes[at] & 0xc0) != 0x80) return 0;
  }
  if (first == 0xe0 && bytes[1] < 0xa0) return 0;
  if (first == 0xed && bytes[1] >= 0xa0) return 0; /* a surrogate */
  if (first == 0xf0 && bytes[1] < 0x90) return 0;
  if (first == 0xf4 && bytes[1] >= 0x90) return 0;
  return length;
}

#define REPLACEMENT "\xef\xbf\xbd"

static void put_string(buffer *out, const unsigned char *bytes, size_t size) {
  say(out, "\"");
  for (size_t at = 0; at < size;) {
    size_t length = character_at(bytes + at, size - at);
    if (length == 0) {
      say(out, REPLACEMENT);
      at++;
      continue;
    }
    if (bytes[at] < 0x20 || bytes[at] == '"' || bytes[at] == '\\' || bytes[at] == 0x7f) {
      char escaped[8];
      snprintf(escaped, sizeof escaped, "\\u%04x", bytes[at]);
      say(out, escaped);
    } else {
      put(out, (const char *)bytes + at, length);
    }
    at += length;
  }
  say(out, "\"");
}

static void put_json(buffer *out, const wp_value *value) {
  char number[64];
  switch (value->kind) {
    case WP_NULL: say(out, "null"); return;
    case WP_BOOL: say(out, value->integer ? "true" : "false"); return;
    case WP_INT: {
      int safe = value->integer >= -9007199254740991 && value->integer <= 9007199254740991;
      snprintf(number, sizeof number, safe ? "%lld" : "{\"int\":\"%lld\"}", (long long)value->integer);
      say(out, number);
      return;
    }
    case WP_FLOAT64:
      snprintf(number, sizeof number, "{\"float64\":\"%016llx\"}", (unsigned long long)value->bits);
      say(out, number);
      return;
    case WP_BIG_INT:
      say(out, "{\"int\":\"");
      put(out, (const char *)value->bytes, value->size);
      say(out, "\"}");
      return;
    case WP_TEXT: put_string(out, value->bytes, value->size); return;
    case WP_BYTES:
      say(out, "{\"hex\":\"");
      put_hex(out, value->bytes, value->size);
      say(out, "\"}");
      return;
    case WP_UUID:
      say(out, "{\"uuid\":\"");
      for (size_t at = 0; at < value->size; at++) {
        if (at == 4 || at == 6 || at == 8 || at == 10) say(out, "-");
        put_hex(out, value->bytes + at, 1);
      }
      say(out, "\"}");
      return;
    case WP_ARRAY:
    case WP_STRUCT:
      say(out, value->kind == WP_ARRAY ? "[" : "{");
      for (size_t at = 0; at < value->count; at++) {
        if (at > 0) say(out, ",");
        if (value->kind == WP_STRUCT) {
          put_string(out, (const unsigned char *)value->names[at], strlen(value->names[at]));
          say(out, ":");
        }
        put_json(out, value->items[at]);
      }
      say(out, value->kind == WP_ARRAY ? "]" : "}");
  }
}

char *wp_to_json(const wp_value *value) {
  buffer out = {0};
  put_json(&out, value);
  return out.text;
}

#ifndef WIREPROOF_NO_MAIN /* other programs need no more */

static void give_up(const char *what, const char *about) {
  fflush(stdout);
  fprintf(stderr, "wireproof: %s: %s\n", about, what);
  exit(2);
}

/* What was made until now stays until the program ends. */
static void keep(void) { blocks = NULL; }

/* --- Comparing ---------------------------------------------------------------------------------------------------- */

/* Text with U+FFFD for all that is no UTF-8, one for each run: libraries differ in how many they write. */
static wp_value *folded(const wp_value *text, int *shows_bytes) {
  buffer out = {0};
  int replaced = 0;
  *shows_bytes = 0;
  put(&out, "", 0);
  for (size_t at = 0; at < text->size;) {
    size_t length = character_at(text->bytes + at, text->size - at);
    int stands = length == 0 || (length == 3 && memcmp(text->bytes + at, REPLACEMENT, 3) == 0);
    if (!stands) put(&out, (const char *)text->bytes + at, length);
    if (stands && !replaced) say(&out, REPLACEMENT);
    replaced = stands;
    *shows_bytes |= stands;
    at += length == 0 ? 1 : length;
  }
  return wp_text(out.text, out.size);
}

static int same_bytes(const wp_value *one, const wp_value *other) {
  return one->size == other->size && memcmp(one->bytes, other->bytes, one->size) == 0;
}

/* How values are compared. */
typedef struct {
  const wp_value *optional;    /* the paths of fields that an answer may leave out */
  const char *const *rebuilt;  /* the names of fields that the library's writer sets itself */
  int written;                 /* both were decoded from written bytes: fields that are rebuilt or derived are not compared */
  int fold;                    /* texts are equal that show the same bytes (4) */
} manner;

/* Fields that follow from the others. A value has none of them; an answer may, and also "magic". */
static const char *const derived[] = {"size", "length", "batchLength", "crc", "recordsCount", "headersCount", NULL};

static int is_among(const char *const *names, const char *name) {
  while (names != NULL && *names != NULL && strcmp(*names, name) != 0) names++;
  return names != NULL && *names != NULL;
}

static const char *const *rebuilt_of(const wp_value *line) {
  const wp_rebuilt *one = implementation.rebuilds;
  while (one != NULL && one->type != NULL && !wp_is(wp_get(line, "type"), one->type)) one++;
  return one != NULL && one->type != NULL ? one->fields : NULL;
}

static int is_optional(manner how, const char *path) {
  for (size_t at = 0; how.optional != NULL && at < how.optional->count; at++) {
    if (wp_is(how.optional->items[at], path)) return 1;
  }
  return 0;
}

static int same_at(const wp_value *expected, const wp_value *answer, manner how, const char *path);

/* The answer of a decode with the keys of headers as text, if they are bytes. */
static const wp_value *with_text_keys(const char *type, const wp_value *answer) {
  int all = strcmp(type, "HEADERS") == 0;
  if (answer->kind != WP_ARRAY || (!all && strcmp(type, "HEADER") != 0)) return answer;
  wp_value *keyed = wp_array();
  for (size_t at = 0; at < answer->count; at++) {
    wp_value *item = answer->items[at];
    if (!all && at == 0 && item->kind == WP_BYTES) item = wp_text(item->bytes, item->size);
    wp_append(keyed, all ? (wp_value *)with_text_keys("HEADER", item) : item);
  }
  return keyed;
}

static int same_structs(const wp_value *expected, const wp_value *answer, manner how, const char *path) {
  char place[1024];
  for (int side = 0; side < 2; side++) {
    const wp_value *one = side == 0 ? expected : answer, *other = side == 0 ? answer : expected;
    for (size_t at = 0; at < one->count; at++) {
      const char *name = one->names[at];
      const wp_value *item = one->items[at], *there = wp_get(other, name);
      int rebuilt = is_among(how.rebuilt, name), follows = is_among(derived, name);
      int fits = snprintf(place, sizeof place, "%s%s%s", path, *path ? "." : "", name) < (int)sizeof place;
      if (how.written && (rebuilt || follows)) continue;
      if (there != NULL) {
        int keyed = side == 0 && strcmp(name, "headers") == 0;
        if (keyed && !same_at(with_text_keys("HEADERS", item), with_text_keys("HEADERS", there), how, place)) return 0;
        if (side == 0 && !keyed && !same_at(item, there, how, place)) return 0;
      } else if (strcmp(name, "_tags") == 0) {
        if (item->kind != WP_ARRAY || item->count > 0) return 0;
      } else if (side == 1) {
        if (!follows && strcmp(name, "magic") != 0) return 0;
      } else if (!rebuilt && (!fits || !is_optional(how, place))) {
        return 0;
      }
    }
  }
  return 1;
}

static int same_at(const wp_value *expected, const wp_value *answer, manner how, const char *path) {
  if (how.fold && expected->kind == WP_TEXT && answer->kind == WP_BYTES) answer = wp_text(answer->bytes, answer->size);
  if (expected->kind != answer->kind) return 0;
  switch (expected->kind) {
    case WP_NULL: return 1;
    case WP_BOOL:
    case WP_INT: return expected->integer == answer->integer;
    case WP_FLOAT64: return expected->bits == answer->bits;
    case WP_TEXT:
      if (how.fold) {
        int shows_bytes, ignored;
        const wp_value *left = folded(expected, &shows_bytes);
        if (shows_bytes) return same_bytes(left, folded(answer, &ignored));
      }
      return same_bytes(expected, answer);
    case WP_BIG_INT:
    case WP_BYTES:
    case WP_UUID: return same_bytes(expected, answer);
    case WP_ARRAY: {
      char place[1024];
      if (expected->count != answer->count) return 0;
      for (size_t at = 0; at < expected->count; at++) {
        snprintf(place, sizeof place, "%s[%lu]", path, (unsigned long)at);
        if (!same_at(expected->items[at], answer->items[at], how, place)) return 0;
      }
      return 1;
    }
    case WP_STRUCT: return same_structs(expected, answer, how, path);
  }
  return 0;
}

static int same(const wp_value *expected, const wp_value *answer, manner how) {
  return expected != NULL && answer != NULL && same_at(expected, answer, how, "");
}

/* --- Frames: read by the layouts of frames.json --------------------------------------------------------------------- */

typedef struct {
  const unsigned char *at, *end;
  int bad;
} input;

static uint64_t fixed(input *in, size_t size) {
  uint64_t number = 0;
  if ((size_t)(in->end - in->at) < size) {
    in->bad = 1;
    return 0;
  }
  while (size-- > 0) number = number << 8 | *in->at++;
  return number;
}

static int64_t signed_of(uint64_t bits, int width) {
  uint64_t sign = (uint64_t)1 << (width - 1);
  return width == 64 ? (int64_t)bits : (int64_t)(bits ^ sign) - (int64_t)sign;
}

static uint64_t uvarint(input *in, int width) {
  uint64_t number = 0;
  for (int shift = 0; shift < width; shift += 7) {
    uint64_t byte = fixed(in, 1);
    if (in->bad) return 0;
    if (shift + 7 > width && (byte & 0x7f) >> (width - shift) != 0) break;
    number |= (byte & 0x7f) << shift;
    if (byte < 0x80) return number;
  }
  in->bad = 1;
  return 0;
}

/* Bytes or text of this length, −1 being null. */
static wp_value *sized(input *in, wp_kind kind, int64_t length, int nullable) {
  if (length == -1 && nullable) return wp_null();
  if (in->bad || length < 0 || length > in->end - in->at) {
    in->bad = 1;
    return wp_null();
  }
  wp_value *value = of_bytes(kind, in->at, (size_t)length);
  for (size_t at = 0; kind == WP_TEXT && at < value->size && !in->bad;) {
    size_t size = character_at(value->bytes + at, value->size - at);
    in->bad = size == 0;
    at += size;
  }
  in->at += length;
  return value;
}

static wp_value *read_primitive(input *in, const char *type) {
  static const struct {
    const char *name;
    int bytes, is_signed;
  } integers[] = {{"INT8", 1, 1},  {"INT16", 2, 1},  {"INT32", 4, 1}, {"INT64", 8, 1}, {"UINT16", 2, 0}, {"UINT32", 4, 0}};
  for (size_t at = 0; at < sizeof integers / sizeof *integers; at++) {
    if (strcmp(type, integers[at].name) == 0) {
      uint64_t bits = fixed(in, (size_t)integers[at].bytes);
      return wp_int(integers[at].is_signed ? signed_of(bits, 8 * integers[at].bytes) : (int64_t)bits);
    }
  }
  if (strcmp(type, "BOOLEAN") == 0) return wp_bool(fixed(in, 1) != 0);
  if (strcmp(type, "FLOAT64") == 0) return wp_float64(fixed(in, 8));
  if (strcmp(type, "UUID") == 0) return sized(in, WP_UUID, 16, 0);
  int compact = strncmp(type, "COMPACT_", 8) == 0;
  const char *rest = compact ? type + 8 : type;
  int nullable = strncmp(rest, "NULLABLE_", 9) == 0;
  if (nullable) rest += 9;
  int text = strcmp(rest, "STRING") == 0;
  if (!text && strcmp(rest, "BYTES") != 0) give_up(type, "frames.json: unknown type");
  int64_t length = compact ? (int64_t)uvarint(in, 32) - 1 : text ? signed_of(fixed(in, 2), 16) : signed_of(fixed(in, 4), 32);
  return sized(in, text ? WP_TEXT : WP_BYTES, length, nullable);
}

static int is_true(const wp_value *layout, const char *name) {
  const wp_value *value = wp_get(layout, name);
  return value != NULL && value->kind == WP_BOOL && value->integer;
}

static wp_value *read_layout(input *in, const wp_value *layout);

static void read_tags(input *in, const wp_value *layout, wp_value *structure) {
  const wp_value *known = wp_get(layout, "tagged");
  wp_value *unknown = wp_array();
  uint64_t count = uvarint(in, 32);
  int64_t before = -1;
  while (count-- > 0 && !in->bad) {
    int64_t tag = (int64_t)uvarint(in, 32), size = (int64_t)uvarint(in, 32);
    if (in->bad || tag <= before || size > in->end - in->at) {
      in->bad = 1;
      return;
    }
    before = tag;
    input window = {in->at, in->at + size, 0};
    in->at += size;
    const wp_value *field = NULL;
    for (size_t at = 0; at < known->count; at++) {
      if (wp_get(known->items[at], "tag")->integer == tag) field = known->items[at];
    }
    if (field != NULL) {
      wp_set(structure, string(wp_get(field, "name")), read_layout(&window, wp_get(field, "type")));
      in->bad |= window.bad || window.at != window.end;
    } else {
      wp_value *pair = wp_array();
      wp_append(pair, wp_int(tag));
      wp_append(pair, wp_bytes(window.at, (size_t)size));
      wp_append(unknown, pair);
    }
  }
  wp_set(structure, "_tags", unknown);
}

static wp_value *read_layout(input *in, const wp_value *layout) {
  if (in->bad) return wp_null();
  if (layout->kind == WP_TEXT) return read_primitive(in, string(layout));
  const wp_value *element = wp_get(layout, "array"), *pair = wp_get(layout, "pair");
  if (element != NULL || pair != NULL) {
    wp_value *array = wp_array();
    int64_t count = 2;
    if (element != NULL) {
      count = is_true(layout, "compact") ? (int64_t)uvarint(in, 32) - 1 : signed_of(fixed(in, 4), 32);
      if (count == -1 && is_true(layout, "nullable") && !in->bad) return wp_null();
      in->bad |= count < 0 || count > in->end - in->at;
    }
    for (int64_t at = 0; at < count && !in->bad; at++) {
      wp_append(array, read_layout(in, element != NULL ? element : pair->items[at]));
    }
    return array;
  }
  const char *marker = string(wp_get(layout, "marker"));
  if (strcmp(marker, "none") != 0) {
    int int8 = strcmp(marker, "int8") == 0;
    int64_t mark = int8 ? signed_of(fixed(in, 1), 8) : (int64_t)uvarint(in, 32);
    if (mark == (int8 ? -1 : 0)) return wp_null();
    in->bad |= mark != 1;
  }
  wp_value *structure = wp_struct();
  const wp_value *fields = wp_get(layout, "fields"), *tagged = wp_get(layout, "tagged");
  for (size_t at = 0; at < fields->count && !in->bad; at++) {
    const wp_value *field = fields->items[at];
    wp_set(structure, string(wp_get(field, "name")), read_layout(in, wp_get(field, "type")));
  }
  if (is_true(layout, "flexible")) read_tags(in, layout, structure);
  for (size_t at = 0; at < tagged->count; at++) {
    const char *name = string(wp_get(tagged->items[at], "name"));
    if (wp_get(structure, name) == NULL) wp_set(structure, name, (wp_value *)wp_get(tagged->items[at], "default"));
  }
  return structure;
}

/* --- Patterns: docs of the vectors' format, "Kinds" ----------------------------------------------------------------- */

#define MOST_MARKS 16

typedef struct {
  size_t count;
  const char *names[MOST_MARKS];
  int64_t numbers[MOST_MARKS];
} marks;

static int value_matches(const wp_value *pattern, const wp_value *value, marks *seen);

static int some_match(const wp_value *patterns, const wp_value *value, marks *seen) {
  for (size_t at = 0; at < patterns->count; at++) {
    marks here = *seen;
    if (value_matches(patterns->items[at], value, &here)) {
      *seen = here;
      return 1;
    }
  }
  return 0;
}

static int is_comparison(const char *name) {
  return strcmp(name, "greater") == 0 || strcmp(name, "less") == 0 || strcmp(name, "other_than") == 0;
}

static int number_matches(const wp_value *pattern, const wp_value *value, marks *seen) {
  if (value->kind != WP_INT) return 0;
  for (size_t at = 0; at < pattern->count; at++) {
    const wp_value *against = pattern->items[at];
    if (!is_comparison(pattern->names[at])) continue;
    int64_t number = against->integer;
    if (against->kind == WP_TEXT) {
      size_t mark = 0;
      while (mark < seen->count && !wp_is(against, seen->names[mark])) mark++;
      if (mark == seen->count) return 0;
      number = seen->numbers[mark];
    }
    const char first = pattern->names[at][0];
    if (first == 'g' ? value->integer <= number : first == 'l' ? value->integer >= number : value->integer == number) return 0;
  }
  const char *name = string(wp_get(pattern, "mark"));
  if (name != NULL && seen->count < MOST_MARKS) {
    size_t mark = 0;
    while (mark < seen->count && strcmp(seen->names[mark], name) != 0) mark++;
    seen->names[mark] = name;
    seen->numbers[mark] = value->integer;
    if (mark == seen->count) seen->count++;
  }
  return 1;
}

static int value_matches(const wp_value *pattern, const wp_value *value, marks *seen) {
  if (pattern->kind == WP_STRUCT && pattern->count > 0) {
    const char *form = pattern->names[0];
    const wp_value *inner = pattern->items[0];
    if (pattern->count == 1) {
      if (strcmp(form, "any") == 0) return 1;
      if (strcmp(form, "either") == 0) return some_match(inner, value, seen);
      if (strcmp(form, "none_of") == 0) return !some_match(inner, value, seen);
      if (strcmp(form, "contains") == 0) {
        for (size_t at = 0; value->kind == WP_ARRAY && at < value->count; at++) {
          marks here = *seen;
          if (value_matches(inner, value->items[at], &here)) {
            *seen = here;
            return 1;
          }
        }
        return 0;
      }
    }
    int comparisons = 1;
    for (size_t at = 0; at < pattern->count; at++) {
      comparisons &= is_comparison(pattern->names[at]) || strcmp(pattern->names[at], "mark") == 0;
    }
    if (comparisons) return number_matches(pattern, value, seen);
  }
  if (pattern->kind == WP_STRUCT && value->kind == WP_STRUCT) {
    for (size_t at = 0; at < pattern->count; at++) {
      const wp_value *there = wp_get(value, pattern->names[at]);
      if (there == NULL && strcmp(pattern->names[at], "_tags") == 0) there = wp_array();
      if (there == NULL || !value_matches(pattern->items[at], there, seen)) return 0;
    }
    return 1;
  }
  if (pattern->kind == WP_ARRAY && value->kind == WP_ARRAY) {
    if (pattern->count != value->count) return 0;
    for (size_t at = 0; at < pattern->count; at++) {
      if (!value_matches(pattern->items[at], value->items[at], seen)) return 0;
    }
    return 1;
  }
  manner exactly = {NULL, NULL, 0, 0};
  return same(pattern, value, exactly);
}

/* --- Judging ------------------------------------------------------------------------------------------------------ */

enum { NO, YES, UNKNOWN }; /* UNKNOWN: it cannot be compared here */

enum { DECODE, ENCODE, RECODE, LOOKUP, CONVERT, CONSUME, PRODUCE, SERVE, INTERPRET, NEGOTIATE, EVOLVE, OPS };
static const char *const op_names[OPS] = {"decode",  "encode", "recode",    "lookup",    "convert",
                                          "consume", "produce", "serve",  "interpret", "negotiate", "evolve"};

enum { PASS, CONTESTED, SKIP, FAIL, CRASH, HANG, VERDICTS };
static const char *const verdict_names[VERDICTS] = {"pass", "contested", "skip", "fail", "crash", "hang"};

typedef struct {
  int verdict, op;
  const char *text;
} judged;

/* A dialect's files beside its vectors. NULL: there is none. */
typedef struct {
  const char *name;
  const wp_value *settings, *frames;
  int configured; /* 0: not yet, 1: done, -1: not offered */
} dialect;

/* What an implementation did. */
typedef struct {
  wp_end end;
  wp_answer answer;
} observation;

static wp_op op_of(int op) {
  const wp_op all[OPS] = {implementation.decode,  implementation.encode,  implementation.recode, implementation.lookup,
                          implementation.convert, implementation.consume, NULL /* produce: it has to read batches */,
                          implementation.serve,   implementation.interpret, implementation.negotiate,
                          implementation.evolve};
  return all[op];
}

static observation call(wp_op function, const wp_question *question) {
  observation seen = {WP_NOT_OFFERED, {0}};
  seen.answer.offset = -1;
  if (function != NULL) seen.end = function(question, &seen.answer);
  if (seen.end == WP_ANSWERED && seen.answer.value == NULL) give_up("an answer without a value", implementation.name);
  return seen;
}

static observation ask(int op, wp_question question) {
  if (op_of(op) != NULL) return call(op_of(op), &question);
  if (op == RECODE && implementation.decode != NULL && implementation.encode != NULL) {
    observation read = call(implementation.decode, &question);
    if (read.end != WP_ANSWERED) return read;
    question.value = read.answer.value;
    observation written = call(implementation.encode, &question);
    written.answer.while_writing = 1;
    return written;
  }
  observation none = {WP_NOT_OFFERED, {0}};
  none.answer.text = "an op that is not offered";
  return none;
}

/* The question that a line asks, or its twin: what a twin does not say is the line's, but for its version. */
static wp_question question_of(const dialect *of, const wp_value *line, const wp_value *from) {
  wp_question question = {0};
  const wp_value *version = wp_get(from, "version"), *bytes = unhexed(WP_BYTES, wp_get(from, "bytes"));
  const wp_value *position = wp_get(from, "position");
  question.dialect = of->name;
  question.type = string(wp_get(line, "type"));
  question.version = version != NULL ? (int)version->integer : WP_NO_VERSION;
  question.bytes = bytes != NULL ? bytes->bytes : NULL;
  question.size = bytes != NULL ? bytes->size : 0;
  question.value = wp_get(from, "value");
  question.key = wp_get(from, "key");
  question.to = string(wp_get(from, "to"));
  question.position = position != NULL ? position->integer : 0;
  question.isolation = string(wp_get(from, "isolation"));
  question.aborted = wp_get(from, "aborted");
  question.chunks = wp_get(from, "chunks");
  question.request = wp_get(from, "request");
  question.response = wp_get(from, "response");
  question.api_key = wp_get(from, "api_key");
  question.client = wp_get(from, "client");
  question.broker = wp_get(from, "broker");
  question.old_schema = wp_get(from, "old");
  question.new_schema = wp_get(from, "new");
  return question;
}

static int names_op(const wp_value *ops, int op) {
  for (size_t at = 0; ops != NULL && at < ops->count; at++) {
    if (wp_is(ops->items[at], op_names[op])) return 1;
  }
  return 0;
}

/* Whether bytes have a U+FFFD. */
static int shows(const wp_value *bytes) {
  for (size_t at = 0; at + 3 <= bytes->size; at++) {
    if (memcmp(bytes->bytes + at, REPLACEMENT, 3) == 0) return 1;
  }
  return 0;
}

/* Whether this is what decode has to answer. */
static int is_decoded(const wp_value *line, const wp_value *value, const wp_value *answer, int fold) {
  manner how = {wp_get(line, "optional"), rebuilt_of(line), 0, fold};
  return same(value, with_text_keys(string(wp_get(line, "type")), answer), how);
}

/* Whether this is what an application has to be given. Types of timestamps may be left out of all records. */
static int is_delivered(const wp_value *expected, const wp_value *answer, int fold) {
  static const char *const left_out[] = {"timestamp_type", NULL};
  const wp_value *records = wp_get(answer, "records");
  int told = 0;
  for (size_t at = 0; records != NULL && at < records->count; at++) {
    told |= wp_get(records->items[at], "timestamp_type") != NULL;
  }
  manner how = {NULL, told ? NULL : left_out, 1, fold};
  return same(expected, answer, how);
}

/* 7, 8. `from`: the line, or another reading in it; `name`: its member with the bytes. */
static int are_bytes(const dialect *of, const wp_value *line, int op, const wp_value *from, const char *name,
                     const wp_value *answer) {
  const wp_value *expected = unhexed(WP_BYTES, wp_get(from, name)), *as = wp_get(line, "as"), *value = wp_get(from, "value");
  int fold = from != line;
  const char *const *rebuilt = rebuilt_of(line);
  if (expected == NULL || answer->kind != WP_BYTES) return NO;
  if (same_bytes(expected, answer)) return YES;
  int decoded = wp_is(wp_get(line, "compare"), "decoded") || (rebuilt != NULL && op != CONVERT);
  if (!decoded && !(fold && shows(expected) && shows(answer))) return NO;
  wp_question question = question_of(of, line, line);
  if (as != NULL) {
    question.dialect = string(wp_get(as, "dialect"));
    question.type = string(wp_get(as, "type"));
    const wp_value *version = wp_get(as, "version");
    question.version = version != NULL ? (int)version->integer : WP_NO_VERSION;
  }
  observation read[2];
  for (int side = 0; side < 2; side++) {
    question.bytes = side == 0 ? expected->bytes : answer->bytes;
    question.size = side == 0 ? expected->size : answer->size;
    read[side] = ask(DECODE, question);
    if (read[side].end == WP_NOT_OFFERED) return UNKNOWN;
    if (read[side].end != WP_ANSWERED) return side == 0 ? UNKNOWN : NO;
    if (side == 0 && value != NULL && !is_decoded(line, value, read[0].answer.value, fold)) return UNKNOWN;
  }
  manner how = {wp_get(line, "optional"), rebuilt, 1, fold};
  return same(read[0].answer.value, read[1].answer.value, how) ? YES : NO;
}

static int frame_matches(const dialect *of, const wp_value *pattern, const unsigned char *frame, size_t size, marks *seen) {
  const wp_value *version = wp_get(pattern, "version"), *value;
  const char *type = string(wp_get(pattern, "type"));
  char name[256];
  if (version != NULL && version->kind == WP_INT) snprintf(name, sizeof name, "%s/%d", type, (int)version->integer);
  else snprintf(name, sizeof name, "%s/-", type);
  const wp_value *layout = wp_get(of->frames, name);
  if (layout != NULL) {
    input in = {frame + (is_true(layout, "framed") ? 4 : 0), frame + size, 0};
    value = read_layout(&in, wp_get(layout, "type"));
    if (in.bad || in.at != in.end) return NO;
  } else {
    wp_question question = {0};
    question.dialect = of->name;
    question.type = type;
    question.version = version != NULL && version->kind == WP_INT ? (int)version->integer : WP_NO_VERSION;
    question.bytes = frame;
    question.size = size;
    observation read = ask(DECODE, question);
    if (read.end == WP_NOT_OFFERED) return UNKNOWN;
    if (read.end != WP_ANSWERED) return NO;
    value = read.answer.value;
  }
  return value_matches(wp_get(pattern, "value"), value, seen) ? YES : NO;
}

#define MOST_ANY 5

/* Whether the patterns of a group match these frames, in any order: the frames that are `used` are matched already. */
static int group_matches(const dialect *of, wp_value **patterns, size_t count, const unsigned char **frames,
                         const size_t *sizes, size_t at, unsigned used, marks *seen) {
  if (at == count) return YES;
  for (size_t frame = 0; frame < count; frame++) {
    if (used & 1u << frame) continue;
    marks here = *seen;
    int matched = frame_matches(of, patterns[at], frames[frame], sizes[frame], &here);
    if (matched == YES) matched = group_matches(of, patterns, count, frames, sizes, at + 1, used | 1u << frame, &here);
    if (matched == YES) *seen = here;
    if (matched != NO) return matched;
  }
  return NO;
}

static int are_sent(const dialect *of, const wp_value *sends, const wp_value *sent) {
  const unsigned char *at = sent->bytes, *end = sent->bytes + sent->size;
  marks seen = {0};
  for (size_t first = 0; first < sends->count;) {
    const wp_value *exact = sends->items[first]->kind == WP_BYTES ? sends->items[first] : NULL;
    if (exact != NULL) {
      if ((size_t)(end - at) < exact->size || memcmp(at, exact->bytes, exact->size) != 0) return NO;
      at += exact->size;
      first++;
      continue;
    }
    size_t count = 1;
    const unsigned char *frames[MOST_ANY];
    size_t sizes[MOST_ANY];
    if (wp_is(wp_get(sends->items[first], "order"), "any")) {
      while (first + count < sends->count && count < MOST_ANY && wp_is(wp_get(sends->items[first + count], "order"), "any")) count++;
    }
    for (size_t frame = 0; frame < count; frame++) {
      input in = {at, end, 0};
      int64_t size = signed_of(fixed(&in, 4), 32);
      if (in.bad || size < 0 || size > end - in.at) return NO;
      frames[frame] = at;
      sizes[frame] = 4 + (size_t)size;
      at += sizes[frame];
    }
    int matched = group_matches(of, sends->items + first, count, frames, sizes, 0, 0, &seen);
    if (matched != YES) return matched;
    first += count;
  }
  return at == end ? YES : NO;
}

/* Whether an answer is what `from` says: a line, or another reading in it. */
static int is_answer(const dialect *of, const wp_value *line, const wp_value *from, int op, const wp_value *answer) {
  int reading = from != line;
  manner how = {NULL, NULL, 0, reading};
  switch (op) {
    case DECODE: return is_decoded(line, wp_get(from, "value"), answer, reading);
    case LOOKUP: return same(wp_get(from, reading ? "value" : "values"), answer, how);
    case CONSUME: return is_delivered(wp_get(from, "delivers"), answer, reading);
    case ENCODE:
    case RECODE: return are_bytes(of, line, op, from, reading ? "bytes" : "canonical", answer);
    case CONVERT: return are_bytes(of, line, op, from, reading ? "bytes" : "gives", answer);
    case SERVE: {
      const wp_value *sends = wp_get(from, "sends"), *sent = wp_get(answer, "sent");
      if (sends == NULL || sent == NULL || sent->kind != WP_BYTES) return NO;
      return is_true(from, "closes") == is_true(answer, "closed") ? are_sent(of, sends, sent) : NO;
    }
    case INTERPRET: {
      static const char *const names[] = {"outcome", "version", "error", "request"};
      const wp_value *expected = wp_get(from, "outcome");
      if (expected == NULL || answer->kind != WP_STRUCT) return NO;
      for (size_t at = 0; at < 4; at++) {
        const wp_value *one = wp_get(expected, names[at]), *there = wp_get(answer, names[at]);
        if (at == 3 && there == NULL && wp_is(wp_get(expected, "outcome"), "malformed")) continue;
        if (one != NULL && !same(one, there, how)) return NO;
      }
      return YES;
    }
    case NEGOTIATE: return same(wp_get(from, "chooses"), answer, how);
    case EVOLVE: {
      const wp_value *breaks = wp_get(from, "breaks");
      return breaks != NULL && answer->kind == WP_ARRAY && (breaks->count > 0) == (answer->count > 0);
    }
  }
  return NO;
}

static void show(buffer *out, const char *name, const char *text) {
  size_t size = strlen(text), cut = size;
  if (size > SHOWN) {
    for (cut = SHOWN; ((unsigned char)text[cut] & 0xc0) == 0x80;) cut--;
  }
  say(out, "\n  ");
  say(out, name);
  put(out, text, cut);
  if (cut < size) say(out, "...");
}

static const char *refusal(const observation *seen) {
  buffer out = {0};
  char at[48] = "";
  if (seen->answer.offset >= 0) snprintf(at, sizeof at, " at byte %ld", seen->answer.offset);
  say(&out, seen->answer.while_writing ? "read, then refused on write: " : "a refusal: ");
  say(&out, seen->answer.reason != NULL ? seen->answer.reason : "");
  say(&out, at);
  say(&out, " ");
  say(&out, seen->answer.text != NULL ? seen->answer.text : "");
  return out.text;
}

/* What a person has to see of a case that fails: what was asked, demanded and got. */
static const char *described(const wp_value *line, int op, const observation *seen) {
  static const char *const asked[] = {"bytes",     "value",   "key",    "to",      "position", "isolation",
                                      "aborted",   "chunks",  "request", "response", "api_key", "client",
                                      "broker",    "old",     "new"};
  static const char *const demanded[] = {"reject",   "value", "canonical", "values",  "gives", "delivers",
                                         "sends",    "closes", "outcome",  "chooses", "breaks"};
  const wp_value *type = wp_get(line, "type"), *version = wp_get(line, "version");
  int valid = wp_is(wp_get(line, "kind"), "valid");
  buffer out = {0};
  char name[64];
  say(&out, string(wp_get(line, "about")));
  snprintf(name, sizeof name, "%s ", op_names[op]);
  say(&out, "\n  ");
  say(&out, name);
  if (type != NULL) say(&out, string(type));
  if (version != NULL) {
    say(&out, " ");
    say(&out, wp_to_json(version));
  }
  for (size_t at = 0; at < sizeof asked / sizeof *asked; at++) {
    const wp_value *one = wp_get(line, asked[at]);
    if (one == NULL || (valid && strcmp(asked[at], op == ENCODE ? "bytes" : "value") == 0)) continue;
    snprintf(name, sizeof name, "%-10s", asked[at]);
    show(&out, name, one->kind == WP_TEXT ? string(one) : wp_to_json(one));
  }
  for (size_t at = 0; at < sizeof demanded / sizeof *demanded; at++) {
    const wp_value *one = wp_get(line, demanded[at]);
    if (one == NULL || (strcmp(demanded[at], "value") == 0 && (!valid || op != DECODE))) continue;
    if (strcmp(demanded[at], "canonical") == 0 && op == DECODE) continue;
    snprintf(name, sizeof name, "expected: %s ", demanded[at]);
    show(&out, name, one->kind == WP_TEXT ? string(one) : wp_to_json(one));
  }
  if (seen != NULL) show(&out, "got:      ", seen->end == WP_REFUSED ? refusal(seen) : wp_to_json(seen->answer.value));
  show(&out, "source:   ", string(wp_get(line, "source")));
  return out.text;
}

static judged made(int verdict, int op, const char *text) {
  judged one = {verdict, op, text != NULL ? text : ""};
  return one;
}

/* Told before something else is asked: the twin ('t'), whose crash is not the case's, or another op ('o'). */
static void (*tell_step)(int what, int op);

/* 1: whether the line's twin is accepted, or it needs none. */
static int twin_accepted(const dialect *of, const wp_value *line, int op) {
  const wp_value *twin = wp_get(line, "twin");
  if (twin == NULL || wp_get(twin, op == ENCODE ? "value" : op == EVOLVE ? "new" : "bytes") == NULL) return 1;
  if (tell_step != NULL) tell_step('t', op);
  return ask(op, question_of(of, line, twin)).end == WP_ANSWERED;
}

/* The verdict on the answer of another reading: the implementation may have a list of those that it chose. */
static judged by_reading(const wp_value *rulings, int op) {
  for (size_t at = 0; implementation.readings != NULL && at < rulings->count; at++) {
    const char *const *one = implementation.readings;
    while (*one != NULL && !wp_is(rulings->items[at], *one)) one++;
    if (*one == NULL) {
      buffer out = {0};
      say(&out, "another reading of ");
      say(&out, string(rulings->items[at]));
      say(&out, ", which readings does not name");
      return made(FAIL, op, out.text);
    }
  }
  return made(CONTESTED, op, wp_to_json(rulings));
}

static judged judge_op(const dialect *of, const wp_value *line, int op) {
  const wp_value *reject = wp_get(line, "reject"), *contested = wp_get(line, "contested");
  observation seen = ask(op, question_of(of, line, line));
  if (seen.end == WP_NOT_OFFERED) return made(SKIP, op, seen.answer.text); /* 5 */
  int refused = seen.end == WP_REFUSED, found = NO;
  int may = wp_get(line, "or_reject") != NULL && op == ENCODE;
  if (op != RECODE) seen.answer.while_writing = 0;
  if (refused && !seen.answer.while_writing && (reject != NULL || may)) {
    return twin_accepted(of, line, op) ? made(PASS, op, refusal(&seen)) : made(SKIP, op, "its valid twin was not accepted"); /* 2 */
  }
  if (!refused && reject == NULL) found = is_answer(of, line, line, op, seen.answer.value);
  if (found == YES) return made(PASS, op, "");
  for (size_t at = 0; contested != NULL && at < contested->count; at++) { /* 4 */
    const wp_value *reading = contested->items[at];
    if (!names_op(wp_get(reading, "ops"), op)) continue;
    const wp_value *refuses = wp_get(reading, "refuses"); /* "decode": not of a recode that read the bytes */
    int taken;
    if (refused) taken = refuses != NULL && (refuses->kind != WP_TEXT || !seen.answer.while_writing);
    else if (wp_get(reading, "accepts") != NULL) taken = YES;
    else taken = is_answer(of, line, reading, op, seen.answer.value);
    if (taken == YES) {
      if (refused && !twin_accepted(of, line, op)) return made(SKIP, op, "its valid twin was not accepted");
      return by_reading(wp_get(reading, "rulings"), op);
    }
    if (taken == UNKNOWN) found = UNKNOWN;
  }
  if (found == UNKNOWN) return made(SKIP, op, "the answer cannot be compared without decode of its type");
  return made(FAIL, op, described(line, op, &seen));
}

/* The settings of a dialect, once. */
static int is_configured(dialect *of) {
  if (of->configured == 0) {
    wp_question question = {0};
    question.dialect = of->name;
    question.version = WP_NO_VERSION;
    question.settings = of->settings;
    wp_answer answer = {0};
    int offered = of->settings != NULL && implementation.configure != NULL;
    of->configured = offered && implementation.configure(&question, &answer) == WP_ANSWERED ? 1 : -1;
  }
  return of->configured == 1;
}

static judged judge(dialect *of, wp_value *line, int op) {
  line = wp_decoded(line);
  int configured = is_configured(of);
  if (wp_get(line, "needs") != NULL && !configured) return made(SKIP, op, "it needs settings: no configure");
  judged found = judge_op(of, line, op);
  /* Bytes that have to be refused are asked by decode, or by recode where there is no decode of the type. */
  if (found.verdict == SKIP && op == DECODE && wp_is(wp_get(line, "kind"), "invalid") && names_op(wp_get(line, "ops"), RECODE)) {
    const wp_value *twin = wp_get(line, "twin");
    if (op_of(RECODE) != NULL && ask(DECODE, question_of(of, line, twin != NULL ? twin : line)).end == WP_NOT_OFFERED) {
      if (tell_step != NULL) tell_step('o', RECODE);
      judged again = judge_op(of, line, RECODE);
      if (again.verdict != SKIP) return again;
    }
  }
  return found;
}

/* --- The vectors -------------------------------------------------------------------------------------------------- */

typedef struct {
  dialect *of;
  const char *line;
  size_t size;
  int op, or_recode; /* or_recode: recode is asked where decode is not offered */
  const char *id;    /* without its op */
  size_t type;       /* its place in `types` */
} entry;

/* A type, or the op of cases without one, and how often it was skipped. */
typedef struct {
  const char *name;
  size_t skips;
} type_skips;

static entry *entries;
static type_skips *types;
static size_t entry_count, type_count;

/* The place of a name in `types`. */
static size_t type_at(const char *name) {
  size_t at = 0;
  while (at < type_count && strcmp(types[at].name, name) != 0) at++;
  if (at == type_count) {
    types = realloc(types, (type_count + 1) * sizeof *types);
    char *kept = malloc(strlen(name) + 1);
    if (types == NULL || kept == NULL) give_up("no memory", name);
    type_skips one = {strcpy(kept, name), 0};
    types[type_count++] = one;
  }
  return at;
}

static char *read_file(const char *path, size_t *size, int may_lack) {
  FILE *file = fopen(path, "rb");
  char *content = NULL;
  size_t room = 0;
  *size = 0;
  if (file == NULL) {
    if (may_lack) return NULL;
    give_up(strerror(errno), path);
  }
  do {
    if (room - *size < 65536) {
      room = 2 * room + 131072;
      content = realloc(content, room);
      if (content == NULL) give_up("no memory", path);
    }
    *size += fread(content + *size, 1, room - *size - 1, file);
  } while (!feof(file) && !ferror(file));
  if (ferror(file)) give_up(strerror(errno), path);
  fclose(file);
  content[*size] = 0;
  return content;
}

static wp_value *parsed(const char *text, size_t size, const char *path) {
  wp_value *value = wp_from_json(text, size);
  if (value == NULL) give_up("not JSON", path);
  return value;
}

/* The file of settings or of layouts beside a dialect's vectors. */
static const wp_value *beside(const char *folder, const char *name, const char *file) {
  char path[1024];
  size_t size;
  snprintf(path, sizeof path, "%s/%s/%s", folder, name, file);
  char *content = read_file(path, &size, 1);
  return content == NULL ? NULL : wp_decoded(parsed(content, size, path));
}

static void add_line(dialect *of, const char *line, size_t size, const char *path) {
  static size_t room;
  wp_value *value = parsed(line, size, path);
  const wp_value *ops = wp_get(value, "ops"), *id = wp_get(value, "id"), *type = wp_get(value, "type");
  int invalid = wp_is(wp_get(value, "kind"), "invalid");
  if (ops == NULL || string(id) == NULL) give_up("a line without id or ops", path);
  char *name = malloc(id->size + 1);
  if (name == NULL) give_up("no memory", path);
  strcpy(name, string(id));
  for (int op = 0; op < OPS; op++) {
    if (!names_op(ops, op) || (invalid && op == RECODE && names_op(ops, DECODE))) continue;
    if (entry_count == room) {
      room = 2 * room + 1024;
      entries = realloc(entries, room * sizeof *entries);
      if (entries == NULL) give_up("no memory", path);
    }
    int or_recode = invalid && op == DECODE && names_op(ops, RECODE);
    entry one = {of, line, size, op, or_recode, name, type_at(type != NULL ? string(type) : op_names[op])};
    entries[entry_count++] = one;
  }
  wp_forget();
}

static void add_file(dialect *of, const char *path) {
  size_t size;
  char *content = read_file(path, &size, 0), *end = content + size;
  int first = 1;
  for (char *line = content; line < end;) {
    char *stop = memchr(line, '\n', (size_t)(end - line));
    if (stop == NULL) stop = end;
    if (first) {
      const wp_value *format = wp_get(parsed(line, (size_t)(stop - line), path), "wireproof-export");
      if (format == NULL || format->kind != WP_INT || format->integer != FORMAT) give_up("not of format 1", path);
      wp_forget();
    } else if (stop > line) {
      add_line(of, line, (size_t)(stop - line), path);
    }
    first = 0;
    line = stop + 1;
  }
}

/* All vectors in a folder, by its manifest. */
static void load(const char *folder) {
  char path[1024];
  size_t size, dialects = 0;
  static dialect known[64];
  snprintf(path, sizeof path, "%s/manifest.json", folder);
  char *content = read_file(path, &size, 0);
  const wp_value *files = wp_get(parsed(content, size, path), "files");
  if (files == NULL || files->kind != WP_STRUCT) give_up("no list of files", path);
  keep();
  for (size_t at = 0; at < files->count; at++) {
    const char *name = files->names[at], *slash = strchr(name, '/'), *dot = strrchr(name, '.');
    if (slash == NULL || dot == NULL || strcmp(dot, ".jsonl") != 0) continue;
    size_t length = (size_t)(slash - name), one = 0;
    while (one < dialects && (strlen(known[one].name) != length || strncmp(known[one].name, name, length) != 0)) one++;
    if (one == sizeof known / sizeof *known) give_up("too many dialects", path);
    if (one == dialects) {
      known[dialects].name = copied(name, length);
      known[dialects].settings = beside(folder, known[dialects].name, "settings.json");
      known[dialects++].frames = beside(folder, known[one].name, "frames.json");
      keep();
    }
    snprintf(path, sizeof path, "%s/%s", folder, name);
    add_file(&known[one], path);
  }
}

/* --- Known deviations --------------------------------------------------------------------------------------------- */

static char **known_lines;
static char *known_used;
static size_t known_count;

/* The length of the id at the start of a line. */
static size_t id_length(const char *line) { return strcspn(line, " \t"); }

static void load_known(const char *path) {
  size_t size;
  char *content = read_file(path, &size, 1);
  for (char *line = content == NULL ? NULL : strtok(content, "\r\n"); line != NULL; line = strtok(NULL, "\r\n")) {
    if (*line == '#' || line[strspn(line, " \t")] == 0) continue;
    if (line[id_length(line) + strspn(line + id_length(line), " \t")] == 0) give_up("an id without a reason", path);
    known_lines = realloc(known_lines, (known_count + 1) * sizeof *known_lines);
    if (known_lines == NULL) give_up("no memory", path);
    known_lines[known_count++] = line;
  }
  known_used = calloc(known_count + 1, 1);
  if (known_used == NULL) give_up("no memory", path);
}

/* The reason why a deviation is known; NULL if it is not. */
static const char *reason_known(const char *id) {
  for (size_t at = 0; at < known_count; at++) {
    size_t length = id_length(known_lines[at]);
    if (strlen(id) == length && strncmp(known_lines[at], id, length) == 0) {
      known_used[at] = 1;
      return known_lines[at] + length + strspn(known_lines[at] + length, " \t");
    }
  }
  return NULL;
}

/* --- Verdicts ----------------------------------------------------------------------------------------------------- */

static size_t counts[VERDICTS], excused, broken;
static int shows_skips;
static const char *program;
static FILE *report;

static void say_again(const char *id) { printf("  again:    %s '%s'\n", program, id); }

static void take(size_t index, judged found) {
  buffer id = {0}, line = {0};
  const char *name = verdict_names[found.verdict];
  say(&id, entries[index].id);
  say(&id, "#");
  say(&id, op_names[found.op]);
  if (report != NULL) {
    say(&line, "{\"id\":");
    put_string(&line, (unsigned char *)id.text, id.size);
    say(&line, ",\"verdict\":\"");
    say(&line, name);
    say(&line, "\",\"text\":");
    put_string(&line, (const unsigned char *)found.text, strlen(found.text));
    fprintf(report, "%s}\n", line.text);
  }
  const char *why = reason_known(id.text);
  if (why != NULL && found.verdict >= FAIL) {
    excused++;
    printf("known      %s: %s\n", id.text, why);
  } else {
    counts[found.verdict]++;
    if (why != NULL) {
      broken++;
      printf("STALE      %s: known.txt lists it, but it ends as %s: take it out\n", id.text, name);
      say_again(id.text);
    }
    if (found.verdict == SKIP) types[entries[index].type].skips++;
    if (found.verdict == SKIP && shows_skips) printf("skip       %s: %s\n", id.text, found.text);
    if (found.verdict == CONTESTED) printf("contested  %s: %s\n", id.text, found.text);
    if (found.verdict >= FAIL) {
      broken++;
      printf("%-10s %s: %s\n", found.verdict == FAIL ? "FAIL" : found.verdict == CRASH ? "CRASH" : "HANG", id.text, found.text);
      say_again(id.text);
    }
  }
  wp_forget();
}

static judged judge_entry(size_t index) {
  entry *one = &entries[index];
  return judge(one->of, wp_from_json(one->line, one->size), one->op);
}

#ifdef WITH_CHILDREN

/* --- Children: a case that ends one is judged by how it ended, and the next case gets a new one ---------------------- */

typedef struct {
  size_t index, size; /* size: of the text that follows */
  int what;           /* 's': a case starts, 't': its twin is asked, 'o': another op is asked, 'v': its verdict */
  int verdict, op;
} record;

static int to_parent;
static size_t current;

static void write_all(const void *bytes, size_t size) {
  const char *at = bytes;
  while (size > 0) {
    ssize_t written = write(to_parent, at, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) _exit(3);
    at += written;
    size -= (size_t)written;
  }
}

static void tell(int what, judged found) {
  record one;
  memset(&one, 0, sizeof one);
  one.index = current;
  one.what = what;
  one.verdict = found.verdict;
  one.op = found.op;
  one.size = what == 'v' ? strlen(found.text) : 0;
  write_all(&one, sizeof one);
  if (one.size > 0) write_all(found.text, one.size);
}

static void tell_of_step(int what, int op) { tell(what, made(SKIP, op, "")); }

static void child(const unsigned char *chosen, size_t from, unsigned limit) {
  signal(SIGALRM, SIG_DFL);
  tell_step = tell_of_step;
  for (current = from; current < entry_count; current++) {
    if (!chosen[current]) continue;
    tell('s', made(SKIP, entries[current].op, ""));
    alarm(limit);
    judged found = judge_entry(current);
    alarm(0);
    tell('v', found);
    wp_forget();
  }
  fflush(stdout);
  _exit(0);
}

static int read_all(int from, void *bytes, size_t size) {
  char *at = bytes;
  while (size > 0) {
    ssize_t got = read(from, at, size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return 0;
    at += got;
    size -= (size_t)got;
  }
  return 1;
}

static void ask_all(const unsigned char *chosen, unsigned limit) {
  size_t next = 0, hangs = 0;
  while (next < entry_count) {
    int ends[2], status;
    fflush(NULL);
    if (pipe(ends) != 0) give_up(strerror(errno), "pipe");
    pid_t process = fork();
    if (process < 0) give_up(strerror(errno), "fork");
    if (process == 0) {
      close(ends[0]);
      to_parent = ends[1];
      child(chosen, next, limit);
    }
    close(ends[1]);
    record one;
    size_t open = entry_count;
    int of_twin = 0, op = DECODE;
    while (read_all(ends[0], &one, sizeof one)) {
      if (one.what != 'v') {
        open = one.index;
        op = one.op;
        of_twin = one.what == 't';
      } else {
        char *text = wp_memory(one.size + 1);
        if (!read_all(ends[0], text, one.size)) break;
        take(one.index, made(one.verdict, one.op, text));
        next = one.index + 1;
        open = entry_count;
      }
    }
    close(ends[0]);
    while (waitpid(process, &status, 0) < 0 && errno == EINTR) {}
    if (open == entry_count) {
      if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
      give_up("a child ended between two cases", implementation.name);
    }
    char text[128];
    int hung = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
    if (hung) snprintf(text, sizeof text, "no answer within %u s", limit);
    else if (WIFSIGNALED(status)) snprintf(text, sizeof text, "ended by signal %d", WTERMSIG(status));
    else snprintf(text, sizeof text, "ended with exit code %d", WEXITSTATUS(status));
    if (of_twin) {
      take(open, made(SKIP, op, copied("its valid twin was not accepted", 31)));
    } else {
      wp_value *line = wp_decoded(wp_from_json(entries[open].line, entries[open].size));
      buffer out = {0};
      say(&out, text);
      say(&out, ": ");
      say(&out, described(line, op, NULL));
      take(open, made(hung ? HANG : CRASH, op, out.text));
    }
    if (hung && ++hangs == 3 && limit > 1) {
      limit = 1;
      printf("wireproof: three cases hung; the others get one second each\n");
    }
    next = open + 1;
  }
}

#else

static void ask_all(const unsigned char *chosen, unsigned limit) {
  (void)limit;
  for (size_t index = 0; index < entry_count; index++) {
    if (chosen[index]) {
      judged found = judge_entry(index);
      found.text = strcpy(wp_memory(strlen(found.text) + 1), found.text);
      take(index, found);
    }
  }
}

#endif

/* Whether an id with its op begins so. */
static int begins(const char *id, int op, const char *prefix) {
  buffer whole = {0};
  say(&whole, id);
  say(&whole, "#");
  say(&whole, op_names[op]);
  int found = strncmp(whole.text, prefix, strlen(prefix)) == 0;
  wp_forget();
  return found;
}

static int is_chosen(const entry *one, int count, char **prefixes) {
  int found = count == 0;
  for (int at = 0; at < count && !found; at++) {
    found = begins(one->id, one->op, prefixes[at]) || (one->or_recode && begins(one->id, RECODE, prefixes[at]));
  }
  return found;
}

static int by_skips(const void *one, const void *other) {
  const type_skips *left = one, *right = other;
  if (left->skips != right->skips) return left->skips > right->skips ? -1 : 1;
  return strcmp(left->name, right->name);
}

/* The types that were skipped most. */
static void print_skips(void) {
  size_t rest = 0, others = 0;
  qsort(types, type_count, sizeof *types, by_skips);
  for (size_t at = 0; at < type_count && types[at].skips > 0; at++) {
    if (at < MOST_TYPES) {
      printf("%s%lu %s", at == 0 ? "skipped: " : ", ", (unsigned long)types[at].skips, types[at].name);
    } else {
      rest += types[at].skips;
      others++;
    }
  }
  if (rest > 0) printf(", %lu of %lu other types", (unsigned long)rest, (unsigned long)others);
  if (counts[SKIP] > 0) printf("\n");
}

int main(int count, char **arguments) {
  const char *limit = getenv("WIREPROOF_TIMEOUT"), *to = getenv("WIREPROOF_REPORT");
  long seconds = limit != NULL ? strtol(limit, NULL, 10) : 10;
  if (seconds < 1 || seconds > 3600) give_up("a number from 1 to 3600 is needed", "WIREPROOF_TIMEOUT");
  load("vectors");
  load_known("known.txt");
  if (to != NULL && (report = fopen(to, "w")) == NULL) give_up(strerror(errno), to);
  unsigned char *chosen = calloc(entry_count + 1, 1);
  if (chosen == NULL) give_up("no memory", "vectors");
  program = arguments[0];
  shows_skips = count > 1;
  for (size_t index = 0; index < entry_count; index++) {
    chosen[index] = (unsigned char)is_chosen(&entries[index], count - 1, arguments + 1);
  }
  ask_all(chosen, (unsigned)seconds);
  for (size_t at = 0; at < known_count && count == 1; at++) {
    if (!known_used[at]) {
      broken++;
      printf("STALE      %.*s: known.txt lists it, but it was not asked\n", (int)id_length(known_lines[at]), known_lines[at]);
    }
  }
  printf("wireproof:");
  for (int verdict = 0; verdict < VERDICTS; verdict++) printf(" %lu %s,", (unsigned long)counts[verdict], verdict_names[verdict]);
  printf(" %lu known\n", (unsigned long)excused);
  print_skips();
  if (counts[PASS] + counts[CONTESTED] + counts[FAIL] + counts[CRASH] + counts[HANG] + excused == 0) {
    broken++;
    if (counts[SKIP] == 0 && entry_count > 0) {
      printf("nothing was asked: no id begins so. One is %s#%s: dialect, area, name, op\n", entries[0].id, op_names[entries[0].op]);
    } else {
      printf("nothing was asked: implementation.c offers no type of those that were chosen. Fill in its functions for one of\n"
             "them, or export the types that it has: wireproof export --type T\n");
    }
  }
  if (report != NULL && fclose(report) != 0) give_up(strerror(errno), to);
  return broken > 0;
}

#endif
