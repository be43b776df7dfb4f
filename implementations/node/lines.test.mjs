// The line protocol, with a library made here.

import assert from 'node:assert/strict'
import { Readable, Writable } from 'node:stream'
import { test } from 'node:test'

import { isRefusal, NotOffered, readToEnd, reasonOf, Refusal, topFrame } from './answers.mjs'
import { named, unread } from './fields.mjs'
import { converse } from './lines.mjs'
import { Float64, plain, shown, Uuid } from './values.mjs'

const types = new Map([
  ['INT8', { versions: null, decode: data => data.readInt8(), encode: value => Buffer.from([value]) }],
  ['Picky', { versions: null, decode: () => readToEnd(0, 1), encode: () => inLibrary(new TypeError('no text')) }],
  ['Late', { versions: [1, 2], decode: async () => ({ A: 1n }) }],
  ['Broken', { versions: null, decode: () => [].length.of.what, encode: () => null.length }],
])

// As if a library's function had thrown it.
function inLibrary(error) {
  error.stack = `${error}\n    at read (/m/node_modules/lib/a.js:1:2)`
  throw error
}

const library = { name: 'made', version: '1', types, readings: {}, rebuilds: {}, isOwn: () => false }

async function answers(chunks, wrapper = library) {
  let written = ''
  const output = new Writable({
    write(chunk, _, done) {
      written += chunk
      done()
    },
  })
  await converse(wrapper, Readable.from(chunks.map(chunk => Buffer.from(chunk)), { objectMode: true }), output)
  return written.split('\n').filter(Boolean).map(line => JSON.parse(line))
}

const ask = (seq, op, type, more) => JSON.stringify({ seq, op, dialect: 'kafka', type, ...more }) + '\n'

test('questions are answered in their order, in whatever pieces they come', async () => {
  const lines = ask(1, 'decode', 'Late', { version: 1, data: '' }) + ask(2, 'decode', 'INT8', { data: '05' })
  const expected = [{ seq: 1, value: { A: 1 } }, { seq: 2, value: 5 }]
  assert.deepEqual(await answers([lines]), expected)
  assert.deepEqual(await answers([...lines]), expected)
  assert.deepEqual(await answers([lines.trimEnd()]), expected)
})

test('refusals, failures and what is not offered', async () => {
  const [refused, failed, writing, ours, absent, version, reader, op] = await answers([
    ask(1, 'decode', 'Picky', { data: '' }) +
      ask(2, 'decode', 'Broken', { data: '' }) +
      ask(3, 'encode', 'Picky', { value: 1 }) +
      ask(8, 'encode', 'Broken', { value: 1 }) +
      ask(4, 'decode', 'Nothing', { data: '' }) +
      ask(5, 'decode', 'Late', { version: 3, data: '' }) +
      ask(6, 'recode', 'Late', { version: 1, data: '' }) +
      ask(7, 'serve', undefined, { chunks: [] }),
  ])
  assert.equal(refused.reject.reason, 'trailing-bytes')
  assert.equal(failed.exception, 'TypeError')
  assert.equal(writing.reject.detail, 'no text')
  assert.match(ours.error, /Cannot read properties of null/)
  assert.equal(absent.unsupported, 'made has nothing for Nothing')
  assert.equal(version.unsupported, 'made has no Late 3')
  assert.equal(reader.unsupported, 'made has no writer for Late')
  assert.equal(op.unsupported, 'no serve in the dialect kafka')
})

test('what a consumer delivers', async () => {
  const heard = []
  const consume = async fetched => {
    heard.push(fetched)
    return { records: [{ offset: 1n, key: Buffer.from([0xff]) }], position: 1n << 60n }
  }
  const aborted = [{ producer_id: { int: '9007199254740993' }, first_offset: 0 }]
  const asked = { data: '0102', position: 5, isolation: 'read_committed', aborted }
  const [{ ops }, answer] = await answers(
    ['{"op":"describe","protocol":1}\n' + ask(1, 'consume', undefined, asked)],
    { ...library, consume }
  )
  assert.deepEqual(ops, ['decode', 'encode', 'recode', 'consume'])
  const records = [{ offset: 1, key: { hex: 'ff' } }]
  assert.deepEqual(answer, { seq: 1, delivered: { records, position: { int: '1152921504606846976' } } })
  const [{ data, position, isolation, aborted: listed }] = heard
  assert.deepEqual([data, position, isolation], [Buffer.from([1, 2]), 5, 'read_committed'])
  assert.deepEqual(listed, [{ producer_id: 9007199254740993n, first_offset: 0 }])
  const [absent] = await answers([ask(1, 'consume', undefined, asked)])
  assert.equal(absent.unsupported, 'no consume in the dialect kafka')
})

