// A small codec that is right, until the variable MUTANT names one of its faults. tests/export/test_export_typescript.py asks it
// through exported tests and through the line protocol: it is a wrapper, as in implementations/node/lines.mjs.

import { NotOffered } from '@node@/answers.mjs'
import { Float64 } from '@node@/values.mjs'

// The faults, each with the area in which it shows.
const MUTANTS = {
  'varint without zigzag': 'varints',
  'varint of any width': 'varints',
  'varint cut off': 'varints',
  'varint in 32 bits': 'varints',
  'varint without an end': 'varints',
  'exit at a wide varint': 'varints',
  'integer cut to its size': 'framing',
  'long integer as a double': 'framing',
  'content of NaN lost': 'framing',
  'boolean of two as a crash': 'framing',
  'null string as an empty one': 'null-encodings',
  'string of any length': 'null-encodings',
  'null bytes as empty ones': 'null-encodings',
  'tags in any order': 'tag-ordering',
  'size of a tag not looked at': 'tag-ordering',
  'headers from the last': 'header-multimaps',
  'null header as an empty one': 'header-multimaps',
  'checksum not looked at': 'framing',
  'bytes behind the end': 'framing',
  'offset deltas lost': 'header-multimaps',
}
// No faults, but other readings.
const READINGS = { 'every negative length is null': 'null-encodings', 'text of any bytes': 'null-encodings' }
// No faults either: the writer sets a field itself, and says so; keys of headers are bytes, and a length is shown.
const OWN_WAYS = { 'offset deltas set by the writer': 'header-multimaps', 'records as a library has them': 'header-multimaps' }
const [REBUILT, AS_IT_IS] = Object.keys(OWN_WAYS)

const mutant = process.env.MUTANT ?? ''
const known = name => [MUTANTS, READINGS, OWN_WAYS].some(names => Object.hasOwn(names, name))
if (mutant && !known(mutant)) throw new Error(`no mutant: ${mutant}`)

function is(name) {
  if (!known(name)) throw new Error(`no mutant: ${name}`)
  return mutant === name
}

class Refusal extends Error {}

function demand(condition, text) {
  if (!condition) throw new Refusal(text)
}

// The bits of a float64, which a number of JavaScript need not keep.
class Bits extends Float64 {
  constructor(hex) {
    super(Float64.fromHex(hex).number)
    Object.defineProperty(this, 'hex', { value: hex })
  }
}

const longest = 0x7fff

class Reader {
  constructor(bytes) {
    this.bytes = Buffer.from(bytes)
    this.at = 0
  }

  get left() {
    return this.bytes.length - this.at
  }

  take(size) {
    demand(size >= 0 && size <= this.left, 'truncated')
    this.at += size
    return this.bytes.subarray(this.at - size, this.at)
  }

  // Groups of seven bits, the least first, of a number of so many bits.
  leb128(bits) {
    let number = 0n
    for (let shift = 0; ; shift += 7) {
      if (!this.left && is('varint cut off')) return number
      const group = this.take(1)[0]
      const tooWide = shift + 7 > bits && group >> (bits - shift) !== 0
      if (tooWide && bits === 32 && group === 0x20 && is('varint without an end')) while (true);
      if (tooWide && group === 0x20 && is('exit at a wide varint')) process.exit(3)
      demand(!tooWide || is('varint of any width'), 'varint-too-long')
      number = BigInt.asUintN(64, number | (BigInt(group & 0x7f) << BigInt(shift)))
      if (group < 0x80) return number
    }
  }

  unsigned() {
    return Number(BigInt.asUintN(32, this.leb128(32)))
  }

  signed(bits) {
    const number = this.leb128(bits)
    if (is('varint without zigzag')) return number
    const value = BigInt.asIntN(64, (number >> 1n) ^ -(number & 1n))
    return is('varint in 32 bits') ? BigInt.asIntN(32, value) : value
  }

  text(length) {
    if (length < 0) {
      demand(length === -1 || is('every negative length is null'), 'negative-length')
      return is('null string as an empty one') ? '' : null
    }
    demand(length <= longest || is('string of any length'), 'string-too-long')
    return textOf(this.take(length))
  }

  // A varint length and its bytes; null for -1.
  octets() {
    const length = this.signed(32)
    return length === -1n ? null : this.take(Number(length))
  }

