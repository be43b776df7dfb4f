package codec

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"maps"
	"math"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"wireproof/implementations/go/lines"
)

// Records are read by kgo.ProcessFetchPartition, with which the client reads what it fetched, and written by kmsg's
// AppendTo, which is told sizes, counts and checksums by its caller: by kgo's producer, and by this wrapper.

const (
	// Where an entry of a set has its length, and what that counts.
	lengthAt, entryAt = 8, 12
	// What the checksums cover.
	batchCoveredAt, messageCoveredAt = 21, 16

	codecBits, logAppendTime = 0x07, 0x08
	// Those bits of a message's attributes that kgo takes for the codec.
	messageCodecBits = 0x03
)

var (
	decompressor = kgo.DefaultDecompressor()
	castagnoli   = crc32.MakeTable(crc32.Castagnoli)
	compressions = []kgo.CompressionCodec{
		kgo.NoCompression(), kgo.GzipCompression(), kgo.SnappyCompression(), kgo.Lz4Compression(), kgo.ZstdCompression(),
	}
)

var records = map[string]lines.Codec{
	"Record":      {Decode: decodeRecord, Encode: encodeRecord},
	"RecordBatch": {Decode: decodeBatch, Encode: encodeBatch},
	"RecordSet":   {Decode: decodeSet, Encode: encodeSet},
	"MessageSet":  {Versions: &lines.Versions{0, 1}, Decode: decodeMessages, Encode: encodeMessages},
}

func decodeRecord(_ int, data []byte) (any, error) {
	var record kmsg.Record
	if err := record.ReadFrom(data); err != nil {
		return nil, err
	}
	headers := make([]any, len(record.Headers))
	for index, header := range record.Headers {
		headers[index] = []any{header.Key, shownOctets(header.Value)}
	}
	return lines.Struct{
		"attributes":     int64(record.Attributes),
		"timestampDelta": record.TimestampDelta64,
		"offsetDelta":    int64(record.OffsetDelta),
		"key":            shownOctets(record.Key),
		"value":          shownOctets(record.Value),
		"headers":        headers,
	}, nil
}

func encodeRecord(_ int, value any) ([]byte, error) {
	fields := value.(lines.Struct)
	err := lines.OnlyFields(fields, "attributes", "timestampDelta", "offsetDelta", "key", "value", "headers")
	if err != nil {
		return nil, err
	}
	var record kmsg.Record
	if record.Attributes, err = lines.Integer[int8](fields["attributes"]); err != nil {
		return nil, err
	}
	if record.TimestampDelta64, err = lines.Integer[int64](fields["timestampDelta"]); err != nil {
		return nil, err
	}
	if record.OffsetDelta, err = lines.Integer[int32](fields["offsetDelta"]); err != nil {
		return nil, err
	}
	record.Key, record.Value = lines.OctetsOrNil(fields["key"]), lines.OctetsOrNil(fields["value"])
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
		record.Headers = append(record.Headers, kmsg.Header{Key: key, Value: lines.OctetsOrNil(pair[1])})
	}
	// A Length of 0 is one byte.
	record.Length = int32(len(record.AppendTo(nil)) - 1)
	return record.AppendTo(nil), nil
}

// entry is a batch or a message of a set, and the records that the client made of it.
type entry struct {
	data    []byte
	records []*kgo.Record
}

// entriesOf are the entries that the client finds in a set.
func entriesOf(data []byte) (entries []entry, err error) {
	_, counts, err := process(data)
	for range counts {
		size := entryAt + int(binary.BigEndian.Uint32(data[lengthAt:]))
		// By itself: in a set the client drops the records below the offset that it has come to.
		made, _, failed := process(data[:size])
		if failed != nil {
			break
		}
		entries = append(entries, entry{data[:size], made})
		data = data[size:]
	}
	return entries, err
}

// process is what the client makes of a set: its records, and how many of them each entry has.
func process(data []byte) ([]*kgo.Record, []int, error) {
	var counts []int
	found, _ := kgo.ProcessFetchPartition(
		kgo.ProcessFetchPartitionOpts{KeepControlRecords: true, Offset: math.MinInt64},
		&kmsg.FetchResponseTopicPartition{RecordBatches: data},
		decompressor,
		func(metrics kgo.FetchBatchMetrics) { counts = append(counts, metrics.NumRecords) },
	)
	return found.Records, counts, found.Err
}

func decodeBatch(_ int, data []byte) (any, error) {
	entries, err := entriesOf(data)
	if err != nil {
		return nil, err
	}
	if len(entries) == 0 {
		return nil, lines.Refusal{Detail: "ProcessFetchPartition finds no batch here"}
	}
	if err := lines.LeftOver(len(data), len(data)-len(entries[0].data)); err != nil {
		return nil, err
	}
	if magicOf(data) != 2 {
		return nil, lines.Refusal{Reason: "unsupported-magic", Detail: "ProcessFetchPartition finds a message here, and no batch"}
	}
	return shownBatch(entries[0])
}

