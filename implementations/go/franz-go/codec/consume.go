package codec

import (
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"wireproof/implementations/go/lines"
)

// timestampTypes are those of kgo.RecordAttrs.
var timestampTypes = map[int8]any{-1: nil, 0: "create", 1: "append"}

// consume is what the client makes of a partition: records and an error beside them both reach the application.
func consume(fetched lines.Fetched) ([]any, int64, error) {
	partition := &kmsg.FetchResponseTopicPartition{RecordBatches: fetched.Data}
	for _, one := range fetched.Aborted {
		partition.AbortedTransactions = append(partition.AbortedTransactions, kmsg.FetchResponseTopicPartitionAbortedTransaction{
			ProducerID: one.ProducerID, FirstOffset: one.FirstOffset,
		})
	}
	options := kgo.ProcessFetchPartitionOpts{Offset: fetched.Position, IsolationLevel: kgo.ReadUncommitted()}
	if fetched.ReadCommitted {
		options.IsolationLevel = kgo.ReadCommitted()
	}
	found, position := kgo.ProcessFetchPartition(options, partition, decompressor, nil)
	if found.Err != nil && len(found.Records) == 0 {
		return nil, 0, found.Err
	}
	shown := make([]any, len(found.Records))
	for index, record := range found.Records {
		shown[index] = delivered(record)
	}
	return shown, position, nil
}

func delivered(record *kgo.Record) lines.Struct {
	timestamp := int64(-1) // the zero time of a message of magic 0, which has none
	if !record.Timestamp.IsZero() {
		timestamp = record.Timestamp.UnixMilli()
	}
	return lines.Struct{
		"offset":         record.Offset,
		"timestamp":      timestamp,
		"timestamp_type": timestampTypes[record.Attrs.TimestampType()],
		"key":            shownOctets(record.Key),
		"value":          shownOctets(record.Value),
		"headers":        shownHeaders(record.Headers),
	}
}
