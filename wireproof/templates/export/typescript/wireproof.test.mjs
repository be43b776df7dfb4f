// SPDX-License-Identifier: Apache-2.0. @versions@.
//
// Asks the implementation in implementation.mjs each vector: `node --test`.
//
// known.json lists deviations that are known: {"<id>#<op>": "why", …}. They are marked as todo; one that deviates no more
// fails, so that the list stays true. WIREPROOF_REPORT=FILE also writes each verdict as a JSON line; WIREPROOF_TIMEOUT=30
// is how many seconds an answer may take (10).

import assert from 'node:assert/strict'
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Thread } from './thread.mjs'
import { vectors } from './wireproof.mjs'

const here = dirname(fileURLToPath(import.meta.url))
const listed = join(here, 'known.json')
const known = existsSync(listed) ? JSON.parse(readFileSync(listed, 'utf8')) : {}
const report = process.env.WIREPROOF_REPORT
const counts = { pass: 0, contested: 0, skip: 0, fail: 0, known: 0 }
const asked = new Set()
const thread = new Thread()

if (report) writeFileSync(report, '')

// Which ops are asked, and whether a dialect has its settings, is known before the first test.
const byFile = new Map()
const unconfigured = new Map()
for (const { file, line } of vectors(join(here, 'vectors'))) {
  const dialect = file.split('/')[0]
  if (!unconfigured.has(dialect)) unconfigured.set(dialect, await configure(dialect))
  if (!byFile.has(file)) byFile.set(file, [])
  byFile.get(file).push({ line, ops: await thread.ops(line) })
}

// Pass the settings of a dialect. Why its questions that need settings cannot be asked; null: they can.
async function configure(dialect) {
  const place = join(here, 'vectors', dialect, 'settings.json')
  if (!existsSync(place)) return null
  const takes = await thread.configure(JSON.parse(readFileSync(place, 'utf8')), dialect)
  return takes ? null : 'it needs settings, and the implementation has no configure'
}

for (const [file, questions] of byFile) {
  describe(file, () => {
    for (const { line, ops } of questions) {
      for (const op of ops) it(`${line.id}#${op}`, test => run(test, line, op))
    }
  })
}

async function run(test, line, op) {
  const id = `${line.id}#${op}`
  asked.add(id)
  const lacking = line.needs ? unconfigured.get(line.id.split('/')[0]) : null
  const { verdict, text } = lacking ? { verdict: 'skip', text: lacking } : await thread.judge(line, op)
  if (report) appendFileSync(report, `${JSON.stringify({ id, verdict, text })}\n`)
  if (Object.hasOwn(known, id)) {
    assert.equal(verdict, 'fail', `known.json lists it, but it ends as ${verdict}: take it out`)
    counts.known += 1
    return test.todo(known[id])
  }
  counts[verdict] += 1
  if (verdict === 'skip') return test.skip(text)
  if (verdict === 'contested') return test.diagnostic(`contested: ${text}`)
  if (verdict !== 'pass') throw failure(id, text)
}

// An error without a stack trace: it is about an answer, not about a line of these tests.
function failure(id, text) {
  const error = new Error(text)
  error.stack = `${text}\n    at ${id}` // without an `at`, it is shown in brackets
  return error
}

after(() => {
  const unknown = Object.keys(known).filter(id => !asked.has(id))
  const words = Object.entries(counts).map(([verdict, count]) => `${count} ${verdict}`)
  console.log(`wireproof: ${words.join(', ')}`)
  assert.deepEqual(unknown, [], 'known.json lists ids that were not asked')
  assert.ok(counts.pass + counts.contested + counts.fail + counts.known > 0, 'nothing was asked')
})
