// @platformatic/kafka: primitives by its Reader and Writer, responses by their `parseResponse`, records by the functions
// that its Fetch and Produce call.

import { NotOffered, readToEnd } from '../answers.mjs'
import { named, pascal, unread } from '../fields.mjs'
import { byVersion, list, load, versionOf } from '../libraries.mjs'
import { CODEC, need, TRANSACTIONAL } from '../records.mjs'
import { Float64, Uuid } from '../values.mjs'
import { NAMES, RESHAPED } from './names.mjs'

const DIST = '@platformatic/kafka/dist'
const { Reader } = await load(`${DIST}/protocol/reader.js`)
const { Writer } = await load(`${DIST}/protocol/writer.js`)
const records = await load(`${DIST}/protocol/records.js`)
const { MessagesStream } = await load(`${DIST}/clients/consumer/messages-stream.js`)
const { FetchIsolationLevels } = await load(`${DIST}/apis/enumerations.js`)
const { kApis, kCreateConnectionPool, kMetadata } = await load(`${DIST}/clients/base/base.js`)
const { Producer } = await load(`${DIST}/clients/producer/producer.js`)
const { GenericError, ResponseError } = await load(`${DIST}/errors.js`)
const { OutOfBoundsError } = await load('@platformatic/dynamic-buffer/dist/index.js')

const same = value => value
const big = value => BigInt(value)

// Type → [name after `read` and `append`, arguments of both, a value as the writer takes it].
const PRIMITIVES = {
  BOOLEAN: ['Boolean', []],
  INT8: ['Int8', []],
  INT16: ['Int16', []],
  INT32: ['Int32', []],
  INT64: ['Int64', [], big],
  UINT16: ['UnsignedInt16', []],
  UINT32: ['UnsignedInt32', []],
  FLOAT64: ['Float64', [], value => value.number],
  UUID: ['UUID', [], value => value.text],
  UNSIGNED_VARINT: ['UnsignedVarInt', []],
  VARINT: ['VarInt', []],
  VARLONG: ['VarInt64', [], big],
  STRING: ['String', [false]],
  NULLABLE_STRING: ['NullableString', [false]],
  COMPACT_STRING: ['String', [true]],
  COMPACT_NULLABLE_STRING: ['NullableString', [true]],
  BYTES: ['Bytes', [false]],
  NULLABLE_BYTES: ['NullableBytes', [false]],
  COMPACT_BYTES: ['Bytes', [true]],
  COMPACT_NULLABLE_BYTES: ['NullableBytes', [true]],
  // The reader of an element comes first; elements have no tags of their own.
  ARRAY: ['Array', [false, false]],
  NULLABLE_ARRAY: ['NullableArray', [false, false]],
  COMPACT_ARRAY: ['Array', [true, false]],
  COMPACT_NULLABLE_ARRAY: ['NullableArray', [true, false]],
}

// A Reader whose UUIDs and floats can be told from texts and integers.
function readerOf(data) {
  const reader = Reader.from(data)
  reader.readUUID = () => new Uuid(Reader.prototype.readUUID.call(reader))
  reader.readFloat64 = () => new Float64(Reader.prototype.readFloat64.call(reader))
  return reader
}

function whole(data, read) {
  const reader = readerOf(data)
  const value = read(reader)
  readToEnd(reader.position, data.length)
  return value
}

function parts(type) {
  const [, form, element] = /^(\w+)<(.*)>$/.exec(type) ?? [null, type, null]
  return { form: PRIMITIVES[form], element }
}

function read(reader, type) {
  const { form, element } = parts(type)
  const [name, more] = form
  return element ? reader[`read${name}`](() => read(reader, element), ...more) : reader[`read${name}`](...more)
}

// The writer has one method for nullable and other forms.
function append(writer, type, value) {
  const { form, element } = parts(type)
  const [name, more, taken = same] = form
  const method = `append${name.replace('Nullable', '')}`
  if (element) return writer[method](value, (_, item) => append(writer, element, item), ...more)
  return writer[method](value === null ? null : taken(value), ...more)
}

