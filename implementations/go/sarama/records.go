package main

import (
	"encoding/binary"
	"math"
	"time"
	"unicode/utf8"

	"github.com/IBM/sarama"

	"wireproof/implementations/go/lines"
)

// Records are read as a consumer reads them, in the answer to a Fetch request, and written as a producer writes them, in
// a Produce request.

const (
	// Where an entry of a set has its length, and what that counts.
	lengthAt, entryAt = 8, 12
	// A batch has its attributes after a CRC, a message right after its magic.
	magicAt, attributesAt = 16, 21

	codecBits, logAppendTime, transactional, control = 0x07, 0x08, 0x10, 0x20

	batchBits   = codecBits | logAppendTime | transactional | control
	messageBits = codecBits | logAppendTime
)

func (peer *peer) records() map[string]lines.Codec {
	return map[string]lines.Codec{
		"RecordBatch": {Decode: peer.decodeBatch, Encode: peer.encodeBatch},
		"RecordSet":   {Decode: peer.decodeSet, Encode: peer.encodeSet},
		"MessageSet":  {Versions: &lines.Versions{0, 1}, Decode: peer.decodeMessages, Encode: peer.encodeMessages},
	}
}

// fetched is what a consumer finds in a set.
func (peer *peer) fetched(data []byte) (*sarama.FetchResponseBlock, error) {
	const version = 11
	// ThrottleTimeMs ErrorCode SessionId, one topic "t"
	answer := append(make([]byte, 4+2+4), 0, 0, 0, 1, 0, 1, 't')
	// one partition: PartitionIndex ErrorCode HighWatermark LastStableOffset LogStartOffset
	answer = append(append(answer, 0, 0, 0, 1), make([]byte, 4+2+8+8+8)...)
	// AbortedTransactions PreferredReadReplica Records
	answer = append(append(answer, 0, 0, 0, 0), make([]byte, 4)...)
	answer = append(binary.BigEndian.AppendUint32(answer, uint32(len(data))), data...)
	var block *sarama.FetchResponseBlock
	_, err := peer.call(false, false, answer, func(broker *sarama.Broker) error {
		found, err := broker.Fetch(&sarama.FetchRequest{Version: version})
		if err == nil {
			block = found.Blocks["t"][0]
		}
		return err
	})
	return block, err
}

func (peer *peer) decodeBatch(_ int, data []byte) (any, error) {
	block, err := peer.fetched(data)
	if err != nil {
		return nil, err
	}
	if block.Partial || len(block.RecordsSet) == 0 {
		return nil, lines.Refusal{Detail: "sarama finds no whole batch here"}
	}
	batch := block.RecordsSet[0].RecordBatch
	if batch == nil {
		return nil, lines.Refusal{Reason: "unsupported-magic", Detail: "sarama finds a message here, and no batch"}
	}
	if batch.PartialTrailingRecord {
		return nil, lines.Refusal{Detail: "PartialTrailingRecord"}
	}
	size := entryAt + int(binary.BigEndian.Uint32(data[lengthAt:]))
	if err := lines.LeftOver(len(data), len(data)-size); err != nil {
		return nil, err
	}
	if err := otherBits(data); err != nil {
		return nil, err
	}
	return shownBatch(batch), nil
}

func (peer *peer) decodeSet(_ int, data []byte) (any, error) {
	block, err := peer.fetched(data)
	if err != nil {
		return nil, err
	}
	shown := []any{}
	for _, records := range block.RecordsSet {
		if records.RecordBatch == nil {
			for _, message := range records.MsgSet.Messages {
				one, err := shownMessage(message)
				if err != nil {
					return nil, err
				}
				one["magic"] = int64(message.Msg.Version)
				shown = append(shown, one)
			}
			continue
		}
		if records.RecordBatch.PartialTrailingRecord {
			continue // a part of a batch at the end, which a consumer fetches again
		}
		one := shownBatch(records.RecordBatch)
		one["magic"] = int64(records.RecordBatch.Version)
		shown = append(shown, one)
	}
	return shown, otherBits(data)
}

