// An implementation that answers from a table: tests/support/replayed.py makes it.

import { readFileSync } from 'node:fs'
import { fromJson, hex, NotOffered, Refused, unhex } from './wireproof.mjs'

const table = JSON.parse(readFileSync(new URL('table.json', import.meta.url), 'utf8'))

function answer(...parts) {
  const found = table[parts.join('|')]
  if (found === undefined) throw new NotOffered(parts.slice(0, 3).join(' '))
  if (found.unsupported !== undefined) throw new NotOffered(found.unsupported)
  if (found.reject) throw new Refused(found.reject.detail, found.reject)
  if (found.error !== undefined) throw new Error(found.error)
  return found
}

const form = (type, version) => [type, version ?? '-']

export default {
  decode: (type, version, bytes, dialect) => fromJson(answer('decode', dialect, ...form(type, version), hex(bytes)).value),
  lookup: (type, version, bytes, key, dialect) =>
    fromJson(answer('lookup', dialect, ...form(type, version), hex(bytes), JSON.stringify(key)).value),
  convert: (type, version, bytes, to, dialect) =>
    unhex(answer('convert', dialect, ...form(type, version), hex(bytes), JSON.stringify(to)).data),
  consume: (bytes, { position, isolation, aborted }, dialect) =>
    fromJson(
      answer('consume', dialect, hex(bytes), position, isolation, ...aborted.map(one => `${one.producer_id}:${one.first_offset}`))
        .delivered,
    ),
  serve(chunks, dialect) {
    const { sent, closed } = answer('serve', dialect, ...chunks.map(hex))
    return { sent: unhex(sent), closed }
  },
  interpret: (request, response, dialect) =>
    fromJson(answer('interpret', dialect, hex(request), response === null ? 'null' : hex(response)).outcome),
  negotiate: (apiKey, client, broker, dialect) =>
    answer('negotiate', dialect, ...[apiKey, client, broker].map(part => JSON.stringify(part))).version,
  evolve: (old, new_, dialect) => answer('evolve', dialect, JSON.stringify(old), JSON.stringify(new_)).breaks.length > 0,
  configure() {},
}
