// Your implementation: put calls of your library here, and leave out what it does not have. See wireproof.d.mts.

import { NotOffered, Refused } from './wireproof.mjs'

/** @type {import('./wireproof.d.mts').Implementation} */
export default {
  decode(type, version, bytes, dialect) {
    if (dialect !== 'kafka' || type !== 'INT16') throw new NotOffered(type)
    if (bytes.length !== 2) throw new Refused(`${bytes.length} bytes; an INT16 has two`)
    return Buffer.from(bytes).readInt16BE(0)
  },

  encode(type, version, value, dialect) {
    if (dialect !== 'kafka' || type !== 'INT16') throw new NotOffered(type)
    const bytes = Buffer.alloc(2)
    bytes.writeInt16BE(value) // throws a RangeError for what does not fit
    return new Uint8Array(bytes)
  },

  // Exceptions of your library that refuse an input. All others are crashes.
  isRefusal: error => error instanceof RangeError,
}
