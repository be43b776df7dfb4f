// kafkajs as a client. Its consumer needs a group, which the kit's broker does not have: it produces, and asks where the
// partition ends.

import { require } from '../node/libraries.mjs'

const { Kafka, logLevel } = require('kafkajs')

const kafka = new Kafka({
  brokers: [process.argv[2]],
  connectionTimeout: 1000,
  requestTimeout: 2000,
  retry: { initialRetryTime: 100, maxRetryTime: 500, retries: 2 },
  logLevel: logLevel.NOTHING
})

async function run() {
  const producer = kafka.producer()
  await producer.connect()
  await producer.send({ topic: 'test', acks: 1, timeout: 2000, messages: [{ partition: 0, value: 'v' }] })
  const admin = kafka.admin()
  await admin.connect()
  const [{ high }] = await admin.fetchTopicOffsets('test')
  return high === '1' ? 0 : 1
}

run().then(process.exit, error => {
  console.error(`${error.name}: ${error.message}`)
  process.exit(1)
})
