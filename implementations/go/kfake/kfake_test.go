package main

import (
	"bytes"
	"encoding/hex"
	"strings"
	"testing"

	"wireproof/implementations/go/lines"
)

func octetsOf(t *testing.T, digits string) []byte {
	t.Helper()
	data, err := hex.DecodeString(strings.ReplaceAll(digits, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Written by hand from Kafka's message definitions: ApiVersions 0 with the correlation ids 1 and 2, and its answers by a
// broker that has that api alone, up to version 3.
const (
	first        = "0000000a 0012 0000 00000001 ffff"
	second       = "0000000a 0012 0000 00000002 ffff"
	firstAnswer  = "00000010 00000001 0000 00000001 0012 0000 0003"
	secondAnswer = "00000010 00000002 0000 00000001 0012 0000 0003"
	// ApiVersions 3 without its body.
	bad = "0000000b 0012 0003 00000002 ffff 00"
)

func TestServe(t *testing.T) {
	broker := new(broker)
	if err := broker.configure(lines.Apis{18: {0, 3}}); err != nil {
		t.Fatal(err)
	}
	for name, one := range map[string]struct {
		chunks []string
		sent   string
		closed bool
	}{
		"one":                 {[]string{first}, firstAnswer, false},
		"two in a chunk":      {[]string{first + second}, firstAnswer + secondAnswer, false},
		"two in their chunks": {[]string{first, second}, firstAnswer + secondAnswer, false},
		"cut":                 {[]string{"0000", "000a 0012 0000 00000001 ff", "ff"}, firstAnswer, false},
		"nothing":             {nil, "", false},
		"an empty chunk":      {[]string{"", first, ""}, firstAnswer, false},
		"half a frame":        {[]string{"0000000a 0012"}, "", false},
		"one and a half":      {[]string{first + "0000000a 0012"}, firstAnswer, false},
		"closed":              {[]string{bad}, "", true},
		"closed at last":      {[]string{first + bad}, firstAnswer, true},
		"closed at once":      {[]string{bad, first}, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			chunks := make([][]byte, len(one.chunks))
			for at, chunk := range one.chunks {
				chunks[at] = octetsOf(t, chunk)
			}
			sent, closed, err := broker.serve(chunks)
			if want := octetsOf(t, one.sent); err != nil || !bytes.Equal(sent, want) || closed != one.closed {
				t.Errorf("sent %x, want %x; closed %t; error %v", sent, want, closed, err)
			}
		})
	}
}

func TestEachConfigureStartsAnotherBroker(t *testing.T) {
	broker := new(broker)
	for _, most := range []int16{3, 4} {
		if err := broker.configure(lines.Apis{18: {0, most}}); err != nil {
			t.Fatal(err)
		}
		sent, _, err := broker.serve([][]byte{octetsOf(t, first)})
		if err != nil || len(sent) != 20 || int16(sent[19]) != most {
			t.Errorf("sent %x, error %v", sent, err)
		}
	}
}

// Kafka's correlation ids are the client's, so any may stand in the questions.
func TestTheWitnessIsNoneOfTheQuestions(t *testing.T) {
	witness := witnessFor(nil)
	other := witnessFor(witness)
	if bytes.Equal(witness[8:12], other[8:12]) {
		t.Errorf("both have %x", other[8:12])
	}
}

// A panic of the broker's closes the connection just before it ends the process: that is no answer.
func TestACloseInAPanicIsNone(t *testing.T) {
	made := newListener()
	go func() { _, _ = made.Accept() }()
	connection := made.dial()
	func() {
		defer func() { _ = recover() }()
		defer func() { _ = connection.Close() }()
		panic("all is lost")
	}()
	_ = connection.Close()
	if connection.isClosed() {
		t.Error("it is taken for closed")
	}
}
