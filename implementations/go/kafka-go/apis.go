package main

import (
	"math"

	"github.com/segmentio/kafka-go/protocol"
	// A package registers the messages of its API when it is imported.
	_ "github.com/segmentio/kafka-go/protocol/addoffsetstotxn"
	_ "github.com/segmentio/kafka-go/protocol/addpartitionstotxn"
	_ "github.com/segmentio/kafka-go/protocol/alterclientquotas"
	_ "github.com/segmentio/kafka-go/protocol/alterconfigs"
	_ "github.com/segmentio/kafka-go/protocol/alterpartitionreassignments"
	_ "github.com/segmentio/kafka-go/protocol/alteruserscramcredentials"
	_ "github.com/segmentio/kafka-go/protocol/apiversions"
	_ "github.com/segmentio/kafka-go/protocol/createacls"
	_ "github.com/segmentio/kafka-go/protocol/createpartitions"
	_ "github.com/segmentio/kafka-go/protocol/createtopics"
	_ "github.com/segmentio/kafka-go/protocol/deleteacls"
	_ "github.com/segmentio/kafka-go/protocol/deletegroups"
	_ "github.com/segmentio/kafka-go/protocol/deletetopics"
	_ "github.com/segmentio/kafka-go/protocol/describeacls"
	_ "github.com/segmentio/kafka-go/protocol/describeclientquotas"
	_ "github.com/segmentio/kafka-go/protocol/describeconfigs"
	_ "github.com/segmentio/kafka-go/protocol/describegroups"
	_ "github.com/segmentio/kafka-go/protocol/describeuserscramcredentials"
	_ "github.com/segmentio/kafka-go/protocol/electleaders"
	_ "github.com/segmentio/kafka-go/protocol/endtxn"
	_ "github.com/segmentio/kafka-go/protocol/fetch"
	_ "github.com/segmentio/kafka-go/protocol/findcoordinator"
	_ "github.com/segmentio/kafka-go/protocol/heartbeat"
	_ "github.com/segmentio/kafka-go/protocol/incrementalalterconfigs"
	_ "github.com/segmentio/kafka-go/protocol/initproducerid"
	_ "github.com/segmentio/kafka-go/protocol/joingroup"
	_ "github.com/segmentio/kafka-go/protocol/leavegroup"
	_ "github.com/segmentio/kafka-go/protocol/listgroups"
	_ "github.com/segmentio/kafka-go/protocol/listoffsets"
	_ "github.com/segmentio/kafka-go/protocol/listpartitionreassignments"
	_ "github.com/segmentio/kafka-go/protocol/metadata"
	_ "github.com/segmentio/kafka-go/protocol/offsetcommit"
	_ "github.com/segmentio/kafka-go/protocol/offsetdelete"
	_ "github.com/segmentio/kafka-go/protocol/offsetfetch"
	_ "github.com/segmentio/kafka-go/protocol/produce"
	_ "github.com/segmentio/kafka-go/protocol/saslauthenticate"
	_ "github.com/segmentio/kafka-go/protocol/saslhandshake"
	_ "github.com/segmentio/kafka-go/protocol/syncgroup"
	_ "github.com/segmentio/kafka-go/protocol/txnoffsetcommit"
)

// never is a version that no API has.
const never = math.MaxInt16

// flexibleFrom are the APIs that are registered, with the first version that is flexible in Kafka.
var flexibleFrom = map[protocol.ApiKey]int16{
	protocol.AddOffsetsToTxn:              3,
	protocol.AddPartitionsToTxn:           3,
	protocol.AlterClientQuotas:            1,
	protocol.AlterConfigs:                 2,
	protocol.AlterPartitionReassignments:  0,
	protocol.AlterUserScramCredentials:    0,
	protocol.ApiVersions:                  3,
	protocol.CreateAcls:                   2,
	protocol.CreatePartitions:             2,
	protocol.CreateTopics:                 5,
	protocol.DeleteAcls:                   2,
	protocol.DeleteGroups:                 2,
	protocol.DeleteTopics:                 4,
	protocol.DescribeAcls:                 2,
	protocol.DescribeClientQuotas:         1,
	protocol.DescribeConfigs:              4,
	protocol.DescribeGroups:               5,
	protocol.DescribeUserScramCredentials: 0,
	protocol.ElectLeaders:                 2,
	protocol.EndTxn:                       3,
	protocol.Fetch:                        12,
	protocol.FindCoordinator:              3,
	protocol.Heartbeat:                    4,
	protocol.IncrementalAlterConfigs:      1,
	protocol.InitProducerId:               2,
	protocol.JoinGroup:                    6,
	protocol.LeaveGroup:                   4,
	protocol.ListGroups:                   3,
	protocol.ListOffsets:                  6,
	protocol.ListPartitionReassignments:   0,
	protocol.Metadata:                     9,
	protocol.OffsetCommit:                 8,
	protocol.OffsetDelete:                 never,
	protocol.OffsetFetch:                  6,
	protocol.Produce:                      9,
	protocol.SaslAuthenticate:             2,
	protocol.SaslHandshake:                never,
	protocol.SyncGroup:                    4,
	protocol.TxnOffsetCommit:              3,
}
