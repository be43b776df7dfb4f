// The names of kafka-ts, where they are not Kafka's own with a lower first letter.

// Message → its names; null is a field that Kafka does not have.
export const NAMES = {
  ApiVersionsResponse: { versions: 'ApiKeys' },
  ProduceResponse: { logAppendTime: 'LogAppendTimeMs' },
}
