#include "lines.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    /* Bytes of the longest line that is read. */
    LONGEST_LINE = 256 << 20,
    /* Bytes of a bad line that are shown. */
    EXCERPT = 200,
    /* The exponent of the largest integer that every reader of JSON keeps. */
    EXACT_BITS = 53,
};

static const char *REPLACEMENT = "\xef\xbf\xbd";

/* --- Lines -------------------------------------------------------------------------------------------------------- */

/* The next line, without its end, into `line`. 1; 0 at the end of the input; -1 for a line that is too long. */
static int next_line(FILE *questions, struct octets *line) {
    char piece[1 << 16];
    line->size = 0;
    while (fgets(piece, sizeof piece, questions)) {
        size_t size = strlen(piece);
        bool ends = size && piece[size - 1] == '\n';
        append(line, piece, size - ends);
        if (ends) return 1;
        if (line->size > LONGEST_LINE) return -1;
    }
    return line->size > 0;
}

static int hex_digit(char digit) {
    if (digit >= '0' && digit <= '9') return digit - '0';
    digit = (char)tolower((unsigned char)digit);
    return digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
}

/* The UTF-16 unit of a \u escape at the beginning of `size` bytes, or -1. */
static int escaped(const unsigned char *text, size_t size) {
    if (size < 6 || text[0] != '\\' || text[1] != 'u') return -1;
    int unit = 0;
    for (int at = 2; at < 6; at++) {
        int digit = hex_digit((char)text[at]);
        if (digit < 0) return -1;
        unit = unit << 4 | digit;
    }
    return unit;
}

/* Put U+FFFD in the place of half surrogate pairs, which Jansson takes for no JSON. Whether there were any. */
static bool without_lone_surrogates(struct octets *line) {
    bool found = false;
    for (size_t at = 0; at + 1 < line->size; at++) {
        unsigned char *here = line->data + at;
        if (*here != '\\') continue;
        int unit = escaped(here, line->size - at);
        at++;
        if (unit < 0xd800 || unit > 0xdfff) continue;
        int next = escaped(here + 6, line->size - at - 5);
        if (unit < 0xdc00 && next >= 0xdc00 && next <= 0xdfff) {
            at += 10;
            continue;
        }
        memcpy(here + 2, "fffd", 4);
        found = true;
    }
    return found;
}

/* --- Values ------------------------------------------------------------------------------------------------------- */

/* How many bytes the UTF-8 character at the beginning has; 0 where there is none. */
static size_t character(const unsigned char *text, size_t size) {
    unsigned char first = text[0];
    if (first < 0x80) return 1;
    size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || length > size) return 0;
    for (size_t at = 1; at < length; at++)
        if ((text[at] & 0xc0) != 0x80) return 0;
    bool overlong = (first == 0xe0 && text[1] < 0xa0) || (first == 0xf0 && text[1] < 0x90);
    bool beyond = (first == 0xed && text[1] > 0x9f) || (first == 0xf4 && text[1] > 0x8f);
    return overlong || beyond ? 0 : length;
}

json_t *text_value(const char *data, size_t size) {
    const unsigned char *text = (const unsigned char *)data;
    struct octets shown = {0};
    for (size_t at = 0; at < size;) {
        size_t length = character(text + at, size - at);
        if (length)
            append(&shown, text + at, length);
        else
            append(&shown, REPLACEMENT, strlen(REPLACEMENT));
        at += length ? length : 1;
    }
    json_t *value = json_stringn(shown.size ? (const char *)shown.data : "", shown.size);
    release(&shown);
    return value;
}

json_t *hex_text(const void *data, size_t size) {
    const unsigned char *bytes = data;
    char *digits = taken(2 * size + 1);
    for (size_t at = 0; at < size; at++) {
        digits[2 * at] = "0123456789abcdef"[bytes[at] >> 4];
        digits[2 * at + 1] = "0123456789abcdef"[bytes[at] & 15];
    }
    json_t *text = json_stringn_nocheck(digits, 2 * size);
    free(digits);
    return text;
}

json_t *octets_value(const void *data, size_t size) {
    return data ? json_pack("{so}", "hex", hex_text(data, size)) : json_null();
}

