// SPDX-License-Identifier: Apache-2.0. @versions@.

package wireproof

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// line is a line of an exported file: docs/reference/export-format.md of Wireproof describes it.
type line struct {
	ID, Kind, About, Source string
	Ops, Needs, Rulings     []string
	Type                    string
	Version                 *int
	Bytes                   *string
	Value                   json.RawMessage
	Optional                []string
	Canonical               *string
	Compare                 string
	Reject                  *refusal
	OrReject                *refusal `json:"or_reject"`
	Twin                    *twin
	Contested               []reading
	Key, Values             json.RawMessage
	To                      json.RawMessage
	consumption
	Delivers                json.RawMessage
	Gives                   *string
	As                      *readAs
	Chunks                  []json.RawMessage
	Sends                   []json.RawMessage
	Closes                  bool
	Request, Response       json.RawMessage
	Outcome                 json.RawMessage
	APIKey                  json.RawMessage `json:"api_key"`
	Client                  [2]int
	Broker                  *[2]int
	Chooses                 *int
	Old, New                json.RawMessage
	Breaks                  []json.RawMessage

	settings []byte // of its dialect; nil: there are none
}

// readAs is the form of converted bytes.
type readAs struct {
	Dialect, Type string
	Version       *int
}

// consumption is what a consumer is asked beside the bytes.
type consumption struct {
	Position  json.RawMessage
	Isolation string
	Aborted   []struct {
		ProducerID  json.RawMessage `json:"producer_id"`
		FirstOffset json.RawMessage `json:"first_offset"`
	}
}

type refusal struct {
	Reason string
	Offset *int
}

// twin is the valid input that has to be accepted before a refusal counts.
type twin struct {
	ID      string
	Version *int
	Bytes   *string
	Value   json.RawMessage
	Old     json.RawMessage
	New     json.RawMessage
	consumption
}

// reading is the answer of another reading of a contested point.
type reading struct {
	Rulings, Ops []string
	Refuses      any // nil; true; "decode": not if the bytes were read, and could not be written again
	Accepts      bool
	Value        json.RawMessage
	Bytes        *string
	Sends        []json.RawMessage
	Closes       bool
	Outcome      json.RawMessage
	Chooses      json.RawMessage
	Breaks       []json.RawMessage
	Delivers     json.RawMessage
}

func (one *line) dialect() string { return strings.SplitN(one.ID, "/", 2)[0] }

func (one *line) form(version *int) Form {
	form := Form{Dialect: one.dialect(), Type: one.Type, Version: NoVersion}
	if version != nil {
		form.Version = *version
	}
	return form
}

func (one *line) optional() map[string]bool {
	paths := make(map[string]bool, len(one.Optional))
	for _, path := range one.Optional {
		paths[path] = true
	}
	return paths
}

// area is the first two parts of the id: "kafka/varints".
func (one *line) area() string { return strings.Join(strings.SplitN(one.ID, "/", 3)[:2], "/") }

// load reads all lines of an export, by area.
func load(folder string) (areas []string, lines map[string][]*line, err error) {
	paths, err := filepath.Glob(filepath.Join(folder, "*", "*.jsonl"))
	if err == nil && len(paths) == 0 {
		err = fmt.Errorf("%s holds no vectors: export them again", folder)
	}
	lines = map[string][]*line{}
	for _, path := range paths {
		found, err := read(path)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", path, err)
		}
		settings, err := os.ReadFile(filepath.Join(filepath.Dir(path), "settings.json"))
		if err != nil && !os.IsNotExist(err) {
			return nil, nil, err
		}
		for _, one := range found {
			one.settings = settings
			if lines[one.area()] == nil {
				areas = append(areas, one.area())
			}
			lines[one.area()] = append(lines[one.area()], one)
		}
	}
	return areas, lines, err
}

func read(path string) (found []*line, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	reader := bufio.NewReaderSize(file, 1<<16)
	for number := 1; ; number++ {
		text, err := reader.ReadBytes('\n')
		if len(text) == 0 {
			return found, nil
		}
		if err != nil {
			return nil, fmt.Errorf("line %d is cut off: export the vectors again", number)
		}
		if number == 1 {
			var header struct {
				Format int `json:"wireproof-export"`
			}
			if err := json.Unmarshal(text, &header); err != nil || header.Format != 1 {
				return nil, fmt.Errorf("not of format 1: export the vectors again, with the tests")
			}
			continue
		}
		one := new(line)
		if err := json.Unmarshal(text, one); err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		found = append(found, one)
	}
}