test('what a producer writes', async () => {
  const heard = []
  const produce = async given => {
    heard.push(given)
    return Buffer.from([1, 2])
  }
  const records = [{ timestamp: { int: '9007199254740993' }, key: null, value: { hex: '76' }, headers: [['a', null]] }]
  const asked = { records, magic: 2, codec: 'lz4', options: { transactional: true } }
  const [{ ops }, answer] = await answers(
    ['{"op":"describe","protocol":1}\n' + ask(1, 'produce', undefined, asked)],
    { ...library, produce }
  )
  assert.deepEqual(ops, ['decode', 'encode', 'recode', 'produce'])
  assert.deepEqual(answer, { seq: 1, data: '0102' })
  const [{ records: given, magic, codec, options }] = heard
  assert.deepEqual(given, [{ timestamp: 9007199254740993n, key: null, value: Buffer.from('v'), headers: [['a', null]] }])
  assert.deepEqual([magic, codec, options], [2, 'lz4', { transactional: true }])
})

test('a type that has only a reader is described so', async () => {
  const [{ types }] = await answers(['{"op":"describe","protocol":1}\n'])
  assert.deepEqual(types.kafka, {
    INT8: null,
    Picky: null,
    Late: { versions: [1, 2], ops: ['decode'] },
    Broken: null,
  })
})

test('values there and back', () => {
  const id = '00010203-0405-0607-0809-0a0b0c0d0e0f'
  const value = [2n ** 63n, Buffer.from('a'), new Uuid(id.replaceAll('-', '')), new Float64(-0), { A: null }, 'é\ud800']
  const json = [{ int: '9223372036854775808' }, { hex: '61' }, { uuid: id }, { float64: '8000000000000000' }, { A: null }, 'é\ud800']
  assert.deepEqual(shown(value), json)
  assert.deepEqual(shown(plain(json)), json)
  assert.deepEqual(shown([undefined, NaN, new Uuid('00')]), [null, null, '00'])
})

test('which exceptions refuse', () => {
  const never = () => false
  const thrown = call => {
    try {
      call()
    } catch (error) {
      error.stack = `${error}\n    at read (/m/node_modules/lib/a.js:1:2)`
      return error
    }
    assert.fail('nothing was thrown')
  }
  const short = thrown(() => Buffer.alloc(1).readInt32BE())
  const length = thrown(() => new Array(-1))
  assert.ok(isRefusal(short, 'decode', never))
  assert.ok(!isRefusal(Object.assign(short, { stack: 'RangeError' }), 'decode', never), 'thrown by ourselves')
  assert.ok(isRefusal(new Error('no'), 'decode', never))
  assert.ok(!isRefusal(length, 'decode', never))
  assert.ok(isRefusal(length, 'encode', never))
  assert.ok(isRefusal(length, 'decode', error => error === length))
  assert.equal(reasonOf(thrown(() => Buffer.alloc(1).writeInt8(128))), 'out-of-range')
  assert.throws(() => readToEnd(1, 2), Refusal)
  readToEnd(-1, 2)
})

test('the topmost frame of a library', () => {
  const error = new NotOffered('x')
  error.stack = 'X\n    at a (node:buffer:1:2)\n    at D.read [as b] (file:///m/node_modules/lib/a.js:1:2)\n    at c (/m/x.js:1:2)'
  assert.equal(topFrame(error), 'lib/a.js:read')
  assert.equal(topFrame(null), '')
})

test('fields that are not read are found, and left out', () => {
  const parse = decoder => ({
    topics: decoder.readArray(d => ({ name: d.readString(), _topicId: '', ids: [], hosts: d.readArray(e => e.readInt32()) })),
    throttleTimeMs: 0,
    errorCode: decoder.readInt16(),
  })
  const left = unread(parse)
  assert.deepEqual([...left], ['topics._topicId', 'topics.ids', 'throttleTimeMs'])
  const value = { topics: [{ name: 't', _topicId: '', ids: [], hosts: [] }], throttleTimeMs: 0, errorCode: 1 }
  assert.deepEqual(named(value, { left, names: { hosts: 'Nodes' } }), { Topics: [{ Name: 't', Nodes: [] }], ErrorCode: 1 })
})
