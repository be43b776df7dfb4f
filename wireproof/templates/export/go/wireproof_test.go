// SPDX-License-Identifier: Apache-2.0. @versions@.
//
// Package wireproof asks the implementation in implementation_test.go each vector of an export: `go test`.
//
// known.json lists deviations that are known: {"<id>#<op>": "why", …}. They are skipped; one that deviates no more fails, so
// that the list stays true. WIREPROOF_REPORT=FILE also writes each verdict as a JSON line.
package wireproof

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"testing"
)

func TestVectors(t *testing.T) {
	files, lines, err := load("vectors")
	if err != nil {
		t.Fatal(err)
	}
	run := newRun(t)
	for _, file := range files {
		t.Run(file[:len(file)-len(".jsonl")], func(t *testing.T) {
			ready, why := configure(lines[file])
			for _, one := range lines[file] {
				for _, op := range one.asked() {
					t.Run(one.ID+"#"+op, func(t *testing.T) {
						run.question(t, one, op, ready, why)
					})
				}
			}
		})
	}
	run.end(t, lines)
}

// asked is the ops of a line. Bytes that have to be refused are asked by decode, or by recode where decode is not offered.
func (one *line) asked() []string {
	if one.Kind != "invalid" || !slices.Contains(one.Ops, "decode") {
		return one.Ops
	}
	one.decoded = ask(one, "decode", one.input())
	isAbsent := one.decoded.kind == notOffered && slices.Contains(one.Ops, "recode")
	if isAbsent && ask(one, "recode", one.input()).kind != notOffered {
		return []string{"recode"}
	}
	return []string{"decode"}
}

// configure passes the settings of a file's dialect.
func configure(lines []*line) (ready bool, why string) {
	if len(lines) == 0 || lines[0].settings == nil {
		return true, ""
	}
	if implementation.Configure == nil {
		return false, "it needs settings, and the implementation has no Configure"
	}
	if err := implementation.Configure(lines[0].dialect(), lines[0].settings); err != nil {
		return false, "Configure: " + err.Error()
	}
	return true, ""
}

// run holds what is counted over all questions.
type run struct {
	known  map[string]string
	counts map[string]int
	report *bufio.Writer
}

func newRun(t *testing.T) *run {
	now := &run{known: map[string]string{}, counts: map[string]int{}}
	content, err := os.ReadFile("known.json")
	if err == nil {
		err = json.Unmarshal(content, &now.known)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("known.json: %v", err)
	}
	if path := os.Getenv("WIREPROOF_REPORT"); path != "" {
		file, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		now.report = bufio.NewWriter(file)
		t.Cleanup(func() { now.report.Flush(); file.Close() })
	}
	return now
}

func (now *run) question(t *testing.T, one *line, op string, ready bool, why string) {
	id := one.ID + "#" + op
	found := verdict{"skip", why}
	if ready || len(one.Needs) == 0 {
		found = judge(one, op)
	}
	if now.report != nil {
		text, err := json.Marshal(map[string]string{"id": id, "verdict": found.Outcome, "text": found.Text})
		if err != nil {
			t.Fatal(err)
		}
		now.report.Write(append(text, '\n'))
	}
	reason, isKnown := now.known[id]
	switch {
	case isKnown && found.Outcome == "fail":
		now.counts["known"]++
		t.Skipf("known: %s", reason)
	case isKnown:
		now.counts["fail"]++
		t.Errorf("known.json lists it, but it ends as %s: take it out", found.Outcome)
		return
	}
	now.counts[found.Outcome]++
	switch found.Outcome {
	case "skip":
		t.Skip(found.Text)
	case "fail":
		t.Error(found.Text)
	default:
		if found.Text != "" {
			t.Logf("%s: %s", found.Outcome, found.Text)
		}
	}
}

func (now *run) end(t *testing.T, lines map[string][]*line) {
	there := map[string]bool{}
	for _, of := range lines {
		for _, one := range of {
			for _, op := range one.Ops {
				there[one.ID+"#"+op] = true
			}
		}
	}
	for id := range now.known {
		if !there[id] {
			t.Errorf("known.json lists %s: there is no such question", id)
		}
	}
	asked, sum := 0, 0
	words := ""
	for _, outcome := range []string{"pass", "contested", "skip", "fail", "known"} {
		words += fmt.Sprintf(", %d %s", now.counts[outcome], outcome)
		sum += now.counts[outcome]
		if outcome != "skip" {
			asked += now.counts[outcome]
		}
	}
	fmt.Println("wireproof:", words[2:])
	if sum > 0 && asked == 0 {
		t.Error("nothing was asked")
	}
}
