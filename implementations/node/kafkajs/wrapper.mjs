// kafkajs: primitives by its Encoder and Decoder, responses by their `decode`, records by the functions that its Fetch
// and Produce call.

import { NotOffered, readToEnd, Refusal } from '../answers.mjs'
import { isStruct, named } from '../fields.mjs'
import { byVersion, list, require, versionOf } from '../libraries.mjs'
import { ATTRIBUTES_AT, CODEC, CONTROL, LOG_APPEND_TIME, need, TRANSACTIONAL } from '../records.mjs'
import { Float64 } from '../values.mjs'
import { COMMON, LONGS, RESPONSES, SPECIAL } from './names.mjs'

const PROTOCOL = 'kafkajs/src/protocol'
const Decoder = require(`${PROTOCOL}/decoder`)
const Encoder = require(`${PROTOCOL}/encoder`)
const decodeBatch = require(`${PROTOCOL}/recordBatch/v0/decoder`)
const { RecordBatch } = require(`${PROTOCOL}/recordBatch/v0`)
const decodeRecord = require(`${PROTOCOL}/recordBatch/record/v0/decoder`)
const Record = require(`${PROTOCOL}/recordBatch/record/v0`)
const decodeMessageSet = require(`${PROTOCOL}/messageSet/decoder`)
const MessageSet = require(`${PROTOCOL}/messageSet`)
const request = require(`${PROTOCOL}/request`)
const decodeMessages = require(`${PROTOCOL}/requests/fetch/v4/decodeMessages`)
const Batch = require('kafkajs/src/consumer/batch')
const Long = require('kafkajs/src/utils/long')
const { KafkaJSError, KafkaJSNotImplemented } = require('kafkajs/src/errors')

const same = value => value
const long = value => Long.fromValue(value)

// Type → [reader, writer, what the reader returns as a value, a value as the writer takes it].
const PRIMITIVES = {
  BOOLEAN: ['readBoolean', 'writeBoolean'],
  INT8: ['readInt8', 'writeInt8'],
  INT16: ['readInt16', 'writeInt16'],
  INT32: ['readInt32', 'writeInt32'],
  INT64: ['readInt64', 'writeInt64', same, long],
  UINT32: [null, 'writeUInt32'],
  FLOAT64: ['readDouble', 'writeDouble', number => new Float64(number), value => value.number],
  UNSIGNED_VARINT: ['readUVarInt', 'writeUVarInt'],
  VARINT: ['readVarInt', 'writeVarInt'],
  VARLONG: ['readVarLong', 'writeVarLong', read => read.value, long],
  STRING: ['readString', 'writeString'],
  NULLABLE_STRING: ['readString', 'writeString'],
  COMPACT_STRING: ['readUVarIntString', 'writeUVarIntString'],
  COMPACT_NULLABLE_STRING: ['readUVarIntString', 'writeUVarIntString'],
  BYTES: ['readBytes', 'writeBytes'],
  NULLABLE_BYTES: ['readBytes', 'writeBytes'],
  COMPACT_BYTES: ['readUVarIntBytes', 'writeUVarIntBytes'],
  COMPACT_NULLABLE_BYTES: ['readUVarIntBytes', 'writeUVarIntBytes'],
}
// The same for arrays; kafkajs has one reader for both kinds, and takes a null array from no caller but a compact one.
const ARRAYS = {
  ARRAY: ['readArray', 'writeArray'],
  NULLABLE_ARRAY: ['readArray', 'writeNullableArray'],
  COMPACT_ARRAY: ['readUVarIntArray', 'writeUVarIntArray'],
  COMPACT_NULLABLE_ARRAY: ['readUVarIntArray', 'writeUVarIntArray'],
}

const ARRAY = /^(\w+)<(.*)>$/

function whole(data, read) {
  const decoder = new Decoder(data)
  const value = read(decoder)
  readToEnd(decoder.offset, data.length)
  return value
}

function reader(type) {
  const [, form, element] = ARRAY.exec(type) ?? []
  if (form) {
    const readElement = reader(element)
    return decoder => decoder[ARRAYS[form][0]](readElement)
  }
  const [read, , shown = same] = PRIMITIVES[type] ?? []
  need(read, `Decoder has no reader for ${type}`)
  return decoder => shown(decoder[read]())
}

