package codec

import (
	"regexp"

	"github.com/twmb/franz-go/pkg/kbin"
	"github.com/twmb/franz-go/pkg/kmsg"

	"wireproof/implementations/go/lines"
)

// primitive is a reader and a writer of kbin. A reader that finds an end makes the kbin.Reader bad, and returns a default.
type primitive struct {
	read  func(in *kbin.Reader) any
	write func(dst []byte, value any) ([]byte, error)
}

func integer[T int8 | int16 | int32 | int64 | uint16 | uint32](
	read func(*kbin.Reader) T, write func([]byte, T) []byte,
) primitive {
	return primitive{
		func(in *kbin.Reader) any { return int64(read(in)) },
		func(dst []byte, value any) ([]byte, error) {
			number, err := lines.Integer[T](value)
			if err != nil {
				return nil, err
			}
			return write(dst, number), nil
		},
	}
}

func simple[T, V any](read func(*kbin.Reader) T, write func([]byte, T) []byte, shown func(T) V, taken func(V) T) primitive {
	return primitive{
		func(in *kbin.Reader) any { return shown(read(in)) },
		func(dst []byte, value any) ([]byte, error) {
			given, err := lines.Must[V](value)
			if err != nil {
				return nil, err
			}
			return write(dst, taken(given)), nil
		},
	}
}

func text(read func(*kbin.Reader) string, write func([]byte, string) []byte) primitive {
	same := func(text string) string { return text }
	return simple(read, write, same, same)
}

func nullableText(read func(*kbin.Reader) *string, write func([]byte, *string) []byte) primitive {
	return primitive{
		func(in *kbin.Reader) any {
			if text := read(in); text != nil {
				return *text
			}
			return nil
		},
		func(dst []byte, value any) ([]byte, error) { return write(dst, lines.TextOrNil(value)), nil },
	}
}

func octets(read func(*kbin.Reader) []byte, write func(dst, octets []byte) []byte) primitive {
	return primitive{
		func(in *kbin.Reader) any { return read(in) },
		func(dst []byte, value any) ([]byte, error) {
			octets, err := lines.Octets(value)
			return write(dst, octets), err
		},
	}
}

func nullableOctets(read func(*kbin.Reader) []byte, write func(dst, octets []byte) []byte) primitive {
	return primitive{
		func(in *kbin.Reader) any { return shownOctets(read(in)) },
		func(dst []byte, value any) ([]byte, error) { return write(dst, lines.OctetsOrNil(value)), nil },
	}
}

// shownOctets is bytes as a value, null for nil.
func shownOctets(octets []byte) any {
	if octets == nil {
		return nil
	}
	return octets
}

var primitives = map[string]primitive{
	"BOOLEAN": simple((*kbin.Reader).Bool, kbin.AppendBool,
		func(truth bool) bool { return truth }, func(truth bool) bool { return truth }),
	"INT8":            integer((*kbin.Reader).Int8, kbin.AppendInt8),
	"INT16":           integer((*kbin.Reader).Int16, kbin.AppendInt16),
	"INT32":           integer((*kbin.Reader).Int32, kbin.AppendInt32),
	"INT64":           integer((*kbin.Reader).Int64, kbin.AppendInt64),
	"UINT16":          integer((*kbin.Reader).Uint16, kbin.AppendUint16),
	"UINT32":          integer((*kbin.Reader).Uint32, kbin.AppendUint32),
	"UNSIGNED_VARINT": integer((*kbin.Reader).Uvarint, kbin.AppendUvarint),
	"VARINT":          integer((*kbin.Reader).Varint, kbin.AppendVarint),
	"VARLONG":         integer((*kbin.Reader).Varlong, kbin.AppendVarlong),
	"FLOAT64": simple((*kbin.Reader).Float64, kbin.AppendFloat64,
		func(number float64) lines.Float64 { return lines.Float64(number) },
		func(number lines.Float64) float64 { return float64(number) }),
	"UUID": simple((*kbin.Reader).Uuid, kbin.AppendUuid,
		func(id [16]byte) lines.UUID { return id }, func(id lines.UUID) [16]byte { return id }),
	"STRING":                  text((*kbin.Reader).String, kbin.AppendString),
	"COMPACT_STRING":          text((*kbin.Reader).CompactString, kbin.AppendCompactString),
	"NULLABLE_STRING":         nullableText((*kbin.Reader).NullableString, kbin.AppendNullableString),
	"COMPACT_NULLABLE_STRING": nullableText((*kbin.Reader).CompactNullableString, kbin.AppendCompactNullableString),
	"BYTES":                   octets((*kbin.Reader).Bytes, kbin.AppendBytes),
	"COMPACT_BYTES":           octets((*kbin.Reader).CompactBytes, kbin.AppendCompactBytes),
	"NULLABLE_BYTES":          nullableOctets((*kbin.Reader).NullableBytes, kbin.AppendNullableBytes),
	"COMPACT_NULLABLE_BYTES":  nullableOctets((*kbin.Reader).CompactNullableBytes, kbin.AppendCompactNullableBytes),
	"TAG_BUFFER":              {readTags, writeTags},
}

