// SPDX-License-Identifier: Apache-2.0. @versions@.
//
// Reads exported vectors, and judges an implementation by them. docs/reference/export-format.md of Wireproof describes the
// lines and the rules; the comments with numbers name them.
//
// A value of the protocol is: a number, or a bigint beyond ±(2^53-1); a boolean; a string; null; bytes as Uint8Array; a
// Uuid; a Float64, which keeps all bits; an array; an object. Where a number is expected, an answer may be a bigint, and
// where a Float64 is expected, a number: if that is a NaN, its content is not compared. A header's key may be bytes.

import { isUtf8 } from 'node:buffer'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { mismatch } from './patterns.mjs'

// Throw it for bytes that are refused on decode, and for values that are refused on encode. `half`: 'encode' from a recode
// that has read the bytes, and refuses to write them.
export class Refused extends Error {
  constructor(message, { reason = null, offset = null, half = null } = {}) {
    super(message)
    this.reason = reason
    this.offset = offset
    this.half = half
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
        return { kind: 'answer', answer: await implementation.lookup(type, version, bytes, line.key, dialect) }
      case 'convert':
        return { kind: 'answer', answer: await implementation.convert(type, version, bytes, line.to, dialect) }
      case 'consume': {
        const { position, isolation, aborted } = input
        const fetch = fromJson({ position, isolation, aborted })
        return { kind: 'answer', answer: await implementation.consume(bytes, fetch, dialect) }
      }
      case 'evolve':
        return { kind: 'answer', answer: await implementation.evolve(input.old, input.new, dialect) }
      default:
        return await exchange(implementation, op, line, dialect)
    }
  } catch (error) {
    return thrown(implementation, error)
  }
}

// Ops that answer every input: an exception is a crash.
async function exchange(implementation, op, line, dialect) {
  try {
    switch (op) {
      case 'serve':
        return { kind: 'answer', answer: await implementation.serve(line.chunks.map(fromJson), dialect) }
      case 'interpret':
        return {
          kind: 'answer',
          answer: await implementation.interpret(fromJson(line.request), fromJson(line.response), dialect),
        }
      default:
        return {
          kind: 'answer',
          answer: await implementation.negotiate(line.api_key, line.client, line.broker, dialect),
        }
    }
  } catch (error) {
    const seen = thrown(implementation, error)
    return seen.kind === 'refused' ? { kind: 'crash', text: seen.text } : seen
  }
}

function thrown(implementation, error) {
  if (error instanceof NotOffered) return { kind: 'unsupported', text: error.message }
  if (error instanceof Refused || implementation.isRefusal?.(error)) {
    return { kind: 'refused', text: error.message, reason: error.reason ?? null, offset: error.offset ?? null, half: error.half }
  }
  return { kind: 'crash', text: error?.stack ?? String(error) } // 3
}

// The verdict on a question: {op, verdict: pass | contested | skip | fail, text}. Bytes that have to be refused are asked by
// recode where decode is not offered. (5)
export async function judge(implementation, line, op) {
  const seen = await ask(implementation, op, line, line)
  if (seen.kind === 'unsupported' && line.kind === 'invalid' && op === 'decode' && line.ops.includes('recode')) {
    const other = await ask(implementation, 'recode', line, line)
    if (other.kind !== 'unsupported') return { op: 'recode', ...(await verdictOn(implementation, line, 'recode', other)) }
  }
  return { op, ...(await verdictOn(implementation, line, op, seen)) }
}

async function verdictOn(implementation, line, op, seen) {
  if (seen.kind === 'unsupported') return { verdict: 'skip', text: seen.text } // 5
  if (seen.kind === 'crash') return { verdict: 'fail', text: `${seen.text}\n${difference(line, op, seen)}` } // 3
  const refused = seen.kind === 'refused'
  const mayRefuse = line.or_reject !== undefined && op === 'encode'
  if (refused && seen.half !== 'encode' && (line.reject || mayRefuse)) {
    return counted(implementation, line, op, { verdict: 'pass', text: beside(line, seen) })
  }
  let doubt
  if (!refused && !line.reject) {
    const found = await isGiven(implementation, line, op, expected(line, op), seen.answer)
    if (found.right) return { verdict: 'pass', text: '' }
    doubt = found.doubt
  }
  for (const reading of line.contested ?? []) {
    if (!reading.ops.includes(op)) continue
    if (refused) {
      const readBefore = reading.refuses === 'decode' && seen.half === 'encode'
      if (reading.refuses && !readBefore) return counted(implementation, line, op, chosen(implementation, reading))
      continue
    }
    if (reading.accepts) return chosen(implementation, reading)
    const found = await isGiven(implementation, line, op, reading, seen.answer, true)
    if (found.right) return chosen(implementation, reading)
    doubt ??= found.doubt
  }
  return doubt ? { verdict: 'skip', text: doubt } : { verdict: 'fail', text: difference(line, op, seen) }
}

