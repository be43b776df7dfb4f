// A wrapper of the line protocol (@wrapper@) as an implementation for exported tests.

import { isRefusal, NotOffered as Absent, reasonOf } from '@node@/answers.mjs'
import { plain, shown } from '@node@/values.mjs'
import { wrapper } from '@wrapper@'
import { Float64, fromJson, hex, NotOffered, Refused, Uuid } from './wireproof.mjs'

function codec(op, type, version, dialect) {
  const isArray = type.endsWith('>')
  const found = wrapper.types.get(isArray ? 'ARRAY' : type)
  if (dialect !== 'kafka' || !found?.[op]) throw new NotOffered(`no ${op} of ${type}`)
  const { versions } = found
  if (versions && !(versions[0] <= version && version <= versions[1])) throw new NotOffered(`no ${type} ${version}`)
  return input => found[op](input, isArray ? type : version)
}

// What a half of the library answers, and its exceptions by what they mean.
async function told(half, call, whole = half) {
  try {
    return await call()
  } catch (error) {
    if (error instanceof Absent) throw new NotOffered(error.message)
    if (!isRefusal(error, half, wrapper.isOwn)) throw error
    throw new Refused(error.message, { reason: reasonOf(error), offset: error.offset, half: whole === 'recode' ? half : null })
  }
}

// A value of the exported tests in the contract's JSON.
function json(value) {
  if (typeof value === 'bigint') return { int: String(value) }
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map(json)
  if (value instanceof Uint8Array) return { hex: hex(value) }
  if (value instanceof Uuid) return { uuid: value.text }
  if (value instanceof Float64) return { float64: value.hex }
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, json(item)]))
}

const bytesOf = data => new Uint8Array(data.buffer, data.byteOffset, data.length)

export default {
  decode(type, version, bytes, dialect) {
    const decode = codec('decode', type, version, dialect)
    return told('decode', async () => fromJson(shown(await decode(Buffer.from(bytes)))))
  },
  encode(type, version, value, dialect) {
    const encode = codec('encode', type, version, dialect)
    return told('encode', async () => bytesOf(await encode(plain(json(value)))))
  },
  async recode(type, version, bytes, dialect) {
    const [decode, encode] = ['decode', 'encode'].map(op => codec(op, type, version, dialect))
    const value = await told('decode', async () => shown(await decode(Buffer.from(bytes))), 'recode')
    return told('encode', async () => bytesOf(await encode(plain(value))), 'recode')
  },
  rebuilds: wrapper.rebuilds,
  ...(process.env.READINGS === 'none' ? { readings: [] } : {}),
}