json_t *integer_value(int64_t number) {
    const int64_t largest = ((int64_t)1 << EXACT_BITS) - 1;
    if (number <= largest && number >= -largest) return json_integer(number);
    char digits[24];
    snprintf(digits, sizeof digits, "%lld", (long long)number);
    return json_pack("{ss}", "int", digits);
}

bool from_hex(const json_t *text, struct octets *to) {
    const char *digits = json_string_value(text);
    size_t size = json_string_length(text);
    if (!digits || size % 2) return false;
    for (size_t at = 0; at < size; at += 2) {
        int high = hex_digit(digits[at]), low = hex_digit(digits[at + 1]);
        if (high < 0 || low < 0) return false;
        append_number(to, high << 4 | low, 1);
    }
    return true;
}

bool as_integer(const json_t *value, int64_t *number) {
    const char *digits = json_string_value(json_object_get(value, "int"));
    if (!digits) {
        *number = json_integer_value(value);
        return json_is_integer(value);
    }
    char *end;
    errno = 0;
    *number = strtoll(digits, &end, 10);
    return !errno && end != digits && !*end;
}

bool as_octets(const json_t *value, struct octets *to) {
    return json_object_size(value) == 1 && from_hex(json_object_get(value, "hex"), to);
}

/* --- Answers ------------------------------------------------------------------------------------------------------ */

static json_t *text_of(const char *text) {
    return text_value(text, strlen(text));
}

json_t *refused(const char *reason, const char *detail) {
    json_t *refusal = json_pack("{so}", "detail", text_of(detail));
    if (reason) json_object_set_new(refusal, "reason", json_string(reason));
    return json_pack("{so}", "reject", refusal);
}

json_t *not_offered(const char *why) {
    return json_pack("{so}", "unsupported", text_of(why));
}

json_t *failed(const char *text) {
    return json_pack("{so}", "error", text_of(text));
}

/* --- The conversation --------------------------------------------------------------------------------------------- */

/* A whole answer to a line; NULL and a word in `wrong` where that is no question. */
static json_t *answered(struct octets *line, const json_t *description, answering *answer, json_error_t *wrong) {
    bool lone = without_lone_surrogates(line);
    const char *text = line->size ? (const char *)line->data : "";
    json_t *question = json_loadb(text, line->size, JSON_ALLOW_NUL, wrong);
    if (!question) return NULL;
    const char *op = json_string_value(json_object_get(question, "op"));
    json_t *seq = json_object_get(question, "seq"), *result = NULL;
    snprintf(wrong->text, sizeof wrong->text, "it is no question");
    if (op && !strcmp(op, "describe"))
        result = json_deep_copy(description);
    else if (op && json_is_integer(seq))
        result = lone ? not_offered("a lone surrogate is no text in C's UTF-8") : answer(op, question);
    if (result && seq) json_object_set(result, "seq", seq);
    json_decref(question);
    return result;
}

static void tell(size_t number, const char *wrong, const struct octets *line) {
    fprintf(stderr, "the conversation broke off: line %zu: %s: \"", number, wrong);
    for (size_t at = 0; at < line->size && at < EXCERPT; at++) {
        unsigned char one = line->data[at];
        if (isprint(one))
            fputc(one, stderr);
        else
            fprintf(stderr, "\\x%02x", one);
    }
    fputs(line->size > EXCERPT ? "\"…\n" : "\"\n", stderr);
}

int converse(FILE *questions, FILE *answers, const json_t *description, answering *answer) {
    struct octets line = {0};
    size_t number = 1;
    int more, status = 0;
    for (; !status && (more = next_line(questions, &line)); number++) {
        json_error_t wrong = {.text = "the line is too long"};
        json_t *result = more < 0 ? NULL : answered(&line, description, answer, &wrong);
        if (!result) {
            tell(number, wrong.text, &line);
            status = 1;
        } else if (json_dumpf(result, answers, JSON_COMPACT) || fputc('\n', answers) == EOF || fflush(answers)) {
            fputs("the output has ended\n", stderr);
            status = 1;
        }
        json_decref(result);
    }
    release(&line);
    return status;
}