// The verdict on a refusal: it counts only if its valid twin is accepted. (1)
async function counted(implementation, line, op, otherwise) {
  const needed = { encode: 'value', evolve: 'old' }[op] ?? 'bytes'
  if (!line.twin || line.twin[needed] === undefined) return otherwise
  const twin = await ask(implementation, op, line, { type: line.type, version: null, ...line.twin })
  if (twin.kind === 'answer') return otherwise
  return { verdict: 'skip', text: `its valid twin ${line.twin.id} was not accepted` }
}

// The verdict on the answer of another reading. (4)
function chosen(implementation, reading) {
  const other = reading.rulings.find(ruling => implementation.readings && !implementation.readings.includes(ruling))
  if (other) return { verdict: 'fail', text: `another reading of ${other}, which \`readings\` does not name` }
  return { verdict: 'contested', text: reading.rulings.join(', ') }
}

// 2
function beside(line, seen) {
  const { reason, offset } = line.reject ?? line.or_reject
  return seen.reason === reason ? '' : `refused: ${seen.text}; expected: ${reason} at ${offset}`
}

// The right answer to an op, in the form of a reading.
function expected(line, op) {
  const { sends, closes, outcome, chooses, breaks, delivers } = line
  const of = { lookup: { value: line.values }, convert: { bytes: line.gives } }
  return of[op] ?? { value: line.value, bytes: line.canonical, sends, closes, outcome, chooses, breaks, delivers }
}

// Whether an answer is the wanted one; doubt: why that cannot be said. `fold`: the wanted one is another reading's.
async function isGiven(implementation, line, op, wanted, answer, fold = false) {
  switch (op) {
    case 'decode':
      return { right: wanted.value !== undefined && isDecoded(implementation, line, wanted.value, answer, fold) }
    case 'lookup':
      return { right: wanted.value !== undefined && same(fromJson(wanted.value), answer, { fold }) }
    case 'consume':
      return { right: wanted.delivers !== undefined && isDelivered(wanted.delivers, answer, fold) }
    case 'serve': {
      if (wanted.sends === undefined) return { right: false }
      const read = (type, version, frame) =>
        ask(implementation, 'decode', { id: line.id, type, version }, { bytes: hex(frame) })
      const { problem, doubt } = await mismatch(wanted.sends, answer.sent, read)
      return { right: !problem && !doubt && answer.closed === wanted.closes, doubt }
    }
    case 'interpret':
      return { right: wanted.outcome !== undefined && isOutcome(wanted.outcome, answer) }
    case 'negotiate':
      return { right: wanted.chooses === answer }
    case 'evolve':
      return { right: wanted.breaks !== undefined && wanted.breaks.length > 0 === answer }
    default:
      return wanted.bytes === undefined ? { right: false } : areBytes(implementation, line, op, wanted, answer, fold)
  }
}

// Whether this is what an application has to be given. Types of timestamps may be left out of all records.
function isDelivered(wanted, answer, fold) {
  const told = answer?.records?.some?.(record => record?.timestamp_type !== undefined)
  return same(fromJson(wanted), answer, { without: new Set(told ? [] : ['timestamp_type']), fold })
}

// What the expected outcome names is compared; the request of a malformed response only if the client tells it.
function isOutcome(wanted, answer) {
  return Object.keys(wanted).every(
    name =>
      (name === 'request' && wanted.outcome === 'malformed' && answer.request === undefined) ||
      same(fromJson(wanted[name]), answer[name]),
  )
}

// Fields of a line's type that the library's writer sets itself. (8)
const rebuilt = (implementation, line) => new Set(implementation.rebuilds?.[line.type])

// Whether this is what decode has to answer.
function isDecoded(implementation, line, value, answer, fold) {
  const how = { optional: new Set(line.optional), rebuilt: rebuilt(implementation, line), fold }
  return same(fromJson(value), withTextKeys(line.type, answer), how)
}

