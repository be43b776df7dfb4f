// Package wrong is a small codec that is right, until the variable MUTANT names one of its faults. tests/export/test_export_go.py
// asks it through exported tests and through the line protocol.
package wrong

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"os"

	"wireproof/implementations/go/lines"
)

// Contested is no fault, but another reading.
const Contested = "every negative length is null"

// No faults either, but what libraries do: the writer sets a field itself, and says so; keys of headers are bytes, and a
// length is shown.
const (
	Rebuilt = "offset deltas set by the writer"
	AsItIs  = "records as a library has them"
)

// Mutants are the faults, each with the area in which it shows.
var Mutants = map[string]string{
	"varint without zigzag":          "varints",
	"varint of any width":            "varints",
	"varint cut off":                 "varints",
	"integer cut to its size":        "framing",
	"boolean of two refused":         "framing",
	"null string as an empty one":    "null-encodings",
	"string of any length":           "null-encodings",
	"null bytes as empty ones":       "null-encodings",
	Contested:                        "null-encodings",
	"tags in any order":              "tag-ordering",
	"size of a tag not looked at":    "tag-ordering",
	"headers from the last":          "header-multimaps",
	"null header as an empty one":    "header-multimaps",
	"checksum not looked at":         "framing",
	"bytes behind the end":           "framing",
	"a record's length taken for it": "header-multimaps",
	"offset deltas lost":             "header-multimaps",
	Rebuilt:                          "header-multimaps",
	AsItIs:                           "header-multimaps",
}

var mutant = os.Getenv("MUTANT")

func is(name string) bool {
	if _, there := Mutants[name]; !there {
		panic(name)
	}
	return mutant == name
}

func refuse(reason string) error { return lines.Refusal{Reason: reason, Detail: reason} }

type reader struct {
	data []byte
	err  error
}

func (in *reader) fail(reason string) {
	if in.err == nil {
		in.err = refuse(reason)
	}
	in.data = nil
}

func (in *reader) take(size int) []byte {
	if size < 0 || size > len(in.data) {
		in.fail("truncated")
		return make([]byte, max(0, min(size, 8)))
	}
	taken := in.data[:size]
	in.data = in.data[size:]
	return taken
}

// leb128 reads groups of seven bits, the least first, of a number of so many bits.
func (in *reader) leb128(bits int) (number uint64) {
	for shift := 0; ; shift += 7 {
		if len(in.data) == 0 {
			if !is("varint cut off") {
				in.fail("truncated")
			}
			return number
		}
		group := in.take(1)[0]
		if !is("varint of any width") && (shift+7 > bits && group>>(bits-shift) != 0) {
			in.fail("varint-too-long")
			return 0
		}
		number |= uint64(group&0x7f) << shift
		if group < 0x80 {
			return number
		}
	}
}

func (in *reader) unsigned() uint32 { return uint32(in.leb128(32)) }

func (in *reader) signed(bits int) int64 {
	number := in.leb128(bits)
	if is("varint without zigzag") {
		return int64(number)
	}
	return int64(number>>1) ^ -int64(number&1)
}

func appendSigned(dst []byte, value int64) []byte {
	if is("varint without zigzag") {
		return binary.AppendUvarint(dst, uint64(value))
	}
	return binary.AppendUvarint(dst, uint64(value)<<1^uint64(value>>63))
}

func integer[T int8 | int16 | int32](size int) lines.Codec {
	return whole(func(in *reader) any {
		number := uint32(0)
		for _, octet := range in.take(size) {
			number = number<<8 | uint32(octet)
		}
		return int64(T(number))
	}, func(value any) ([]byte, error) {
		number, err := lines.Integer[T](value)
		if given, ok := value.(int64); ok && is("integer cut to its size") {
			number, err = T(given), nil
		}
		written := binary.BigEndian.AppendUint32(nil, uint32(int32(number)))
		return written[4-size:], err
	})
}

func varint[T int32](value any) ([]byte, error) {
	number, err := lines.Integer[T](value)
	return appendSigned(nil, int64(number)), err
}

func varlong(value any) ([]byte, error) {
	number, ok := value.(int64)
	if !ok {
		return nil, refuse("out-of-range")
	}
	return appendSigned(nil, number), nil
}

func readBoolean(in *reader) any {
	octet := in.take(1)[0]
	if octet > 1 && is("boolean of two refused") {
		in.fail("invalid-boolean")
	}
	return octet != 0
}

func writeBoolean(value any) ([]byte, error) {
	flag, err := lines.Must[bool](value)
	if flag {
		return []byte{1}, err
	}
	return []byte{0}, err
}

// length checks a length of which -1 stands for null.
func (in *reader) length(length int) (size int, null bool) {
	if length < 0 {
		if length != -1 && !is(Contested) {
			in.fail("negative-length")
		}
		return 0, true
	}
	return length, false
}

const longest = math.MaxInt16

func (in *reader) text(length int) any {
	size, null := in.length(length)
	if null {
		if is("null string as an empty one") {
			return ""
		}
		return nil
	}
	if size > longest && !is("string of any length") {
		in.fail("string-too-long")
	}
	return string(in.take(size))
}

