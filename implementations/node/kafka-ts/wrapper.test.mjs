// The mapping between the contract's values and those of kafka-ts.

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { shown } from '../values.mjs'
import { wrapper } from './wrapper.mjs'

const bytes = hex => Buffer.from(hex.replaceAll(' ', ''), 'hex')
const decode = async (type, data, version) => shown(await wrapper.types.get(type).decode(data, version))
const encode = (type, value, version) => wrapper.types.get(type).encode(value, version).toString('hex')
const RECORD = { attributes: 0, timestampDelta: 0, offsetDelta: 0, key: null, value: bytes('76'), headers: [] }

test('unknown tags of a response are its _tags', async () => {
  const response = await decode('HeartbeatResponse', bytes('00000000 0000 01 05 02 aabb'), 4)
  assert.deepEqual(response, { ThrottleTimeMs: 0, ErrorCode: 0, _tags: [[5, { hex: 'aabb' }]] })
})

test('a field that a version lacks is no part of its value', async () => {
  const response = await decode('MetadataResponse', bytes('00000000 ffffffff 00000000'), 1)
  assert.deepEqual(response, { Brokers: [], ControllerId: -1, Topics: [], _tags: [] })
})

test('the only coordinator and the only group are the message itself in old versions', async () => {
  const coordinator = await decode('FindCoordinatorResponse', bytes('0000 00000001 0001 68 00000005'), 0)
  assert.deepEqual(coordinator, { ErrorCode: 0, NodeId: 1, Host: 'h', Port: 5, _tags: [] })
  assert.deepEqual((await decode('OffsetFetchResponse', bytes('00000000'), 1)).Topics, [])
})

test('keys and values are bytes where they are text, and not offered to the writer elsewhere', async () => {
  assert.equal(encode('Record', RECORD), '0e00000001027600')
  assert.deepEqual((await decode('Record', bytes('0e00000001027600'))).value, { hex: '76' })
  assert.throws(() => encode('Record', { ...RECORD, value: bytes('ff') }), { message: /as text/ })
})

test('createBatch is not asked to compress', () => {
  assert.throws(() => encode('RecordBatch', { attributes: 1, records: [] }), { message: /compresses nothing/ })
})

test('more than one batch is no batch', async () => {
  await assert.rejects(decode('RecordBatch', bytes('')), { message: /returns 0 batches/ })
})
