package main

import (
	"bytes"
	"encoding/hex"
	"errors"
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

// The bytes follow from Kafka's message definitions, and were written by hand.
func TestBytesComeBack(t *testing.T) {
	for _, one := range []struct {
		name    string
		version int
		data    string
	}{
		{"HeartbeatRequest", 0, "0001 67 00000001 0001 6d"},
		{"HeartbeatRequest", 4, "02 67 00000001 02 6d 02 69 00"},
		{"HeartbeatResponse", 0, "0019"},
		{"HeartbeatResponse", 4, "00000000 0019 00"},
		{"RequestFrame", 0, "0000000b 0012 0000 00000007 0001 61"},
		{"ResponseFrame:Heartbeat", 4, "0000000c 00000007 00 00000000 0019 00"},
	} {
		written, err := wrapper().Types[one.name].Recode(one.version, octetsOf(t, one.data))
		if err != nil || !bytes.Equal(written, octetsOf(t, one.data)) {
			t.Errorf("%s %d: got %x, %v", one.name, one.version, written, err)
		}
	}
}

func TestBytesBehindAFrameAreRefused(t *testing.T) {
	_, err := requestFrame().Recode(0, octetsOf(t, "0000000b 0012 0000 00000007 0001 61 ffff"))
	var refusal lines.Refusal
	if !errors.As(err, &refusal) || refusal.Reason != "trailing-bytes" || *refusal.Offset != 15 {
		t.Errorf("got %v", err)
	}
}

func TestTruncatedIsTold(t *testing.T) {
	_, err := wrapper().Types["HeartbeatRequest"].Recode(0, octetsOf(t, "0002 67"))
	if err == nil || reason(err) != "truncated" {
		t.Errorf("got %v", err)
	}
}

func TestOtherVersionsAreTheLibrarysToRefuse(t *testing.T) {
	for _, version := range []int{-1, 99} {
		_, err := wrapper().Types["HeartbeatResponse"].Recode(version, octetsOf(t, "0000"))
		if err == nil || reason(err) != "unsupported-version" {
			t.Errorf("%d: got %v", version, err)
		}
	}
}