func textOf(value any) (string, bool, error) {
	text, given := value.(string)
	if len(text) > longest && !is("string of any length") {
		return "", given, refuse("string-too-long")
	}
	return text, given, nil
}

func readNullableString(in *reader) any {
	return in.text(int(int16(binary.BigEndian.Uint16(in.take(2)))))
}

func writeNullableString(value any) ([]byte, error) {
	text, given, err := textOf(value)
	if !given && !is("null string as an empty one") {
		return []byte{0xff, 0xff}, err
	}
	return append(binary.BigEndian.AppendUint16(nil, uint16(len(text))), text...), err
}

func readCompactNullableString(in *reader) any { return in.text(int(in.unsigned()) - 1) }

func writeCompactNullableString(value any) ([]byte, error) {
	text, given, err := textOf(value)
	if !given && !is("null string as an empty one") {
		return []byte{0}, err
	}
	return append(binary.AppendUvarint(nil, uint64(len(text))+1), text...), err
}

func readNullableBytes(in *reader) any {
	size, null := in.length(int(int32(binary.BigEndian.Uint32(in.take(4)))))
	if null {
		if is("null bytes as empty ones") {
			return []byte{}
		}
		return nil
	}
	return in.take(size)
}

func writeNullableBytes(value any) ([]byte, error) {
	data, given := value.([]byte)
	if !given {
		return []byte{0xff, 0xff, 0xff, 0xff}, nil
	}
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(data))), data...), nil
}

func readTags(in *reader) any {
	tags, last := []any{}, int64(-1)
	for count := in.unsigned(); count > 0 && in.err == nil; count-- {
		tag, size := int64(in.unsigned()), int(in.unsigned())
		if tag <= last && !is("tags in any order") {
			in.fail("tag-order")
		}
		if size > len(in.data) && is("size of a tag not looked at") {
			size = len(in.data)
		}
		tags, last = append(tags, []any{tag, in.take(size)}), tag
	}
	return tags
}

func writeTags(value any) ([]byte, error) {
	tags, err := lines.Must[[]any](value)
	dst, last := binary.AppendUvarint(nil, uint64(len(tags))), int64(-1)
	for _, one := range tags {
		pair, _ := one.([]any)
		if len(pair) != 2 {
			return nil, refuse("out-of-range")
		}
		tag, failed := lines.Integer[uint32](pair[0])
		content, ok := pair[1].([]byte)
		switch {
		case failed != nil:
			return nil, failed
		case !ok:
			return nil, refuse("out-of-range")
		case int64(tag) <= last && !is("tags in any order"):
			return nil, refuse("tag-order")
		}
		last = int64(tag)
		dst = binary.AppendUvarint(binary.AppendUvarint(dst, uint64(tag)), uint64(len(content)))
		dst = append(dst, content...)
	}
	return dst, err
}

// octets reads a varint length and its bytes; null for -1.
func (in *reader) octets() any {
	length := in.signed(32)
	if length == -1 {
		return nil
	}
	return in.take(int(length))
}

func (in *reader) record() lines.Struct {
	length := in.signed(32)
	if length < 0 || length > int64(len(in.data)) {
		in.fail("truncated")
		return nil
	}
	body := in
	if !is("a record's length taken for it") {
		body = &reader{data: in.take(int(length))}
	}
	value := lines.Struct{"attributes": int64(int8(body.take(1)[0]))}
	value["timestampDelta"], value["offsetDelta"] = body.signed(64), body.signed(32)
	value["key"], value["value"] = body.octets(), body.octets()
	headers := []any{}
	count := body.signed(32)
	if count < 0 {
		body.fail("negative-count")
	}
	for ; count > 0 && body.err == nil; count-- {
		key, isKey := body.octets().([]byte)
		if !isKey {
			body.fail("null-not-allowed")
		}
		content := body.octets()
		if content == nil && is("null header as an empty one") {
			content = []byte{}
		}
		header := []any{string(key), content}
		if is(AsItIs) {
			header[0] = key
		}
		if is("headers from the last") {
			headers = append([]any{header}, headers...)
		} else {
			headers = append(headers, header)
		}
	}
	value["headers"] = headers
	if is(AsItIs) {
		value["length"] = length
	}
	if is(Rebuilt) || is("offset deltas lost") {
		delete(value, "offsetDelta")
	}
	if body.err == nil && body != in && len(body.data) > 0 {
		body.fail("length-mismatch")
	}
	if in.err == nil {
		in.err = body.err
	}
	return value
}

func appendOctets(dst []byte, value any) []byte {
	switch value := value.(type) {
	case string:
		return append(appendSigned(dst, int64(len(value))), value...)
	case []byte:
		return append(appendSigned(dst, int64(len(value))), value...)
	}
	return appendSigned(dst, -1)
}

