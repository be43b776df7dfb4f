// Your implementation: put calls of your library here, and leave out what it does not have. See wireproof.d.mts. As an
// example it has the type VARINT.

import { NotOffered, Refused } from './wireproof.mjs'

/** @type {import('./wireproof.d.mts').Implementation} */
export default {
  decode(type, version, bytes, dialect) {
    if (dialect !== 'kafka' || type !== 'VARINT') throw new NotOffered(type)
    const size = 1 + bytes.findIndex(byte => byte < 0x80)
    if (size < 1 || size > 5 || size < bytes.length) throw new Refused('not the bytes of one VARINT')
    const bits = bytes.reduceRight((bits, byte) => bits * 0x80 + (byte & 0x7f), 0)
    if (bits > 0xffffffff) throw new Refused('more than 32 bits')
    return bits % 2 ? -(bits + 1) / 2 : bits / 2
  },

  encode(type, version, value, dialect) {
    if (dialect !== 'kafka' || type !== 'VARINT') throw new NotOffered(type)
    if (value !== (Number(value) | 0)) throw new RangeError(`${value} is no int32`)
    const bytes = []
    let left = ((value << 1) ^ (value >> 31)) >>> 0
    for (; left > 0x7f; left >>>= 7) bytes.push((left & 0x7f) | 0x80)
    return Uint8Array.from([...bytes, left])
  },

  // Exceptions of your library that refuse an input. All others are crashes.
  isRefusal: error => error instanceof RangeError,
}
