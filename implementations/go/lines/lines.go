// Package lines is the line protocol (docs/reference/contract.md): questions on stdin, answers on stdout, a JSON object per
// line. A program gives it a Wrapper and calls Converse.
//
// Questions are answered in their order. Answers are written when no whole question is waiting any more, and while some
// are, once a part of a second has passed.
package lines

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

const (
	dialect = "kafka"
	// Bytes of answers that are kept back at most.
	full = 1 << 16
	// How long answers are kept back while questions are waiting, not counting the one that is asked.
	patience = 100 * time.Millisecond
	// Bytes of a bad line that are shown.
	excerpt = 200
)

// Versions is a range of versions, its first and last.
type Versions [2]int

// Codec is what a library has for a type. A function that it does not have is nil; Recode is made of the other two where
// it is nil and they are not.
type Codec struct {
	// Versions is nil for a type without versions.
	Versions *Versions
	// Judges says that the library itself refuses other versions: then it is asked for them too.
	Judges bool
	Decode func(version int, data []byte) (any, error)
	Encode func(version int, value any) ([]byte, error)
	Recode func(version int, data []byte) ([]byte, error)
}

// Apis is what a broker is to list: api key → its lowest and highest version.
type Apis map[int16][2]int16

// Outcome is "outcome", and what belongs to it, as in the contract.
type Outcome map[string]any

// Fetched is a partition in a Fetch response, and the consumer that asked for it.
type Fetched struct {
	Data []byte
	// Position is the offset at which the consumer stands.
	Position      int64
	ReadCommitted bool
	Aborted       []Aborted
}

// Aborted is an aborted transaction, as a Fetch response lists it.
type Aborted struct{ ProducerID, FirstOffset int64 }

// Batch is what an application has given to a producer, and how it is to be written.
type Batch struct {
	Records []Record
	Magic   int
	// Codec is "none", "gzip", "snappy", "lz4" or "zstd".
	Codec string
	// ProducerID, ProducerEpoch and BaseSequence are -1 of a producer that is not idempotent.
	ProducerID    int64
	ProducerEpoch int16
	BaseSequence  int32
	Transactional bool
}

// Record is a record for a producer. Time is a millisecond before 1970 where it has none; nil bytes are null.
type Record struct {
	Time       time.Time
	Key, Value []byte
	Headers    []Header
}

// Header is a header of a record.
type Header struct {
	Key   string
	Value []byte
}

// Idempotent tells whether the batch is of a producer with an id.
func (batch Batch) Idempotent() bool { return batch.ProducerID >= 0 || batch.Transactional }

// Wrapper is a library behind the line protocol.
type Wrapper struct {
	Name, Version string
	Types         map[string]Codec
	// Array is the codec of a type like ARRAY<INT32>, or an error that says what is missing; nil where there is none.
	Array func(name string) (Codec, error)
	// Readings and Rebuilds are as in the contract.
	Readings map[string]string
	Rebuilds map[string][]string
	// Serve is all that the library's broker sends for chunks on a fresh connection, and whether it then closes it; nil
	// for a library without one. Configure is called before it.
	Serve     func(chunks [][]byte) (sent []byte, closed bool, err error)
	Configure func(apis Apis) error
	// Interpret is what the library's client makes of a request's response, nil where the connection was closed instead; nil
	// for a library that is not asked.
	Interpret func(request, response []byte) (Outcome, error)
	// Consume is what the library's consumer delivers, records as the contract has them, and the offset at which it reads
	// on; nil for a library without one.
	Consume func(fetched Fetched) (records []any, position int64, err error)
	// Produce is what the library's producer sends for records; nil for a library without one.
	Produce func(batch Batch) ([]byte, error)
	// Reason is what an error of the library's says for certain, one of the contract's reasons, or "".
	Reason func(err error) string
}

type question struct {
	Seq     json.RawMessage `json:"seq"`
	Op      string          `json:"op"`
	Dialect string          `json:"dialect"`
	Type    string          `json:"type"`
	Version *int            `json:"version"`
	Data    string          `json:"data"`
	Value   json.RawMessage `json:"value"`
	Chunks  []string        `json:"chunks"`
	Request string          `json:"request"`
	// Response is nil where the connection was closed.
	Response *string `json:"response"`
	// Position, Isolation and Aborted are those of "consume".
	Position  json.RawMessage `json:"position"`
	Isolation string          `json:"isolation"`
	Aborted   json.RawMessage `json:"aborted"`
	// Records, Magic, Codec and Options are those of "produce".
	Records json.RawMessage `json:"records"`
	Magic   int             `json:"magic"`
	Codec   string          `json:"codec"`
	Options json.RawMessage `json:"options"`
	// Settings are those of "configure".
	Settings struct {
		Apis Apis `json:"apis"`
	} `json:"settings"`
}