// otherBits is an error if an entry of a set has bits in its attributes for which sarama has no field.
func otherBits(data []byte) error {
	for len(data) > attributesAt+1 {
		attributes := int64(int16(binary.BigEndian.Uint16(data[attributesAt:]))) &^ batchBits
		if data[magicAt] < 2 {
			attributes = int64(int8(data[magicAt+1])) &^ messageBits
		}
		if attributes != 0 {
			return lines.NotOffered("sarama has no field for all bits of these attributes")
		}
		size := entryAt + int(binary.BigEndian.Uint32(data[lengthAt:]))
		data = data[min(size, len(data)):]
	}
	return nil
}

func (peer *peer) decodeMessages(magic int, data []byte) (any, error) {
	if len(data) > magicAt && data[magicAt] > 1 {
		return nil, lines.Refusal{Reason: "unsupported-magic", Detail: "sarama would read a batch here, and no message"}
	}
	block, err := peer.fetched(data)
	if err != nil {
		return nil, err
	}
	shown := []any{}
	for _, records := range block.RecordsSet {
		if records.MsgSet == nil {
			return nil, lines.Refusal{Reason: "unsupported-magic", Detail: "sarama finds a batch here, and no message"}
		}
		for _, message := range records.MsgSet.Messages {
			if int(message.Msg.Version) != magic {
				return nil, lines.Refusal{Reason: "unsupported-magic", Detail: "not all of the magic asked for"}
			}
			one, err := shownMessage(message)
			if err != nil {
				return nil, err
			}
			shown = append(shown, one)
		}
	}
	return shown, otherBits(data)
}

func shownBatch(batch *sarama.RecordBatch) lines.Struct {
	records := make([]any, len(batch.Records))
	for index, record := range batch.Records {
		headers := make([]any, len(record.Headers))
		for index, header := range record.Headers {
			headers[index] = []any{shownKey(header.Key), shownOctets(header.Value)}
		}
		records[index] = lines.Struct{
			"attributes":     int64(record.Attributes),
			"timestampDelta": record.TimestampDelta.Milliseconds(),
			"offsetDelta":    record.OffsetDelta,
			"key":            shownOctets(record.Key),
			"value":          shownOctets(record.Value),
			"headers":        headers,
		}
	}
	return lines.Struct{
		"baseOffset":           batch.FirstOffset,
		"partitionLeaderEpoch": int64(batch.PartitionLeaderEpoch),
		"attributes":           attributesOf(batch),
		"lastOffsetDelta":      int64(batch.LastOffsetDelta),
		"baseTimestamp":        shownTime(batch.FirstTimestamp),
		"maxTimestamp":         shownTime(batch.MaxTimestamp),
		"producerId":           batch.ProducerID,
		"producerEpoch":        int64(batch.ProducerEpoch),
		"baseSequence":         int64(batch.FirstSequence),
		"records":              records,
	}
}

func attributesOf(batch *sarama.RecordBatch) int64 {
	bits := int64(batch.Codec)
	if batch.LogAppendTime {
		bits |= logAppendTime
	}
	if batch.IsTransactional {
		bits |= transactional
	}
	if batch.Control {
		bits |= control
	}
	return bits
}

// shownKey is a header's key: its text, else its bytes.
func shownKey(key []byte) any {
	if key != nil && utf8.Valid(key) {
		return string(key)
	}
	return shownOctets(key)
}

// shownTime is -1 for the zero time, which is what sarama has and writes for -1.
func shownTime(at time.Time) int64 {
	if at.IsZero() {
		return -1
	}
	return at.UnixMilli()
}

