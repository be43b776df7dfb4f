// The names of @platformatic/kafka in responses, where they are not Kafka's own with a lower first letter.

// Message → its names, or those of a version; null is a field that Kafka does not have.
export const NAMES = {
  ApiVersionsResponse: { name: null },
  DeleteAclsResponse: { resourcePatternType: 'PatternType' },
  DescribeAclsResponse: { resourcePatternType: 'PatternType' },
  // The name again, for callers who want an id.
  MetadataResponse: { v9: { topicId: null } },
}

// Message → the last version that it is about, and the library's fields as those of the message.
export const RESHAPED = {
  AddPartitionsToTxnResponse: [
    3,
    ({ ResultsByTransaction: [{ TopicResults }], ...others }) => ({ ...others, ResultsByTopicV3AndBelow: TopicResults }),
  ],
}
