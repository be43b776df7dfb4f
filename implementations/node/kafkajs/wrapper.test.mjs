// The mapping between the contract's values and kafkajs's.

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { shown } from '../values.mjs'
import { wrapper } from './wrapper.mjs'

const bytes = hex => Buffer.from(hex.replaceAll(' ', ''), 'hex')
const RECORD = { attributes: 0, timestampDelta: 0, offsetDelta: 0, key: null, value: bytes('76'), headers: [] }
const BATCH = bytes(
  '000000000000000000000054ffffffff024bfe327600000000000200000000000003e800000000000003edffffffffffffffffffffffffffff' +
    '0000000310000000026b0276000c00020201000024000a04046b32010602610201026101026200'
)

async function decode(type, data, version) {
  return shown(await wrapper.types.get(type).decode(data, version))
}

async function encode(type, value, version) {
  return (await wrapper.types.get(type).encode(value, version)).toString('hex')
}

test('64-bit integers keep all their bits', async () => {
  assert.deepEqual(await decode('INT64', bytes('7fffffffffffffff')), { int: '9223372036854775807' })
  assert.equal(await encode('INT64', -9223372036854775808n), '8000000000000000')
  assert.deepEqual(await decode('VARLONG', bytes('ffffffffffffffffff01')), { int: '-9223372036854775808' })
})

test('arrays of arrays go through readers and writers of elements', async () => {
  const data = bytes('00000002 00000001 0001 61 00000000')
  const { decode, encode } = wrapper.types.get('ARRAY')
  assert.deepEqual(decode(data, 'ARRAY<ARRAY<STRING>>'), [['a'], []])
  assert.equal(encode([['a'], []], 'ARRAY<ARRAY<STRING>>').toString('hex'), data.toString('hex'))
})

test('an array of what has no reader is not offered', () => {
  assert.throws(() => wrapper.types.get('ARRAY').decode(bytes('00000000'), 'ARRAY<UUID>'), { message: /no reader for UUID/ })
})

test('a response has the names of Kafka, and its integers', async () => {
  const data = bytes('00000005 00000001 0001 74 00000001 00000000 0007 7fffffffffffffff 0000000000000002')
  assert.deepEqual(await decode('ListOffsetsResponse', data.subarray(4), 1), {
    Topics: [
      {
        Name: 't',
        Partitions: [{ PartitionIndex: 0, ErrorCode: 7, Timestamp: { int: '9223372036854775807' }, Offset: 2 }],
      },
    ],
  })
  assert.equal((await decode('ListOffsetsResponse', data, 3)).ThrottleTimeMs, 5)
})

test('what kafkajs works out is no part of a value', async () => {
  const data = bytes('00000000 00000001 0000 ffff 02 0001 74 00000001 0001 6b ffff 00 01 00')
  const [{ Configs }] = (await decode('DescribeConfigsResponse', data, 0)).Results
  assert.deepEqual(Configs, [{ Name: 'k', Value: null, ReadOnly: false, IsDefault: true, IsSensitive: false }])
})

test('a batch has its fields, and deltas in its records', async () => {
  const batch = await decode('RecordBatch', BATCH)
  assert.deepEqual([batch.partitionLeaderEpoch, batch.baseTimestamp, batch.maxTimestamp, batch.producerId], [-1, 1000, 1005, -1])
  assert.deepEqual(
    batch.records.map(({ timestampDelta, offsetDelta }) => [timestampDelta, offsetDelta]),
    [[0, 0], [1, 1], [5, 2]]
  )
  assert.deepEqual(batch.records[2].headers, [['a', { hex: '01' }], ['a', null], ['b', { hex: '' }]])
})

test('headers in an order that an object cannot have are not offered', async () => {
  const headers = [['a', bytes('01')], ['b', bytes('02')], ['a', bytes('03')]]
  await assert.rejects(async () => encode('Record', { ...RECORD, headers }), { message: /cannot be in this order/ })
  assert.equal(await encode('Record', { ...RECORD, headers: headers.slice(0, 2) }), '1e000000010276040261020102620202')
})

test('the attributes of a batch that no argument takes are not offered', async () => {
  const batch = { attributes: 0x20, records: [] }
  await assert.rejects(wrapper.types.get('RecordBatch').encode(batch), { message: /a codec and whether it is transactional/ })
})
