//! The bodies of all messages. kacrab-protocol's readers and writers have the version as an argument, and refuse those of
//! requests and responses that do not exist.

use std::collections::BTreeMap;

use bytes::{Bytes, BytesMut};
use kacrab_protocol::generated::*;
use lines::{Codec, Failure, left_over};

/// A type's name and its codec, whose value is one of these structs.
macro_rules! recoded {
    ($name:expr, $versions:expr, $judges:expr, $type:ty) => {{
        let recode = |version, data: &[u8]| {
            let mut left = Bytes::copy_from_slice(data);
            let message = <$type>::read(&mut left, version)?;
            left_over(data.len(), left.len())?;
            let mut written = BytesMut::new();
            message.write(&mut written, version).map_err(|error| Failure::from(error).in_writing())?;
            Ok(written.to_vec())
        };
        let codec = Codec { versions: Some($versions), judges: $judges, recode: Some(Box::new(recode)), ..Codec::default() };
        ($name.to_owned(), codec)
    }};
}

macro_rules! apis {
    ($($key:ident: $request:ty, $response:ty;)*) => {
        [$({
            let ApiInfo { min_version, max_version, .. } = client_api_info(ApiKey::$key);
            let versions = (min_version, max_version);
            [
                recoded!(concat!(stringify!($key), "Request"), versions, true, $request),
                recoded!(concat!(stringify!($key), "Response"), versions, true, $response),
            ]
        }),*]
    };
}

macro_rules! others {
    ($($name:literal: $type:ty, $last:literal;)*) => {
        [$(recoded!($name, (0, $last), false, $type)),*]
    };
}

