// SPDX-License-Identifier: Apache-2.0. @versions@.

package wireproof

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
)

// Patterns for the frames that a broker sends are described in vectors/FORMAT.md of Wireproof. Frames are read by the
// implementation's own Decode, so only one that reads them can be judged.

type pattern struct {
	Hex, Order, Type string
	Version          *int
	Value            json.RawMessage
}

// marks are the numbers to which patterns gave names.
type marks map[string]*big.Int

// mismatch says why sent frames do not match the patterns; doubt: why that cannot be said.
func mismatch(raw []json.RawMessage, sent []byte, dialect string) (problem, doubt string) {
	patterns := make([]pattern, len(raw))
	for index, one := range raw {
		must(json.Unmarshal(one, &patterns[index]))
	}
	numbers := marks{}
	for first := 0; first < len(patterns); {
		if exact := octets(patterns[first].Hex); len(exact) > 0 {
			if !bytes.HasPrefix(sent, exact) {
				return fmt.Sprintf("%x is expected, %s came", exact, cut(hex.EncodeToString(sent))), ""
			}
			sent = sent[len(exact):]
			first++
			continue
		}
		last := first + 1
		for last < len(patterns) && patterns[first].Order == "any" && patterns[last].Order == "any" {
			last++
		}
		values := make([][]any, last-first) // by frame and pattern: each pattern has a type of its own
		for index := range values {
			if len(sent) < 4 {
				return fmt.Sprintf("answer %d is missing", first+index+1), ""
			}
			size := int64(int32(binary.BigEndian.Uint32(sent)))
			if size < 0 || size > int64(len(sent)-4) {
				return fmt.Sprintf("answer %d announces %d bytes, %d follow", first+index+1, size, len(sent)-4), ""
			}
			for _, one := range patterns[first:last] {
				value, why := readFrame(one, sent[:4+size], dialect)
				if why != "" {
					return "", why
				}
				values[index] = append(values[index], value)
			}
			sent = sent[4+size:]
		}
		if !inSomeOrder(patterns[first:last], values, numbers) {
			return fmt.Sprintf("answers %d to %d do not match", first+1, last), ""
		}
		first = last
	}
	if len(sent) > 0 {
		return fmt.Sprintf("%d bytes more than %d answers", len(sent), len(patterns)), ""
	}
	return "", ""
}

// unreadable is the value of a frame that is not of a pattern's type: no pattern matches it.
type unreadable struct{}

func readFrame(one pattern, frame []byte, dialect string) (value any, doubt string) {
	digits := hex.EncodeToString(frame)
	got := ask(&line{ID: dialect + "/", Type: one.Type}, "decode", input{version: one.Version, bytes: &digits})
	switch got.kind {
	case answered:
		return got.answer, ""
	case notOffered:
		return nil, fmt.Sprintf("its answers cannot be read: there is no decode of %s", one.Type)
	}
	return unreadable{}, ""
}

// inSomeOrder tells whether frames match a group of patterns in some order.
func inSomeOrder(patterns []pattern, values [][]any, numbers marks) bool {
	var match func(at int, taken []bool, so marks) marks
	match = func(at int, taken []bool, so marks) marks {
		if at == len(patterns) {
			return so
		}
		for index := range values {
			if taken[index] {
				continue
			}
			now := copied(so)
			if matches(plain(patterns[at].Value), values[index][at], now) {
				taken[index] = true
				if found := match(at+1, taken, now); found != nil {
					return found
				}
				taken[index] = false
			}
		}
		return nil
	}
	found := match(0, make([]bool, len(values)), numbers)
	for name, number := range found {
		numbers[name] = number
	}
	return found != nil
}

// plain is JSON as it is, without the value encoding: a pattern has forms of its own.
func plain(raw json.RawMessage) any {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var parsed any
	must(decoder.Decode(&parsed))
	return parsed
}

func matches(wanted, value any, numbers marks) bool {
	if _, bad := value.(unreadable); bad {
		return false
	}
	switch wanted := wanted.(type) {
	case map[string]any:
		if len(wanted) == 1 {
			if right, isForm := ofForm(wanted, value, numbers); isForm {
				return right
			}
		}
		if isComparison(wanted) {
			return compare(wanted, value, numbers)
		}
		if given, ok := value.(Struct); ok {
			for name, inner := range wanted {
				item, there := given[name]
				if !there && name == "_tags" {
					item = []any{}
				} else if !there {
					return false
				}
				if !matches(inner, item, numbers) {
					return false
				}
			}
			return true
		}
	case []any:
		given, ok := value.([]any)
		if !ok || len(given) != len(wanted) {
			return false
		}
		for index, inner := range wanted {
			if !matches(inner, given[index], numbers) {
				return false
			}
		}
		return true
	}
	raw, err := json.Marshal(wanted)
	must(err)
	return same(parse(raw), value, manner{}, "")
}

// ofForm is a pattern that allows several values.
func ofForm(wanted map[string]any, value any, numbers marks) (right, isForm bool) {
	for form, inner := range wanted {
		switch form {
		case "any":
			return true, true
		case "contains":
			given, _ := value.([]any)
			for _, item := range given {
				if matchesKeeping(inner, item, numbers) {
					return true, true
				}
			}
			return false, true
		case "either", "none_of":
			for _, choice := range inner.([]any) {
				if matchesKeeping(choice, value, numbers) {
					return form == "either", true
				}
			}
			return form == "none_of", true
		}
	}
	return false, false
}

// matchesKeeping is matches; the names of numbers stay only if it is true.
func matchesKeeping(wanted, value any, numbers marks) bool {
	now := copied(numbers)
	if !matches(wanted, value, now) {
		return false
	}
	for name, number := range now {
		numbers[name] = number
	}
	return true
}

func copied(numbers marks) marks {
	now := marks{}
	for name, number := range numbers {
		now[name] = number
	}
	return now
}

func isComparison(wanted map[string]any) bool {
	for name := range wanted {
		if name != "greater" && name != "less" && name != "other_than" && name != "mark" {
			return false
		}
	}
	return len(wanted) > 0
}

func compare(wanted map[string]any, value any, numbers marks) bool {
	number := asInteger(value)
	if number == nil {
		return false
	}
	for name, holds := range map[string]func(int) bool{
		"greater":    func(sign int) bool { return sign > 0 },
		"less":       func(sign int) bool { return sign < 0 },
		"other_than": func(sign int) bool { return sign != 0 },
	} {
		against, there := wanted[name]
		if !there {
			continue
		}
		other := (*big.Int)(nil)
		if mark, isName := against.(string); isName {
			other = numbers[mark]
		} else {
			other = asInteger(integer(against.(json.Number).String()))
		}
		if other == nil || !holds(number.Cmp(other)) {
			return false
		}
	}
	if mark, there := wanted["mark"]; there {
		numbers[mark.(string)] = number
	}
	return true
}
