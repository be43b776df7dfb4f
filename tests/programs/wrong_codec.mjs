// A codec of a few types with faults: VARINT without zigzag, INT64 as a double, null BYTES as empty ones, a BOOLEAN of 2 as
// a crash, text of any bytes. tests/test_export_typescript.py asks it through exported tests and through the line protocol.

export class Refusal extends Error {}

const demand = (condition, text) => {
  if (!condition) throw new Refusal(text)
}

function uvarint(bytes, at = 0) {
  let number = 0
  for (let shift = 0; shift < 35; shift += 7, at += 1) {
    demand(at < bytes.length, 'cut off')
    number += (bytes[at] & 0x7f) * 2 ** shift
    if (bytes[at] < 0x80) return [number, at + 1]
  }
  throw new Refusal('too long')
}

function ofUvarint(number) {
  demand(Number.isInteger(number) && number >= 0 && number < 2 ** 32, 'out of range')
  const bytes = []
  for (; number > 0x7f; number = Math.floor(number / 128)) bytes.push((number & 0x7f) | 0x80)
  return Buffer.from([...bytes, number])
}

const whole = (bytes, size) => demand(bytes.length === size, `${bytes.length} bytes, not ${size}`)

export const types = {
  VARINT: {
    decode(bytes) {
      const [number, end] = uvarint(bytes)
      whole(bytes, end)
      return number
    },
    encode: ofUvarint,
  },
  INT64: {
    decode(bytes) {
      whole(bytes, 8)
      return Number(bytes.readBigInt64BE(0))
    },
    encode(value) {
      const bytes = Buffer.alloc(8)
      bytes.writeBigInt64BE(BigInt(value))
      return bytes
    },
  },
  BOOLEAN: {
    decode(bytes) {
      whole(bytes, 1)
      if (bytes[0] === 2) throw new TypeError('two is neither')
      return bytes[0] !== 0
    },
    encode: value => Buffer.from([Number(value)]),
  },
  NULLABLE_BYTES: {
    decode(bytes) {
      demand(bytes.length >= 4, 'cut off')
      const length = Math.max(0, bytes.readInt32BE(0))
      whole(bytes, 4 + length)
      return bytes.subarray(4)
    },
    encode(value) {
      const length = Buffer.alloc(4)
      length.writeInt32BE(value === null ? 0 : value.length)
      return Buffer.concat([length, value ?? Buffer.alloc(0)])
    },
  },
  COMPACT_STRING: {
    decode(bytes) {
      const [length, at] = uvarint(bytes)
      demand(length > 0, 'null')
      whole(bytes, at + length - 1)
      return bytes.subarray(at).toString()
    },
    encode(value) {
      demand(typeof value === 'string', 'null')
      return Buffer.concat([ofUvarint(Buffer.byteLength(value) + 1), Buffer.from(value)])
    },
  },
}

export const isRefusal = error => error instanceof Refusal || error instanceof RangeError
