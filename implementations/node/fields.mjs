// From the object that a library's response reader returns to a message's value, whose fields have Kafka's names.
//
// A library may return one shape for all versions, in which fields that a version lacks have a constant. Such fields are
// no part of the value. They are found by trying: the reader runs twice over a stand-in for the library's decoder, which
// returns other values each time. What stays the same was not read.

import { Uuid } from './values.mjs'

// What a stand-in's methods return, the first and the second time. The number is an error code that all libraries know.
const TRIES = [
  { number: 0, big: 0n, text: 'a', bytes: Buffer.from('a'), flag: false },
  { number: 3, big: 3n, text: 'b', bytes: Buffer.from('b'), flag: true },
]

function standIn({ number, big, text, bytes, flag }) {
  const methods = {
    get(_, name) {
      if (typeof name !== 'string' || !name.startsWith('read')) return () => number - number
      if (/Array$/.test(name)) return read => [read(decoder, 0)]
      if (/Struct$/.test(name)) return read => read(decoder)
      if (/Tag/.test(name)) return () => ({ 0: bytes })
      if (/String$/.test(name)) return () => text
      if (/Bytes$/.test(name)) return () => bytes
      if (/UUID$/.test(name)) return () => new Uuid(text)
      if (/Boolean$/.test(name)) return () => flag
      return () => (/Int64$|Long$/.test(name) ? big : number)
    },
  }
  const decoder = new Proxy({}, methods)
  return decoder
}

// The paths of the fields that a reader does not read, as "Topics.TopicId". `parse`: a decoder → the library's object.
export function unread(parse) {
  const [first, second] = TRIES.map(values => parse(standIn(values)))
  return new Set(constants(first, second, ''))
}

function* constants(first, second, path) {
  if (isStruct(first) && isStruct(second)) {
    for (const [key, item] of Object.entries(first)) yield* constants(item, second[key], path ? `${path}.${key}` : key)
  } else if (Array.isArray(first) && first.length && Array.isArray(second) && second.length) {
    yield* constants(first[0], second[0], path)
  } else if (same(first, second)) {
    yield path
  }
}

function same(first, second) {
  if (first instanceof Uuid) return first.text === second?.text
  if (first instanceof Uint8Array) return second instanceof Uint8Array && Buffer.compare(first, second) === 0
  return Object.is(first, second) || (Array.isArray(first) && !first.length && Array.isArray(second) && !second.length)
}

export function isStruct(value) {
  return value !== null && typeof value === 'object' && Object.getPrototypeOf(value) === Object.prototype
}

// A name as Kafka's schemas spell it: `TopicId` for `topicId`, and for `_topicId`, which nobody is to use.
export function pascal(name) {
  return name.replace(/^_?./, first => first.at(-1).toUpperCase())
}

// A library's object as a value. `names`: the library's names that differ from Kafka's by more than their first letter,
// by name or by path; null for what Kafka does not have. `left`: paths that are left out. `special`: name → function of
// a field's content to the fields that it is.
export function named(value, { names = {}, left = new Set(), special = {} }, path = '') {
  if (Array.isArray(value)) return value.map(item => named(item, { names, left, special }, path))
  if (!isStruct(value)) return value
  const fields = {}
  for (const [key, item] of Object.entries(value)) {
    const inner = path ? `${path}.${key}` : key
    const name = inner in names ? names[inner] : key in names ? names[key] : pascal(key)
    if (left.has(inner) || name === null) continue
    if (key in special) Object.assign(fields, special[key](item, value))
    else fields[name] = named(item, { names, left, special }, inner)
  }
  return fields
}
