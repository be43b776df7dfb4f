// What the wrappers share about records: a batch's header, and what no writer can be told.

import { NotOffered, Refusal } from './answers.mjs'

// Offsets in a record batch: the length, the CRC, the attributes, the first record.
export const LENGTH_AT = 8
export const ATTRIBUTES_AT = 21
export const RECORDS_AT = 61
// Bits of a batch's attributes.
export const CODEC = 0x07
export const ZSTD = 4
export const LOG_APPEND_TIME = 0x08
export const TRANSACTIONAL = 0x10
export const CONTROL = 0x20

// A batch around the bytes of one record, for readers that take whole batches. Its CRC is 0.
export function batchOf(record) {
  const header = Buffer.alloc(RECORDS_AT)
  header.writeInt32BE(RECORDS_AT - LENGTH_AT - 4 + record.length, LENGTH_AT)
  header.writeInt8(2, 16)
  header.writeInt32BE(1, RECORDS_AT - 4)
  return Buffer.concat([header, record])
}

// The one batch of a reader's result.
export function only(batches, what) {
  if (batches.length !== 1) throw new Refusal(null, `${what} returns ${batches.length} batches`)
  return batches[0]
}

// Throws NotOffered unless it holds.
export function need(holds, otherwise) {
  if (!holds) throw new NotOffered(otherwise)
}
