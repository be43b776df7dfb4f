// kafka-ts: primitives by its Decoder and Encoder, messages by the `response` and `request` of each version, records by
// the functions that its Fetch and Produce call.

import zlib from 'node:zlib'

import { readToEnd, Refusal } from '../answers.mjs'
import { named, pascal, unread } from '../fields.mjs'
import { byVersion, list, require, versionOf } from '../libraries.mjs'
import { ATTRIBUTES_AT, batchOf, CODEC, need, only, RECORDS_AT, ZSTD } from '../records.mjs'
import { Float64, Uuid } from '../values.mjs'
import { HOISTED, NAMES } from './names.mjs'

const DIST = 'kafka-ts/dist'
const { Decoder } = require(`${DIST}/utils/decoder.js`)
const { Encoder } = require(`${DIST}/utils/encoder.js`)
const { decodeRecordBatch, withDecompressions } = require(`${DIST}/api/fetch/common.js`)
const { createBatch } = require(`${DIST}/api/produce/common.js`)
const { Connection } = require(`${DIST}/connection.js`)
const { KafkaTSApiError, KafkaTSError } = require(`${DIST}/utils/error.js`)

const same = value => value
const big = value => BigInt(value)

// Type → [name after `read` and `write`, a value as the writer takes it].
const PRIMITIVES = {
  BOOLEAN: ['Boolean'],
  INT8: ['Int8'],
  INT16: ['Int16'],
  INT32: ['Int32'],
  INT64: ['Int64', big],
  UINT16: ['UInt16'],
  UINT32: ['UInt32'],
  FLOAT64: ['Float64', value => value.number],
  UUID: ['UUID', value => value.text.replaceAll('-', '')],
  UNSIGNED_VARINT: ['UVarInt'],
  VARINT: ['VarInt'],
  VARLONG: ['VarLong', big],
  STRING: ['String'],
  NULLABLE_STRING: ['String'],
  COMPACT_STRING: ['CompactString'],
  COMPACT_NULLABLE_STRING: ['CompactString'],
  BYTES: ['Bytes'],
  NULLABLE_BYTES: ['Bytes'],
  COMPACT_BYTES: ['CompactBytes'],
  COMPACT_NULLABLE_BYTES: ['CompactBytes'],
  ARRAY: ['Array'],
  NULLABLE_ARRAY: ['Array'],
  COMPACT_ARRAY: ['CompactArray'],
  COMPACT_NULLABLE_ARRAY: ['CompactArray'],
}

// A Decoder whose UUIDs and floats can be told from texts and integers.
function decoderOf(data) {
  const decoder = new Decoder(data)
  decoder.readUUID = () => new Uuid(Decoder.prototype.readUUID.call(decoder))
  decoder.readFloat64 = () => new Float64(Decoder.prototype.readFloat64.call(decoder))
  return decoder
}

function whole(data, read) {
  const decoder = decoderOf(data)
  const value = read(decoder)
  readToEnd(decoder.getOffset(), data.length)
  return value
}

function parts(type) {
  const [, form, element] = /^(\w+)<(.*)>$/.exec(type) ?? [null, type]
  return { form: PRIMITIVES[form], element }
}

function read(decoder, type) {
  const { form, element } = parts(type)
  return element ? decoder[`read${form[0]}`](() => read(decoder, element)) : decoder[`read${form[0]}`]()
}

function write(encoder, type, value) {
  const { form, element } = parts(type)
  const [name, taken = same] = form
  if (element) return encoder[`write${name}`](value, (_, item) => write(encoder, element, item))
  return encoder[`write${name}`](value === null ? null : taken(value))
}

