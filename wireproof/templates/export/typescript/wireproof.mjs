// Reads exported vectors, and judges an implementation by them. docs/reference/export-format.md of Wireproof describes the
// lines and the rules; the comments with numbers name them.
//
// A value of the protocol is: a number, or a bigint beyond ±(2^53-1); a boolean; a string; null; bytes as Uint8Array; a
// Uuid; a Float64, which keeps all bits; an array; an object. Where a number is expected, an answer may be a bigint, and
// where a Float64 is expected, a number.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

// Throw it for bytes that are refused on decode, and for values that are refused on encode.
export class Refused extends Error {
  constructor(message, { reason = null, offset = null } = {}) {
    super(message)
    this.reason = reason
    this.offset = offset
  }
}

// Throw it for a type, a version or an op that the implementation does not have.
export class NotOffered extends Error {}

export class Float64 {
  constructor(hex) {
    this.hex = hex
  }
  static of(number) {
    const bytes = new Uint8Array(8)
    new DataView(bytes.buffer).setFloat64(0, number)
    return new Float64(hex(bytes))
  }
  get number() {
    return new DataView(unhex(this.hex).buffer).getFloat64(0)
  }
}

export class Uuid {
  constructor(text) {
    this.text = text
  }
}

export const hex = bytes => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')
export const unhex = digits => new Uint8Array(Buffer.from(digits, 'hex'))

const SPECIAL = {
  int: BigInt,
  hex: unhex,
  uuid: text => new Uuid(text),
  float64: digits => new Float64(digits),
}

// The value encoding (JSON) → a value.
export function fromJson(json) {
  if (Array.isArray(json)) return json.map(fromJson)
  if (json === null || typeof json !== 'object') return json
  const names = Object.keys(json)
  if (names.length === 1 && Object.hasOwn(SPECIAL, names[0])) return SPECIAL[names[0]](json[names[0]])
  return Object.fromEntries(names.map(name => [name, fromJson(json[name])]))
}

// All vectors of an export in a folder: [{file, line}]. Lines are as in the files.
export function* vectors(folder) {
  for (const dialect of readdirSync(folder, { withFileTypes: true }).sort(byName)) {
    if (!dialect.isDirectory()) continue
    const place = join(folder, dialect.name)
    for (const file of readdirSync(place).filter(name => name.endsWith('.jsonl')).sort()) {
      const [header, ...lines] = readFileSync(join(place, file), 'utf8').trimEnd().split('\n')
      if (JSON.parse(header)['wireproof-export'] !== 1) throw new Error(`${place}/${file}: not of format 1`)
      for (const line of lines) yield { file: `${dialect.name}/${file}`, line: JSON.parse(line) }
    }
  }
}

const byName = (one, other) => (one.name < other.name ? -1 : 1)

// What an implementation does with an input: {kind: answer | refused | crash | unsupported, …}.
async function ask(implementation, op, line, input) {
  const { type, version = null } = { ...line, ...input }
  const dialect = line.id.split('/')[0]
  const name = op === 'recode' && !implementation.recode ? null : op
  try {
    if (name !== null && typeof implementation[name] !== 'function') return { kind: 'unsupported', text: `no ${op}` }
    const bytes = input.bytes === undefined ? undefined : unhex(input.bytes)
    switch (op) {
      case 'decode':
        return { kind: 'answer', answer: await implementation.decode(type, version, bytes, dialect) }
      case 'encode':
        return { kind: 'answer', answer: await implementation.encode(type, version, fromJson(input.value), dialect) }
      case 'recode': {
        if (implementation.recode) {
          return { kind: 'answer', answer: await implementation.recode(type, version, bytes, dialect) }
        }
        if (!implementation.decode || !implementation.encode) return { kind: 'unsupported', text: 'no recode' }
        const value = await implementation.decode(type, version, bytes, dialect)
        try {
          return { kind: 'answer', answer: await implementation.encode(type, version, value, dialect) }
        } catch (error) {
          return { ...thrown(implementation, error), half: 'encode' }
        }
      }
      case 'lookup':
        return { kind: 'answer', answer: await implementation.lookup(type, version, bytes, input.key, dialect) }
      case 'negotiate':
        return { kind: 'answer', answer: await implementation.negotiate(line.api_key, line.client, line.broker, dialect) }
      default:
        return { kind: 'unsupported', text: `${op} is not asked by this runner` }
    }
  } catch (error) {
    return thrown(implementation, error)
  }
}

function thrown(implementation, error) {
  if (error instanceof NotOffered) return { kind: 'unsupported', text: error.message }
  if (error instanceof Refused || implementation.isRefusal?.(error)) {
    return { kind: 'refused', text: error.message, reason: error.reason ?? null, offset: error.offset ?? null }
  }
  return { kind: 'crash', text: error?.stack ?? String(error) } // 3
}

