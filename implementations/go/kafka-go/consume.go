package main

import (
	"encoding/binary"
	"errors"
	"io"
	"math"
	"net"
	"time"

	"github.com/segmentio/kafka-go"

	"wireproof/implementations/go/lines"
)

const (
	fetchKey, fetchVersion = 1, 10
	// Where a request has its correlation id.
	correlationAt, correlationEnd = 4, 8
)

// consume is what a Batch of a connection's has, as the library's Reader reads it: messages until an error. That is io.EOF
// at the end of the response, and RequestTimedOut where the partition has nothing behind the position; the Reader goes on
// after both. The wrapper is the other end of the connection.
func consume(fetched lines.Fetched) ([]any, int64, error) {
	theirs, ours := net.Pipe()
	go respond(ours, fetched)
	connection := kafka.NewConnWith(theirs, kafka.ConnConfig{Topic: "t"})
	defer connection.Close()
	if _, err := connection.Seek(fetched.Position, kafka.SeekAbsolute|kafka.SeekDontCheck); err != nil {
		return nil, 0, err
	}
	config := kafka.ReadBatchConfig{MaxBytes: math.MaxInt32 / 2, MaxWait: time.Minute}
	if fetched.ReadCommitted {
		config.IsolationLevel = kafka.ReadCommitted
	}
	batch := connection.ReadBatchWith(config)
	defer batch.Close()
	records := []any{}
	for {
		message, err := batch.ReadMessage()
		if err == nil {
			records = append(records, delivered(message))
			continue
		}
		if !errors.Is(err, io.EOF) && !errors.Is(err, kafka.RequestTimedOut) && len(records) == 0 {
			return nil, 0, err
		}
		return records, batch.Offset(), nil
	}
}

// respond answers the two requests of a fresh connection, and closes it.
func respond(connection net.Conn, fetched lines.Fetched) {
	defer connection.Close()
	for range 2 {
		size := make([]byte, sizePrefix)
		if _, err := io.ReadFull(connection, size); err != nil {
			return
		}
		request := make([]byte, binary.BigEndian.Uint32(size))
		if _, err := io.ReadFull(connection, request); err != nil {
			return
		}
		// ApiVersions 0: ErrorCode, one api
		body := []byte{0, 0, 0, 0, 0, 1, 0, fetchKey, 0, 0, 0, fetchVersion}
		if binary.BigEndian.Uint16(request) == fetchKey {
			body = fetchResponse(fetched)
		}
		if _, err := connection.Write(framed(request[correlationAt:correlationEnd], body)); err != nil {
			return
		}
	}
}

func fetchResponse(fetched lines.Fetched) []byte {
	// ThrottleTimeMs ErrorCode SessionId, one topic "t"
	body := append(make([]byte, 4+2+4), 0, 0, 0, 1, 0, 1, 't')
	// one partition: PartitionIndex ErrorCode
	body = append(append(body, 0, 0, 0, 1), make([]byte, 4+2)...)
	highWatermark := int64(math.MaxInt64)
	if len(fetched.Data) == 0 {
		highWatermark = fetched.Position // as in a broker's answer without records
	}
	// HighWatermark LastStableOffset LogStartOffset
	body = append(binary.BigEndian.AppendUint64(body, uint64(highWatermark)), make([]byte, 8+8)...)
	body = binary.BigEndian.AppendUint32(body, uint32(len(fetched.Aborted)))
	for _, one := range fetched.Aborted {
		body = binary.BigEndian.AppendUint64(body, uint64(one.ProducerID))
		body = binary.BigEndian.AppendUint64(body, uint64(one.FirstOffset))
	}
	return append(binary.BigEndian.AppendUint32(body, uint32(len(fetched.Data))), fetched.Data...)
}

// delivered is a message; the library does not tell the type of its timestamp.
func delivered(message kafka.Message) lines.Struct {
	headers := make([]any, len(message.Headers))
	for index, header := range message.Headers {
		headers[index] = []any{header.Key, shownOctets(header.Value)}
	}
	timestamp := int64(-1) // the zero time, which stands for none
	if !message.Time.IsZero() {
		timestamp = message.Time.UnixMilli()
	}
	return lines.Struct{
		"offset":    message.Offset,
		"timestamp": timestamp,
		"key":       shownOctets(message.Key),
		"value":     shownOctets(message.Value),
		"headers":   headers,
	}
}

func shownOctets(octets []byte) any {
	if octets == nil {
		return nil
	}
	return octets
}
