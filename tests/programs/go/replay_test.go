package wireproof

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
)

// An implementation that answers from a table: tests/support/replayed.py makes it.

type entry struct {
	Value   json.RawMessage
	Data    string
	Sent    string
	Closed  bool
	Outcome json.RawMessage

	Delivered json.RawMessage

	Version *int
	Breaks  []any

	Unsupported *string
	Error       *string
	Reject      *struct{ Detail string }
}

var table = func() (found map[string]entry) {
	content, err := os.ReadFile("table.json")
	must(err)
	must(json.Unmarshal(content, &found))
	return found
}()

func look(parts ...string) (entry, error) {
	found, there := table[strings.Join(parts, "|")]
	switch {
	case !there:
		return found, NotOffered(parts[0])
	case found.Unsupported != nil:
		return found, NotOffered(*found.Unsupported)
	case found.Reject != nil:
		return found, errors.New(found.Reject.Detail)
	case found.Error != nil:
		panic(*found.Error)
	}
	return found, nil
}

func parts(op string, form Form, data []byte) []string {
	version := "-"
	if form.Version != NoVersion {
		version = fmt.Sprint(form.Version)
	}
	return []string{op, form.Dialect, form.Type, version, hex.EncodeToString(data)}
}

func compact(value any) string {
	text, err := json.Marshal(value)
	must(err)
	return string(text)
}

var implementation = Implementation{
	Decode: func(form Form, data []byte) (any, error) {
		found, err := look(parts("decode", form, data)...)
		if err != nil {
			return nil, err
		}
		return parse(found.Value), nil
	},
	Lookup: func(form Form, data []byte, key any) ([]any, error) {
		found, err := look(append(parts("lookup", form, data), compact(key))...)
		if err != nil {
			return nil, err
		}
		return parse(found.Value).([]any), nil
	},
	Convert: func(form Form, data []byte, to any) ([]byte, error) {
		found, err := look(append(parts("convert", form, data), compact(to))...)
		return octets(found.Data), err
	},
	Consume: func(dialect string, fetch Fetch) (Struct, error) {
		asked := []string{"consume", dialect, hex.EncodeToString(fetch.Data), fmt.Sprint(fetch.Position), fetch.Isolation}
		for _, one := range fetch.Aborted {
			asked = append(asked, fmt.Sprintf("%d:%d", one.ProducerID, one.FirstOffset))
		}
		found, err := look(asked...)
		if err != nil {
			return nil, err
		}
		return parse(found.Delivered).(Struct), nil
	},
	Serve: func(dialect string, chunks [][]byte) ([]byte, bool, error) {
		asked := []string{"serve", dialect}
		for _, chunk := range chunks {
			asked = append(asked, hex.EncodeToString(chunk))
		}
		found, err := look(asked...)
		return octets(found.Sent), found.Closed, err
	},
	Interpret: func(dialect string, request, response []byte) (Struct, error) {
		answer := "null"
		if response != nil {
			answer = hex.EncodeToString(response)
		}
		found, err := look("interpret", dialect, hex.EncodeToString(request), answer)
		if err != nil {
			return nil, err
		}
		return parse(found.Outcome).(Struct), nil
	},
	Negotiate: func(dialect string, apiKey any, client [2]int, broker *[2]int) (*int, error) {
		found, err := look("negotiate", dialect, compact(apiKey), compact(client), compact(broker))
		return found.Version, err
	},
	Evolve: func(dialect string, old, new []byte) (bool, error) {
		found, err := look("evolve", dialect, string(old), string(new))
		return len(found.Breaks) > 0, err
	},
	Configure: func(string, []byte) error { return nil },
}
