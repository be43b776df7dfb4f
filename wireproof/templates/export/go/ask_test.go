// SPDX-License-Identifier: Apache-2.0. @versions@.

package wireproof

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"runtime/debug"
	"time"
)

var patience = flag.Duration("patience", 10*time.Second, "the longest time for one answer")

type kind int

const (
	notOffered kind = iota
	answered
	refused
	crashed
)

// seen is what the implementation did with an input.
type seen struct {
	kind   kind
	answer any
	text   string
	reason string
	offset int
	half   bool // refused by the second half of recode: the bytes were read
}

// input is what an op gets: a line's own, or its twin's.
type input struct {
	version *int
	bytes   *string
	value   json.RawMessage
	old     json.RawMessage
	new     json.RawMessage
	consumption
}

func (one *line) input() input { return input{one.Version, one.Bytes, one.Value, one.Old, one.New, one.consumption} }

func (one *twin) input() input { return input{one.Version, one.Bytes, one.Value, one.Old, one.New, one.consumption} }

// has tells whether there is what an op gets.
func (given input) has(op string) bool {
	switch op {
	case "encode":
		return given.value != nil
	case "evolve":
		return given.old != nil
	}
	return given.bytes != nil
}

// ask asks one question. A panic is a crash; so is an answer that does not come.
func ask(one *line, op string, given input) seen {
	result := make(chan seen, 1)
	go func() {
		defer func() {
			if problem := recover(); problem != nil {
				result <- seen{kind: crashed, text: fmt.Sprintf("panic: %v\n%s", problem, debug.Stack())}
			}
		}()
		result <- call(one, op, given)
	}()
	timer := time.NewTimer(*patience)
	defer timer.Stop()
	select {
	case got := <-result:
		return got
	case <-timer.C:
		return seen{kind: crashed, text: fmt.Sprintf("no answer within %v", *patience)}
	}
}

func call(one *line, op string, given input) seen {
	form := one.form(given.version)
	switch op {
	case "decode":
		if implementation.Decode != nil {
			answer, err := implementation.Decode(form, octets(*given.bytes))
			return ended(answer, err)
		}
	case "encode":
		if implementation.Encode != nil {
			answer, err := implementation.Encode(form, parse(given.value))
			return ended(answer, err)
		}
	case "recode":
		return recode(form, octets(*given.bytes))
	case "lookup":
		if implementation.Lookup != nil {
			answer, err := implementation.Lookup(form, octets(*given.bytes), parse(one.Key))
			return ended(answer, err)
		}
	case "convert":
		if implementation.Convert != nil {
			answer, err := implementation.Convert(form, octets(*given.bytes), parse(one.To))
			return ended(answer, err)
		}
	case "consume":
		if implementation.Consume != nil {
			answer, err := implementation.Consume(one.dialect(), given.fetch())
			return ended(answer, err)
		}
	default:
		return exchange(one, op, given)
	}
	return seen{kind: notOffered, text: "no " + op}
}

func (given input) fetch() Fetch {
	fetch := Fetch{Data: octets(*given.bytes), Position: parse(given.Position).(int64), Isolation: given.Isolation}
	for _, one := range given.Aborted {
		fetch.Aborted = append(fetch.Aborted, Aborted{parse(one.ProducerID).(int64), parse(one.FirstOffset).(int64)})
	}
	return fetch
}

func recode(form Form, data []byte) seen {
	if implementation.Recode != nil {
		answer, err := implementation.Recode(form, data)
		return ended(answer, err)
	}
	if implementation.Decode == nil || implementation.Encode == nil {
		return seen{kind: notOffered, text: "no recode"}
	}
	value, err := implementation.Decode(form, data)
	if err != nil {
		return ended(nil, err)
	}
	answer, err := implementation.Encode(form, value)
	if err != nil {
		err = ReadOnly{err}
	}
	return ended(answer, err)
}

// exchange asks an op that answers every input: an error of it is a crash.
func exchange(one *line, op string, given input) seen {
	answer, err, offered := any(nil), error(nil), true
	switch {
	case op == "serve" && implementation.Serve != nil:
		chunks := make([][]byte, len(one.Chunks))
		for index, chunk := range one.Chunks {
			chunks[index] = parse(chunk).([]byte)
		}
		var end conversation
		end.sent, end.closed, err = implementation.Serve(one.dialect(), chunks)
		answer = end
	case op == "interpret" && implementation.Interpret != nil:
		response, _ := parse(one.Response).([]byte)
		answer, err = implementation.Interpret(one.dialect(), parse(one.Request).([]byte), response)
	case op == "negotiate" && implementation.Negotiate != nil:
		answer, err = implementation.Negotiate(one.dialect(), parse(one.APIKey), one.Client, one.Broker)
	case op == "evolve" && implementation.Evolve != nil:
		answer, err = implementation.Evolve(one.dialect(), given.old, given.new)
	default:
		offered = false
	}
	switch got := ended(answer, err); {
	case !offered:
		return seen{kind: notOffered, text: "no " + op}
	case got.kind == refused && op != "evolve":
		return seen{kind: crashed, text: got.text}
	default:
		return got
	}
}

type conversation struct {
	sent   []byte
	closed bool
}

func ended(answer any, err error) seen {
	var absent NotOffered
	var refusal Refusal
	var half ReadOnly
	switch {
	case err == nil:
		return seen{kind: answered, answer: answer}
	case errors.As(err, &absent):
		return seen{kind: notOffered, text: string(absent)}
	}
	got := seen{kind: refused, text: err.Error(), offset: -1, half: errors.As(err, &half)}
	if errors.As(err, &refusal) {
		got.reason, got.offset = refusal.Reason, refusal.Offset
	}
	return got
}
