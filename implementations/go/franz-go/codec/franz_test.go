package codec

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

// The bytes follow from the protocol guide, and were written by hand.
func TestPrimitives(t *testing.T) {
	for name, one := range map[string]struct {
		data  string
		value any
	}{
		"BOOLEAN":                 {"01", true},
		"UINT32":                  {"ffffffff", int64(4294967295)},
		"VARINT":                  {"01", int64(-1)},
		"NULLABLE_STRING":         {"ffff", nil},
		"COMPACT_STRING":          {"0261", "a"},
		"COMPACT_NULLABLE_BYTES":  {"01", []byte{}},
		"NULLABLE_BYTES":          {"ffffffff", nil},
		"TAG_BUFFER":              {"02 01 00 e807 02 abcd", []any{[]any{int64(1), []byte{}}, []any{int64(1000), []byte{0xab, 0xcd}}}},
		"COMPACT_ARRAY<VARINT>":   {"03 02 01", []any{int64(1), int64(-1)}},
		"NULLABLE_ARRAY<STRING>":  {"ffffffff", nil},
		"ARRAY<ARRAY<INT8>>":      {"00000001 00000001 07", []any{[]any{int64(7)}}},
		"COMPACT_NULLABLE_STRING": {"00", nil},
	} {
		t.Run(name, func(t *testing.T) {
			codec, found := Wrapper().Types[name]
			if !found {
				var err error
				if codec, err = array(name); err != nil {
					t.Fatal(err)
				}
			}
			value, err := codec.Decode(0, octetsOf(t, one.data))
			if tags, isArray := value.([]any); isArray && tags == nil {
				value = nil
			}
			if err != nil || !reflect.DeepEqual(value, one.value) {
				t.Errorf("decode: got %#v, %v", value, err)
			}
			data, err := codec.Encode(0, one.value)
			if err != nil || !bytes.Equal(data, octetsOf(t, one.data)) {
				t.Errorf("encode: got %x, %v", data, err)
			}
		})
	}
}

func TestBytesLeftOverAreRefusedAtTheirOffset(t *testing.T) {
	_, err := Wrapper().Types["STRING"].Decode(0, octetsOf(t, "0001 61 ff"))
	var refusal lines.Refusal
	if !errors.As(err, &refusal) || refusal.Reason != "trailing-bytes" || *refusal.Offset != 3 {
		t.Errorf("got %v", err)
	}
}

func TestAnUnknownTagIsWrittenAgain(t *testing.T) {
	data := octetsOf(t, "00000000 0000 01 05 01 aa")
	written, err := Wrapper().Types["HeartbeatResponse"].Recode(4, data)
	if err != nil || !bytes.Equal(written, data) {
		t.Errorf("got %x, %v", written, err)
	}
}

func TestRequestHeaders(t *testing.T) {
	for version, data := range map[int]string{1: "0012000000000007 0001 61", 2: "0012000000000007 0001 61 00"} {
		value := lines.Struct{"RequestApiKey": int64(18), "RequestApiVersion": int64(0), "CorrelationId": int64(7), "ClientId": "a"}
		written, err := requestHeader.Encode(version, value)
		if err != nil || !bytes.Equal(written, octetsOf(t, data)) {
			t.Errorf("%d: got %x, %v", version, written, err)
		}
	}
}

func batch(attributes int64) lines.Struct {
	record := lines.Struct{
		"attributes": int64(0), "timestampDelta": int64(1), "offsetDelta": int64(0), "key": nil, "value": []byte("v"),
		"headers": []any{[]any{"h", nil}, []any{"h", []byte{}}},
	}
	return lines.Struct{
		"baseOffset": int64(5), "partitionLeaderEpoch": int64(1), "attributes": attributes, "lastOffsetDelta": int64(0),
		"baseTimestamp": int64(1600000000000), "maxTimestamp": int64(1600000000001), "producerId": int64(-1),
		"producerEpoch": int64(-1), "baseSequence": int64(-1), "records": []any{record},
	}
}

func TestBatchesWithEachCodec(t *testing.T) {
	for codec := int64(0); codec <= 4; codec++ {
		written, err := encodeBatch(0, batch(codec))
		if err != nil {
			t.Fatal(codec, err)
		}
		value, err := decodeBatch(0, written)
		if err != nil || !reflect.DeepEqual(value, batch(codec)) {
			t.Errorf("%d: got %v, %v", codec, value, err)
		}
	}
	if _, err := encodeBatch(0, batch(5)); !errors.As(err, new(lines.NotOffered)) {
		t.Errorf("a codec that is none: got %v", err)
	}
}

func TestARecordsOwnTimeIsNotAskedUnderLogAppendTime(t *testing.T) {
	written, err := encodeBatch(0, batch(logAppendTime))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := decodeBatch(0, written); !errors.As(err, new(lines.NotOffered)) {
		t.Errorf("got %v", err)
	}
}

// In a set the client drops records below those that it has seen: each entry is read by itself.
func TestSetsWhoseOffsetsDoNotAscend(t *testing.T) {
	one := batch(0)
	one["magic"] = int64(2)
	written, err := encodeSet(0, []any{one, one})
	if err != nil {
		t.Fatal(err)
	}
	value, err := decodeSet(0, written)
	if err != nil || !reflect.DeepEqual(value, []any{one, one}) {
		t.Errorf("got %v, %v", value, err)
	}
}

func TestMessages(t *testing.T) {
	for magic, message := range []lines.Struct{
		{"offset": int64(3), "attributes": int64(0), "key": nil, "value": []byte("v")},
		{"offset": int64(3), "attributes": int64(0), "timestamp": int64(7), "key": []byte("k"), "value": nil},
	} {
		written, err := encodeMessages(magic, []any{message})
		if err != nil {
			t.Fatal(err)
		}
		value, err := decodeMessages(magic, written)
		if err != nil || !reflect.DeepEqual(value, []any{message}) {
			t.Errorf("%d: got %v, %v", magic, value, err)
		}
	}
}

func TestAFieldThatAStructLacksIsRefused(t *testing.T) {
	one := batch(0)
	one["nonsense"] = int64(0)
	var refusal lines.Refusal
	if _, err := encodeBatch(0, one); !errors.As(err, &refusal) || refusal.Reason != "unknown-field" {
		t.Errorf("got %v", err)
	}
}