// The verdict on an op of a vector: {verdict: pass | contested | skip | fail, text}.
export async function judge(implementation, line, op) {
  const seen = await ask(implementation, op, line, line)
  if (seen.kind === 'unsupported') return { verdict: 'skip', text: seen.text } // 5
  if (seen.kind === 'crash') return { verdict: 'fail', text: seen.text }
  const refused = seen.kind === 'refused'
  const mayRefuse = line.or_reject !== undefined && op === 'encode'
  if (refused && seen.half !== 'encode' && (line.reject || mayRefuse)) return ofRefusal(implementation, line, op, seen)
  const expected = !refused && !line.reject && (await isExpected(implementation, line, op, seen.answer))
  if (expected) return { verdict: 'pass', text: '' }
  for (const reading of line.contested ?? []) {
    if (reading.ops.includes(op) && (refused ? reading.refuses : await isReading(implementation, line, reading, op, seen.answer))) {
      if (refused && !(await isTwinAccepted(implementation, line, op))) return refusedTwin(line)
      return { verdict: 'contested', text: reading.rulings.join(', ') } // 4
    }
  }
  if (expected === null) return { verdict: 'skip', text: 'there is no decode to compare by' } // 7
  return { verdict: 'fail', text: difference(line, op, seen) }
}

// 1, 2
async function ofRefusal(implementation, line, op, seen) {
  if (!(await isTwinAccepted(implementation, line, op))) return refusedTwin(line)
  const { reason, offset } = line.reject ?? line.or_reject
  return { verdict: 'pass', text: seen.reason === reason ? '' : `refused: ${seen.text}; expected: ${reason} at ${offset}` }
}

async function isTwinAccepted(implementation, line, op) {
  if (!line.twin) return true
  return (await ask(implementation, op, line, { type: line.type, version: null, ...line.twin })).kind === 'answer'
}

const refusedTwin = line => ({ verdict: 'skip', text: `its valid twin ${line.twin.id} was not accepted` })

async function isExpected(implementation, line, op, answer) {
  const optional = new Set(line.optional)
  if (op === 'decode') return same(fromJson(line.value), answer, optional)
  if (op === 'encode' || op === 'recode') return areBytes(implementation, line, line.canonical, answer)
  if (op === 'lookup') return same(fromJson(line.values), answer, optional)
  return line.chooses === answer
}

async function isReading(implementation, line, reading, op, answer) {
  if (op === 'encode' || op === 'recode') {
    return reading.bytes !== undefined && areBytes(implementation, line, reading.bytes, answer)
  }
  return reading.value !== undefined && same(fromJson(reading.value), answer, new Set(line.optional))
}

// null: they cannot be compared.
async function areBytes(implementation, line, expected, answer) {
  if (!(answer instanceof Uint8Array)) return false
  if (hex(answer) === expected) return true
  if (line.compare !== 'decoded') return false
  if (!implementation.decode) return null
  const read = []
  for (const digits of [expected, hex(answer)]) {
    const seen = await ask(implementation, 'decode', line, { ...line, bytes: digits })
    if (seen.kind !== 'answer') return false
    read.push(seen.answer)
  }
  return same(read[0], read[1], new Set(line.optional))
}

// Whether an answer is equal to what was expected.
export function same(expected, answer, optional = new Set(), path = '') {
  if (expected instanceof Float64) {
    const bits = typeof answer === 'number' ? Float64.of(answer).hex : answer instanceof Float64 ? answer.hex : null
    return bits === expected.hex || (typeof answer === 'number' && Number.isNaN(answer) && Number.isNaN(expected.number))
  }
  if (expected instanceof Uuid) return answer instanceof Uuid && answer.text === expected.text
  if (expected instanceof Uint8Array) return answer instanceof Uint8Array && hex(expected) === hex(answer)
  if (isInteger(expected)) return isInteger(answer) && BigInt(expected) === BigInt(answer)
  if (Array.isArray(expected)) {
    return (
      Array.isArray(answer) &&
      expected.length === answer.length &&
      expected.every((one, index) => same(one, answer[index], optional, `${path}[${index}]`))
    )
  }
  if (expected === null || typeof expected !== 'object') return expected === answer
  if (!isStruct(answer)) return false
  return [...new Set([...Object.keys(expected), ...Object.keys(answer)])].every(name => {
    const place = path ? `${path}.${name}` : name
    const there = Object.hasOwn(answer, name) && answer[name] !== undefined
    if (Object.hasOwn(expected, name) && there) return same(expected[name], answer[name], optional, place)
    if (name === '_tags') return (expected[name] ?? answer[name]).length === 0
    return Object.hasOwn(expected, name) ? optional.has(place) : !there
  })
}

const isInteger = value => typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value) && !Object.is(value, -0))
const isStruct = value =>
  value !== null && typeof value === 'object' && !Array.isArray(value) && !(value instanceof Uint8Array)

const SHOWN = 400
const cut = text => (text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text)

// A value, for a person.
export function show(value) {
  return cut(
    JSON.stringify(value, (_, item) => {
      if (typeof item === 'bigint') return `${item}n`
      if (item instanceof Uint8Array) return `0x${hex(item)}`
      return item
    }) ?? String(value),
  )
}

function difference(line, op, seen) {
  const input = line.bytes === undefined ? show(fromJson(line.value)) : cut(line.bytes)
  const wanted = line.reject
    ? `a refusal (${line.reject.reason}, byte ${line.reject.offset})`
    : { decode: () => show(fromJson(line.value)), lookup: () => show(fromJson(line.values)), negotiate: () => line.chooses }[
        op
      ]?.() ?? cut(line.canonical)
  const got = seen.kind === 'refused' ? `a refusal: ${seen.text}` : show(seen.answer)
  const subject = [op, line.type, line.version].filter(part => part !== undefined).join(' ')
  const source = [line.source, ...line.rulings].join(' ')
  return `${line.about}\n  ${subject}: ${input}\n  expected: ${wanted}\n  got:      ${got}\n  source:   ${source}`
}
