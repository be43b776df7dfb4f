/* INT32 decode behind the line protocol, in C without a library: right answers, but at the question `ffffffff` it does
 * what its argument names. `says-nothing` describes nothing either. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MEBIBYTE = 1 << 20, LONGEST = 1 << 16 };

static const char CULPRIT[] = "ffffffff";

static void say(const char *line)
{
    if (puts(line) < 0 || fflush(stdout) != 0)
        exit(4); /* nobody reads any more */
}

static void hang(void)
{
    const char *path = getenv("PROGRAMS_HANGING");
    if (path != NULL) {
        FILE *noted = fopen(path, "a");
        if (noted == NULL)
            exit(5);
        fprintf(noted, "%ld\n", (long)getpid());
        fclose(noted);
    }
    for (;;)
        sleep(60);
}

static void eat(void)
{
    for (;;) {
        volatile char *piece = malloc(MEBIBYTE);
        if (piece == NULL)
            abort();
        for (size_t at = 0; at < MEBIBYTE; at += 1024)
            piece[at] = 1;
    }
}

static void flood(void)
{
    char *piece = malloc(MEBIBYTE);
    if (piece == NULL)
        abort();
    memset(piece, 'x', MEBIBYTE);
    for (int count = 0; count < 100; count++)
        if (fwrite(piece, 1, MEBIBYTE, stdout) != MEBIBYTE)
            exit(4);
    free(piece);
}

/* Says each pair of answers in reverse. */
static void shuffle(const char *right)
{
    static char kept[128];
    if (kept[0] == '\0') {
        snprintf(kept, sizeof kept, "%s", right);
        return;
    }
    say(right);
    say(kept);
    kept[0] = '\0';
}

static void misbehave(const char *manner, const char *right)
{
    if (strcmp(manner, "dies") == 0)
        abort();
    if (strcmp(manner, "exits") == 0)
        exit(3);
    if (strcmp(manner, "faults") == 0)
        *(volatile int *)(uintptr_t)manner[6] = 1; /* an address near 0 */
    if (strcmp(manner, "hangs") == 0)
        hang();
    if (strcmp(manner, "eats") == 0)
        eat();
    if (strcmp(manner, "floods") == 0)
        flood();
    if (strcmp(manner, "prints") == 0)
        say("decoding …");
    if (strcmp(manner, "twice") == 0) {
        say(right);
        say(right);
    }
}

/* The text behind a member's name in a flat object, as the kit writes these questions. */
static const char *member(const char *line, const char *name)
{
    const char *found = strstr(line, name);
    if (found == NULL)
        exit(6);
    return found + strlen(name) + strspn(found + strlen(name), " \"");
}

int main(int count, char **arguments)
{
    static char line[LONGEST];
    const char *manner = count > 1 ? arguments[1] : "";
    while (fgets(line, sizeof line, stdin) != NULL) {
        if (strstr(line, "\"describe\"") != NULL) {
            if (strcmp(manner, "says-nothing") == 0)
                hang();
            say("{\"name\":\"unruly\",\"language\":\"c\",\"ops\":[\"decode\"],\"types\":{\"kafka\":{\"INT32\":null}}}");
            continue;
        }
        const char *data = member(line, "\"data\":");
        long seq = strtol(member(line, "\"seq\":"), NULL, 10);
        int32_t value = (int32_t)strtoul(data, NULL, 16);
        char right[128];
        snprintf(right, sizeof right, "{\"seq\":%ld,\"value\":%ld}", seq, (long)value);
        if (strcmp(manner, "shuffles") == 0)
            shuffle(right);
        else if (strncmp(data, CULPRIT, strlen(CULPRIT)) == 0)
            misbehave(manner, right);
        else
            say(right);
    }
    return 0;
}