function writer(type) {
  const [, form, element] = ARRAY.exec(type) ?? []
  if (form) {
    const writeElement = writer(element)
    return (encoder, value) => {
      const elements = value?.map(item => writeElement(new Encoder(), item)) ?? null
      return encoder[ARRAYS[form][1]](elements, ...(elements ? ['object'] : []))
    }
  }
  const [, write, , taken = same] = PRIMITIVES[type] ?? []
  need(write, `Encoder has no writer for ${type}`)
  return (encoder, value) => encoder[write](value === null ? null : taken(value))
}

const types = new Map()
for (const [type, [read]] of Object.entries(PRIMITIVES)) {
  types.set(type, {
    versions: null,
    decode: read ? data => whole(data, reader(type)) : undefined,
    encode: value => writer(type)(new Encoder(), value).buffer,
  })
}
types.set('ARRAY', {
  versions: null,
  decode: (data, type) => whole(data, reader(type)),
  encode: (value, type) => writer(type)(new Encoder(), value).buffer,
})
types.set('TAG_BUFFER', {
  versions: null,
  decode: data => whole(data, decoder => Object.entries(decoder.readTaggedFields() ?? {})),
})

// --- Headers and responses ---

const PREFIX = 4

types.set('RequestHeader', {
  versions: [1, 1],
  encode: async value => {
    const named = { apiKey: value.RequestApiKey, apiVersion: value.RequestApiVersion, encode: () => new Encoder() }
    const framed = await request({ correlationId: value.CorrelationId, clientId: value.ClientId, request: named })
    return framed.buffer.subarray(PREFIX)
  },
})

// kafkajs reads the response header's tags, where there are some, with the body.
const FLEXIBLE = new Set(['alterPartitionReassignments', 'listPartitionReassignments'])
const NO_TAGS = Buffer.from([0])

for (const [api, [message, names]] of Object.entries(RESPONSES)) {
  const readers = new Map()
  for (const folder of list(`${PROTOCOL}/requests/${api}`).filter(name => /^v\d+$/.test(name))) {
    const version = Number(folder.slice(1))
    const found = require(`${PROTOCOL}/requests/${api}/${folder}/response`)
    // That of DeleteRecords wants to know the request, for its `parse`.
    const { decode } = typeof found === 'function' ? found({ topics: [] }) : found
    const naming = { names: { ...COMMON, ...(names[`v${version}`] ?? names) }, special: SPECIAL }
    readers.set(version, async data => {
      const read = await decode(FLEXIBLE.has(api) ? Buffer.concat([NO_TAGS, data]) : data)
      return withLongs(named(read, naming))
    })
  }
  types.set(message, byVersion(readers))
}

// 64-bit integers are text in kafkajs.
function withLongs(value) {
  if (Array.isArray(value)) return value.map(withLongs)
  if (!isStruct(value)) return value
  const entries = Object.entries(value)
  return Object.fromEntries(entries.map(([key, item]) => [key, LONGS.has(key) ? BigInt(item) : withLongs(item)]))
}

// --- Records ---

const shownRecord = (record, base) => ({
  attributes: record.attributes,
  timestampDelta: BigInt.asIntN(64, BigInt(record.timestamp) - BigInt(base.firstTimestamp)),
  offsetDelta: BigInt(record.offset) - BigInt(base.firstOffset),
  key: record.key,
  value: record.value,
  headers: shownHeaders(record.headers),
})

function shownHeaders(headers) {
  return Object.entries(headers).flatMap(([key, values]) =>
    Array.isArray(values) ? values.map(value => [key, value]) : [[key, values]]
  )
}

function built(record) {
  need(record.attributes === 0, 'Record takes no attributes')
  return Record({ ...record, timestampDelta: long(record.timestampDelta), headers: asObject(record.headers) })
}

function asObject(pairs) {
  if (pairs === null) return null
  const headers = {}
  for (const [key, value] of pairs) {
    if (Object.hasOwn(headers, key)) headers[key] = [headers[key], value].flat()
    else Object.defineProperty(headers, key, { value, enumerable: true, writable: true })
  }
  const order = Object.entries(headers).flatMap(([key, value]) => Array(Array.isArray(value) ? value.length : 1).fill(key))
  need(
    order.every((key, index) => key === pairs[index][0]),
    'Record takes headers as an object, whose keys cannot be in this order'
  )
  return headers
}