// Whether written bytes are the expected ones, or mean the same if that is enough. They are read by the implementation's
// own decode; where it does not read the expected bytes as it should, nothing can be said. (7)
async function areBytes(implementation, line, op, { bytes, value }, answer, fold) {
  if (!(answer instanceof Uint8Array)) return { right: false }
  if (hex(answer) === bytes) return { right: true }
  const without = rebuilt(implementation, line)
  const replaced = fold && [unhex(bytes), answer].every(one => Buffer.from(one).includes('\ufffd'))
  const decoded = line.compare === 'decoded' || (without.size > 0 && op !== 'convert') || replaced
  if (!decoded) return { right: false }
  const form = line.as ? { ...line, id: `${line.as.dialect}/`, type: line.as.type, version: line.as.version } : line
  const [one, other] = [
    await ask(implementation, 'decode', form, { version: form.version, bytes }),
    await ask(implementation, 'decode', form, { version: form.version, bytes: hex(answer) }),
  ]
  const doubt = 'other bytes can be right here, and decode does not read the expected ones'
  if (one.kind !== 'answer') return { right: false, doubt: `${doubt}: ${one.text}` }
  if (value !== undefined && !isDecoded(implementation, line, value, one.answer, fold)) return { right: false, doubt: `${doubt} rightly` }
  const how = { optional: new Set(line.optional), without: new Set([...without, ...WRITTEN]), fold }
  return { right: other.kind === 'answer' && same(one.answer, other.answer, how) }
}

// Fields that follow from the others. A value has none of them; an answer may.
const WRITTEN = new Set(['size', 'length', 'batchLength', 'crc', 'recordsCount', 'headersCount'])
const DERIVED = new Set([...WRITTEN, 'magic'])

// Whether an answer is equal to what was expected. `how`: `optional`, the paths of fields that it may leave out; `rebuilt`,
// names of fields that it may leave out; `without`, names of fields that are not compared; `fold`, whether texts are equal
// that show the same bytes (4).
export function same(expected, answer, how = {}, path = '') {
  if (typeof expected === 'string') return expected === answer || (how.fold === true && showSameBytes(expected, answer))
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
      expected.every((one, index) => same(one, answer[index], how, `${path}[${index}]`))
    )
  }
  if (expected === null || typeof expected !== 'object') return expected === answer
  if (!isStruct(answer)) return false
  return [...new Set([...Object.keys(expected), ...Object.keys(answer)])].every(name => {
    if (how.without?.has(name)) return true
    const place = path ? `${path}.${name}` : name
    const there = Object.hasOwn(answer, name) && answer[name] !== undefined
    if (Object.hasOwn(expected, name) && there) {
      const [one, other] = [expected[name], answer[name]].map(item => (name === 'headers' ? withTextKeys('HEADERS', item) : item))
      return same(one, other, how, place)
    }
    if (name === '_tags') return (expected[name] ?? answer[name]).length === 0
    if (!Object.hasOwn(expected, name)) return !there || DERIVED.has(name)
    return how.optional?.has(place) || how.rebuilt?.has(name) || false
  })
}

// The answer of a decode with the keys of headers as text, if they are bytes that are UTF-8.
function withTextKeys(type, answer) {
  if (type === 'HEADERS' && Array.isArray(answer)) return answer.map(header => withTextKeys('HEADER', header))
  if (type !== 'HEADER' || !Array.isArray(answer) || !(answer[0] instanceof Uint8Array) || !isUtf8(answer[0])) return answer
  return [textOf(answer[0]), ...answer.slice(1)]
}

const textOf = bytes => Buffer.from(bytes).toString()

// Whether a text shows the same bytes that are no UTF-8: libraries differ in how many U+FFFD they write. (4)
function showSameBytes(expected, answer) {
  const text = answer instanceof Uint8Array ? textOf(answer) : answer
  return expected.includes('\ufffd') && typeof text === 'string' && folded(expected) === folded(text)
}

const folded = text => text.toWellFormed().replace(/\ufffd+/g, '\ufffd')

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
  const input = op === 'encode' ? show(fromJson(line.value)) : cut(line.bytes ?? show(line.request ?? line.chunks ?? line.client ?? line.new))
  const fetch = op === 'consume' ? `\n  position: ${show(fromJson(line.position))}, ${line.isolation}, aborted: ${show(fromJson(line.aborted))}` : ''
  const wanted = line.reject
    ? `a refusal (${line.reject.reason}, byte ${line.reject.offset})`
    : { decode: () => show(fromJson(line.value)), lookup: () => show(fromJson(line.values)), consume: () => show(fromJson(line.delivers)), negotiate: () => line.chooses }[
        op
      ]?.() ?? cut(line.canonical ?? line.gives ?? show(line.outcome ?? line.breaks ?? line.sends))
  const got = { refused: `a refusal: ${seen.text}`, crash: 'a crash' }[seen.kind] ?? show(seen.answer)
  const subject = [op, line.type, line.version].filter(part => part !== undefined).join(' ')
  const source = [line.source, ...line.rulings].join(' ')
  return `${line.about}\n  ${subject}: ${input}${fetch}\n  expected: ${wanted}\n  got:      ${got}\n  source:   ${source}`
}