const types = new Map()
for (const type of Object.keys(PRIMITIVES).filter(name => !name.endsWith('ARRAY'))) {
  types.set(type, {
    versions: null,
    decode: data => whole(data, reader => read(reader, type)),
    encode: value => append(Writer.create(), type, value).buffer,
  })
}
types.set('ARRAY', {
  versions: null,
  decode: (data, type) => whole(data, reader => read(reader, type)),
  encode: (value, type) => append(Writer.create(), type, value).buffer,
})
types.set('TAG_BUFFER', {
  versions: null,
  decode: data => whole(data, reader => reader.readTaggedFields() ?? []),
  encode: tags => Writer.create().appendTaggedFields(tags).buffer,
})

// --- Responses ---

// Fetch decodes the records, so that no bytes of them are left.
const LEFT_OUT = new Set(['FetchResponse'])
const FILE = /^(.+)-v(\d+)\.js$/

const responses = new Map()
for (const group of ['admin', 'consumer', 'metadata', 'producer', 'security', 'telemetry']) {
  for (const file of list(`${DIST}/apis/${group}`)) {
    const [, api, version] = FILE.exec(file) ?? []
    const message = api && `${api.split('-').map(pascal).join('')}Response`
    if (!message || LEFT_OUT.has(message)) continue
    const { api: known, parseResponse } = await load(`${DIST}/apis/${group}/${file}`)
    if (!responses.has(message)) responses.set(message, new Map())
    const parse = reader => parsed(() => parseResponse(0, known.key, known.version, reader))
    const names = NAMES[message]?.[`v${version}`] ?? NAMES[message]
    const naming = { names, left: unread(parse) }
    const [last, reshape] = RESHAPED[message] ?? []
    responses.get(message).set(Number(version), data => {
      const fields = named(parse(readerOf(data)), naming)
      return version <= last ? reshape(fields) : fields
    })
  }
}
for (const [message, readers] of responses) types.set(message, byVersion(readers))

// A response with an error code is thrown: in the exception it is whole.
function parsed(parse) {
  try {
    return parse()
  } catch (error) {
    if (error instanceof ResponseError) return error.response
    throw error
  }
}

// --- Records ---

const CODECS = ['none', 'gzip', 'snappy', 'lz4', 'zstd']

function shownRecord({ attributes, timestampDelta, offsetDelta, key, value, headers }) {
  return { attributes, timestampDelta, offsetDelta, key, value, headers }
}

function shownBatch(batch) {
  return {
    baseOffset: batch.firstOffset,
    partitionLeaderEpoch: batch.partitionLeaderEpoch,
    attributes: batch.attributes,
    lastOffsetDelta: batch.lastOffsetDelta,
    baseTimestamp: batch.firstTimestamp,
    maxTimestamp: batch.maxTimestamp,
    producerId: batch.producerId,
    producerEpoch: batch.producerEpoch,
    baseSequence: batch.firstSequence,
    records: batch.records.map(shownRecord),
  }
}

// A Map whose keys are Buffers keeps those that stand twice.
function asMap(headers) {
  return new Map(headers.map(([name, item]) => [name === null ? null : Buffer.from(name), item]))
}

function built({ attributes, timestampDelta, offsetDelta, headers, ...rest }, base) {
  need(attributes === 0, 'createRecord takes no attributes')
  const pairs = headers && asMap(headers)
  return { message: { ...rest, timestamp: base + BigInt(timestampDelta), headers: pairs }, offsetDelta }
}

types.set('Record', {
  versions: null,
  decode: data => whole(data, reader => shownRecord(records.readRecord(reader))),
  encode: record => {
    const { message, offsetDelta } = built(record, 0n)
    return records.createRecord(message, offsetDelta, 0n).buffer
  },
})

