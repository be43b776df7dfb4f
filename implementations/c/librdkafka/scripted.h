/* A broker in a thread of its own, on a port of the loopback, that tells a client what it is told to tell.
 *
 * It answers ApiVersions, Metadata, FindCoordinator, Fetch and Produce, each in one version, and nothing else. A Fetch
 * from offset 0 of the partition in question gets the bytes of that question; each other one gets no records, and an
 * end of the partition where the client stands. What a Produce request brings is kept.
 */
#ifndef WIREPROOF_SCRIPTED_H
#define WIREPROOF_SCRIPTED_H

#include "../octets.h"

/* The topic that is fetched, and how many partitions it has: a question has the next one, so that an answer which the
 * client does not want any more can't be taken for the one to the next question. */
#define FETCHED "fetched"
enum { PARTITIONS = 64 };

/* The topics for producing: one for each codec, by its number. Each has one partition. */
extern const char *const PRODUCED[];
enum { CODECS = 5 };

struct scripted;

/* Start it. NULL, with a line on stderr, where the system has no socket or thread for it. */
struct scripted *start_scripted(void);

/* "host:port". */
const char *address_of(const struct scripted *broker);

/* From now on the partition has these bytes, once. */
void set_records(struct scripted *broker, int32_t partition, const void *data, size_t size);

/* The records of all Produce requests since the last call; the caller's. */
struct octets take_produced(struct scripted *broker);

#endif
