// Asks the implementation in implementation.mjs each vector: `node --test`.
//
// known.json lists deviations that are known: {"<id>#<op>": "why", …}. They are marked as todo; one that deviates no more
// fails, so that the list stays true. WIREPROOF_REPORT=FILE also writes each verdict as a JSON line.

import assert from 'node:assert/strict'
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import implementation from './implementation.mjs'
import { judge, vectors } from './wireproof.mjs'

const here = dirname(fileURLToPath(import.meta.url))
const listed = join(here, 'known.json')
const known = existsSync(listed) ? JSON.parse(readFileSync(listed, 'utf8')) : {}
const report = process.env.WIREPROOF_REPORT
const counts = { pass: 0, contested: 0, skip: 0, fail: 0, known: 0 }
const asked = new Set()

if (report) writeFileSync(report, '')

const byFile = new Map()
for (const { file, line } of vectors(join(here, 'vectors'))) {
  if (!byFile.has(file)) byFile.set(file, [])
  byFile.get(file).push(line)
}

for (const [file, lines] of byFile) {
  describe(file, () => {
    for (const line of lines) {
      for (const op of ops(line)) it(`${line.id}#${op}`, test => run(test, line, op))
    }
  })
}

// Bytes that have to be refused are asked by decode, or by recode where there is no decode.
function ops(line) {
  if (line.kind !== 'invalid' || !line.ops.includes('decode')) return line.ops
  return implementation.decode || !line.ops.includes('recode') ? ['decode'] : ['recode']
}

async function run(test, line, op) {
  const id = `${line.id}#${op}`
  asked.add(id)
  const { verdict, text } = await judge(implementation, line, op)
  if (report) appendFileSync(report, `${JSON.stringify({ id, verdict, text })}\n`)
  if (Object.hasOwn(known, id)) {
    assert.equal(verdict, 'fail', `known.json lists it, but it ends as ${verdict}: take it out`)
    counts.known += 1
    return test.todo(known[id])
  }
  counts[verdict] += 1
  if (verdict === 'skip') return test.skip(text)
  if (verdict === 'contested') return test.diagnostic(`contested: ${text}`)
  assert.equal(verdict, 'pass', text)
}

after(() => {
  const unknown = Object.keys(known).filter(id => !asked.has(id))
  const words = Object.entries(counts).map(([verdict, count]) => `${count} ${verdict}`)
  console.log(`wireproof: ${words.join(', ')}`)
  assert.deepEqual(unknown, [], 'known.json lists ids that were not asked')
  assert.ok(counts.pass + counts.contested + counts.fail + counts.known > 0, 'nothing was asked')
})