func shownMessage(block *sarama.MessageBlock) (lines.Struct, error) {
	message := block.Msg
	attributes := int64(message.Codec)
	if message.LogAppendTime {
		attributes |= logAppendTime
	}
	shown := lines.Struct{"offset": block.Offset, "attributes": attributes, "key": shownOctets(message.Key)}
	if message.Version == 1 {
		shown["timestamp"] = shownTime(message.Timestamp)
	}
	if message.Set == nil {
		shown["value"] = shownOctets(message.Value)
		return shown, nil
	}
	if message.Version == 1 {
		return nil, lines.NotOffered("sarama's consumer, not its reader, adds the base to the offsets in a wrapper of magic 1")
	}
	messages := make([]any, len(message.Set.Messages))
	for index, inner := range message.Set.Messages {
		one, err := shownMessage(inner)
		if err != nil {
			return nil, err
		}
		messages[index] = one
	}
	shown["messages"] = messages
	return shown, nil
}

// produced is what a producer writes for the records of a partition, in a request of this version.
func (peer *peer) produced(version int16, add func(request *sarama.ProduceRequest)) ([]byte, error) {
	request := &sarama.ProduceRequest{Version: version, RequiredAcks: sarama.WaitForLocal}
	add(request)
	// no topics, and from version 1 on ThrottleTimeMs
	answer := make([]byte, 4)
	if version >= 1 {
		answer = make([]byte, 8)
	}
	body, err := peer.call(false, false, answer, func(broker *sarama.Broker) error {
		_, err := broker.Produce(request)
		return err
	})
	if err != nil {
		return nil, err
	}
	// TransactionalId (from version 3 on) Acks TimeoutMs, one topic "t", one partition: Index and the size of its records
	skipped := 2 + 4 + 4 + 2 + 1 + 4 + 4 + 4
	if version >= 3 {
		skipped += 2
	}
	return body[skipped:], nil
}

var batchFields = []string{
	"magic", "baseOffset", "partitionLeaderEpoch", "attributes", "lastOffsetDelta", "baseTimestamp", "maxTimestamp",
	"producerId", "producerEpoch", "baseSequence", "records",
}

func (peer *peer) encodeBatch(_ int, value any) ([]byte, error) {
	fields := value.(lines.Struct)
	if err := lines.OnlyFields(fields, batchFields...); err != nil {
		return nil, err
	}
	var given lines.Errors
	attributes := lines.Field[int16](&given, fields, "attributes")
	batch := &sarama.RecordBatch{
		Version:              2,
		Codec:                sarama.CompressionCodec(attributes & codecBits),
		CompressionLevel:     sarama.CompressionLevelDefault,
		Control:              attributes&control != 0,
		LogAppendTime:        attributes&logAppendTime != 0,
		IsTransactional:      attributes&transactional != 0,
		FirstOffset:          lines.Field[int64](&given, fields, "baseOffset"),
		PartitionLeaderEpoch: lines.Field[int32](&given, fields, "partitionLeaderEpoch"),
		LastOffsetDelta:      lines.Field[int32](&given, fields, "lastOffsetDelta"),
		FirstTimestamp:       timeOf(lines.Field[int64](&given, fields, "baseTimestamp")),
		MaxTimestamp:         timeOf(lines.Field[int64](&given, fields, "maxTimestamp")),
		ProducerID:           lines.Field[int64](&given, fields, "producerId"),
		ProducerEpoch:        lines.Field[int16](&given, fields, "producerEpoch"),
		FirstSequence:        lines.Field[int32](&given, fields, "baseSequence"),
	}
	if given.First != nil {
		return nil, given.First
	}
	if attributes&^batchBits != 0 {
		return nil, lines.NotOfferedf("a RecordBatch has no field for all bits of the attributes %d", attributes)
	}
	items, err := lines.Must[[]any](fields["records"])
	if err != nil {
		return nil, err
	}
	for _, item := range items {
		record, err := recordOf(item.(lines.Struct))
		if err != nil {
			return nil, err
		}
		batch.Records = append(batch.Records, record)
	}
	return peer.produced(3, func(request *sarama.ProduceRequest) { request.AddBatch("t", 0, batch) })
}