const types = new Map()
for (const type of Object.keys(PRIMITIVES).filter(name => !name.endsWith('ARRAY'))) {
  types.set(type, {
    versions: null,
    decode: data => whole(data, decoder => read(decoder, type)),
    encode: value => write(new Encoder(), type, value).value(),
  })
}
types.set('ARRAY', {
  versions: null,
  decode: (data, type) => whole(data, decoder => read(decoder, type)),
  encode: (value, type) => write(new Encoder(), type, value).value(),
})
types.set('TAG_BUFFER', {
  versions: null,
  decode: data => whole(data, decoder => pairs(decoder.readTagBuffer())),
  encode: tags => {
    need(new Set(tags.map(([tag]) => tag)).size === tags.length, 'writeTagBuffer takes an object: no tag can stand twice')
    return new Encoder().writeTagBuffer(Object.fromEntries(tags)).value()
  },
})

function pairs(tags) {
  return Object.entries(tags).map(([tag, bytes]) => [Number(tag), bytes])
}

// --- Headers, which a Connection writes and reads; its socket is made here ---

types.set('RequestHeader', {
  versions: [1, 2],
  encode: async (header, version) => {
    need(header.ClientId !== null, 'Connection writes an empty client id where there is none')
    need(!header._tags?.length, 'Connection writes no tags')
    const { RequestApiKey: apiKey, RequestApiVersion: apiVersion, CorrelationId, ClientId, _tags, ...others } = header
    if (Object.keys(others).length) throw new Refusal('unknown-field', `a header has no ${Object.keys(others)}`)
    const connection = new Connection({ clientId: ClientId, connection: {} })
    connection.connected = true
    connection.versions = { [apiKey]: { minVersion: apiVersion, maxVersion: apiVersion } }
    connection.lastCorrelationId = CorrelationId
    let written
    connection.socket = {
      write: (bytes, _, done) => {
        written = bytes
        done(new Error('nobody answers'))
      },
    }
    try {
      await connection.sendRequest({ apiKey, apiVersion, requestHeaderVersion: version, request: encoder => encoder })
    } catch (error) {
      if (!written) throw error
    }
    return written.subarray(SIZE)
  },
})
const SIZE = 4

types.set('ResponseHeader', {
  versions: [0, 1],
  decode: (data, version) => {
    const connection = new Connection({ connection: {} })
    let found
    // Whatever the correlation id: it is that of an open request.
    const pending = id => ({ api: { responseHeaderVersion: version }, resolve: ({ responseDecoder }) => (found = [id, responseDecoder]) })
    connection.queue = new Proxy({}, { get: (_, id) => pending(id), deleteProperty: () => true })
    connection.consume(Buffer.concat([new Encoder().writeInt32(data.length).value(), data]))
    const [id, decoder] = found
    readToEnd(decoder.getOffset(), data.length)
    need(decoder.getOffset() === SIZE + version, 'Connection passes over the tags of a header')
    return { CorrelationId: Number(id) }
  },
})

// --- Messages ---

// Fetch decodes the records, and SyncGroup the assignment, so that there are no bytes of them.
const LEFT_OUT = new Set(['FetchResponse', 'ShareFetchResponse', 'SyncGroupResponse'])
const SPECIAL = { tags: tags => ({ _tags: pairs(tags) }) }

const responses = new Map()
for (const folder of list(`${DIST}/api`).filter(name => !name.includes('.'))) {
  const message = `${folder.split('-').map(pascal).join('')}Response`
  if (LEFT_OUT.has(message)) continue
  const readers = new Map()
  for (const file of list(`${DIST}/api/${folder}`)) {
    const version = Number(/^v(\d+)\.js$/.exec(file)?.[1])
    if (Number.isNaN(version)) continue
    const [api] = Object.values(require(`${DIST}/api/${folder}/${file}`))
    const respond = decoder => answered(() => api.response(decoder))
    const naming = { names: NAMES[message], left: unread(respond), special: SPECIAL }
    const [container, last] = HOISTED[message] ?? []
    readers.set(version, data => {
      const fields = named(whole(data, respond), naming)
      if (version > last || !container) return fields
      const { [container]: [inner], ...others } = fields
      return { ...inner, ...others }
    })
  }
  types.set(message, byVersion(readers))
}

// A response with an error code is thrown: in the exception it is whole.
function answered(respond) {
  try {
    return respond()
  } catch (error) {
    if (error instanceof KafkaTSApiError && error.response) return error.response
    throw error
  }
}

