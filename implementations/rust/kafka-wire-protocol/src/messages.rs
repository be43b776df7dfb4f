//! The bodies of all messages. kafka_wire_protocol has a struct for each version of each.

use std::collections::BTreeMap;
use std::io::Cursor;

use kafka_wire_protocol::readable_writable::{Readable, Writable};
use kafka_wire_protocol::schema;
use lines::{Asked, Codec, Failure, left_over};

type Recoded = fn(&[u8]) -> Asked<Vec<u8>>;

fn recoded<T: Readable + Writable>(data: &[u8]) -> Asked<Vec<u8>> {
    let mut input = Cursor::new(data);
    let message = T::read(&mut input)?;
    left_over(data.len(), data.len() - input.position() as usize)?;
    let mut written = Vec::new();
    message.write(&mut written).map_err(|error| Failure::from(error).in_writing())?;
    Ok(written)
}

fn codec(first: i16, each: Vec<Recoded>) -> Codec {
    let last = first + each.len() as i16 - 1;
    let recode = move |version: i16, data: &[u8]| each[(version - first) as usize](data);
    Codec { versions: Some((first, last)), recode: Some(Box::new(recode)), ..Codec::default() }
}

macro_rules! messages {
    ($($module:ident $name:ident from $first:literal: $($version:ident)*;)*) => {
        [$((
            stringify!($name).to_owned(),
            codec($first, vec![$(recoded::<schema::$module::$version::$name>),*]),
        )),*]
    };
}