/// By the names that Kafka has for them.
pub fn messages() -> BTreeMap<String, Codec> {
    let apis = apis! {
        Produce: ProduceRequestData, ProduceResponseData;
        Fetch: FetchRequestData, FetchResponseData;
        ListOffsets: ListOffsetsRequestData, ListOffsetsResponseData;
        Metadata: MetadataRequestData, MetadataResponseData;
        OffsetCommit: OffsetCommitRequestData, OffsetCommitResponseData;
        OffsetFetch: OffsetFetchRequestData, OffsetFetchResponseData;
        FindCoordinator: FindCoordinatorRequestData, FindCoordinatorResponseData;
        JoinGroup: JoinGroupRequestData, JoinGroupResponseData;
        Heartbeat: HeartbeatRequestData, HeartbeatResponseData;
        LeaveGroup: LeaveGroupRequestData, LeaveGroupResponseData;
        SyncGroup: SyncGroupRequestData, SyncGroupResponseData;
        DescribeGroups: DescribeGroupsRequestData, DescribeGroupsResponseData;
        ListGroups: ListGroupsRequestData, ListGroupsResponseData;
        SaslHandshake: SaslHandshakeRequestData, SaslHandshakeResponseData;
        ApiVersions: ApiVersionsRequestData, ApiVersionsResponseData;
        CreateTopics: CreateTopicsRequestData, CreateTopicsResponseData;
        DeleteTopics: DeleteTopicsRequestData, DeleteTopicsResponseData;
        DeleteRecords: DeleteRecordsRequestData, DeleteRecordsResponseData;
        InitProducerId: InitProducerIdRequestData, InitProducerIdResponseData;
        OffsetForLeaderEpoch: OffsetForLeaderEpochRequestData, OffsetForLeaderEpochResponseData;
        AddPartitionsToTxn: AddPartitionsToTxnRequestData, AddPartitionsToTxnResponseData;
        AddOffsetsToTxn: AddOffsetsToTxnRequestData, AddOffsetsToTxnResponseData;
        EndTxn: EndTxnRequestData, EndTxnResponseData;
        WriteTxnMarkers: WriteTxnMarkersRequestData, WriteTxnMarkersResponseData;
        TxnOffsetCommit: TxnOffsetCommitRequestData, TxnOffsetCommitResponseData;
        DescribeAcls: DescribeAclsRequestData, DescribeAclsResponseData;
        CreateAcls: CreateAclsRequestData, CreateAclsResponseData;
        DeleteAcls: DeleteAclsRequestData, DeleteAclsResponseData;
        DescribeConfigs: DescribeConfigsRequestData, DescribeConfigsResponseData;
        AlterConfigs: AlterConfigsRequestData, AlterConfigsResponseData;
        AlterReplicaLogDirs: AlterReplicaLogDirsRequestData, AlterReplicaLogDirsResponseData;
        DescribeLogDirs: DescribeLogDirsRequestData, DescribeLogDirsResponseData;
        SaslAuthenticate: SaslAuthenticateRequestData, SaslAuthenticateResponseData;
        CreatePartitions: CreatePartitionsRequestData, CreatePartitionsResponseData;
        CreateDelegationToken: CreateDelegationTokenRequestData, CreateDelegationTokenResponseData;
        RenewDelegationToken: RenewDelegationTokenRequestData, RenewDelegationTokenResponseData;
        ExpireDelegationToken: ExpireDelegationTokenRequestData, ExpireDelegationTokenResponseData;
        DescribeDelegationToken: DescribeDelegationTokenRequestData, DescribeDelegationTokenResponseData;
        DeleteGroups: DeleteGroupsRequestData, DeleteGroupsResponseData;
        ElectLeaders: ElectLeadersRequestData, ElectLeadersResponseData;
        IncrementalAlterConfigs: IncrementalAlterConfigsRequestData, IncrementalAlterConfigsResponseData;
        AlterPartitionReassignments: AlterPartitionReassignmentsRequestData, AlterPartitionReassignmentsResponseData;
        ListPartitionReassignments: ListPartitionReassignmentsRequestData, ListPartitionReassignmentsResponseData;
        OffsetDelete: OffsetDeleteRequestData, OffsetDeleteResponseData;
        DescribeClientQuotas: DescribeClientQuotasRequestData, DescribeClientQuotasResponseData;
        AlterClientQuotas: AlterClientQuotasRequestData, AlterClientQuotasResponseData;
        DescribeUserScramCredentials: DescribeUserScramCredentialsRequestData, DescribeUserScramCredentialsResponseData;
        AlterUserScramCredentials: AlterUserScramCredentialsRequestData, AlterUserScramCredentialsResponseData;
        Vote: VoteRequestData, VoteResponseData;
        BeginQuorumEpoch: BeginQuorumEpochRequestData, BeginQuorumEpochResponseData;
        EndQuorumEpoch: EndQuorumEpochRequestData, EndQuorumEpochResponseData;
        DescribeQuorum: DescribeQuorumRequestData, DescribeQuorumResponseData;
        AlterPartition: AlterPartitionRequestData, AlterPartitionResponseData;
        UpdateFeatures: UpdateFeaturesRequestData, UpdateFeaturesResponseData;
        Envelope: EnvelopeRequestData, EnvelopeResponseData;
        FetchSnapshot: FetchSnapshotRequestData, FetchSnapshotResponseData;
        DescribeCluster: DescribeClusterRequestData, DescribeClusterResponseData;
        DescribeProducers: DescribeProducersRequestData, DescribeProducersResponseData;
        BrokerRegistration: BrokerRegistrationRequestData, BrokerRegistrationResponseData;
        BrokerHeartbeat: BrokerHeartbeatRequestData, BrokerHeartbeatResponseData;
        UnregisterBroker: UnregisterBrokerRequestData, UnregisterBrokerResponseData;
        DescribeTransactions: DescribeTransactionsRequestData, DescribeTransactionsResponseData;
        ListTransactions: ListTransactionsRequestData, ListTransactionsResponseData;
        AllocateProducerIds: AllocateProducerIdsRequestData, AllocateProducerIdsResponseData;
        ConsumerGroupHeartbeat: ConsumerGroupHeartbeatRequestData, ConsumerGroupHeartbeatResponseData;
        ConsumerGroupDescribe: ConsumerGroupDescribeRequestData, ConsumerGroupDescribeResponseData;
        ControllerRegistration: ControllerRegistrationRequestData, ControllerRegistrationResponseData;
        GetTelemetrySubscriptions: GetTelemetrySubscriptionsRequestData, GetTelemetrySubscriptionsResponseData;
        PushTelemetry: PushTelemetryRequestData, PushTelemetryResponseData;
        AssignReplicasToDirs: AssignReplicasToDirsRequestData, AssignReplicasToDirsResponseData;
        ListConfigResources: ListConfigResourcesRequestData, ListConfigResourcesResponseData;
        DescribeTopicPartitions: DescribeTopicPartitionsRequestData, DescribeTopicPartitionsResponseData;
        ShareGroupHeartbeat: ShareGroupHeartbeatRequestData, ShareGroupHeartbeatResponseData;
        ShareGroupDescribe: ShareGroupDescribeRequestData, ShareGroupDescribeResponseData;
        ShareFetch: ShareFetchRequestData, ShareFetchResponseData;
        ShareAcknowledge: ShareAcknowledgeRequestData, ShareAcknowledgeResponseData;
        AddRaftVoter: AddRaftVoterRequestData, AddRaftVoterResponseData;
        RemoveRaftVoter: RemoveRaftVoterRequestData, RemoveRaftVoterResponseData;
        UpdateRaftVoter: UpdateRaftVoterRequestData, UpdateRaftVoterResponseData;
        InitializeShareGroupState: InitializeShareGroupStateRequestData, InitializeShareGroupStateResponseData;
        ReadShareGroupState: ReadShareGroupStateRequestData, ReadShareGroupStateResponseData;
        WriteShareGroupState: WriteShareGroupStateRequestData, WriteShareGroupStateResponseData;
        DeleteShareGroupState: DeleteShareGroupStateRequestData, DeleteShareGroupStateResponseData;
        ReadShareGroupStateSummary: ReadShareGroupStateSummaryRequestData, ReadShareGroupStateSummaryResponseData;
        StreamsGroupHeartbeat: StreamsGroupHeartbeatRequestData, StreamsGroupHeartbeatResponseData;
        StreamsGroupDescribe: StreamsGroupDescribeRequestData, StreamsGroupDescribeResponseData;
        DescribeShareGroupOffsets: DescribeShareGroupOffsetsRequestData, DescribeShareGroupOffsetsResponseData;
        AlterShareGroupOffsets: AlterShareGroupOffsetsRequestData, AlterShareGroupOffsetsResponseData;
        DeleteShareGroupOffsets: DeleteShareGroupOffsetsRequestData, DeleteShareGroupOffsetsResponseData;
    };
    let others = others! {
        "ConsumerProtocolAssignment": ConsumerProtocolAssignmentData, 3;
        "ConsumerProtocolSubscription": ConsumerProtocolSubscriptionData, 3;
        "ControlRecordTypeSchema": ControlRecordTypeSchemaData, 0;
        "DefaultPrincipalData": DefaultPrincipalDataData, 0;
        "EndTxnMarker": EndTxnMarkerData, 0;
        "KRaftVersionRecord": KRaftVersionRecordData, 0;
        "LeaderChangeMessage": LeaderChangeMessageData, 1;
        "SnapshotFooterRecord": SnapshotFooterRecordData, 0;
        "SnapshotHeaderRecord": SnapshotHeaderRecordData, 0;
        "VotersRecord": VotersRecordData, 0;
    };
    apis.into_iter().flatten().chain(others).collect()
}
