package main

import (
	"encoding/binary"
	"errors"
	"net"
	"time"

	"github.com/IBM/sarama"

	"wireproof/implementations/go/lines"
)

const (
	produceKey, initProducerIDKey = 0, 22
	// waits is how long a producer waits for further messages.
	waits = 100 * time.Millisecond
)

// produceVersions are the highest version of Kafka that a producer takes for a magic, and the version of Produce that it sends
// then.
var produceVersions = map[int]struct {
	kafka   sarama.KafkaVersion
	produce int
}{0: {sarama.V0_9_0_0, 0}, 1: {sarama.V0_10_2_0, 2}, 2: {sarama.V2_1_0_0, 7}}

var codecs = map[string]sarama.CompressionCodec{
	"none": sarama.CompressionNone, "gzip": sarama.CompressionGZIP, "snappy": sarama.CompressionSnappy,
	"lz4": sarama.CompressionLZ4, "zstd": sarama.CompressionZSTD,
}

func (cluster *cluster) Partitions(_ string) ([]int32, error)             { return []int32{0}, nil }
func (cluster *cluster) WritablePartitions(_ string) ([]int32, error)     { return []int32{0}, nil }
func (cluster *cluster) Leader(_ string, _ int32) (*sarama.Broker, error) { return cluster.broker, nil }
func (cluster *cluster) LeastLoadedBroker() *sarama.Broker                { return cluster.broker }

// partition is the broker's end of a producer's connection. It gives the producer its id, and keeps what it is sent.
type partition struct {
	batch   lines.Batch
	version int
	// records are those of all Produce requests. They may be read when the producer has its answer.
	records []byte
}

// Dial is called by sarama in place of net.Dial.
func (partition *partition) Dial(_, _ string) (net.Conn, error) {
	theirs, ours := net.Pipe()
	go partition.serve(ours)
	return theirs, nil
}

func (partition *partition) serve(connection net.Conn) {
	defer connection.Close()
	for {
		request, err := readFrame(connection)
		if err != nil {
			return
		}
		response := append([]byte{}, request[4:8]...)
		switch binary.BigEndian.Uint16(request) {
		case initProducerIDKey: // ThrottleTimeMs ErrorCode ProducerId ProducerEpoch
			response = append(response, make([]byte, 4+2)...)
			response = binary.BigEndian.AppendUint64(response, uint64(partition.batch.ProducerID))
			response = binary.BigEndian.AppendUint16(response, uint16(partition.batch.ProducerEpoch))
		case produceKey:
			partition.records = append(partition.records, request[partition.recordsAt():]...)
			response = append(response, partition.answer()...)
		}
		if _, err := connection.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(response))), response...)); err != nil {
			return
		}
	}
}

// recordsAt is where a Produce request has its records.
func (partition *partition) recordsAt() int {
	// Acks TimeoutMs, one topic with one partition: Index and the size of its records
	at := headerSize + 2 + 4 + 4 + 2 + len(topic) + 4 + 4 + 4
	if partition.version >= 3 {
		at += 2 // TransactionalId
	}
	return at
}

// answer is a Produce response without an error.
func (partition *partition) answer() []byte {
	// one topic with one partition: Index ErrorCode BaseOffset
	body := append(append([]byte{0, 0, 0, 1, 0, byte(len(topic))}, topic...), 0, 0, 0, 1)
	body = append(body, make([]byte, 4+2+8)...)
	if partition.version >= 2 {
		body = append(body, make([]byte, 8)...) // LogAppendTimeMs
	}
	if partition.version >= 5 {
		body = append(body, make([]byte, 8)...) // LogStartOffset
	}
	if partition.version >= 1 {
		body = append(body, make([]byte, 4)...) // ThrottleTimeMs
	}
	return body
}

// produce is what a SyncProducer sends for messages.
func produce(batch lines.Batch) ([]byte, error) {
	if batch.Transactional {
		return nil, lines.NotOffered("a transaction needs its coordinator")
	}
	if batch.Idempotent() && batch.BaseSequence != 0 {
		return nil, lines.NotOffered("a producer's sequence begins at 0")
	}
	versions := produceVersions[batch.Magic]
	partition := &partition{batch: batch, version: versions.produce}
	config := new(peer).config()
	config.Version = versions.kafka
	config.Net.Proxy.Dialer = partition
	config.Producer.Compression = codecs[batch.Codec]
	config.Producer.Flush.Messages = len(batch.Records)
	config.Producer.Flush.Frequency = waits // where one of them is refused
	config.Producer.MaxMessageBytes = int(sarama.MaxRequestSize) - 1
	config.Producer.Partitioner = sarama.NewManualPartitioner
	config.Producer.Return.Successes = true
	config.Producer.Retry.Max = 1
	if batch.Idempotent() {
		config.Net.MaxOpenRequests = 1
		config.Producer.Idempotent = true
		config.Producer.RequiredAcks = sarama.WaitForAll
	}
	if err := config.Validate(); err != nil {
		return nil, err
	}
	broker := sarama.NewBroker("broker:9092")
	if err := broker.Open(config); err != nil {
		return nil, err
	}
	defer broker.Close()
	producer, err := sarama.NewSyncProducerFromClient(&cluster{config: config, broker: broker})
	if err != nil {
		return nil, err
	}
	defer producer.Close()
	messages := make([]*sarama.ProducerMessage, len(batch.Records))
	for index, record := range batch.Records {
		messages[index] = message(record)
	}
	var failed sarama.ProducerErrors
	if errors.As(producer.SendMessages(messages), &failed) {
		return nil, failed[0].Err
	}
	return partition.records, nil
}

func message(record lines.Record) *sarama.ProducerMessage {
	made := &sarama.ProducerMessage{Topic: topic, Timestamp: record.Time}
	if record.Key != nil {
		made.Key = sarama.ByteEncoder(record.Key)
	}
	if record.Value != nil {
		made.Value = sarama.ByteEncoder(record.Value)
	}
	for _, header := range record.Headers {
		made.Headers = append(made.Headers, sarama.RecordHeader{Key: []byte(header.Key), Value: header.Value})
	}
	return made
}
