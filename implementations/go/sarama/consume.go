package main

import (
	"encoding/binary"
	"math"
	"net"

	"github.com/IBM/sarama"

	"wireproof/implementations/go/lines"
)

const (
	topic = "t"
	// Fetch 11: before FetchOffset stand ReplicaId MaxWaitMs MinBytes MaxBytes IsolationLevel SessionId SessionEpoch, one topic
	// with one partition, PartitionIndex CurrentLeaderEpoch.
	fetchOffsetAt = headerSize + 4 + 4 + 4 + 4 + 1 + 4 + 4 + 4 + 2 + len(topic) + 4 + 4 + 4
)

// cluster is a sarama.Client that needs no connection: of its methods a Consumer calls these.
type cluster struct {
	sarama.Client
	config *sarama.Config
	broker *sarama.Broker
}

func (cluster *cluster) Config() *sarama.Config            { return cluster.config }
func (cluster *cluster) Closed() bool                      { return false }
func (cluster *cluster) RefreshMetadata(_ ...string) error { return nil }

func (cluster *cluster) LeaderAndEpoch(_ string, _ int32) (*sarama.Broker, int32, error) {
	return cluster.broker, 0, nil
}

// GetOffset lets a consumer begin anywhere.
func (cluster *cluster) GetOffset(_ string, _ int32, at int64) (int64, error) {
	if at == sarama.OffsetOldest {
		return math.MinInt64, nil
	}
	return math.MaxInt64, nil
}

// leader is the broker's end of a consumer's connection. It answers the first Fetch request; the offset in the second is where
// the consumer reads on.
type leader struct {
	response []byte
	position chan int64
	// closing is closed when the consumer is.
	closing chan struct{}
}

// Dial is called by sarama in place of net.Dial.
func (leader *leader) Dial(_, _ string) (net.Conn, error) {
	theirs, ours := net.Pipe()
	go leader.serve(ours)
	return theirs, nil
}

func (leader *leader) serve(connection net.Conn) {
	defer connection.Close()
	first, err := readFrame(connection)
	if err != nil {
		return
	}
	response := append(append([]byte{}, first[4:8]...), leader.response...)
	if _, err := connection.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(response))), response...)); err != nil {
		return
	}
	if second, err := readFrame(connection); err == nil {
		leader.position <- int64(binary.BigEndian.Uint64(second[fetchOffsetAt:]))
		<-leader.closing
	}
}

// consume is what a PartitionConsumer delivers of one Fetch response. After an error it tells, it delivers nothing of it.
func consume(fetched lines.Fetched) ([]any, int64, error) {
	if fetched.Position == sarama.OffsetNewest || fetched.Position == sarama.OffsetOldest {
		return nil, 0, lines.NotOffered("a Consumer takes the offsets -1 and -2 for the newest and the oldest one")
	}
	leader := &leader{fetchResponse(fetched), make(chan int64, 1), make(chan struct{})}
	config := new(peer).config()
	config.Version = sarama.V2_3_0_0
	config.ChannelBufferSize = 0 // so that all messages are taken before the next request
	config.Consumer.Return.Errors = true
	config.Net.Proxy.Dialer = leader
	if fetched.ReadCommitted {
		config.Consumer.IsolationLevel = sarama.ReadCommitted
	}
	broker := sarama.NewBroker("broker:9092")
	if err := broker.Open(config); err != nil {
		return nil, 0, err
	}
	defer broker.Close() // it waits for the response to the second request, or for the end of the connection
	defer close(leader.closing)
	consumer, err := sarama.NewConsumerFromClient(&cluster{config: config, broker: broker})
	if err != nil {
		return nil, 0, err
	}
	defer consumer.Close()
	partition, err := consumer.ConsumePartition(topic, 0, fetched.Position)
	if err != nil {
		return nil, 0, err
	}
	defer partition.AsyncClose()
	records := []any{}
	for {
		select {
		case message := <-partition.Messages():
			records = append(records, delivered(message))
		case failed := <-partition.Errors():
			return nil, 0, failed.Err
		case position := <-leader.position:
			return records, position, nil
		}
	}
}

func fetchResponse(fetched lines.Fetched) []byte {
	// ThrottleTimeMs ErrorCode SessionId, one topic
	body := append(make([]byte, 4+2+4), 0, 0, 0, 1, 0, byte(len(topic)))
	// one partition: PartitionIndex ErrorCode
	body = append(append(append(body, topic...), 0, 0, 0, 1), make([]byte, 4+2)...)
	// HighWatermark LastStableOffset LogStartOffset
	body = append(binary.BigEndian.AppendUint64(body, math.MaxInt64), make([]byte, 8+8)...)
	body = binary.BigEndian.AppendUint32(body, uint32(len(fetched.Aborted)))
	for _, one := range fetched.Aborted {
		body = binary.BigEndian.AppendUint64(body, uint64(one.ProducerID))
		body = binary.BigEndian.AppendUint64(body, uint64(one.FirstOffset))
	}
	body = append(body, 0xff, 0xff, 0xff, 0xff) // PreferredReadReplica
	return append(binary.BigEndian.AppendUint32(body, uint32(len(fetched.Data))), fetched.Data...)
}

// delivered is a message; sarama does not tell the type of its timestamp.
func delivered(message *sarama.ConsumerMessage) lines.Struct {
	headers := make([]any, len(message.Headers))
	for index, header := range message.Headers {
		headers[index] = []any{shownKey(header.Key), shownOctets(header.Value)}
	}
	return lines.Struct{
		"offset":    message.Offset,
		"timestamp": shownTime(message.Timestamp),
		"key":       shownOctets(message.Key),
		"value":     shownOctets(message.Value),
		"headers":   headers,
	}
}