// --- Records ---

// zstd needs Node.js 22.15 or later.
async function batches(data) {
  const isZstd = data.length > ATTRIBUTES_AT + 1 && (data[ATTRIBUTES_AT + 1] & CODEC) === ZSTD
  need(!isZstd || zlib.zstdDecompress, 'zstd is not in this version of Node.js')
  return withDecompressions(decompressions => decodeRecordBatch(new Decoder(data), data.length, decompressions))
}

function shownRecord({ attributes, timestampDelta, offsetDelta, key, value, headers }) {
  const pair = header => [header.key, bytes(header.value)]
  return { attributes, timestampDelta, offsetDelta, key: bytes(key), value: bytes(value), headers: headers.map(pair) }
}

function shownBatch(batch) {
  return {
    baseOffset: batch.baseOffset,
    partitionLeaderEpoch: batch.partitionLeaderEpoch,
    attributes: batch.attributes,
    lastOffsetDelta: batch.lastOffsetDelta,
    baseTimestamp: batch.baseTimestamp,
    maxTimestamp: batch.maxTimestamp,
    producerId: batch.producerId,
    producerEpoch: batch.producerEpoch,
    baseSequence: batch.baseSequence,
    records: batch.records.map(shownRecord),
  }
}

// What the library shows as text is bytes to us; what were none in UTF-8 are lost.
function bytes(text) {
  return text === null ? null : Buffer.from(text)
}

function text(buffer) {
  if (buffer === null) return null
  need(Buffer.from(buffer.toString()).equals(buffer), 'createBatch takes keys and values as text')
  return buffer.toString()
}

function taken({ attributes, timestampDelta, offsetDelta, key, value, headers }) {
  return {
    attributes,
    timestampDelta: big(timestampDelta),
    offsetDelta,
    key: text(key),
    value: text(value),
    headers: headers && headers.map(([name, item]) => ({ key: name, value: text(item) })),
  }
}

function built(batch) {
  need(!(batch.attributes & CODEC), 'createBatch compresses nothing')
  return createBatch({
    ...batch,
    baseOffset: big(batch.baseOffset),
    baseTimestamp: big(batch.baseTimestamp),
    maxTimestamp: big(batch.maxTimestamp),
    producerId: big(batch.producerId),
    records: batch.records.map(taken),
  }).value()
}

// A batch of one record, whose header is made here.
const EMPTY = {
  baseOffset: 0,
  partitionLeaderEpoch: 0,
  attributes: 0,
  lastOffsetDelta: 0,
  baseTimestamp: 0,
  maxTimestamp: 0,
  producerId: -1,
  producerEpoch: -1,
  baseSequence: -1,
}

types.set('Record', {
  versions: null,
  decode: async data => shownRecord(only(only(await batches(batchOf(data)), 'decodeRecordBatch').records, 'readRecords')),
  encode: record => built({ ...EMPTY, records: [record] }).subarray(RECORDS_AT),
})
types.set('RecordBatch', {
  versions: null,
  decode: async data => shownBatch(only(await batches(data), 'decodeRecordBatch')),
  encode: built,
})
types.set('RecordSet', {
  versions: null,
  decode: async data => (await batches(data)).map(batch => ({ magic: batch.magic, ...shownBatch(batch) })),
  encode: entries => {
    need(entries.every(({ magic }) => magic === 2), 'createBatch writes magic 2 alone')
    return Buffer.concat(entries.map(built))
  },
})

export const wrapper = {
  name: 'kafka-ts',
  version: versionOf('kafka-ts'),
  types,
  readings: {
    'R-K-1': 'map',
    'R-K-6': 'other',
    'R-K-7': { Record: 'other' },
    'R-K-9': 'other',
    'R-K-11': 'other',
    'R-K-12': 'other',
    'R-K-15': 'other',
    'R-K-15b': 'other',
    'R-K-19b': 'other',
    'R-K-22c': 'other',
    'R-K-29': 'other',
    'R-K-34': 'other',
  },
  rebuilds: {},
  isOwn: error => error instanceof KafkaTSError,
}
