// @platformatic/kafka as a client. Its streams need a group, which the kit's broker does not have: it fetches without one.

import { load } from '../node/libraries.mjs'

// Not index.js, which takes longer to load than most scripts to end.
const { Producer } = await load('@platformatic/kafka/dist/clients/producer/producer.js')
const { Consumer } = await load('@platformatic/kafka/dist/clients/consumer/consumer.js')
const { ListOffsetTimestamps } = await load('@platformatic/kafka/dist/apis/enumerations.js')

const limits = {
  clientId: 'c',
  bootstrapBrokers: [process.argv[2]],
  connectTimeout: 1000,
  requestTimeout: 2000,
  retries: 1,
  retryDelay: 100
}

async function run() {
  const producer = new Producer(limits)
  await producer.send({ acks: 1, messages: [{ topic: 'test', partition: 0, value: Buffer.from('v') }] })
  const consumer = new Consumer({ ...limits, groupId: 'g', maxWaitTime: 500 })
  const metadata = await consumer.metadata({ topics: ['test'] })
  const { id, partitions } = metadata.topics.get('test')
  const offsets = await consumer.listOffsets({ topics: ['test'], timestamp: ListOffsetTimestamps.EARLIEST })
  const [fetchOffset] = offsets.get('test')
  const partition = { partition: 0, currentLeaderEpoch: -1, fetchOffset, lastFetchedEpoch: -1, partitionMaxBytes: 1 << 20 }
  const topics = [{ topicId: id, partitions: [partition] }]
  const until = Date.now() + 4000
  while (Date.now() < until) {
    const { responses } = await consumer.fetch({ node: partitions[0].leader, topics })
    const [batch] = responses.flatMap(one => one.partitions).flatMap(one => one.records ?? [])
    if (batch) {
      return batch.records[0].value.toString() === 'v' ? 0 : 1
    }
  }
  throw new Error('no record came in time')
}

run().then(process.exit, error => {
  console.error(`${error.name}: ${error.message}`)
  process.exit(1)
})