// readTags shows tags in ascending order: kmsg.Tags is a map, which tells no other.
func readTags(in *kbin.Reader) any {
	return shownTags(kmsg.ReadTags(in))
}

func shownTags(tags kmsg.Tags) []any {
	shown := []any{}
	tags.Each(func(tag uint32, content []byte) { shown = append(shown, []any{int64(tag), content}) })
	return shown
}

func writeTags(dst []byte, value any) ([]byte, error) {
	given, err := lines.Must[[]any](value)
	if err != nil {
		return nil, err
	}
	var tags kmsg.Tags
	for _, item := range given {
		tag, err := lines.Integer[uint32](item.([]any)[0])
		if err != nil {
			return nil, err
		}
		tags.Set(tag, item.([]any)[1].([]byte))
	}
	// As the generated writers do.
	return tags.AppendEach(kbin.AppendUvarint(dst, uint32(tags.Len()))), nil
}

// whole is the codec of something that is read from a kbin.Reader, whose bytes left over are a refusal.
func whole(found primitive) lines.Codec {
	return lines.Codec{
		Decode: func(_ int, data []byte) (any, error) {
			in := &kbin.Reader{Src: data}
			value := found.read(in)
			if err := in.Complete(); err != nil {
				return nil, err
			}
			return value, lines.LeftOver(len(data), len(in.Src))
		},
		Encode: func(_ int, value any) ([]byte, error) { return found.write(nil, value) },
	}
}

var arrayName = regexp.MustCompile(`^((?:COMPACT_)?(?:NULLABLE_)?ARRAY)<(.*)>$`)

// array is the codec of an array, by kbin's lengths of arrays, around which the generated code of kmsg has the same loop.
func array(name string) (lines.Codec, error) {
	found, err := element(name)
	return whole(found), err
}

func element(name string) (primitive, error) {
	parts := arrayName.FindStringSubmatch(name)
	if parts == nil {
		found, ok := primitives[name]
		if !ok {
			return found, lines.NotOfferedf("kbin has nothing for %s", name)
		}
		return found, nil
	}
	of, err := element(parts[2])
	if err != nil {
		return of, err
	}
	readLength := (*kbin.Reader).ArrayLen
	if parts[1][0] == 'C' {
		readLength = (*kbin.Reader).CompactArrayLen
	}
	return primitive{
		func(in *kbin.Reader) any { return readArray(in, readLength, of) },
		func(dst []byte, value any) ([]byte, error) { return writeArray(dst, parts[1], value, of) },
	}, nil
}

// readArray reads as kmsg's generated code does: any length below 0 is null, or for a field that is not nullable nil too.
func readArray(in *kbin.Reader, readLength func(*kbin.Reader) int32, of primitive) any {
	length := readLength(in)
	if length < 0 || !in.Ok() {
		return nil
	}
	items := make([]any, length)
	for index := range items {
		items[index] = of.read(in)
	}
	return items
}

func writeArray(dst []byte, form string, value any, of primitive) ([]byte, error) {
	items, _ := value.([]any)
	isNull := value == nil
	switch form {
	case "NULLABLE_ARRAY":
		dst = kbin.AppendNullableArrayLen(dst, len(items), isNull)
	case "COMPACT_NULLABLE_ARRAY":
		dst = kbin.AppendCompactNullableArrayLen(dst, len(items), isNull)
	default:
		if isNull {
			return nil, lines.NotOffered("AppendArrayLen takes a length alone: null cannot be told")
		}
		if form == "ARRAY" {
			dst = kbin.AppendArrayLen(dst, len(items))
		} else {
			dst = kbin.AppendCompactArrayLen(dst, len(items))
		}
	}
	var err error
	for _, item := range items {
		if dst, err = of.write(dst, item); err != nil {
			return nil, err
		}
	}
	return dst, nil
}
