package lines

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"unicode/utf16"
)

// The contract's values in Go:
//
//	protocol   here                                 JSON
//	integer    int64, *big.Int outside of it        number; outside ±(2^53-1) {"int": "…"}
//	bytes      []byte                               {"hex": "…"}
//	UUID       UUID                                 {"uuid": "…"}
//	float64    Float64                              {"float64": "<16 hex digits>"}
//	array      []any                                array
//	struct     Struct                               object
//	the rest   bool, string, nil                    the same

// UUID is a UUID's sixteen bytes.
type UUID [16]byte

// Float64 is a float64 that is compared by its bits.
type Float64 float64

// Struct is a struct by the names of its fields.
type Struct map[string]any

const largestExact = 1<<53 - 1

// appendValue appends a value as JSON.
func appendValue(dst []byte, value any) []byte {
	switch value := value.(type) {
	case nil:
		return append(dst, "null"...)
	case bool:
		return strconv.AppendBool(dst, value)
	case int64:
		if value > largestExact || value < -largestExact {
			return fmt.Appendf(dst, `{"int":"%d"}`, value)
		}
		return strconv.AppendInt(dst, value, 10)
	case string:
		return appendText(dst, value)
	case []byte:
		dst = append(dst, `{"hex":"`...)
		dst = hex.AppendEncode(dst, value)
		return append(dst, `"}`...)
	case UUID:
		return fmt.Appendf(dst, `{"uuid":"%x-%x-%x-%x-%x"}`, value[:4], value[4:6], value[6:8], value[8:10], value[10:])
	case Float64:
		return fmt.Appendf(dst, `{"float64":"%016x"}`, math.Float64bits(float64(value)))
	case []any:
		dst = append(dst, '[')
		for index, item := range value {
			if index > 0 {
				dst = append(dst, ',')
			}
			dst = appendValue(dst, item)
		}
		return append(dst, ']')
	case Struct:
		dst = append(dst, '{')
		first := true
		for name, item := range value {
			if !first {
				dst = append(dst, ',')
			}
			first = false
			dst = append(appendText(dst, name), ':')
			dst = appendValue(dst, item)
		}
		return append(dst, '}')
	}
	panic(fmt.Sprintf("no value of the contract: %T", value))
}

// appendText appends text as JSON; what is no UTF-8 becomes U+FFFD, one for each byte.
func appendText(dst []byte, text string) []byte {
	written, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return append(dst, written...)
}

// parseValue is the value that JSON stands for.
func parseValue(raw json.RawMessage) (any, error) {
	if hasLoneSurrogate(raw) {
		return nil, NotOffered("a lone surrogate is no text in Go")
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var parsed any
	if err := decoder.Decode(&parsed); err != nil {
		return nil, badQuestion{err}
	}
	value, err := fromJSON(parsed)
	if err != nil {
		return nil, badQuestion{err}
	}
	return value, nil
}

func fromJSON(parsed any) (any, error) {
	switch parsed := parsed.(type) {
	case json.Number:
		return integer(parsed.String())
	case []any:
		for index, item := range parsed {
			value, err := fromJSON(item)
			if err != nil {
				return nil, err
			}
			parsed[index] = value
		}
		return parsed, nil
	case map[string]any:
		return object(parsed)
	}
	return parsed, nil
}

func object(parsed map[string]any) (any, error) {
	if len(parsed) == 1 {
		for form, item := range parsed {
			text, isText := item.(string)
			switch {
			case !isText:
			case form == "int":
				return integer(text)
			case form == "hex":
				return hex.DecodeString(text)
			case form == "uuid":
				return uuid(text)
			case form == "float64":
				bits, err := strconv.ParseUint(text, 16, 64)
				return Float64(math.Float64frombits(bits)), err
			}
		}
	}
	value := make(Struct, len(parsed))
	for name, item := range parsed {
		var err error
		if value[name], err = fromJSON(item); err != nil {
			return nil, err
		}
	}
	return value, nil
}

func integer(text string) (any, error) {
	if small, err := strconv.ParseInt(text, 10, 64); err == nil {
		return small, nil
	}
	large, ok := new(big.Int).SetString(text, 10)
	if !ok {
		return nil, fmt.Errorf("%q is no integer", text)
	}
	return large, nil
}

func uuid(text string) (UUID, error) {
	octets, err := hex.DecodeString(string(bytes.ReplaceAll([]byte(text), []byte("-"), nil)))
	if err != nil || len(octets) != 16 {
		return UUID{}, fmt.Errorf("%q is no UUID", text)
	}
	return UUID(octets), nil
}

// hasLoneSurrogate tells whether a \u escape in JSON is half of a pair without the other: encoding/json makes U+FFFD of it.
func hasLoneSurrogate(raw []byte) bool {
	for at := 0; at+1 < len(raw); at++ {
		if raw[at] != '\\' {
			continue
		}
		unit, isEscape := escaped(raw[at:])
		at++
		if !isEscape || !utf16.IsSurrogate(unit) {
			continue
		}
		at += 4
		next, isNext := escaped(raw[at+1:])
		if !isNext || utf16.DecodeRune(unit, next) == '\uFFFD' {
			return true
		}
		at += 6
	}
	return false
}

// escaped is the UTF-16 unit of a \u escape at the beginning.
func escaped(raw []byte) (rune, bool) {
	if len(raw) < 6 || raw[0] != '\\' || raw[1] != 'u' {
		return 0, false
	}
	unit, err := strconv.ParseUint(string(raw[2:6]), 16, 16)
	return rune(unit), err == nil
}
