// The contract's JSON, and JavaScript's values for it.
//
//   protocol   here                     JSON
//   integer    number or bigint         number; outside ±(2^53-1) {"int": "…"}
//   bytes      Buffer                   {"hex": "…"}
//   UUID       Uuid, its text           {"uuid": "…"}
//   float64    Float64, its number      {"float64": "<16 hex digits>"}
//   the rest as in JSON

export class Uuid {
  // text: 32 hex digits, with or without hyphens
  constructor(text) {
    this.text = text
  }

  // What a reader made of too few bytes is no UUID, and shown as the text that it is.
  get json() {
    const parts = /^(.{8})-?(.{4})-?(.{4})-?(.{4})-?(.{12})$/.exec(this.text)
    return parts ? { uuid: parts.slice(1).join('-') } : this.text
  }
}

export class Float64 {
  constructor(number) {
    this.number = number
  }

  static fromHex(hex) {
    return new Float64(Buffer.from(hex, 'hex').readDoubleBE())
  }

  get hex() {
    const bits = Buffer.alloc(8)
    bits.writeDoubleBE(this.number)
    return bits.toString('hex')
  }
}

// A value of the library's as JSON can write it; undefined and NaN are null, as in JSON.stringify.
export function shown(value) {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value
    case 'number':
      if (!Number.isInteger(value)) return null
      return Number.isSafeInteger(value) ? value : { int: BigInt(value).toString() }
    case 'bigint':
      return Number.isSafeInteger(Number(value)) ? Number(value) : { int: value.toString() }
  }
  if (value === null || value === undefined) return null
  if (Array.isArray(value)) return value.map(shown)
  if (value instanceof Uint8Array) {
    return { hex: Buffer.from(value.buffer, value.byteOffset, value.length).toString('hex') }
  }
  if (value instanceof Uuid) return value.json
  if (value instanceof Float64) return { float64: value.hex }
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shown(item)]))
}

// JSON as a value: the other way round.
export function plain(json) {
  if (json === null || typeof json !== 'object') return json
  if (Array.isArray(json)) return json.map(plain)
  const entries = Object.entries(json)
  if (entries.length === 1) {
    const [[form, text]] = entries
    if (form === 'int') return BigInt(text)
    if (form === 'hex') return Buffer.from(text, 'hex')
    if (form === 'uuid') return new Uuid(text)
    if (form === 'float64') return Float64.fromHex(text)
  }
  return Object.fromEntries(entries.map(([key, item]) => [key, plain(item)]))
}
