// The mapping between the contract's values and those of @platformatic/kafka.

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { shown } from '../values.mjs'
import { wrapper } from './wrapper.mjs'

const bytes = hex => Buffer.from(hex.replaceAll(' ', ''), 'hex')
const decode = (type, data, version) => shown(wrapper.types.get(type).decode(data, version))
const encode = (type, value, version) => wrapper.types.get(type).encode(value, version).toString('hex')
const ID = '00010203-0405-0607-0809-0a0b0c0d0e0f'

test('a UUID is told from a text, in a response too', () => {
  assert.deepEqual(decode('UUID', bytes(ID.replaceAll('-', ''))), { uuid: ID })
  const data = bytes(`00000000 01 00 ffffffff 02 0000 0274 ${ID.replaceAll('-', '')} 00 01 80000000 00 00`)
  const [topic] = decode('MetadataResponse', data, 12).Topics
  assert.deepEqual([topic.Name, topic.TopicId], ['t', { uuid: ID }])
})

test('a response with an error code is whole', () => {
  const [topic] = decode('MetadataResponse', bytes(`00000000 01 00 ffffffff 02 0003 0274 00 01 80000000 00 00`), 9).Topics
  assert.deepEqual([topic.ErrorCode, topic.Name, 'TopicId' in topic], [3, 't', false])
})

test('a field that a version lacks is no part of its value', () => {
  const response = decode('JoinGroupResponse', bytes('00000000 0000 ffffffff 01 01 01 01 00'), 6)
  assert.deepEqual(Object.keys(response), [
    'ThrottleTimeMs',
    'ErrorCode',
    'GenerationId',
    'ProtocolName',
    'Leader',
    'MemberId',
    'Members',
  ])
})

test('the results of the only transaction are those of the message, before version 4', () => {
  const response = decode('AddPartitionsToTxnResponse', bytes('00000000 01 00'), 3)
  assert.deepEqual(response, { ThrottleTimeMs: 0, ResultsByTopicV3AndBelow: [] })
})

test('headers keep their order, and keys that stand twice', () => {
  const headers = [['b', bytes('01')], ['a', null], ['b', bytes('02')]]
  const record = { attributes: 0, timestampDelta: 0, offsetDelta: 0, key: null, value: null, headers }
  const data = encode('Record', record)
  assert.equal(data, '220000000101060262020102610102620202')
  assert.deepEqual(
    decode('Record', bytes(data)).headers.map(([key]) => Buffer.from(key.hex, 'hex').toString()),
    ['b', 'a', 'b']
  )
})

test('what createRecordsBatch takes from elsewhere is not offered', () => {
  const record = { attributes: 0, timestampDelta: 0, offsetDelta: 1, key: null, value: null, headers: [] }
  const batch = { attributes: 0, baseOffset: 0, baseTimestamp: 0, records: [record] }
  assert.throws(() => encode('RecordBatch', batch), { message: /counts the offsets/ })
  assert.throws(() => encode('RecordBatch', { ...batch, baseOffset: 1 }), { message: /base offset/ })
})

const MESSAGE = { timestamp: 1000, key: null, value: bytes('76'), headers: [['a', bytes('31')], ['b', null], ['a', null]] }
const PLAIN = { producer_id: -1, producer_epoch: -1, base_sequence: -1, transactional: false }
const written = async options =>
  decode('RecordBatch', await wrapper.produce({ records: [MESSAGE], magic: 2, codec: 'gzip', options: { ...PLAIN, ...options } }))

test('a producer writes all headers of a message', async () => {
  const batch = await written()
  assert.deepEqual([batch.attributes, batch.producerId, batch.baseTimestamp], [1, -1, 1000])
  assert.deepEqual(
    batch.records[0].headers.map(([key]) => Buffer.from(key.hex, 'hex').toString()),
    ['a', 'b', 'a']
  )
})

test('a producer has its id, and the sequence behind what it has sent', async () => {
  const options = { producer_id: 2n ** 60n, producer_epoch: 3, base_sequence: 5 }
  for (const [transactional, attributes] of [[false, 1], [true, 0x11]]) {
    const batch = await written({ ...options, transactional })
    assert.deepEqual([batch.attributes, batch.producerEpoch, batch.baseSequence], [attributes, 3, 5])
    assert.deepEqual(batch.producerId, { int: String(2n ** 60n) })
  }
})

test('a sequence behind too many messages, and another magic, are not offered', async () => {
  await assert.rejects(written({ producer_id: 1n, producer_epoch: 0, base_sequence: 1001 }), { message: /after as many/ })
  const asked = { records: [MESSAGE], magic: 1, codec: 'none', options: PLAIN }
  await assert.rejects(wrapper.produce(asked), { message: /magic 2 alone/ })
})
