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

test('headers are those that a connection writes and reads', async () => {
  const header = { RequestApiKey: 18, RequestApiVersion: 3, CorrelationId: -2147483648, ClientId: 'c' }
  const written = async version => (await wrapper.types.get('RequestHeader').encode(header, version)).toString('hex')
  assert.equal(await written(1), '0012000380000000000163')
  assert.equal(await written(2), '001200038000000000016300')
  assert.deepEqual(await decode('ResponseHeader', bytes('fffffffe'), 0), { CorrelationId: -2 })
  assert.deepEqual(await decode('ResponseHeader', bytes('00000007 00'), 1), { CorrelationId: 7 })
})

test('a header with a field that it lacks is refused', async () => {
  const header = { RequestApiKey: 18, RequestApiVersion: 3, CorrelationId: 7, ClientId: 'c', Foo: 1 }
  await assert.rejects(wrapper.types.get('RequestHeader').encode(header, 1), { message: /no Foo/ })
})

test('what a connection does not tell of a header is not offered', async () => {
  await assert.rejects(decode('ResponseHeader', bytes('00000007 01 05 00'), 1), { message: /passes over the tags/ })
  const header = { RequestApiKey: 18, RequestApiVersion: 3, CorrelationId: 7, ClientId: null }
  await assert.rejects(wrapper.types.get('RequestHeader').encode(header, 1), { message: /an empty client id/ })
  await assert.rejects(decode('ResponseHeader', bytes('00000007 00'), 0), { message: /1 bytes left over/ })
})