func recordOf(fields lines.Struct) (*sarama.Record, error) {
	err := lines.OnlyFields(fields, "attributes", "timestampDelta", "offsetDelta", "key", "value", "headers")
	if err != nil {
		return nil, err
	}
	var given lines.Errors
	delta := lines.Field[int64](&given, fields, "timestampDelta")
	record := &sarama.Record{
		Attributes:     lines.Field[int8](&given, fields, "attributes"),
		TimestampDelta: time.Duration(delta) * time.Millisecond,
		OffsetDelta:    int64(lines.Field[int32](&given, fields, "offsetDelta")),
		Key:            lines.OctetsOrNil(fields["key"]),
		Value:          lines.OctetsOrNil(fields["value"]),
	}
	if given.First != nil {
		return nil, given.First
	}
	if delta > math.MaxInt64/int64(time.Millisecond) || delta < math.MinInt64/int64(time.Millisecond) {
		return nil, lines.Refusal{Reason: "out-of-range", Detail: "a time.Duration does not hold so many milliseconds"}
	}
	headers, err := lines.Must[[]any](fields["headers"])
	if err != nil {
		return nil, err
	}
	for _, item := range headers {
		pair := item.([]any)
		key, err := lines.Text(pair[0])
		if err != nil {
			return nil, err
		}
		header := &sarama.RecordHeader{Key: []byte(key), Value: lines.OctetsOrNil(pair[1])}
		record.Headers = append(record.Headers, header)
	}
	return record, nil
}

// timeOf is the zero time for -1, as sarama reads it.
func timeOf(milliseconds int64) time.Time {
	if milliseconds == -1 {
		return time.Time{}
	}
	return time.UnixMilli(milliseconds)
}

func (peer *peer) encodeSet(_ int, value any) ([]byte, error) {
	set := []byte{}
	for _, item := range value.([]any) {
		magic := item.(lines.Struct)["magic"].(int64)
		var one []byte
		var err error
		if magic == 2 {
			one, err = peer.encodeBatch(0, item)
		} else {
			one, err = peer.encodeMessages(int(magic), []any{item})
		}
		if err != nil {
			return nil, err
		}
		set = append(set, one...)
	}
	return set, nil
}

func (peer *peer) encodeMessages(magic int, value any) ([]byte, error) {
	set := &sarama.MessageSet{}
	for _, item := range value.([]any) {
		block, err := messageOf(magic, item.(lines.Struct))
		if err != nil {
			return nil, err
		}
		set.Messages = append(set.Messages, block)
	}
	// Produce 2 is the first version for magic 1.
	return peer.produced(int16(2*magic), func(request *sarama.ProduceRequest) { request.AddSet("t", 0, set) })
}

func messageOf(magic int, fields lines.Struct) (*sarama.MessageBlock, error) {
	if _, isWrapper := fields["messages"]; isWrapper {
		return nil, lines.NotOffered("sarama does not export what makes the content of a compressed wrapper")
	}
	names := []string{"magic", "offset", "attributes", "key", "value", "timestamp"}
	if magic == 0 {
		names = names[:5]
	}
	if err := lines.OnlyFields(fields, names...); err != nil {
		return nil, err
	}
	var given lines.Errors
	attributes := lines.Field[int8](&given, fields, "attributes")
	block := &sarama.MessageBlock{
		Offset: lines.Field[int64](&given, fields, "offset"),
		Msg: &sarama.Message{
			Codec:         sarama.CompressionCodec(attributes & codecBits),
			LogAppendTime: attributes&logAppendTime != 0,
			Key:           lines.OctetsOrNil(fields["key"]),
			Value:         lines.OctetsOrNil(fields["value"]),
			Version:       int8(magic),
		},
	}
	if magic == 1 {
		block.Msg.Timestamp = timeOf(lines.Field[int64](&given, fields, "timestamp"))
	}
	if given.First != nil {
		return nil, given.First
	}
	if attributes&^messageBits != 0 {
		return nil, lines.NotOfferedf("a Message has no field for all bits of the attributes %d", attributes)
	}
	return block, nil
}
