package main

import (
	"bytes"
	"context"
	"math"
	"net"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"
	"github.com/segmentio/kafka-go/protocol/metadata"
	"github.com/segmentio/kafka-go/protocol/produce"

	"wireproof/implementations/go/lines"
)

const (
	producedTopic = "t"
	// Before the records of a Produce request without a client id stand its size, key, version, correlation id and client id,
	// Acks, Timeout, one topic with its name, and one partition with its index and the records' size. From version 3 on
	// TransactionalId is there too.
	recordsAt       = 4 + 2 + 2 + 4 + 2 + 2 + 4 + 4 + 2 + len(producedTopic) + 4 + 4 + 4
	transactionalID = 2
)

// produceVersions are versions of Produce that carry a magic.
var produceVersions = map[int]int16{1: 2, 2: 7}

var compressions = map[string]kafka.Compression{
	"none": 0, "gzip": kafka.Gzip, "snappy": kafka.Snappy, "lz4": kafka.Lz4, "zstd": kafka.Zstd,
}

// cluster is a Transport with a broker in it, which has one topic with one partition.
type cluster struct {
	version int16
	records []byte
}

// RoundTrip writes a Produce request as a Transport does, and keeps its records.
func (cluster *cluster) RoundTrip(_ context.Context, _ net.Addr, request kafka.Request) (kafka.Response, error) {
	if _, ok := request.(*metadata.Request); ok {
		topic := metadata.ResponseTopic{Name: producedTopic, Partitions: make([]metadata.ResponsePartition, 1)}
		return &metadata.Response{Topics: []metadata.ResponseTopic{topic}}, nil
	}
	request.(protocol.PreparedMessage).Prepare(cluster.version)
	frame := new(bytes.Buffer)
	if err := protocol.WriteRequest(frame, cluster.version, 1, "", request); err != nil {
		return nil, err
	}
	begin := recordsAt
	if cluster.version >= 3 {
		begin += transactionalID
	}
	cluster.records = frame.Bytes()[begin:]
	topic := produce.ResponseTopic{Topic: producedTopic, Partitions: make([]produce.ResponsePartition, 1)}
	return &produce.Response{Topics: []produce.ResponseTopic{topic}}, nil
}

// produced is what a Writer sends for records.
func produced(batch lines.Batch) ([]byte, error) {
	version, found := produceVersions[batch.Magic]
	if !found {
		return nil, lines.NotOfferedf("kafka-go writes no magic %d", batch.Magic)
	}
	if batch.Idempotent() {
		return nil, lines.NotOffered("a Writer has no producer id")
	}
	cluster := &cluster{version: version}
	writer := &kafka.Writer{
		Addr:         kafka.TCP("broker:9092"),
		Topic:        producedTopic,
		Transport:    cluster,
		RequiredAcks: kafka.RequireOne,
		MaxAttempts:  1,
		BatchSize:    len(batch.Records),
		BatchBytes:   math.MaxInt32,
		Compression:  compressions[batch.Codec],
	}
	defer writer.Close()
	messages := make([]kafka.Message, len(batch.Records))
	for index, record := range batch.Records {
		messages[index] = kafka.Message{Time: record.Time, Key: record.Key, Value: record.Value}
		for _, header := range record.Headers {
			messages[index].Headers = append(messages[index].Headers, kafka.Header(header))
		}
	}
	err := writer.WriteMessages(context.Background(), messages...)
	return cluster.records, err
}
