// SPDX-License-Identifier: Apache-2.0. @versions@.
//
// Asks the implementation in implementation.mjs each vector: `node --test`. A dialect is a test, and each question that
// fails one below it; with --test-name-pattern, each question that it names is a test.
//
// known.json lists deviations that are known: {"<id>#<op>": "why", …}. They are marked as todo; one that deviates no more
// fails, so that the list stays true. WIREPROOF_REPORT=FILE also writes each verdict as a JSON line; WIREPROOF_TIMEOUT=30
// is how many seconds an answer may take (10).

import assert from 'node:assert/strict'
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { after, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Thread } from './thread.mjs'
import { vectors } from './wireproof.mjs'

const here = dirname(fileURLToPath(import.meta.url))
const listed = join(here, 'known.json')
const known = existsSync(listed) ? JSON.parse(readFileSync(listed, 'utf8')) : {}
const report = process.env.WIREPROOF_REPORT
const counts = { pass: 0, contested: 0, skip: 0, fail: 0, known: 0 }
const MOST_TYPES = 10 // named of those that were skipped
const skips = new Map() // by type, or by op where there is none
const thread = new Thread()

if (report) writeFileSync(report, '')

// Which ids are there, and whether a dialect has its settings, is known before the first test.
const byDialect = new Map()
const ids = new Set()
const unconfigured = new Map()
for (const { line } of vectors(join(here, 'vectors'))) {
  const dialect = line.id.split('/')[0]
  if (!byDialect.has(dialect)) {
    byDialect.set(dialect, [])
    unconfigured.set(dialect, await configure(dialect))
  }
  for (const op of line.ops) ids.add(`${line.id}#${op}`)
  // Bytes that have to be refused are one question.
  const ops = line.kind === 'invalid' && line.ops.includes('decode') ? ['decode'] : line.ops
  for (const op of ops) byDialect.get(dialect).push({ name: `${line.id}#${op}`, line, op })
}

// Pass the settings of a dialect. Why its questions that need settings cannot be asked; null: they can.
async function configure(dialect) {
  const place = join(here, 'vectors', dialect, 'settings.json')
  if (!existsSync(place)) return null
  const takes = await thread.configure(JSON.parse(readFileSync(place, 'utf8')), dialect)
  return takes ? null : 'it needs settings, and the implementation has no configure'
}

// The regular expressions of --test-name-pattern, as the runner reads them; undefined without them.
function namePatterns() {
  const options = { 'test-name-pattern': { type: 'string', multiple: true } }
  const { values } = parseArgs({ args: process.execArgv, options, strict: false })
  return values['test-name-pattern']?.map(text => {
    const [, pattern, flags] = /^\/(.*)\/([a-z]*)$/.exec(text) ?? [text, text]
    return new RegExp(pattern, flags)
  })
}

const patterns = namePatterns()
for (const [dialect, questions] of byDialect) {
  if (patterns) {
    const named = questions.filter(({ name }) => patterns.some(pattern => pattern.test(name)))
    for (const question of named) it(question.name, async test => tell(test, question, await ask(question)))
  } else {
    it(dialect, async test => {
      for (const question of questions) {
        const found = await ask(question)
        if (['fail', 'known'].includes(found.verdict)) await test.test(question.name, one => tell(one, question, found))
      }
    })
  }
}

// Ask, report and count: {verdict, text}, where a known deviation has the verdict `known`.
async function ask({ line, op }) {
  const lacking = line.needs ? unconfigured.get(line.id.split('/')[0]) : null
  const seen = lacking ? { op, verdict: 'skip', text: lacking } : await thread.judge(line, op)
  const id = `${line.id}#${seen.op}`
  if (report) appendFileSync(report, `${JSON.stringify({ id, verdict: seen.verdict, text: seen.text })}\n`)
  let { verdict, text } = seen
  if (Object.hasOwn(known, id)) {
    text = verdict === 'fail' ? known[id] : `known.json lists it, but it ends as ${verdict}: take it out`
    verdict = verdict === 'fail' ? 'known' : 'fail'
  }
  counts[verdict] += 1
  const type = line.type ?? op
  if (verdict === 'skip') skips.set(type, (skips.get(type) ?? 0) + 1)
  return { id, verdict, text }
}

function tell(test, { name }, { id, verdict, text }) {
  if (verdict === 'skip') return test.skip(text)
  if (verdict === 'known') return test.todo(text)
  if (verdict === 'contested') return test.diagnostic(`contested: ${text}`)
  if (verdict !== 'pass') throw failure(name, id, text)
}

// An error without a stack trace: it is about an answer, not about a line of these tests.
function failure(name, id, text) {
  const file = relative(process.cwd(), fileURLToPath(import.meta.url))
  const whole = `${text}\n  again:    node --test --test-name-pattern='^${name}$' ${file}`
  const error = new Error(whole)
  error.stack = `${whole}\n    at ${id}` // without an `at`, it is shown in brackets
  return error
}

// The types that were skipped most, with how often.
function skipped() {
  const types = [...skips].sort(([one, often], [other, more]) => more - often || (one < other ? -1 : 1))
  const words = types.slice(0, MOST_TYPES).map(([type, count]) => `${count} ${type}`)
  const rest = types.slice(MOST_TYPES)
  const sum = rest.reduce((all, [, count]) => all + count, 0)
  return [...words, ...(sum ? [`${sum} of ${rest.length} other types`] : [])].join(', ')
}

after(() => {
  const words = Object.entries(counts).map(([verdict, count]) => `${count} ${verdict}`)
  console.log(`wireproof: ${words.join(', ')}`)
  if (counts.skip > 0) console.log(`skipped: ${skipped()}`)
  const unknown = Object.keys(known).filter(id => !ids.has(id))
  assert.deepEqual(unknown, [], 'known.json lists ids that no question has')
  if (counts.pass + counts.contested + counts.fail + counts.known > 0) return
  if (patterns && counts.skip === 0) { // they may be for tests in other files
    return console.log(`nothing was asked: --test-name-pattern names no question. One is ${[...ids][0]}: dialect, area, name, op`)
  }
  assert.fail(
    'nothing was asked: implementation.mjs offers no type of those that were chosen. Fill in its functions for one of them, ' +
      'or export the types that it has: wireproof export --type T',
  )
})
