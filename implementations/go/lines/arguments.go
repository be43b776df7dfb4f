package lines

import (
	"fmt"
	"math/big"
	"slices"
)

// Values as arguments of a library's writers. Where the argument's type in Go cannot hold a value, the library has refused
// it by that type.

// Integer is a value as an integer of a size.
func Integer[T int8 | int16 | int32 | int64 | uint16 | uint32](value any) (T, error) {
	switch value := value.(type) {
	case nil:
		return 0, nullNotAllowed[T]()
	case *big.Int:
		return 0, outOfRange[T](value)
	case int64:
		if int64(T(value)) != value {
			return 0, outOfRange[T](value)
		}
		return T(value), nil
	}
	panic(fmt.Sprintf("%T is no integer", value))
}

// Text is a value as a string.
func Text(value any) (string, error) {
	if value == nil {
		return "", nullNotAllowed[string]()
	}
	return value.(string), nil
}

// TextOrNil is a value as a string, or nil for null.
func TextOrNil(value any) *string {
	if value == nil {
		return nil
	}
	text := value.(string)
	return &text
}

// OctetsOrNil is a value as bytes, nil for null, and never nil for empty ones.
func OctetsOrNil(value any) []byte {
	if value == nil {
		return nil
	}
	return value.([]byte)
}

// Octets is a value as bytes. Null cannot be told: in Go nil is an empty slice too, and a writer of bytes that are not
// nullable takes it for that.
func Octets(value any) ([]byte, error) {
	if value == nil {
		return nil, NotOffered("a writer of bytes that are not nullable takes a nil slice for an empty one")
	}
	return value.([]byte), nil
}

// Must is a value as a T, or a refusal of null.
func Must[T any](value any) (T, error) {
	if value == nil {
		var none T
		return none, nullNotAllowed[T]()
	}
	return value.(T), nil
}

func nullNotAllowed[T any]() error {
	var none T
	return Refusal{Reason: "null-not-allowed", Detail: fmt.Sprintf("%T holds no null", none)}
}

func outOfRange[T any](value any) error {
	var none T
	return Refusal{Reason: "out-of-range", Detail: fmt.Sprintf("%T does not hold %v", none, value)}
}

// Errors keeps the first error of several conversions.
type Errors struct{ First error }

// Field is a struct's field as an integer of a size, 0 after an error.
func Field[T int8 | int16 | int32 | int64 | uint16 | uint32](errors *Errors, fields Struct, name string) T {
	number, err := Integer[T](fields[name])
	if errors.First == nil {
		errors.First = err
	}
	return number
}

// OnlyFields refuses a struct with other fields than these: a struct of Go's has no room for them.
func OnlyFields(fields Struct, names ...string) error {
	for name := range fields {
		if !slices.Contains(names, name) {
			return Refusal{Reason: "unknown-field", Detail: "the struct has no field for " + name}
		}
	}
	return nil
}
