// SPDX-License-Identifier: Apache-2.0. @versions@.

package wireproof

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// parse is the value that JSON in the value encoding stands for.
func parse(raw json.RawMessage) any {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var parsed any
	must(decoder.Decode(&parsed))
	return fromJSON(parsed)
}

func fromJSON(parsed any) any {
	switch parsed := parsed.(type) {
	case json.Number:
		return integer(parsed.String())
	case []any:
		for index, item := range parsed {
			parsed[index] = fromJSON(item)
		}
	case map[string]any:
		if special := special(parsed); special != nil {
			return special
		}
		value := make(Struct, len(parsed))
		for name, item := range parsed {
			value[name] = fromJSON(item)
		}
		return value
	}
	return parsed
}

// special is a value that JSON cannot hold, written as an object with one key.
func special(parsed map[string]any) any {
	if len(parsed) != 1 {
		return nil
	}
	for form, item := range parsed {
		text, isText := item.(string)
		switch {
		case !isText:
		case form == "int":
			return integer(text)
		case form == "hex":
			return octets(text)
		case form == "uuid":
			return UUID(octets(strings.ReplaceAll(text, "-", "")))
		case form == "float64":
			bits, err := strconv.ParseUint(text, 16, 64)
			must(err)
			return Float64(bits)
		}
	}
	return nil
}

func integer(text string) any {
	if small, err := strconv.ParseInt(text, 10, 64); err == nil {
		return small
	}
	large, ok := new(big.Int).SetString(text, 10)
	if !ok {
		panic(fmt.Sprintf("%q is no integer", text))
	}
	return large
}

func octets(digits string) []byte {
	data, err := hex.DecodeString(digits)
	must(err)
	return data
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// manner says how values are compared.
type manner struct {
	optional map[string]bool // paths of fields that an answer may leave out
	rebuilt  []string        // names of fields that an answer may leave out
	without  []string        // names of fields that are not compared
	fold     bool            // texts are equal that show the same bytes (4)
}

// derived are fields that follow from the others. A value has none of them; an answer may, and also "magic".
var derived = []string{"size", "length", "batchLength", "crc", "recordsCount", "headersCount"}

// same tells whether an answer is equal to what was expected.
func same(expected, answer any, how manner, path string) bool {
	switch expected := expected.(type) {
	case nil:
		return answer == nil
	case bool:
		return expected == answer
	case string:
		return expected == answer || how.fold && showSameBytes(expected, answer)
	case int64, *big.Int:
		number, wanted := asInteger(answer), asInteger(expected)
		return number != nil && number.Cmp(wanted) == 0
	case []byte:
		given, ok := answer.([]byte)
		return ok && bytes.Equal(expected, given)
	case UUID:
		return answer == any(expected) || answer == any([16]byte(expected))
	case Float64:
		if number, ok := answer.(float64); ok {
			return math.Float64bits(number) == uint64(expected)
		}
		return answer == any(expected)
	case []any:
		given, ok := answer.([]any)
		if !ok || len(given) != len(expected) {
			return false
		}
		for index, item := range expected {
			if !same(item, given[index], how, fmt.Sprintf("%s[%d]", path, index)) {
				return false
			}
		}
		return true
	case Struct:
		given, ok := answer.(Struct)
		return ok && sameFields(expected, given, how, path)
	}
	return false
}

func sameFields(expected, answer Struct, how manner, path string) bool {
	for name, item := range expected {
		place := strings.TrimPrefix(path+"."+name, ".")
		given, there := answer[name]
		if name == "headers" {
			item, given = withTextKeys("HEADERS", item), withTextKeys("HEADERS", given)
		}
		mayLack := how.optional[place] || slices.Contains(how.rebuilt, name) || name == "_tags" && isEmpty(item)
		if slices.Contains(how.without, name) || !there && mayLack {
			continue
		}
		if !there || !same(item, given, how, place) {
			return false
		}
	}
	for name, given := range answer {
		ignored := name == "magic" || slices.Contains(derived, name) || slices.Contains(how.without, name)
		if _, there := expected[name]; !there && !ignored && (name != "_tags" || !isEmpty(given)) {
			return false
		}
	}
	return true
}

// withTextKeys is the answer of a decode with the keys of headers as text, if they are bytes.
func withTextKeys(typeName string, answer any) any {
	items, ok := answer.([]any)
	switch {
	case ok && typeName == "HEADERS":
		headers := make([]any, len(items))
		for index, header := range items {
			headers[index] = withTextKeys("HEADER", header)
		}
		return headers
	case ok && typeName == "HEADER" && len(items) == 2:
		if key, isBytes := items[0].([]byte); isBytes {
			return []any{string(key), items[1]}
		}
	}
	return answer
}

// showSameBytes tells whether a text shows the same bytes that are no UTF-8: libraries differ in how many U+FFFD they write.
func showSameBytes(expected string, answer any) bool {
	if data, ok := answer.([]byte); ok {
		answer = string(data)
	}
	text, ok := answer.(string)
	return ok && strings.Contains(expected, replacement) && folded(expected) == folded(text)
}

const replacement = "\ufffd"

func folded(text string) string {
	runes := []rune(text) // a byte that is no UTF-8 is U+FFFD
	return string(slices.CompactFunc(runes, func(one, other rune) bool { return one == other && one == '\ufffd' }))
}

func isEmpty(value any) bool {
	list, ok := value.([]any)
	return ok && len(list) == 0
}

// asInteger is a number of any integer type; nil for everything else.
func asInteger(value any) *big.Int {
	if large, ok := value.(*big.Int); ok {
		return large
	}
	number := reflect.ValueOf(value)
	switch {
	case !number.IsValid():
		return nil
	case number.CanInt():
		return big.NewInt(number.Int())
	case number.CanUint() && number.Type() != reflect.TypeFor[Float64]():
		return new(big.Int).SetUint64(number.Uint())
	}
	return nil
}

const shownAtMost = 400

func cut(text string) string {
	if len(text) <= shownAtMost {
		return text
	}
	return text[:shownAtMost] + "…"
}

// show is a value for a person.
func show(value any) string {
	switch value := value.(type) {
	case nil:
		return "null"
	case []byte:
		return cut("0x" + hex.EncodeToString(value))
	case string:
		return cut(strconv.Quote(value))
	case UUID:
		return hex.EncodeToString(value[:])
	case Float64:
		return fmt.Sprintf("%v (0x%016x)", value.Number(), uint64(value))
	case []any:
		items := make([]string, len(value))
		for index, item := range value {
			items[index] = show(item)
		}
		return cut("[" + strings.Join(items, ", ") + "]")
	case Struct:
		return cut(showFields(value))
	}
	return cut(fmt.Sprint(value))
}

func showFields(value Struct) string {
	names := make([]string, 0, len(value))
	for name := range value {
		names = append(names, name)
	}
	sort.Strings(names)
	for index, name := range names {
		names[index] = name + ": " + show(value[name])
	}
	return "{" + strings.Join(names, ", ") + "}"
}