types.set('Record', {
  versions: null,
  decode: data =>
    whole(data, decoder => {
      const base = { firstOffset: '0', firstTimestamp: '0', magicByte: 2 }
      return shownRecord(decodeRecord(new Decoder(decoder.readVarIntBytes()), base), base)
    }),
  encode: record => built(record).buffer,
})

types.set('RecordBatch', {
  versions: null,
  decode: async data => {
    const decoder = new Decoder(data)
    const batch = await offered(() => decodeBatch(decoder))
    readToEnd(decoder.offset, data.length)
    const isLogTime = batch.timestampType !== 0
    need(!isLogTime || !batch.records.length, 'a record shows the timestamp of its batch, and its own is lost')
    // kafkajs shows three bits of the attributes; the others are taken from the bytes.
    const bits =
      (isLogTime ? LOG_APPEND_TIME : 0) | (batch.inTransaction ? TRANSACTIONAL : 0) | (batch.isControlBatch ? CONTROL : 0)
    const others = data.readInt16BE(ATTRIBUTES_AT) & ~(LOG_APPEND_TIME | TRANSACTIONAL | CONTROL)
    return {
      baseOffset: BigInt(batch.firstOffset),
      partitionLeaderEpoch: batch.partitionLeaderEpoch,
      attributes: others | bits,
      lastOffsetDelta: batch.lastOffsetDelta,
      baseTimestamp: BigInt(batch.firstTimestamp),
      maxTimestamp: BigInt(batch.maxTimestamp),
      producerId: BigInt(batch.producerId),
      producerEpoch: batch.producerEpoch,
      baseSequence: batch.firstSequence,
      records: batch.records.map(record => shownRecord(record, batch)),
    }
  },
  encode: async batch => {
    const { attributes } = batch
    need(!(attributes & ~(CODEC | TRANSACTIONAL)), 'RecordBatch takes a codec and whether it is transactional alone')
    const encoder = await offered(() =>
      RecordBatch({
        ...batch,
        compression: attributes & CODEC,
        firstOffset: long(batch.baseOffset),
        firstTimestamp: long(batch.baseTimestamp),
        maxTimestamp: long(batch.maxTimestamp),
        transactional: (attributes & TRANSACTIONAL) !== 0,
        producerId: long(batch.producerId),
        firstSequence: batch.baseSequence,
        records: batch.records.map(built),
      })
    )
    return encoder.buffer
  },
})

// What kafkajs has no codec for is not offered: it wants to be told one.
async function offered(call) {
  try {
    return await call()
  } catch (error) {
    throw error instanceof KafkaJSNotImplemented ? new NotOffered(error.message) : error
  }
}

// Where each entry of a message set begins, as far as sizes lead.
function* entries(data) {
  for (let at = 0; at + ATTRIBUTES < data.length; at += VALUE + data.readInt32BE(at + SIZE)) {
    yield at
    if (data.readInt32BE(at + SIZE) < 0) break
  }
}
// Offsets in an entry: its size, what the size counts, the magic, the attributes.
const SIZE = 8
const VALUE = 12
const ATTRIBUTES = 17

types.set('MessageSet', {
  versions: [0, 1],
  decode: async (data, magic) => {
    const size = Buffer.alloc(PREFIX)
    size.writeInt32BE(data.length)
    const messages = await offered(() => decodeMessageSet(new Decoder(Buffer.concat([size, data]))))
    for (const at of entries(data)) {
      need(!(data[at + ATTRIBUTES] & CODEC), 'messageSet/decoder returns the inner messages, and no wrapper')
    }
    return messages.map(message => {
      if (message.magicByte !== magic) throw new Refusal('unsupported-magic', `not all of magic ${magic}`)
      const timestamp = magic ? { timestamp: BigInt(message.timestamp) } : {}
      const { attributes, key, value } = message
      return { offset: BigInt(message.offset), attributes, ...timestamp, key, value }
    })
  },
  encode: (messages, magic) => {
    need(
      messages.every(({ attributes, messages }) => !attributes && !messages),
      'the producer compresses what messageSet has written'
    )
    const entries = messages.map(message =>
      'timestamp' in message ? { ...message, timestamp: long(message.timestamp) } : message
    )
    return MessageSet({ messageVersion: magic, compression: 0, entries }).buffer
  },
})