func decodeSet(_ int, data []byte) (any, error) {
	entries, err := entriesOf(data)
	if err != nil {
		return nil, err
	}
	shown := []any{}
	for _, entry := range entries {
		one, err := shownEntry(entry)
		if err != nil {
			return nil, err
		}
		one["magic"] = int64(magicOf(entry.data))
		shown = append(shown, one)
	}
	return shown, nil
}

func decodeMessages(magic int, data []byte) (any, error) {
	entries, err := entriesOf(data)
	if err != nil {
		return nil, err
	}
	shown := []any{}
	for _, entry := range entries {
		if magicOf(entry.data) != magic {
			return nil, lines.Refusal{Reason: "unsupported-magic", Detail: "not all of the magic asked for"}
		}
		one, err := shownEntry(entry)
		if err != nil {
			return nil, err
		}
		shown = append(shown, one)
	}
	return shown, nil
}

const magicAt = 16

func magicOf(data []byte) int { return int(data[magicAt]) }

func shownEntry(entry entry) (lines.Struct, error) {
	switch magicOf(entry.data) {
	case 0:
		return shownMessage0(entry)
	case 1:
		return shownMessage1(entry)
	}
	return shownBatch(entry)
}

func shownBatch(entry entry) (lines.Struct, error) {
	var batch kmsg.RecordBatch
	if err := batch.ReadFrom(entry.data); err != nil {
		return nil, err
	}
	if batch.Attributes&logAppendTime != 0 && len(entry.records) > 0 {
		return nil, lines.NotOffered("a kgo.Record shows the timestamp of its batch, and its own is lost")
	}
	if batch.FirstOffset == -1 && len(entry.records) > 0 {
		return nil, lines.NotOffered("in a batch of base offset -1 each kgo.Record has the offset -1, and its own is lost")
	}
	shown := make([]any, len(entry.records))
	for index, record := range entry.records {
		shown[index] = lines.Struct{
			"attributes":     int64(0),
			"timestampDelta": record.Timestamp.UnixMilli() - batch.FirstTimestamp,
			"offsetDelta":    record.Offset - batch.FirstOffset,
			"key":            shownOctets(record.Key),
			"value":          shownOctets(record.Value),
			"headers":        shownHeaders(record.Headers),
		}
	}
	return lines.Struct{
		"baseOffset":           batch.FirstOffset,
		"partitionLeaderEpoch": int64(batch.PartitionLeaderEpoch),
		"attributes":           int64(batch.Attributes),
		"lastOffsetDelta":      int64(batch.LastOffsetDelta),
		"baseTimestamp":        batch.FirstTimestamp,
		"maxTimestamp":         batch.MaxTimestamp,
		"producerId":           batch.ProducerID,
		"producerEpoch":        int64(batch.ProducerEpoch),
		"baseSequence":         int64(batch.FirstSequence),
		"records":              shown,
	}, nil
}

func shownHeaders(headers []kgo.RecordHeader) []any {
	shown := make([]any, len(headers))
	for index, header := range headers {
		shown[index] = []any{header.Key, shownOctets(header.Value)}
	}
	return shown
}

func shownMessage0(entry entry) (lines.Struct, error) {
	var message kmsg.MessageV0
	if err := message.ReadFrom(entry.data); err != nil {
		return nil, err
	}
	shown := lines.Struct{
		"offset":     message.Offset,
		"attributes": int64(message.Attributes),
		"key":        shownOctets(message.Key),
	}
	return shown, fill(shown, message.Attributes, entry.records)
}

func shownMessage1(entry entry) (lines.Struct, error) {
	var message kmsg.MessageV1
	if err := message.ReadFrom(entry.data); err != nil {
		return nil, err
	}
	shown := lines.Struct{
		"offset":     message.Offset,
		"attributes": int64(message.Attributes),
		"timestamp":  message.Timestamp,
		"key":        shownOctets(message.Key),
	}
	return shown, fill(shown, message.Attributes, entry.records)
}

// fill adds what the client made of a message: its value, or the messages in it.
func fill(shown lines.Struct, attributes int8, made []*kgo.Record) error {
	if attributes&messageCodecBits == 0 {
		if len(made) != 1 {
			return lines.Refusal{Detail: "ProcessFetchPartition drops this message"}
		}
		content := shownContent(made[0])
		delete(content, "attributes")
		maps.Copy(shown, content)
		return nil
	}
	messages := make([]any, len(made))
	for index, record := range made {
		messages[index] = shownContent(record)
	}
	shown["messages"] = messages
	return nil
}

// shownContent is a message. Of its attributes a record keeps the type of its timestamp; that is -1 for one of magic 0.
func shownContent(record *kgo.Record) lines.Struct {
	content := lines.Struct{
		"offset":     record.Offset,
		"attributes": int64(0),
		"key":        shownOctets(record.Key),
		"value":      shownOctets(record.Value),
	}
	kind := record.Attrs.TimestampType()
	if kind >= 0 {
		content["timestamp"] = record.Timestamp.UnixMilli()
	}
	if kind > 0 {
		content["attributes"] = int64(logAppendTime)
	}
	return content
}

