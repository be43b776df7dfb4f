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
