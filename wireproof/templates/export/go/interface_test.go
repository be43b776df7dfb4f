// SPDX-License-Identifier: Apache-2.0. @versions@.

package wireproof

import (
	"fmt"
	"math"
)

// Values of the protocol:
//
//	integer    int64, or *big.Int where that is too small. In an answer, any integer type.
//	bytes      []byte; a nil slice is empty, not null
//	UUID       UUID
//	float64    Float64, which is compared by its bits. In an answer, a float64 too.
//	array      []any
//	struct     Struct
//	the rest   bool, string, nil. In an answer, the key of a header may be []byte

// UUID is a UUID's sixteen bytes.
type UUID [16]byte

// Float64 is the bits of a float64.
type Float64 uint64

// Number is the float64 with these bits.
func (bits Float64) Number() float64 { return math.Float64frombits(uint64(bits)) }

// Struct is a struct by the names of its fields.
type Struct map[string]any

// Form says what bytes are: the dialect and the type, with its version if it has versions.
type Form struct {
	Dialect string
	Type    string
	Version int // NoVersion: the type has none
}

// NoVersion is the version of types without versions. (-1 is a version that some questions have.)
const NoVersion = math.MinInt32

// Fetch is a partition's records as a Fetch answer holds them, and what a consumer wants of them.
type Fetch struct {
	Data      []byte
	Position  int64
	Isolation string // "read_uncommitted" or "read_committed"
	Aborted   []Aborted
}

// Aborted is an aborted transaction, as a Fetch answer lists it.
type Aborted struct{ ProducerID, FirstOffset int64 }

// NotOffered is the error for a type, a version or an op that the implementation does not have. Every other error is a
// refusal of the input; a panic is a crash, and fails.
type NotOffered string

func (what NotOffered) Error() string { return fmt.Sprintf("not offered: %s", string(what)) }

// Refusal is an error that tells the reason and the byte too. They are shown beside the expected ones, not judged.
type Refusal struct {
	Reason string
	Offset int
	Err    error
}

func (refusal Refusal) Error() string { return refusal.Err.Error() }

// Implementation has the ops of an implementation. Ops that are nil are skipped, and counted.
type Implementation struct {
	Decode func(form Form, data []byte) (any, error)
	Encode func(form Form, value any) ([]byte, error)
	// Recode is decode, then encode. nil: Encode gets what Decode gave. ReadOnly marks an error of its second half.
	Recode func(form Form, data []byte) ([]byte, error)
	// Lookup is all values of a header's key, in order.
	Lookup func(form Form, data []byte, key any) ([]any, error)
	// Convert writes the content in the format `to`.
	Convert func(form Form, data []byte, to any) ([]byte, error)
	// Consume is what an application is given from the position on: "records", an array of structs, and "position", where
	// the consumer reads on. A record has "offset", "timestamp", "timestamp_type", "key", "value" and "headers"; the
	// "timestamp_type" may be left out of all records.
	Consume func(dialect string, fetch Fetch) (Struct, error)
	// Serve gives chunks to a broker on one connection: what it sends, and whether it then closes the connection.
	Serve func(dialect string, chunks [][]byte) (sent []byte, closed bool, err error)
	// Interpret is a client's outcome: its request was answered by this response. nil: the connection was closed.
	Interpret func(dialect string, request, response []byte) (Struct, error)
	// Negotiate is the version to use of those that client and broker have (low, high). broker nil: it does not have the
	// api. The result nil: there is none.
	Negotiate func(dialect string, apiKey any, client [2]int, broker *[2]int) (version *int, err error)
	// Evolve tells whether a schema breaks compatibility with an old one (an array: with each of them). Both are JSON.
	Evolve func(dialect string, old, new []byte) (breaks bool, err error)
	// Configure gets a dialect's settings, JSON, before its questions. nil: questions that need settings are skipped.
	Configure func(dialect string, settings []byte) error

	// Readings are the contested rulings of which you chose another reading. nil: every other reading is only told.
	// Else those of rulings that are not here fail.
	Readings []string
	// Rebuilds are fields, by type, that the library's writer sets itself: written bytes are compared without them.
	Rebuilds map[string][]string
}

// ReadOnly is the error of a Recode that read the bytes, and then refused to write them.
type ReadOnly struct{ Err error }

func (half ReadOnly) Error() string { return half.Err.Error() }
func (half ReadOnly) Unwrap() error { return half.Err }