/// By the names that Kafka has for them; that of DefaultPrincipalData is shorter here.
pub fn messages() -> BTreeMap<String, Codec> {
    let mut types = BTreeMap::from(messages! {
        add_offsets_to_txn_request AddOffsetsToTxnRequest from 0: v0 v1 v2 v3 v4;
        add_offsets_to_txn_response AddOffsetsToTxnResponse from 0: v0 v1 v2 v3 v4;
        add_partitions_to_txn_request AddPartitionsToTxnRequest from 0: v0 v1 v2 v3 v4 v5;
        add_partitions_to_txn_response AddPartitionsToTxnResponse from 0: v0 v1 v2 v3 v4 v5;
        add_raft_voter_request AddRaftVoterRequest from 0: v0;
        add_raft_voter_response AddRaftVoterResponse from 0: v0;
        allocate_producer_ids_request AllocateProducerIdsRequest from 0: v0;
        allocate_producer_ids_response AllocateProducerIdsResponse from 0: v0;
        alter_client_quotas_request AlterClientQuotasRequest from 0: v0 v1;
        alter_client_quotas_response AlterClientQuotasResponse from 0: v0 v1;
        alter_configs_request AlterConfigsRequest from 0: v0 v1 v2;
        alter_configs_response AlterConfigsResponse from 0: v0 v1 v2;
        alter_partition_reassignments_request AlterPartitionReassignmentsRequest from 0: v0 v1;
        alter_partition_reassignments_response AlterPartitionReassignmentsResponse from 0: v0 v1;
        alter_partition_request AlterPartitionRequest from 2: v2 v3;
        alter_partition_response AlterPartitionResponse from 2: v2 v3;
        alter_replica_log_dirs_request AlterReplicaLogDirsRequest from 1: v1 v2;
        alter_replica_log_dirs_response AlterReplicaLogDirsResponse from 1: v1 v2;
        alter_share_group_offsets_request AlterShareGroupOffsetsRequest from 0: v0;
        alter_share_group_offsets_response AlterShareGroupOffsetsResponse from 0: v0;
        alter_user_scram_credentials_request AlterUserScramCredentialsRequest from 0: v0;
        alter_user_scram_credentials_response AlterUserScramCredentialsResponse from 0: v0;
        api_versions_request ApiVersionsRequest from 0: v0 v1 v2 v3 v4;
        api_versions_response ApiVersionsResponse from 0: v0 v1 v2 v3 v4;
        assign_replicas_to_dirs_request AssignReplicasToDirsRequest from 0: v0;
        assign_replicas_to_dirs_response AssignReplicasToDirsResponse from 0: v0;
        begin_quorum_epoch_request BeginQuorumEpochRequest from 0: v0 v1;
        begin_quorum_epoch_response BeginQuorumEpochResponse from 0: v0 v1;
        broker_heartbeat_request BrokerHeartbeatRequest from 0: v0 v1;
        broker_heartbeat_response BrokerHeartbeatResponse from 0: v0 v1;
        broker_registration_request BrokerRegistrationRequest from 0: v0 v1 v2 v3 v4;
        broker_registration_response BrokerRegistrationResponse from 0: v0 v1 v2 v3 v4;
        consumer_group_describe_request ConsumerGroupDescribeRequest from 0: v0 v1;
        consumer_group_describe_response ConsumerGroupDescribeResponse from 0: v0 v1;
        consumer_group_heartbeat_request ConsumerGroupHeartbeatRequest from 0: v0 v1;
        consumer_group_heartbeat_response ConsumerGroupHeartbeatResponse from 0: v0 v1;
        consumer_protocol_assignment ConsumerProtocolAssignment from 0: v0 v1 v2 v3;
        consumer_protocol_subscription ConsumerProtocolSubscription from 0: v0 v1 v2 v3;
        controller_registration_request ControllerRegistrationRequest from 0: v0;
        controller_registration_response ControllerRegistrationResponse from 0: v0;
        create_acls_request CreateAclsRequest from 1: v1 v2 v3;
        create_acls_response CreateAclsResponse from 1: v1 v2 v3;
        create_delegation_token_request CreateDelegationTokenRequest from 1: v1 v2 v3;
        create_delegation_token_response CreateDelegationTokenResponse from 1: v1 v2 v3;
        create_partitions_request CreatePartitionsRequest from 0: v0 v1 v2 v3;
        create_partitions_response CreatePartitionsResponse from 0: v0 v1 v2 v3;
        create_topics_request CreateTopicsRequest from 2: v2 v3 v4 v5 v6 v7;
        create_topics_response CreateTopicsResponse from 2: v2 v3 v4 v5 v6 v7;
        default_principal DefaultPrincipal from 0: v0;
        delete_acls_request DeleteAclsRequest from 1: v1 v2 v3;
        delete_acls_response DeleteAclsResponse from 1: v1 v2 v3;
        delete_groups_request DeleteGroupsRequest from 0: v0 v1 v2;
        delete_groups_response DeleteGroupsResponse from 0: v0 v1 v2;
        delete_records_request DeleteRecordsRequest from 0: v0 v1 v2;
        delete_records_response DeleteRecordsResponse from 0: v0 v1 v2;
        delete_share_group_offsets_request DeleteShareGroupOffsetsRequest from 0: v0;
        delete_share_group_offsets_response DeleteShareGroupOffsetsResponse from 0: v0;
        delete_share_group_state_request DeleteShareGroupStateRequest from 0: v0;
        delete_share_group_state_response DeleteShareGroupStateResponse from 0: v0;
        delete_topics_request DeleteTopicsRequest from 1: v1 v2 v3 v4 v5 v6;
        delete_topics_response DeleteTopicsResponse from 1: v1 v2 v3 v4 v5 v6;
        describe_acls_request DescribeAclsRequest from 1: v1 v2 v3;
        describe_acls_response DescribeAclsResponse from 1: v1 v2 v3;
        describe_client_quotas_request DescribeClientQuotasRequest from 0: v0 v1;
        describe_client_quotas_response DescribeClientQuotasResponse from 0: v0 v1;
        describe_cluster_request DescribeClusterRequest from 0: v0 v1 v2;
        describe_cluster_response DescribeClusterResponse from 0: v0 v1 v2;
        describe_configs_request DescribeConfigsRequest from 1: v1 v2 v3 v4;
        describe_configs_response DescribeConfigsResponse from 1: v1 v2 v3 v4;
        describe_delegation_token_request DescribeDelegationTokenRequest from 1: v1 v2 v3;
        describe_delegation_token_response DescribeDelegationTokenResponse from 1: v1 v2 v3;
        describe_groups_request DescribeGroupsRequest from 0: v0 v1 v2 v3 v4 v5 v6;
        describe_groups_response DescribeGroupsResponse from 0: v0 v1 v2 v3 v4 v5 v6;
        describe_log_dirs_request DescribeLogDirsRequest from 1: v1 v2 v3 v4;
        describe_log_dirs_response DescribeLogDirsResponse from 1: v1 v2 v3 v4;
        describe_producers_request DescribeProducersRequest from 0: v0;
        describe_producers_response DescribeProducersResponse from 0: v0;
        describe_quorum_request DescribeQuorumRequest from 0: v0 v1 v2;
        describe_quorum_response DescribeQuorumResponse from 0: v0 v1 v2;
        describe_share_group_offsets_request DescribeShareGroupOffsetsRequest from 0: v0;
        describe_share_group_offsets_response DescribeShareGroupOffsetsResponse from 0: v0;
        describe_topic_partitions_request DescribeTopicPartitionsRequest from 0: v0;
        describe_topic_partitions_response DescribeTopicPartitionsResponse from 0: v0;
        describe_transactions_request DescribeTransactionsRequest from 0: v0;
        describe_transactions_response DescribeTransactionsResponse from 0: v0;
        describe_user_scram_credentials_request DescribeUserScramCredentialsRequest from 0: v0;
        describe_user_scram_credentials_response DescribeUserScramCredentialsResponse from 0: v0;
        elect_leaders_request ElectLeadersRequest from 0: v0 v1 v2;
        elect_leaders_response ElectLeadersResponse from 0: v0 v1 v2;
        end_quorum_epoch_request EndQuorumEpochRequest from 0: v0 v1;
        end_quorum_epoch_response EndQuorumEpochResponse from 0: v0 v1;
        end_txn_marker EndTxnMarker from 0: v0;
        end_txn_request EndTxnRequest from 0: v0 v1 v2 v3 v4 v5;
        end_txn_response EndTxnResponse from 0: v0 v1 v2 v3 v4 v5;
        envelope_request EnvelopeRequest from 0: v0;
        envelope_response EnvelopeResponse from 0: v0;
        expire_delegation_token_request ExpireDelegationTokenRequest from 1: v1 v2;
        expire_delegation_token_response ExpireDelegationTokenResponse from 1: v1 v2;
        fetch_request FetchRequest from 4: v4 v5 v6 v7 v8 v9 v10 v11 v12 v13 v14 v15 v16 v17 v18;
        fetch_snapshot_request FetchSnapshotRequest from 0: v0 v1;
        find_coordinator_request FindCoordinatorRequest from 0: v0 v1 v2 v3 v4 v5 v6;
        find_coordinator_response FindCoordinatorResponse from 0: v0 v1 v2 v3 v4 v5 v6;
        get_telemetry_subscriptions_request GetTelemetrySubscriptionsRequest from 0: v0;
        get_telemetry_subscriptions_response GetTelemetrySubscriptionsResponse from 0: v0;
        heartbeat_request HeartbeatRequest from 0: v0 v1 v2 v3 v4;
        heartbeat_response HeartbeatResponse from 0: v0 v1 v2 v3 v4;
        incremental_alter_configs_request IncrementalAlterConfigsRequest from 0: v0 v1;
        incremental_alter_configs_response IncrementalAlterConfigsResponse from 0: v0 v1;
        init_producer_id_request InitProducerIdRequest from 0: v0 v1 v2 v3 v4 v5 v6;
        init_producer_id_response InitProducerIdResponse from 0: v0 v1 v2 v3 v4 v5 v6;
        initialize_share_group_state_request InitializeShareGroupStateRequest from 0: v0;
        initialize_share_group_state_response InitializeShareGroupStateResponse from 0: v0;
        join_group_request JoinGroupRequest from 0: v0 v1 v2 v3 v4 v5 v6 v7 v8 v9;
        join_group_response JoinGroupResponse from 0: v0 v1 v2 v3 v4 v5 v6 v7 v8 v9;
        kraft_version_record KRaftVersionRecord from 0: v0;
        leader_change_message LeaderChangeMessage from 0: v0 v1;
        leave_group_request LeaveGroupRequest from 0: v0 v1 v2 v3 v4 v5;
        leave_group_response LeaveGroupResponse from 0: v0 v1 v2 v3 v4 v5;
        list_config_resources_request ListConfigResourcesRequest from 0: v0 v1;
        list_config_resources_response ListConfigResourcesResponse from 0: v0 v1;
        list_groups_request ListGroupsRequest from 0: v0 v1 v2 v3 v4 v5;
        list_groups_response ListGroupsResponse from 0: v0 v1 v2 v3 v4 v5;
        list_offsets_request ListOffsetsRequest from 1: v1 v2 v3 v4 v5 v6 v7 v8 v9 v10;
        list_offsets_response ListOffsetsResponse from 1: v1 v2 v3 v4 v5 v6 v7 v8 v9 v10;
        list_partition_reassignments_request ListPartitionReassignmentsRequest from 0: v0;
        list_partition_reassignments_response ListPartitionReassignmentsResponse from 0: v0;
        list_transactions_request ListTransactionsRequest from 0: v0 v1 v2;
        list_transactions_response ListTransactionsResponse from 0: v0 v1 v2;
        metadata_request MetadataRequest from 0: v0 v1 v2 v3 v4 v5 v6 v7 v8 v9 v10 v11 v12 v13;
        metadata_response MetadataResponse from 0: v0 v1 v2 v3 v4 v5 v6 v7 v8 v9 v10 v11 v12 v13;
        offset_commit_request OffsetCommitRequest from 2: v2 v3 v4 v5 v6 v7 v8 v9 v10;
        offset_commit_response OffsetCommitResponse from 2: v2 v3 v4 v5 v6 v7 v8 v9 v10;
        offset_delete_request OffsetDeleteRequest from 0: v0;
        offset_delete_response OffsetDeleteResponse from 0: v0;
        offset_fetch_request OffsetFetchRequest from 1: v1 v2 v3 v4 v5 v6 v7 v8 v9 v10;
        offset_fetch_response OffsetFetchResponse from 1: v1 v2 v3 v4 v5 v6 v7 v8 v9 v10;
        offset_for_leader_epoch_request OffsetForLeaderEpochRequest from 2: v2 v3 v4;
        offset_for_leader_epoch_response OffsetForLeaderEpochResponse from 2: v2 v3 v4;
        produce_response ProduceResponse from 3: v3 v4 v5 v6 v7 v8 v9 v10 v11 v12 v13;
        push_telemetry_request PushTelemetryRequest from 0: v0;
        push_telemetry_response PushTelemetryResponse from 0: v0;
        read_share_group_state_request ReadShareGroupStateRequest from 0: v0;
        read_share_group_state_response ReadShareGroupStateResponse from 0: v0;
        read_share_group_state_summary_request ReadShareGroupStateSummaryRequest from 0: v0;
        read_share_group_state_summary_response ReadShareGroupStateSummaryResponse from 0: v0;
        remove_raft_voter_request RemoveRaftVoterRequest from 0: v0;
        remove_raft_voter_response RemoveRaftVoterResponse from 0: v0;
        renew_delegation_token_request RenewDelegationTokenRequest from 1: v1 v2;
        renew_delegation_token_response RenewDelegationTokenResponse from 1: v1 v2;
        sasl_authenticate_request SaslAuthenticateRequest from 0: v0 v1 v2;
        sasl_authenticate_response SaslAuthenticateResponse from 0: v0 v1 v2;
        sasl_handshake_request SaslHandshakeRequest from 0: v0 v1;
        sasl_handshake_response SaslHandshakeResponse from 0: v0 v1;
        share_acknowledge_request ShareAcknowledgeRequest from 1: v1;
        share_acknowledge_response ShareAcknowledgeResponse from 1: v1;
        share_fetch_request ShareFetchRequest from 1: v1;
        share_group_describe_request ShareGroupDescribeRequest from 1: v1;
        share_group_describe_response ShareGroupDescribeResponse from 1: v1;
        share_group_heartbeat_request ShareGroupHeartbeatRequest from 1: v1;
        share_group_heartbeat_response ShareGroupHeartbeatResponse from 1: v1;
        snapshot_footer_record SnapshotFooterRecord from 0: v0;
        snapshot_header_record SnapshotHeaderRecord from 0: v0;
        streams_group_describe_request StreamsGroupDescribeRequest from 0: v0;
        streams_group_describe_response StreamsGroupDescribeResponse from 0: v0;
        streams_group_heartbeat_request StreamsGroupHeartbeatRequest from 0: v0;
        streams_group_heartbeat_response StreamsGroupHeartbeatResponse from 0: v0;
        sync_group_request SyncGroupRequest from 0: v0 v1 v2 v3 v4 v5;
        sync_group_response SyncGroupResponse from 0: v0 v1 v2 v3 v4 v5;
        txn_offset_commit_request TxnOffsetCommitRequest from 0: v0 v1 v2 v3 v4 v5;
        txn_offset_commit_response TxnOffsetCommitResponse from 0: v0 v1 v2 v3 v4 v5;
        unregister_broker_request UnregisterBrokerRequest from 0: v0;
        unregister_broker_response UnregisterBrokerResponse from 0: v0;
        update_features_request UpdateFeaturesRequest from 0: v0 v1 v2;
        update_features_response UpdateFeaturesResponse from 0: v0 v1 v2;
        update_raft_voter_request UpdateRaftVoterRequest from 0: v0;
        update_raft_voter_response UpdateRaftVoterResponse from 0: v0;
        vote_request VoteRequest from 0: v0 v1 v2;
        vote_response VoteResponse from 0: v0 v1 v2;
        voters_record VotersRecord from 0: v0;
        write_share_group_state_request WriteShareGroupStateRequest from 0: v0;
        write_share_group_state_response WriteShareGroupStateResponse from 0: v0;
        write_txn_markers_request WriteTxnMarkersRequest from 1: v1;
        write_txn_markers_response WriteTxnMarkersResponse from 1: v1;
    });
    let principal = types.remove("DefaultPrincipal").expect("it is in the list");
    types.insert("DefaultPrincipalData".to_owned(), principal);
    types
}