func writeRecord(value any) ([]byte, error) {
	record, wrong := lines.Must[lines.Struct](value)
	sets := is(Rebuilt) || is("offset deltas lost")
	if _, there := record["offsetDelta"]; sets && !there && record != nil {
		record["offsetDelta"] = int64(0)
	}
	attributes, outside := lines.Integer[int8](record["attributes"])
	delta, isNumber := record["timestampDelta"].(int64)
	offset, beyond := lines.Integer[int32](record["offsetDelta"])
	headers, none := lines.Must[[]any](record["headers"])
	switch err := cmp.Or(wrong, outside, beyond, none); {
	case err != nil:
		return nil, err
	case !isNumber:
		return nil, refuse("out-of-range")
	case len(record) > 6 && record["length"] == nil:
		return nil, refuse("unknown-field")
	}
	if sets {
		offset = 0
	}
	body := appendSigned(appendSigned([]byte{byte(attributes)}, delta), int64(offset))
	body = appendOctets(appendOctets(body, record["key"]), record["value"])
	body = appendSigned(body, int64(len(headers)))
	for _, header := range headers {
		pair, _ := header.([]any)
		if len(pair) != 2 || pair[0] == nil {
			return nil, refuse("null-not-allowed")
		}
		body = appendOctets(appendOctets(body, pair[0]), pair[1])
	}
	return append(appendSigned(nil, int64(len(body))), body...), nil
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// readBatch reads a RecordBatch that is not compressed:
// baseOffset int64, length int32, leader epoch int32, magic int8, CRC uint32, attributes int16, …, count int32, records.
func readBatch(in *reader) any {
	head := in.take(61)
	if in.err != nil {
		return nil
	}
	number := binary.BigEndian
	switch length, attributes := int32(number.Uint32(head[8:])), number.Uint16(head[21:]); {
	case head[16] != 2:
		in.fail("unsupported-magic")
	case length < 49 || int(length)-49 > len(in.data):
		in.fail("truncated")
	case int(length)-49 < len(in.data):
		in.fail("trailing-bytes")
	case number.Uint32(head[17:]) != crc32.Update(crc32.Checksum(head[21:], castagnoli), castagnoli, in.data) &&
		!is("checksum not looked at"):
		in.fail("crc-mismatch")
	case attributes&7 != 0 || attributes&0x20 != 0:
		in.err = lines.NotOffered("compressed and control batches")
	}
	if in.err != nil {
		return nil
	}
	records := []any{}
	for count := int32(number.Uint32(head[57:])); len(records) < int(count) && in.err == nil; {
		records = append(records, in.record())
	}
	return lines.Struct{
		"baseOffset":           int64(number.Uint64(head)),
		"partitionLeaderEpoch": int64(int32(number.Uint32(head[12:]))),
		"attributes":           int64(int16(number.Uint16(head[21:]))),
		"lastOffsetDelta":      int64(int32(number.Uint32(head[23:]))),
		"baseTimestamp":        int64(number.Uint64(head[27:])),
		"maxTimestamp":         int64(number.Uint64(head[35:])),
		"producerId":           int64(number.Uint64(head[43:])),
		"producerEpoch":        int64(int16(number.Uint16(head[51:]))),
		"baseSequence":         int64(int32(number.Uint32(head[53:]))),
		"records":              records,
	}
}

// whole is a codec that refuses bytes behind the value.
func whole(read func(in *reader) any, write func(value any) ([]byte, error)) lines.Codec {
	return lines.Codec{
		Decode: func(_ int, data []byte) (any, error) {
			in := &reader{data: data}
			value := read(in)
			if in.err == nil && len(in.data) > 0 && !is("bytes behind the end") {
				in.fail("trailing-bytes")
			}
			return value, in.err
		},
		Encode: func() func(int, any) ([]byte, error) {
			if write == nil {
				return nil
			}
			return func(_ int, value any) ([]byte, error) { return write(value) }
		}(),
	}
}

// Wrapper is the codec behind the line protocol.
func Wrapper() *lines.Wrapper {
	if _, there := Mutants[mutant]; mutant != "" && !there {
		panic(errors.New("no mutant: " + mutant))
	}
	return &lines.Wrapper{
		Name:    "wrong",
		Version: fmt.Sprintf("1 (%s)", mutant),
		Types: map[string]lines.Codec{
			"INT8":                    integer[int8](1),
			"INT16":                   integer[int16](2),
			"INT32":                   integer[int32](4),
			"BOOLEAN":                 whole(readBoolean, writeBoolean),
			"VARINT":                  whole(func(in *reader) any { return in.signed(32) }, varint[int32]),
			"VARLONG":                 whole(func(in *reader) any { return in.signed(64) }, varlong),
			"NULLABLE_STRING":         whole(readNullableString, writeNullableString),
			"COMPACT_NULLABLE_STRING": whole(readCompactNullableString, writeCompactNullableString),
			"NULLABLE_BYTES":          whole(readNullableBytes, writeNullableBytes),
			"TAG_BUFFER":              whole(readTags, writeTags),
			"Record":                  whole(func(in *reader) any { return in.record() }, writeRecord),
			"RecordBatch":             whole(readBatch, nil),
		},
		Rebuilds: rebuilds(),
	}
}

func rebuilds() map[string][]string {
	if !is(Rebuilt) {
		return nil
	}
	return map[string][]string{"Record": {"offsetDelta"}, "RecordBatch": {"offsetDelta"}}
}