// Converse answers until the questions end. An error is a line that is no question, or an end of the output.
func Converse(wrapper *Wrapper, input io.Reader, output io.Writer) error {
	in, out := bufio.NewReaderSize(input, full), bufio.NewWriterSize(output, full)
	written := time.Now()
	for number := 1; ; number++ {
		line, err := in.ReadBytes('\n')
		if len(line) > 0 {
			answer, bad := wrapper.answer(line)
			if bad != nil {
				_ = out.Flush()
				return fmt.Errorf("the conversation broke off: line %d: %w: %s", number, bad, excerptOf(line))
			}
			if _, err := out.Write(append(answer, '\n')); err != nil {
				return err
			}
		}
		if err == nil && isWaiting(in) && time.Since(written) < patience {
			continue
		}
		written = time.Now()
		if failed := out.Flush(); failed != nil {
			return failed
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// isWaiting tells whether a whole line is there already.
func isWaiting(in *bufio.Reader) bool {
	waiting, _ := in.Peek(in.Buffered())
	return bytes.IndexByte(waiting, '\n') >= 0
}

func excerptOf(line []byte) string {
	line = bytes.TrimRight(line, "\n")
	if len(line) > excerpt {
		return fmt.Sprintf("%q…", line[:excerpt])
	}
	return fmt.Sprintf("%q", line)
}

// answer is the line that answers a line, without its end; an error where that is no question.
func (wrapper *Wrapper) answer(line []byte) ([]byte, error) {
	var asked question
	if err := json.Unmarshal(line, &asked); err != nil {
		return nil, err
	}
	if asked.Op == "describe" {
		return json.Marshal(wrapper.description())
	}
	dst := append([]byte(`{"seq":`), asked.Seq...)
	var result []byte
	err := guarded(func() (err error) {
		result, err = wrapper.ask(&asked)
		return err
	})
	var bad badQuestion
	if errors.As(err, &bad) {
		return nil, bad
	}
	if err != nil {
		return wrapper.appendFailure(dst, asked.Op, err), nil
	}
	return append(append(append(dst, ','), result...), '}'), nil
}

// ask asks the library, and is the member of the answer's object: "data": … or "value": ….
func (wrapper *Wrapper) ask(asked *question) ([]byte, error) {
	if asked.Dialect == dialect && wrapper.Serve != nil && asked.Op == "configure" {
		return []byte(`"ok":true`), wrapper.Configure(asked.Settings.Apis)
	}
	if asked.Dialect == dialect && wrapper.Serve != nil && asked.Op == "serve" {
		return wrapper.served(asked.Chunks)
	}
	if asked.Dialect == dialect && wrapper.Interpret != nil && asked.Op == "interpret" {
		return wrapper.interpreted(asked)
	}
	if asked.Dialect == dialect && wrapper.Consume != nil && asked.Op == "consume" {
		return wrapper.delivered(asked)
	}
	if asked.Dialect == dialect && wrapper.Produce != nil && asked.Op == "produce" {
		batch, err := asked.batch()
		if err != nil {
			return nil, err
		}
		written, err := wrapper.Produce(batch)
		return inHex(written), err
	}
	if asked.Dialect != dialect || !slices.Contains([]string{"decode", "encode", "recode"}, asked.Op) {
		return nil, NotOfferedf("no %s in the dialect %s", asked.Op, asked.Dialect)
	}
	codec, err := wrapper.Codec(asked.Op, asked.Type, asked.Version)
	if err != nil {
		return nil, err
	}
	version := 0
	if asked.Version != nil {
		version = *asked.Version
	}
	if asked.Op == "encode" {
		value, err := parseValue(asked.Value)
		if err != nil {
			return nil, err
		}
		written, err := codec.Encode(version, value)
		return inHex(written), err
	}
	data, err := hex.DecodeString(asked.Data)
	if err != nil {
		return nil, badQuestion{err}
	}
	if asked.Op == "decode" {
		value, err := codec.Decode(version, data)
		if err != nil {
			return nil, err
		}
		return appendValue([]byte(`"value":`), value), nil
	}
	written, err := codec.Recoded(version, data)
	return inHex(written), err
}

// served is "sent" and "closed".
func (wrapper *Wrapper) served(texts []string) ([]byte, error) {
	chunks := make([][]byte, len(texts))
	for at, text := range texts {
		var err error
		if chunks[at], err = hex.DecodeString(text); err != nil {
			return nil, badQuestion{err}
		}
	}
	sent, closed, err := wrapper.Serve(chunks)
	return fmt.Appendf(nil, `"sent":"%x","closed":%t`, sent, closed), err
}

// interpreted is "outcome".
func (wrapper *Wrapper) interpreted(asked *question) ([]byte, error) {
	request, err := hex.DecodeString(asked.Request)
	if err != nil {
		return nil, badQuestion{err}
	}
	var response []byte
	if asked.Response != nil {
		if response, err = hex.DecodeString(*asked.Response); err != nil {
			return nil, badQuestion{err}
		}
	}
	outcome, err := wrapper.Interpret(request, response)
	if err != nil {
		return nil, err
	}
	written, err := json.Marshal(outcome)
	return append([]byte(`"outcome":`), written...), err
}

// delivered is "delivered".
func (wrapper *Wrapper) delivered(asked *question) ([]byte, error) {
	data, err := hex.DecodeString(asked.Data)
	if err != nil {
		return nil, badQuestion{err}
	}
	position, err := parseValue(asked.Position)
	if err != nil {
		return nil, err
	}
	aborted, err := parseValue(asked.Aborted)
	if err != nil {
		return nil, err
	}
	fetched := Fetched{Data: data, ReadCommitted: asked.Isolation == "read_committed"}
	if fetched.Position, err = Integer[int64](position); err != nil {
		return nil, err
	}
	var given Errors
	for _, item := range aborted.([]any) {
		fields := item.(Struct)
		fetched.Aborted = append(fetched.Aborted, Aborted{
			ProducerID:  Field[int64](&given, fields, "producer_id"),
			FirstOffset: Field[int64](&given, fields, "first_offset"),
		})
	}
	if given.First != nil {
		return nil, given.First
	}
	records, reached, err := wrapper.Consume(fetched)
	if err != nil {
		return nil, err
	}
	return appendValue([]byte(`"delivered":`), Struct{"records": records, "position": reached}), nil
}

// batch is the argument of "produce".
func (asked *question) batch() (batch Batch, err error) {
	records, err := parseValue(asked.Records)
	if err != nil {
		return batch, err
	}
	options, err := parseValue(asked.Options)
	if err != nil {
		return batch, err
	}
	var given Errors
	fields := options.(Struct)
	batch = Batch{
		Magic:         asked.Magic,
		Codec:         asked.Codec,
		ProducerID:    Field[int64](&given, fields, "producer_id"),
		ProducerEpoch: Field[int16](&given, fields, "producer_epoch"),
		BaseSequence:  Field[int32](&given, fields, "base_sequence"),
		Transactional: fields["transactional"].(bool),
	}
	for _, item := range records.([]any) {
		fields := item.(Struct)
		record := Record{
			Time:  time.UnixMilli(Field[int64](&given, fields, "timestamp")),
			Key:   OctetsOrNil(fields["key"]),
			Value: OctetsOrNil(fields["value"]),
		}
		for _, pair := range fields["headers"].([]any) {
			header := pair.([]any)
			key, err := Text(header[0])
			if err != nil {
				return batch, err
			}
			record.Headers = append(record.Headers, Header{key, OctetsOrNil(header[1])})
		}
		batch.Records = append(batch.Records, record)
	}
	return batch, given.First
}

func inHex(data []byte) []byte {
	return append(hex.AppendEncode([]byte(`"data":"`), data), '"')
}

// Recoded is Recode, or Decode and Encode where there is none.
func (codec Codec) Recoded(version int, data []byte) ([]byte, error) {
	if codec.Recode != nil {
		return codec.Recode(version, data)
	}
	value, err := codec.Decode(version, data)
	if err != nil {
		return nil, err
	}
	// Text that is no UTF-8 cannot be told in JSON, but here it is written as it was read.
	var written []byte
	err = Writing(func() (err error) {
		written, err = codec.Encode(version, value)
		return err
	})
	return written, err
}

// Codec is what the library has for a type and version, if it has this op of it; else the error is a NotOffered.
func (wrapper *Wrapper) Codec(op, name string, version *int) (Codec, error) {
	codec, found := wrapper.Types[name]
	if strings.HasSuffix(name, ">") && wrapper.Array != nil {
		var err error
		if codec, err = wrapper.Array(name); err != nil {
			return codec, err
		}
		found = true
	}
	if !found {
		return codec, NotOfferedf("%s has nothing for %s", wrapper.Name, name)
	}
	if span := codec.Versions; span != nil &&
		(version == nil || !codec.Judges && (*version < span[0] || span[1] < *version)) {
		shown := "null"
		if version != nil {
			shown = fmt.Sprint(*version)
		}
		return codec, NotOfferedf("%s has versions %d to %d of %s, not %s", wrapper.Name, span[0], span[1], name, shown)
	}
	if !slices.Contains(codec.ops(), op) {
		return codec, NotOfferedf("%s has no %s of %s", wrapper.Name, op, name)
	}
	return codec, nil
}

// ops are the ops that the functions give.
func (codec Codec) ops() []string {
	var ops []string
	if codec.Decode != nil {
		ops = append(ops, "decode")
	}
	if codec.Encode != nil {
		ops = append(ops, "encode")
	}
	if codec.Recode != nil || codec.Decode != nil && codec.Encode != nil {
		ops = append(ops, "recode")
	}
	return ops
}

func (wrapper *Wrapper) appendFailure(dst []byte, op string, err error) []byte {
	var absent NotOffered
	if errors.As(err, &absent) {
		return append(appendText(append(dst, `,"unsupported":`...), string(absent)), '}')
	}
	var caught panicked
	if errors.As(err, &caught) {
		dst = appendText(append(dst, `,"error":`...), caught.Error())
		dst = appendText(append(dst, `,"exception":`...), caught.exception())
		return append(appendText(append(dst, `,"frame":`...), caught.frame), '}')
	}
	dst = appendText(append(dst, `,"reject":{"detail":`...), err.Error())
	var refusal Refusal
	reason := ""
	if errors.As(err, &refusal) {
		reason = refusal.Reason
	} else if wrapper.Reason != nil {
		reason = wrapper.Reason(err)
	}
	if reason != "" {
		dst = appendText(append(dst, `,"reason":`...), reason)
	}
	if refusal.Offset != nil {
		dst = fmt.Appendf(dst, `,"offset":%d`, *refusal.Offset)
	}
	if op == "recode" {
		half := "decode"
		if errors.As(err, new(EncodeHalf)) {
			half = "encode"
		}
		dst = fmt.Appendf(dst, `,"half":"%s"`, half)
	}
	return append(dst, "}}"...)
}

func (wrapper *Wrapper) description() any {
	offered := map[string]any{}
	for name, codec := range wrapper.Types {
		if ops := codec.ops(); len(ops) < 3 {
			offered[name] = map[string]any{"versions": codec.Versions, "ops": ops}
		} else {
			offered[name] = codec.Versions
		}
	}
	if wrapper.Array != nil {
		offered["ARRAY"] = nil
	}
	ops := []string{}
	if len(offered) > 0 {
		ops = append(ops, "decode", "encode", "recode")
	}
	if wrapper.Serve != nil {
		ops = append(ops, "serve")
	}
	if wrapper.Interpret != nil {
		ops = append(ops, "interpret")
	}
	if wrapper.Consume != nil {
		ops = append(ops, "consume")
	}
	if wrapper.Produce != nil {
		ops = append(ops, "produce")
	}
	return map[string]any{
		"name":     wrapper.Name,
		"version":  wrapper.Version,
		"language": "go",
		"dialects": []string{dialect},
		"ops":      ops,
		"types":    map[string]any{dialect: offered},
		"readings": orEmpty(wrapper.Readings),
		"rebuilds": orEmpty(wrapper.Rebuilds),
	}
}

func orEmpty[V any](table map[string]V) map[string]V {
	if table == nil {
		return map[string]V{}
	}
	return table
}
