package main

import (
	"bytes"
	"encoding/hex"
	"errors"
	"reflect"
	"strings"
	"testing"

	"wireproof/implementations/go/lines"
)

func octetsOf(t *testing.T, digits string) []byte {
	t.Helper()
	data, err := hex.DecodeString(strings.ReplaceAll(digits, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// The bytes follow from Kafka's message definitions, and were written by hand.
func TestRequestsAreWhatIsInTheFrame(t *testing.T) {
	heartbeat := lines.Struct{"GroupId": "g", "GenerationId": int64(1), "MemberId": "m", "GroupInstanceId": nil}
	sync := lines.Struct{
		"GroupId": "g", "GenerationId": int64(1), "MemberId": "m", "GroupInstanceId": nil, "ProtocolType": "t",
		"ProtocolName": "n", "Assignments": []any{lines.Struct{"MemberId": "m", "Assignment": []byte{7}}},
	}
	for _, one := range []struct {
		name    string
		version int
		value   any
		data    string
	}{
		{"HeartbeatRequest", 0, heartbeat, "0001 67 00000001 0001 6d"},
		{"HeartbeatRequest", 4, heartbeat, "02 67 00000001 02 6d 00 00"},
		{"HeartbeatRequest", 3, heartbeat, "0001 67 00000001 0001 6d ffff"},
		{"SyncGroupRequest", 0, sync, "0001 67 00000001 0001 6d 00000001 0001 6d 00000001 07"},
		{"SyncGroupRequest", 5, sync, "02 67 00000001 02 6d 00 02 74 02 6e 02 02 6d 02 07 00 00"},
	} {
		written, err := wrapper().Types[one.name].Encode(one.version, one.value)
		if err != nil || !bytes.Equal(written, octetsOf(t, one.data)) {
			t.Errorf("%s %d: got %x, %v", one.name, one.version, written, err)
		}
	}
}

func TestResponsesAreWhatIsInTheFrame(t *testing.T) {
	types := wrapper().Types
	for _, one := range []struct {
		name    string
		version int
		data    string
		value   lines.Struct
	}{
		{"HeartbeatResponse", 0, "0019", lines.Struct{"ErrorCode": int64(25)}},
		// A broker that asks for a pause of 24 days delays no other question.
		{"HeartbeatResponse", 4, "7fffffff 0019 00", lines.Struct{"ErrorCode": int64(25), "ThrottleTimeMs": int64(1<<31 - 1)}},
		{"HeartbeatResponse", 1, "00000000 0000", lines.Struct{"ErrorCode": int64(0), "ThrottleTimeMs": int64(0)}},
	} {
		value, err := types[one.name].Decode(one.version, octetsOf(t, one.data))
		if err != nil || !reflect.DeepEqual(value, one.value) {
			t.Errorf("%s %d: got %v, %v", one.name, one.version, value, err)
		}
	}
}

func TestAnErrorIsARefusalAndNoEnd(t *testing.T) {
	codec := wrapper().Types["HeartbeatResponse"]
	if _, err := codec.Decode(0, octetsOf(t, "00")); err == nil {
		t.Error("a byte is no HeartbeatResponse")
	}
	if _, err := codec.Decode(0, octetsOf(t, "0019")); err != nil {
		t.Error(err)
	}
}

func TestBatchesComeBack(t *testing.T) {
	codec := wrapper().Types["RecordBatch"]
	record := lines.Struct{
		"attributes": int64(0), "timestampDelta": int64(0), "offsetDelta": int64(0), "key": []byte("a"),
		"value": []byte("1"), "headers": []any{[]any{"h", nil}},
	}
	value := lines.Struct{
		"baseOffset": int64(5), "partitionLeaderEpoch": int64(-1), "attributes": int64(transactional), "lastOffsetDelta": int64(0),
		"baseTimestamp": int64(1_600_000_000_000), "maxTimestamp": int64(-1), "producerId": int64(9),
		"producerEpoch": int64(1), "baseSequence": int64(2), "records": []any{record},
	}
	written, err := codec.Encode(0, value)
	if err != nil {
		t.Fatal(err)
	}
	read, err := codec.Decode(0, written)
	if err != nil || !reflect.DeepEqual(read, value) {
		t.Errorf("got %v, %v", read, err)
	}
}

func TestBitsWithoutAFieldAreNotAsked(t *testing.T) {
	codec := wrapper().Types["MessageSet"]
	message := lines.Struct{"offset": int64(0), "attributes": int64(16), "key": nil, "value": []byte("v")}
	_, err := codec.Encode(0, []any{message})
	var notOffered lines.NotOffered
	if !errors.As(err, &notOffered) {
		t.Errorf("got %v", err)
	}
}