  record() {
    const body = new Reader(this.take(Number(this.signed(32))))
    const value = { attributes: body.take(1).readInt8(), timestampDelta: body.signed(64), offsetDelta: body.signed(32) }
    value.key = body.octets()
    value.value = body.octets()
    value.headers = []
    const count = body.signed(32)
    demand(count >= 0n, 'negative-count')
    while (value.headers.length < count) {
      const key = body.octets()
      demand(key !== null, 'null-not-allowed')
      const content = body.octets()
      const shown = is(AS_IT_IS) ? key : textOf(key)
      const header = [shown, content === null && is('null header as an empty one') ? Buffer.alloc(0) : content]
      if (is('headers from the last')) value.headers.unshift(header)
      else value.headers.push(header)
    }
    demand(body.left === 0, 'length-mismatch')
    if (is(AS_IT_IS)) value.length = body.bytes.length
    if (offsetsAreSet()) delete value.offsetDelta
    return value
  }
}

const offsetsAreSet = () => is(REBUILT) || is('offset deltas lost')

function textOf(bytes) {
  if (is('text of any bytes')) return bytes.toString()
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new Refusal('invalid-utf8')
  }
}

// A whole number of so many bits, as a bigint.
function integer(value, bits, signed = true) {
  demand(typeof value === 'bigint' || Number.isInteger(value), 'out-of-range')
  const number = BigInt(value)
  const fitting = signed ? BigInt.asIntN(bits, number) : BigInt.asUintN(bits, number)
  demand(number === fitting || is('integer cut to its size'), 'out-of-range')
  return fitting
}

function ofLeb128(number) {
  const groups = []
  for (; number > 0x7fn; number >>= 7n) groups.push(Number(number & 0x7fn) | 0x80)
  return Buffer.from([...groups, Number(number)])
}

function ofSigned(value, bits) {
  const number = integer(value, bits)
  if (is('varint without zigzag')) return ofLeb128(BigInt.asUintN(64, number))
  return ofLeb128(BigInt.asUintN(64, (number << 1n) ^ (number >> 63n)))
}

function ofText(value, prefix, none) {
  if (value === null) return is('null string as an empty one') ? prefix(0) : none
  demand(typeof value === 'string' && value.isWellFormed(), 'invalid-utf8')
  const bytes = Buffer.from(value)
  demand(bytes.length <= longest || is('string of any length'), 'string-too-long')
  return Buffer.concat([prefix(bytes.length), bytes])
}

function inBytes(size, write) {
  const bytes = Buffer.alloc(size)
  write(bytes)
  return bytes
}

// A codec that refuses bytes behind the value.
function whole(read, encode) {
  const decode = bytes => {
    const input = new Reader(bytes)
    const value = read(input)
    demand(input.left === 0 || is('bytes behind the end'), 'trailing-bytes')
    return value
  }
  return { versions: null, decode, encode }
}

function fixed(size) {
  const read = input => {
    const number = BigInt.asIntN(8 * size, BigInt(`0x${input.take(size).toString('hex')}`))
    return is('long integer as a double') ? Number(number) : number
  }
  const digits = number => BigInt.asUintN(8 * size, number).toString(16).padStart(2 * size, '0')
  return whole(read, value => Buffer.from(digits(integer(value, 8 * size)), 'hex'))
}

function readBoolean(input) {
  const octet = input.take(1)[0]
  if (octet === 2 && is('boolean of two as a crash')) throw new TypeError('two is neither')
  return octet !== 0
}

function readBytes(input) {
  const length = input.take(4).readInt32BE()
  if (length >= 0) return input.take(length)
  demand(length === -1 || is('every negative length is null'), 'negative-length')
  return is('null bytes as empty ones') ? Buffer.alloc(0) : null
}

function writeBytes(value) {
  if (value === null) return Buffer.from('ffffffff', 'hex')
  return Buffer.concat([inBytes(4, bytes => bytes.writeInt32BE(value.length)), value])
}

function readTags(input) {
  const tags = []
  for (let count = input.unsigned(); count > 0; count -= 1) {
    const tag = input.unsigned()
    const size = input.unsigned()
    demand(tags.length === 0 || tag > tags.at(-1)[0] || is('tags in any order'), 'tag-order')
    tags.push([tag, input.take(is('size of a tag not looked at') ? Math.min(size, input.left) : size)])
  }
  return tags
}

function writeTags(tags) {
  const parts = [ofLeb128(BigInt(tags.length))]
  let last = -1n
  for (const [tag, content] of tags) {
    const number = integer(tag, 32, false)
    demand(number > last || is('tags in any order'), 'tag-order')
    last = number
    parts.push(ofLeb128(number), ofLeb128(BigInt(content.length)), content)
  }
  return Buffer.concat(parts)
}

