package client

import (
	"context"
	"encoding/binary"
	"net"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"wireproof/implementations/go/lines"
)

const (
	node  = 1
	host  = "127.0.0.1"
	port  = 9092
	topic = "t"
)

// announced are the highest versions that a producer's broker announces, but of Produce, which has one for each magic.
var announced = map[kmsg.Key]int16{
	kmsg.Metadata: 8, kmsg.FindCoordinator: 2, kmsg.ApiVersions: 2, kmsg.InitProducerID: 1, kmsg.AddPartitionsToTxn: 2,
}

var produceVersions = []int16{1, 2, 8}

var codecs = map[string]kgo.CompressionCodec{
	"none": kgo.NoCompression(), "gzip": kgo.GzipCompression(), "snappy": kgo.SnappyCompression(),
	"lz4": kgo.Lz4Compression(), "zstd": kgo.ZstdCompression(),
}

// leader is the broker of a producer, with one topic of one partition. It keeps the records that it is sent, which may be read
// when the producer has its answer.
type leader struct {
	batch   lines.Batch
	records []byte
}

// Produce is what the client's producer sends for records.
func Produce(batch lines.Batch) ([]byte, error) {
	if batch.Idempotent() && batch.BaseSequence > 0 {
		return nil, lines.NotOffered("a producer's sequence begins at 0")
	}
	leader := &leader{batch: batch}
	options := []kgo.Opt{
		kgo.DisableClientMetrics(),
		kgo.Dialer(func(context.Context, string, string) (net.Conn, error) {
			theirs, ours := net.Pipe()
			go leader.serve(ours)
			return theirs, nil
		}),
		kgo.ProducerBatchCompression(codecs[batch.Codec]),
		kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.RecordRetries(1),
	}
	switch {
	case batch.Transactional:
		options = append(options, kgo.TransactionalID("x"))
	case !batch.Idempotent():
		options = append(options, kgo.DisableIdempotentWrite())
	}
	client, err := kgo.NewClient(options...)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	if batch.Transactional {
		if err := client.BeginTransaction(); err != nil {
			return nil, err
		}
	}
	records := make([]*kgo.Record, len(batch.Records))
	for index, record := range batch.Records {
		records[index] = &kgo.Record{Topic: topic, Timestamp: record.Time, Key: record.Key, Value: record.Value}
		for _, header := range record.Headers {
			records[index].Headers = append(records[index].Headers, kgo.RecordHeader(header))
		}
	}
	if err := client.ProduceSync(context.Background(), records...).FirstErr(); err != nil {
		return nil, err
	}
	return leader.records, nil
}

func (leader *leader) serve(connection net.Conn) {
	defer connection.Close()
	for {
		request, err := readFrame(connection)
		if err != nil {
			return
		}
		asked := headerOf(request)
		message := kmsg.RequestForKey(asked.key)
		message.SetVersion(asked.version)
		if err := message.ReadFrom(request[sizePrefix+bodyAt(request, message):]); err != nil {
			return
		}
		response := binary.BigEndian.AppendUint32(make([]byte, sizePrefix), asked.correlationID)
		response = leader.answer(message).AppendTo(response)
		binary.BigEndian.PutUint32(response, uint32(len(response)-sizePrefix))
		if _, err := connection.Write(response); err != nil {
			return
		}
	}
}

// answer is the response to a request, without an error.
func (leader *leader) answer(message kmsg.Request) kmsg.Response {
	response := message.ResponseKind()
	switch response := response.(type) {
	case *kmsg.ApiVersionsResponse:
		produce := produceVersions[leader.batch.Magic]
		response.ApiKeys = []kmsg.ApiVersionsResponseApiKey{{ApiKey: 0, MaxVersion: produce}}
		for key, highest := range announced {
			response.ApiKeys = append(response.ApiKeys, kmsg.ApiVersionsResponseApiKey{ApiKey: int16(key), MaxVersion: highest})
		}
	case *kmsg.MetadataResponse:
		name := topic
		response.Brokers = []kmsg.MetadataResponseBroker{{NodeID: node, Host: host, Port: port}}
		response.ControllerID = node
		response.Topics = []kmsg.MetadataResponseTopic{{
			Topic:      &name,
			Partitions: []kmsg.MetadataResponseTopicPartition{{Leader: node, Replicas: []int32{node}, ISR: []int32{node}}},
		}}
	case *kmsg.FindCoordinatorResponse:
		response.NodeID, response.Host, response.Port = node, host, port
	case *kmsg.InitProducerIDResponse:
		response.ProducerID, response.ProducerEpoch = leader.batch.ProducerID, leader.batch.ProducerEpoch
	case *kmsg.AddPartitionsToTxnResponse:
		response.Topics = []kmsg.AddPartitionsToTxnResponseTopic{{
			Topic: topic, Partitions: make([]kmsg.AddPartitionsToTxnResponseTopicPartition, 1),
		}}
	case *kmsg.ProduceResponse:
		leader.records = append(leader.records, message.(*kmsg.ProduceRequest).Topics[0].Partitions[0].Records...)
		response.Topics = []kmsg.ProduceResponseTopic{{
			Topic: topic, Partitions: make([]kmsg.ProduceResponseTopicPartition, 1),
		}}
	}
	return response
}