// --- A consumer ---

// The runner makes a Batch of a partition's messages and gives its `messages` to eachBatch. Then it reads on behind
// `lastOffset`, as where all messages were filtered out; and where there were none, from the same offset.
async function consume({ data, position, aborted }) {
  const size = Buffer.alloc(PREFIX)
  size.writeInt32BE(data.length)
  const messages = await offered(() => decodeMessages(new Decoder(Buffer.concat([size, data]))))
  const abortedTransactions = aborted.map(one => ({
    producerId: String(one.producer_id),
    firstOffset: String(one.first_offset),
  }))
  const fetched = { partition: 0, highWatermark: '0', abortedTransactions, messages }
  const batch = new Batch('t', String(position), fetched)
  const isAtRest = batch.isEmpty() && !batch.isEmptyDueToFiltering()
  return {
    records: batch.messages.map(({ offset, timestamp, key, value, headers = {} }) => ({
      offset: BigInt(offset),
      timestamp: timestamp === undefined ? -1 : BigInt(timestamp),
      key,
      value,
      headers: shownHeaders(headers),
    })),
    position: isAtRest ? position : BigInt(batch.lastOffset()) + 1n,
  }
}

// --- A producer ---

// A Produce request makes its records of messages; the codec that it has, and the transaction, are in the request too.
async function produce({ records, magic, codec, options }) {
  need(magic !== 0 || codec === 'none', 'a Produce request of version 0 compresses nothing')
  need(
    records.every(({ headers }) => headers.every(([key]) => key !== null)),
    'Record takes headers as an object, which has no null among its keys'
  )
  // The library computes with numbers here, as applications give them.
  const messages = records.map(record => ({
    ...record,
    timestamp: Number(record.timestamp),
    headers: asObject(record.headers),
  }))
  const partition = { partition: 0, messages, firstSequence: options.base_sequence }
  const asked = {
    acks: 1,
    timeout: 0,
    transactionalId: options.transactional ? NAME : null,
    compression: COMPRESSION.indexOf(codec),
    topicData: [{ topic: NAME, partitions: [partition] }],
  }
  if (BigInt(options.producer_id) !== -1n) {
    Object.assign(asked, { producerId: long(options.producer_id), producerEpoch: options.producer_epoch })
  }
  const { buffer } = await offered(() => PRODUCE[magic](asked).encode())
  return buffer.subarray(recordsAt(magic, options.transactional))
}

const NAME = 't'
const COMPRESSION = ['none', 'gzip', 'snappy', 'lz4', 'zstd']
// Magic → the last version of Produce that carries it.
const PRODUCE = [0, 2, 7].map(version => require(`${PROTOCOL}/requests/produce/v${version}/request`))

// The records stand behind the transactional id (from magic 2 on), acks, timeout, the count of topics, a name, the count
// of partitions, a partition, and their size.
function recordsAt(magic, transactional) {
  const id = magic < 2 ? 0 : 2 + (transactional ? NAME.length : 0)
  return id + 2 + 4 + 4 + 2 + NAME.length + 4 + 4 + 4
}

export const wrapper = {
  name: 'kafkajs',
  version: versionOf('kafkajs'),
  types,
  consume,
  produce,
  readings: {
    'R-K-1': 'other',
    'R-K-3': 'other',
    'R-K-6': 'other',
    'R-K-7': { '*Response': 'other' },
    'R-K-11': 'other',
    'R-K-19b': 'other',
    'R-K-29': 'other',
    'R-K-39': 'other',
    'R-K-60': 'other',
    'R-K-63': 'first',
    'R-K-43': 'other',
    'R-K-44': 'other',
    'R-K-45': 'other',
  },
  // The offset that messageSet writes is always -1.
  rebuilds: { MessageSet: ['offset'] },
  isOwn: error => error instanceof KafkaJSError,
}
