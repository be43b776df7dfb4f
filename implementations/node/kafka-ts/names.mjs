// The names of kafka-ts, where they are not Kafka's own with a lower first letter.

// Message → its names; null is a field that Kafka does not have.
export const NAMES = {
  ApiVersionsResponse: { versions: 'ApiKeys' },
  OffsetFetchResponse: { committedMetadata: 'Metadata' },
  ProduceResponse: { logAppendTime: 'LogAppendTimeMs' },
  StreamsGroupHeartbeatResponse: { acceptableRecoveryLag: 'AcceptableRecoveryLagLegacy' },
}

// Message → what is an array of one in the library up to this version, and fields of the message itself to Kafka.
export const HOISTED = {
  FindCoordinatorResponse: ['Coordinators', 3],
  OffsetFetchResponse: ['Groups', 7],
}
