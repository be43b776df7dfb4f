// SPDX-License-Identifier: Apache-2.0. @versions@.
//
// Package wireproof asks the implementation in implementation_test.go each vector of an export: `go test`.
//
// known.json lists deviations that are known: {"<id>#<op>": "why", …}. They are skipped; one that deviates no more fails, so
// that the list stays true. WIREPROOF_REPORT=FILE also writes each verdict as a JSON line.
package wireproof

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// mostTypes is how many types of skipped questions are named.
const mostTypes = 10

func TestVectors(t *testing.T) {
	areas, lines, err := load("vectors")
	if err != nil {
		t.Fatal(err)
	}
	run := newRun(t)
	for _, area := range areas {
		t.Run(area, func(t *testing.T) {
			ready, why := configure(lines[area])
			for _, one := range lines[area] {
				for _, op := range one.questions() {
					t.Run(one.ID[len(area)+1:]+"#"+op, func(t *testing.T) {
						run.question(t, one, op, ready, why)
					})
				}
			}
		})
	}
	run.end(t, areas, lines)
}

// questions is the ops of a line. Bytes that have to be refused are one question.
func (one *line) questions() []string {
	if one.Kind == "invalid" && slices.Contains(one.Ops, "decode") {
		return []string{"decode"}
	}
	return one.Ops
}

// configure passes the settings of the lines' dialect.
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

// run holds what is counted over all questions. skips: by type, or by op where there is none.
type run struct {
	known         map[string]string
	counts, skips map[string]int
	report        *bufio.Writer
}

func newRun(t *testing.T) *run {
	now := &run{known: map[string]string{}, counts: map[string]int{}, skips: map[string]int{}}
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
	found := verdict{"skip", why}
	if ready || len(one.Needs) == 0 {
		op, found = judge(one, op)
	}
	id := one.ID + "#" + op
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
		t.Errorf("%s: known.json lists it, but it ends as %s: take it out\n%s", id, found.Outcome, again(t))
		return
	}
	now.counts[found.Outcome]++
	switch found.Outcome {
	case "skip":
		now.skips[cmp.Or(one.Type, op)]++
		t.Skip(found.Text)
	case "fail":
		t.Errorf("%s: %s\n%s", id, found.Text, again(t))
	default:
		if found.Text != "" {
			t.Logf("%s: %s", found.Outcome, found.Text)
		}
	}
}

// again is the command that asks this question alone.
func again(t *testing.T) string {
	pattern := strings.ReplaceAll(t.Name(), "/", "$/^")
	return fmt.Sprintf("  again:    go test %s -run '^%s$'", reflect.TypeOf(run{}).PkgPath(), pattern)
}

func (now *run) end(t *testing.T, areas []string, lines map[string][]*line) {
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
	if len(now.skips) > 0 {
		fmt.Println("skipped:", now.skipped())
	}
	first := lines[areas[0]][0]
	switch {
	case sum == 0:
		t.Errorf("nothing was asked: -run names no question. One is 'TestVectors/%s#%s': dialect, area, name, op", first.ID, first.Ops[0])
	case asked == 0:
		t.Error("nothing was asked: implementation_test.go offers no type of those that were chosen. Fill in its functions for one of them, or export the types that it has: wireproof export --type T")
	}
}

// skipped is the types that were skipped most, with how often.
func (now *run) skipped() string {
	types := []string{}
	for name := range now.skips {
		types = append(types, name)
	}
	slices.SortFunc(types, func(one, other string) int {
		return cmp.Or(now.skips[other]-now.skips[one], cmp.Compare(one, other))
	})
	words, rest := []string{}, 0
	for index, name := range types {
		if index < mostTypes {
			words = append(words, fmt.Sprintf("%d %s", now.skips[name], name))
		} else {
			rest += now.skips[name]
		}
	}
	if rest > 0 {
		words = append(words, fmt.Sprintf("%d of %d other types", rest, len(types)-mostTypes))
	}
	return strings.Join(words, ", ")
}