var batchFields = []string{
	"magic", "baseOffset", "partitionLeaderEpoch", "attributes", "lastOffsetDelta", "baseTimestamp", "maxTimestamp",
	"producerId", "producerEpoch", "baseSequence", "records",
}

func encodeBatch(_ int, value any) ([]byte, error) {
	fields := value.(lines.Struct)
	if err := lines.OnlyFields(fields, batchFields...); err != nil {
		return nil, err
	}
	batch := kmsg.RecordBatch{Magic: 2}
	var given lines.Errors
	batch.FirstOffset = lines.Field[int64](&given, fields, "baseOffset")
	batch.PartitionLeaderEpoch = lines.Field[int32](&given, fields, "partitionLeaderEpoch")
	batch.Attributes = lines.Field[int16](&given, fields, "attributes")
	batch.LastOffsetDelta = lines.Field[int32](&given, fields, "lastOffsetDelta")
	batch.FirstTimestamp = lines.Field[int64](&given, fields, "baseTimestamp")
	batch.MaxTimestamp = lines.Field[int64](&given, fields, "maxTimestamp")
	batch.ProducerID = lines.Field[int64](&given, fields, "producerId")
	batch.ProducerEpoch = lines.Field[int16](&given, fields, "producerEpoch")
	batch.FirstSequence = lines.Field[int32](&given, fields, "baseSequence")
	if given.First != nil {
		return nil, given.First
	}
	for _, item := range fields["records"].([]any) {
		record, err := encodeRecord(0, item)
		if err != nil {
			return nil, err
		}
		batch.Records = append(batch.Records, record...)
		batch.NumRecords++
	}
	var err error
	if batch.Records, err = compressed(int(batch.Attributes&codecBits), batch.Records); err != nil {
		return nil, err
	}
	batch.Length = int32(len(batch.AppendTo(nil)) - entryAt)
	batch.CRC = int32(crc32.Checksum(batch.AppendTo(nil)[batchCoveredAt:], castagnoli))
	return batch.AppendTo(nil), nil
}

// compressed is data by the client's compressor of a codec.
func compressed(codec int, data []byte) ([]byte, error) {
	if codec >= len(compressions) {
		return nil, lines.NotOfferedf("kgo has no compressor for codec %d", codec)
	}
	compressor, err := kgo.DefaultCompressor(compressions[codec])
	if err != nil || compressor == nil {
		return data, err
	}
	out, used := compressor.Compress(new(bytes.Buffer), data)
	if int(used) != codec {
		return nil, lines.Refusal{Detail: "kgo's compressor fails"}
	}
	return out, nil
}

func encodeSet(_ int, value any) ([]byte, error) {
	var set []byte
	for _, item := range value.([]any) {
		magic := item.(lines.Struct)["magic"].(int64)
		write := encodeMessage
		if magic == 2 {
			write = encodeBatch
		}
		one, err := write(int(magic), item)
		if err != nil {
			return nil, err
		}
		set = append(set, one...)
	}
	return set, nil
}

func encodeMessages(magic int, value any) ([]byte, error) {
	var set []byte
	for _, item := range value.([]any) {
		one, err := encodeMessage(magic, item)
		if err != nil {
			return nil, err
		}
		set = append(set, one...)
	}
	return set, nil
}

func encodeMessage(magic int, value any) ([]byte, error) {
	fields := value.(lines.Struct)
	if _, isWrapper := fields["messages"]; isWrapper {
		return nil, lines.NotOffered("kgo does not export what makes a compressed wrapper")
	}
	names := []string{"magic", "offset", "attributes", "key", "value", "timestamp"}
	if magic == 0 {
		names = names[:5]
	}
	if err := lines.OnlyFields(fields, names...); err != nil {
		return nil, err
	}
	var given lines.Errors
	offset := lines.Field[int64](&given, fields, "offset")
	attributes := lines.Field[int8](&given, fields, "attributes")
	key, content := lines.OctetsOrNil(fields["key"]), lines.OctetsOrNil(fields["value"])
	var timestamp int64
	if magic == 1 {
		timestamp = lines.Field[int64](&given, fields, "timestamp")
	}
	if given.First != nil {
		return nil, given.First
	}
	write := func(size, crc int32) []byte {
		if magic == 0 {
			message := kmsg.MessageV0{
				Offset: offset, MessageSize: size, CRC: crc, Attributes: attributes, Key: key, Value: content,
			}
			return message.AppendTo(nil)
		}
		message := kmsg.MessageV1{
			Offset: offset, MessageSize: size, CRC: crc, Magic: 1, Attributes: attributes, Timestamp: timestamp,
			Key: key, Value: content,
		}
		return message.AppendTo(nil)
	}
	size := int32(len(write(0, 0)) - entryAt)
	return write(size, int32(crc32.ChecksumIEEE(write(size, 0)[messageCoveredAt:]))), nil
}