// A varint length and the bytes of text or bytes; -1 for null.
function withLength(value) {
  if (value === null) return ofSigned(-1, 32)
  const bytes = Buffer.from(value)
  return Buffer.concat([ofSigned(bytes.length, 32), bytes])
}

function writeRecord(value) {
  demand(Object.keys(value).length <= 6 || value.length !== undefined, 'unknown-field')
  demand(Array.isArray(value.headers), 'null-not-allowed')
  demand(value.headers.every(([key]) => key !== null), 'null-not-allowed')
  const body = Buffer.concat([
    inBytes(1, bytes => bytes.writeInt8(Number(integer(value.attributes, 8)))),
    ofSigned(value.timestampDelta, 64),
    ofSigned(offsetsAreSet() ? 0 * Number(integer(value.offsetDelta ?? 0, 32)) : value.offsetDelta, 32),
    withLength(value.key),
    withLength(value.value),
    ofSigned(value.headers.length, 32),
    ...value.headers.flatMap(header => header.map(withLength)),
  ])
  return Buffer.concat([ofSigned(body.length, 32), body])
}

function crc32c(bytes) {
  let crc = 0xffffffff
  for (const octet of bytes) {
    crc ^= octet
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0x82f63b78 : 0)
  }
  return ~crc >>> 0
}

// A RecordBatch that is not compressed:
// baseOffset int64, length int32, leader epoch int32, magic int8, CRC uint32, attributes int16, …, count int32, records.
function readBatch(input) {
  const head = input.take(61)
  const length = head.readInt32BE(8) - 49
  const attributes = head.readInt16BE(21)
  demand(head[16] === 2, 'unsupported-magic')
  demand(length >= 0 && length <= input.left, 'truncated')
  demand(length === input.left, 'trailing-bytes')
  const covered = Buffer.concat([head.subarray(21), input.bytes.subarray(61)])
  demand(head.readUInt32BE(17) === crc32c(covered) || is('checksum not looked at'), 'crc-mismatch')
  if (attributes & 0x27) throw new NotOffered('compressed and control batches')
  const value = {
    baseOffset: head.readBigInt64BE(0),
    partitionLeaderEpoch: head.readInt32BE(12),
    attributes,
    lastOffsetDelta: head.readInt32BE(23),
    baseTimestamp: head.readBigInt64BE(27),
    maxTimestamp: head.readBigInt64BE(35),
    producerId: head.readBigInt64BE(43),
    producerEpoch: head.readInt16BE(51),
    baseSequence: head.readInt32BE(53),
    records: [],
  }
  const count = head.readInt32BE(57)
  while (value.records.length < count) value.records.push(input.record())
  return value
}

const short = length => inBytes(2, bytes => bytes.writeInt16BE(length))
const compact = length => ofLeb128(BigInt(length + 1))

const types = {
  INT8: fixed(1),
  INT16: fixed(2),
  INT32: fixed(4),
  INT64: fixed(8),
  FLOAT64: whole(
    input => {
      const bits = input.take(8)
      return new Bits(Number.isNaN(bits.readDoubleBE()) && is('content of NaN lost') ? '7ff8000000000000' : bits.toString('hex'))
    },
    undefined,
  ),
  BOOLEAN: whole(readBoolean, value => {
    demand(typeof value === 'boolean', 'out-of-range')
    return Buffer.from([Number(value)])
  }),
  VARINT: whole(input => input.signed(32), value => ofSigned(value, 32)),
  VARLONG: whole(input => input.signed(64), value => ofSigned(value, 64)),
  NULLABLE_STRING: whole(
    input => input.text(input.take(2).readInt16BE()),
    value => ofText(value, short, Buffer.from('ffff', 'hex')),
  ),
  COMPACT_NULLABLE_STRING: whole(
    input => input.text(input.unsigned() - 1),
    value => ofText(value, compact, Buffer.from([0])),
  ),
  NULLABLE_BYTES: whole(readBytes, writeBytes),
  TAG_BUFFER: whole(readTags, writeTags),
  Record: whole(input => input.record(), writeRecord),
  RecordBatch: whole(readBatch, undefined),
}

export const wrapper = {
  name: 'wrong',
  version: `1 (${mutant})`,
  types: new Map(Object.entries(types)),
  readings: {},
  rebuilds: is(REBUILT) ? { Record: ['offsetDelta'], RecordBatch: ['offsetDelta'] } : {},
  isOwn: error => error instanceof Refusal,
}