types.set('RecordBatch', {
  versions: null,
  decode: data => whole(data, reader => shownBatch(offered(() => records.readRecordsBatch(reader)))),
  encode: batch => {
    const { attributes, baseTimestamp, baseSequence } = batch
    need(!(attributes & ~(CODEC | TRANSACTIONAL)), 'createRecordsBatch takes a codec and a transactional id alone')
    need(BigInt(batch.baseOffset) === 0n, 'createRecordsBatch leaves the base offset to the broker')
    need(batch.records.length > 0, 'createRecordsBatch takes at least one message')
    need(BigInt(batch.records[0].timestampDelta) === 0n, "createRecordsBatch takes the first message's timestamp as base")
    need(
      batch.records.every(({ offsetDelta }, index) => offsetDelta === index),
      'createRecordsBatch counts the offsets'
    )
    const compression = CODECS[attributes & CODEC]
    need(compression, `@platformatic/kafka has no codec ${attributes & CODEC}`)
    const options = {
      ...batch,
      compression,
      transactionalId: attributes & TRANSACTIONAL ? 'id' : undefined,
      sequences: { getWithDefault: () => baseSequence },
      producerId: BigInt(batch.producerId),
    }
    const messages = batch.records.map(record => built(record, BigInt(baseTimestamp)).message)
    return offered(() => records.createRecordsBatch(messages, options)).buffer
  },
})

// What readRecordsBatches leaves at the end is a batch that was cut off.
types.set('RecordSet', {
  versions: null,
  decode: data =>
    offered(() => records.readRecordsBatches(readerOf(data))).map(batch => ({ magic: batch.magic, ...shownBatch(batch) })),
})

// zstd needs Node.js 22.15 or later.
function offered(call) {
  try {
    return call()
  } catch (error) {
    const isOld = error.code === 'PLT_KFK_UNSUPPORTED_COMPRESSION' && error.message.includes('Node.js version')
    throw isOld ? new NotOffered(error.message) : error
  }
}

// --- A consumer ---

const TOPIC = 't'
const partitions = [{ leader: 0, leaderEpoch: 0 }]
const metadata = {
  brokers: new Map([[0, {}]]),
  topics: new Map([[TOPIC, { id: TOPIC, partitions, partitionsCount: partitions.length }]]),
}

// A MessagesStream of a consumer that is made here, and has what the stream asks of one: the partition, and one response. The
// stream may ask for more before it ends; that is not answered.
async function consume({ data, position, isolation, aborted }) {
  const batches = data.length ? offered(() => records.readRecordsBatches(Reader.from(data))) : undefined
  const abortedTransactions = aborted.map(one => ({
    producerId: BigInt(one.producer_id),
    firstOffset: BigInt(one.first_offset),
  }))
  const partition = { partitionIndex: 0, abortedTransactions, records: batches }
  const response = { responses: [{ topicId: TOPIC, partitions: [partition] }] }
  let answer = done => {
    answer = () => {}
    done(null, response)
  }
  const consumer = {
    assignments: [{ topic: TOPIC, partitions: [0] }],
    topics: { current: [TOPIC] },
    on() {},
    removeListener() {},
    metadata: (_, done) => done(null, metadata),
    listOffsets: (_, done) => done(null, new Map()),
    fetch: (_, done) => answer(done),
    [kCreateConnectionPool]: () => ({ close: done => done() }),
  }
  const offsets = [{ topic: TOPIC, partition: 0, offset: BigInt(position) }]
  const isolationLevel = FetchIsolationLevels[isolation.toUpperCase()]
  const stream = new MessagesStream(consumer, { topics: [TOPIC], mode: 'manual', offsets, isolationLevel, maxFetches: 1 })
  const delivered = []
  for await (const { offset, timestamp, key, value, headers } of stream) {
    delivered.push({ offset, timestamp, key, value, headers: [...headers] })
  }
  return { records: delivered, position: stream.offsetsToFetch.get(`${TOPIC}:0`) }
}

