// The names of kafkajs in responses, and Kafka's.

const CONFIGS = { resources: 'Results', configEntries: 'Configs', configName: 'Name', configValue: 'Value' }
const CONFIGS_1 = {
  ...CONFIGS,
  isDefault: null,
  configSynonyms: 'Synonyms',
  'resources.configEntries.configSynonyms.configSource': 'Source',
}

// API → [message, its names or those of each version, where they are neither common nor Kafka's own with a lower first
// letter]. What kafkajs works out from other fields is null. Not here: Fetch, whose records are decoded and flattened;
// SaslAuthenticate, whose bytes get a size in front, for the mechanisms.
export const RESPONSES = {
  addOffsetsToTxn: ['AddOffsetsToTxnResponse', {}],
  addPartitionsToTxn: [
    'AddPartitionsToTxnResponse',
    { errors: 'ResultsByTopicV3AndBelow', partitionErrors: 'ResultsByPartition', errorCode: 'PartitionErrorCode' },
  ],
  alterConfigs: ['AlterConfigsResponse', { resources: 'Responses' }],
  alterPartitionReassignments: ['AlterPartitionReassignmentsResponse', {}],
  apiVersions: ['ApiVersionsResponse', { apiVersions: 'ApiKeys' }],
  createAcls: ['CreateAclsResponse', { creationResponses: 'Results' }],
  createPartitions: ['CreatePartitionsResponse', { topicErrors: 'Results' }],
  createTopics: ['CreateTopicsResponse', { topicErrors: 'Topics' }],
  deleteAcls: ['DeleteAclsResponse', { filterResponses: 'FilterResults', resourcePatternType: 'PatternType' }],
  deleteGroups: ['DeleteGroupsResponse', { error: null }],
  deleteRecords: ['DeleteRecordsResponse', {}],
  deleteTopics: ['DeleteTopicsResponse', { topicErrors: 'Responses' }],
  describeAcls: ['DescribeAclsResponse', { resourcePatternType: 'PatternType' }],
  describeConfigs: ['DescribeConfigsResponse', { v0: { ...CONFIGS, configSource: null }, v1: CONFIGS_1, v2: CONFIGS_1 }],
  describeGroups: ['DescribeGroupsResponse', { state: 'GroupState', protocol: 'ProtocolData' }],
  endTxn: ['EndTxnResponse', {}],
  findCoordinator: ['FindCoordinatorResponse', {}],
  heartbeat: ['HeartbeatResponse', {}],
  initProducerId: ['InitProducerIdResponse', {}],
  joinGroup: ['JoinGroupResponse', { groupProtocol: 'ProtocolName', leaderId: 'Leader', memberMetadata: 'Metadata' }],
  leaveGroup: ['LeaveGroupResponse', {}],
  listGroups: ['ListGroupsResponse', {}],
  listOffsets: ['ListOffsetsResponse', { responses: 'Topics' }],
  listPartitionReassignments: ['ListPartitionReassignmentsResponse', {}],
  metadata: [
    'MetadataResponse',
    {
      topicMetadata: 'Topics',
      topicErrorCode: 'ErrorCode',
      partitionMetadata: 'Partitions',
      partitionErrorCode: 'ErrorCode',
      partitionId: 'PartitionIndex',
      leader: 'LeaderId',
      replicas: 'ReplicaNodes',
      isr: 'IsrNodes',
    },
  ],
  offsetCommit: ['OffsetCommitResponse', { responses: 'Topics' }],
  offsetFetch: ['OffsetFetchResponse', { responses: 'Topics', offset: 'CommittedOffset' }],
  produce: [
    'ProduceResponse',
    {
      topics: 'Responses',
      partitions: 'PartitionResponses',
      partition: 'Index',
      offset: 'BaseOffset',
      logAppendTime: 'LogAppendTimeMs',
    },
  ],
  saslHandshake: ['SaslHandshakeResponse', { enabledMechanisms: 'Mechanisms' }],
  syncGroup: ['SyncGroupResponse', { memberAssignment: 'Assignment' }],
  txnOffsetCommit: ['TxnOffsetCommitResponse', {}],
}

// What all of them have.
export const COMMON = {
  throttleTime: 'ThrottleTimeMs',
  partition: 'PartitionIndex',
  topic: 'Name',
  topicName: 'Name',
}

// Kafka's names of the 64-bit integers that kafkajs shows as text.
export const LONGS = new Set([
  'BaseOffset',
  'CommittedOffset',
  'LogAppendTimeMs',
  'LogStartOffset',
  'Offset',
  'ProducerId',
  'Timestamp',
])

// Fields that are not simply renamed. A broker that does not throttle by itself tells how long the client has to wait:
// then `throttleTime` is 0.
export const SPECIAL = {
  coordinator: ({ nodeId, host, port }) => ({ NodeId: nodeId, Host: host, Port: port }),
  throttleTime: (time, response) => ('clientSideThrottleTime' in response ? {} : { ThrottleTimeMs: time }),
  clientSideThrottleTime: time => ({ ThrottleTimeMs: time }),
}
