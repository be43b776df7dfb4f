// SPDX-License-Identifier: Apache-2.0. @versions@.
//
// Patterns for the frames that a broker sends: vectors/FORMAT.md of Wireproof describes them. Frames are read by the
// implementation's own decode, so only one that reads them can be judged.

import { fromJson, hex, same } from './wireproof.mjs'

// What speaks against sent frames: {problem}, or {doubt}, why that cannot be said. `read`: decode of a type.
export async function mismatch(patterns, sent, read) {
  let [rest, marks] = [sent, new Map()]
  for (let first = 0; first < patterns.length; ) {
    const exact = patterns[first].hex
    if (exact !== undefined) {
      if (!hex(rest).startsWith(exact)) return { problem: `${exact} is expected` }
      rest = rest.subarray(exact.length / 2)
      first += 1
      continue
    }
    let last = first + 1
    while (patterns[first].order === 'any' && patterns[last]?.order === 'any') last += 1
    const group = patterns.slice(first, last)
    const values = [] // of each frame by pattern: each pattern has a type of its own
    for (let index = first; index < last; index += 1) {
      if (rest.length < 4) return { problem: `answer ${index + 1} is missing` }
      const size = new DataView(rest.buffer, rest.byteOffset).getInt32(0)
      if (size < 0 || size > rest.length - 4) return { problem: `answer ${index + 1} announces ${size} bytes` }
      const found = []
      for (const { type, version } of group) {
        const seen = await read(type, version, rest.subarray(0, 4 + size))
        if (seen.kind === 'unsupported') return { doubt: `its answers cannot be read: there is no decode of ${type}` }
        found.push(seen)
      }
      values.push(found)
      rest = rest.subarray(4 + size)
    }
    marks = inSomeOrder(group, values, marks)
    if (marks === null) return { problem: `answers ${first + 1} to ${last} do not match` }
    first = last
  }
  return rest.length ? { problem: `${rest.length} bytes more than ${patterns.length} answers` } : {}
}

// The marks with which frames match a group in some order; null: they match in none.
function inSomeOrder(group, values, marks, at = 0, taken = new Set()) {
  if (at === group.length) return marks
  for (let index = 0; index < values.length; index += 1) {
    const seen = values[index][at]
    const now = new Map(marks)
    if (taken.has(index) || seen.kind !== 'answer' || !matches(group[at].value, seen.answer, now)) continue
    const found = inSomeOrder(group, values, now, at + 1, new Set([...taken, index]))
    if (found !== null) return found
  }
  return null
}

const isObject = value => value !== null && typeof value === 'object' && !Array.isArray(value)

function matches(pattern, value, marks) {
  if (Array.isArray(pattern) && Array.isArray(value)) {
    return pattern.length === value.length && pattern.every((inner, index) => matches(inner, value[index], marks))
  }
  if (isObject(pattern)) {
    const names = Object.keys(pattern)
    if (names.length === 1 && Object.hasOwn(CHOICES, names[0])) return CHOICES[names[0]](pattern[names[0]], value, marks)
    if (names.length && names.every(name => name === 'mark' || Object.hasOwn(HOLDS, name))) {
      return compare(pattern, value, marks)
    }
    if (isObject(value) && !(value instanceof Uint8Array)) {
      return names.every(name => {
        const item = Object.hasOwn(value, name) ? value[name] : name === '_tags' ? [] : undefined
        return item !== undefined && matches(pattern[name], item, marks)
      })
    }
  }
  return same(fromJson(pattern), value)
}

// matches; the names of numbers stay only if it is true.
function matchesKeeping(pattern, value, marks) {
  const now = new Map(marks)
  if (!matches(pattern, value, now)) return false
  for (const [name, number] of now) marks.set(name, number)
  return true
}

const CHOICES = {
  any: () => true,
  contains: (inner, value, marks) => Array.isArray(value) && value.some(item => matchesKeeping(inner, item, marks)),
  either: (choices, value, marks) => choices.some(choice => matchesKeeping(choice, value, marks)),
  none_of: (choices, value, marks) => !choices.some(choice => matchesKeeping(choice, value, marks)),
}
const HOLDS = {
  greater: (value, other) => value > other,
  less: (value, other) => value < other,
  other_than: (value, other) => value !== other,
}

function compare(pattern, value, marks) {
  if (typeof value !== 'bigint' && !Number.isInteger(value)) return false
  const number = BigInt(value)
  for (const [name, holds] of Object.entries(HOLDS)) {
    if (!Object.hasOwn(pattern, name)) continue
    const against = typeof pattern[name] === 'string' ? marks.get(pattern[name]) : BigInt(fromJson(pattern[name]))
    if (against === undefined || !holds(number, against)) return false
  }
  if (pattern.mark !== undefined) marks.set(pattern.mark, number)
  return true
}