// --- A producer ---

// The versions that a Sender's broker announces. In Produce 7 the records are the end of the request.
const ANNOUNCED = { Produce: 7, InitProducerId: 4, FindCoordinator: 4, AddPartitionsToTxn: 3 }
const PRODUCE = 0
// What stands before the records, but for a transactional id: its length, acks, timeout, the count of topics, a name, the
// count of partitions, a partition, and the size of the records.
const RECORDS_AT = 2 + 2 + 4 + 4 + 2 + TOPIC.length + 4 + 4 + 4
// Messages that are sent at most so that the next has the sequence in question.
const EARLIER = 1_000
const EMPTY = { topic: TOPIC, partition: 0, key: null, value: null }

// A Producer whose connections end here, at a broker of one partition that gives out the producer's id.
class Sender extends Producer {
  constructor({ producer_id: producerId, producer_epoch: producerEpoch, transactional }) {
    const idempotent = BigInt(producerId) !== -1n
    super({ clientId: TOPIC, bootstrapBrokers: [], idempotent, retries: false, transactionalId: TOPIC })
    this.recordsAt = RECORDS_AT + (transactional ? TOPIC.length : 0)
    // Each api finds in it what it asks for.
    this.answer = {
      producerId: BigInt(producerId),
      producerEpoch,
      coordinators: [{ key: TOPIC, nodeId: 0 }],
      responses: [{ name: TOPIC, partitionResponses: [{ index: 0, baseOffset: 0n }] }],
    }
    this[kApis] = Object.entries(ANNOUNCED).map(([name, version]) => ({ name, minVersion: version, maxVersion: version }))
  }

  [kCreateConnectionPool]() {
    const connection = { send: (api, _version, payload, _parse, _tags, _tagged, done) => this.asked(api, payload, done) }
    const found = (_, done) => done(null, connection)
    return { get: found, getFirstAvailable: found }
  }

  [kMetadata](_, done) {
    done(null, metadata)
  }

  // Like Connection.send, which catches what the making of a request throws.
  asked(api, payload, done) {
    try {
      const { buffer } = payload()
      if (api === PRODUCE) this.records = buffer.subarray(this.recordsAt)
    } catch (error) {
      this.fault = error
      return done(error)
    }
    done(null, this.answer)
  }
}

// Messages as an application sends them. What made the request fail is thrown as it was, not as the list that `send` makes.
async function produce({ records: given, magic, codec, options }) {
  const { base_sequence: earlier, transactional } = options
  need(magic === 2, '@platformatic/kafka writes magic 2 alone')
  need(earlier <= EARLIER, `a producer's sequence is ${earlier} after as many messages`)
  const sender = new Sender(options)
  const to = transactional ? await sender.beginTransaction() : sender
  if (earlier > 0) await to.send({ messages: Array.from({ length: earlier }, () => ({ ...EMPTY })) })
  const messages = given.map(({ timestamp, key, value, headers }) => {
    return { ...EMPTY, timestamp: BigInt(timestamp), key, value, headers: asMap(headers) }
  })
  try {
    await to.send({ messages, compression: codec })
  } catch (error) {
    offered(() => {
      throw sender.fault ?? error
    })
  }
  return sender.records
}

export const wrapper = {
  name: '@platformatic/kafka',
  version: versionOf('@platformatic/kafka'),
  types,
  consume,
  produce,
  readings: {
    'R-K-1': 'other',
    'R-K-3': 'other',
    'R-K-6': 'other',
    'R-K-9': 'minus-1',
    'R-K-11': 'other',
    'R-K-15c': 'other',
    'R-K-29': 'other',
    'R-K-34': 'other',
    'R-K-38': 'other',
    'R-K-39': 'other',
  },
  rebuilds: { RecordBatch: ['lastOffsetDelta', 'maxTimestamp'] },
  isOwn: error => GenericError.isGenericError(error) || error instanceof OutOfBoundsError,
}
