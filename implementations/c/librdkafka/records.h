/* Record batches and message sets, by a librdkafka consumer and producer against the scripted broker.
 *
 * Decode: the consumer fetches the bytes; what it delivers is the value, its error the refusal. Encode: the producer
 * gets the records; what it sends is the answer. Both clients live as long as the program.
 */
#ifndef WIREPROOF_RECORDS_H
#define WIREPROOF_RECORDS_H

#include "../lines.h"

/* Answers to "decode" of RecordBatch and MessageSet; `magic` is 2, or the version of MessageSet. */
json_t *decode_records(int magic, const unsigned char *data, size_t size);

/* The answer to "encode" of RecordBatch. */
json_t *encode_batch(const json_t *batch);

#endif
