package wireproof

import (
	"errors"
	"fmt"
	"math/big"
	"os"

	"wireproof/implementations/go/CODEC"
	"wireproof/implementations/go/lines"
)

// A library behind the line protocol as an implementation for exported tests.

var library = PACKAGE.Wrapper()

var implementation = Implementation{
	Decode: func(form Form, data []byte) (any, error) {
		codec, version, err := find("decode", form)
		if err != nil {
			return nil, err
		}
		value, err := codec.Decode(version, data)
		return mine(value), told(err)
	},
	Encode: func(form Form, value any) ([]byte, error) {
		codec, version, err := find("encode", form)
		if err != nil {
			return nil, err
		}
		written, err := codec.Encode(version, theirs(value))
		return written, told(err)
	},
	Recode: func(form Form, data []byte) ([]byte, error) {
		codec, version, err := find("recode", form)
		if err != nil {
			return nil, err
		}
		written, err := codec.Recoded(version, data)
		if errors.As(err, new(lines.EncodeHalf)) {
			return nil, ReadOnly{told(err)}
		}
		return written, told(err)
	},
	Readings: chosenReadings(),
	Rebuilds: library.Rebuilds,
}

// chosenReadings is no reading at all if READINGS is set.
func chosenReadings() []string {
	if os.Getenv("READINGS") == "none" {
		return []string{}
	}
	return nil
}

func find(op string, form Form) (lines.Codec, int, error) {
	if form.Dialect != "kafka" {
		return lines.Codec{}, 0, NotOffered(form.Dialect)
	}
	version, number := &form.Version, form.Version
	if number == NoVersion {
		version, number = nil, 0
	}
	codec, err := library.Codec(op, form.Type, version)
	return codec, number, told(err)
}

func told(err error) error {
	var absent lines.NotOffered
	var refusal lines.Refusal
	if errors.As(err, &absent) {
		return NotOffered(absent)
	}
	if errors.As(err, &refusal) && refusal.Offset != nil {
		return Refusal{Reason: refusal.Reason, Offset: *refusal.Offset, Err: err}
	}
	return err
}

func mine(value any) any {
	switch value := value.(type) {
	case lines.Struct:
		fields := Struct{}
		for name, item := range value {
			fields[name] = mine(item)
		}
		return fields
	case []any:
		items := make([]any, len(value))
		for index, item := range value {
			items[index] = mine(item)
		}
		return items
	case lines.UUID:
		return UUID(value)
	case lines.Float64:
		return float64(value)
	}
	return value
}

func theirs(value any) any {
	switch value := value.(type) {
	case Struct:
		fields := lines.Struct{}
		for name, item := range value {
			fields[name] = theirs(item)
		}
		return fields
	case []any:
		items := make([]any, len(value))
		for index, item := range value {
			items[index] = theirs(item)
		}
		return items
	case UUID:
		return lines.UUID(value)
	case Float64:
		return lines.Float64(value.Number())
	case int64, *big.Int, []byte, string, bool, nil:
		return value
	}
	panic(fmt.Sprintf("no value: %T", value))
}
