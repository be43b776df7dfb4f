// SPDX-License-Identifier: Apache-2.0. @versions@.

package wireproof

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// verdict is the kit's conclusion on one question. The numbers in comments are those of the rules in
// docs/reference/export-format.md of Wireproof.
type verdict struct {
	Outcome string // pass, contested, skip or fail
	Text    string
}

// judge asks a question. Bytes that have to be refused are asked by recode where decode is not offered. (5)
func judge(one *line, op string) (asked string, found verdict) {
	got := ask(one, op, one.input())
	if got.kind == notOffered && one.Kind == "invalid" && op == "decode" && slices.Contains(one.Ops, "recode") {
		if other := ask(one, "recode", one.input()); other.kind != notOffered {
			op, got = "recode", other
		}
	}
	return op, judged(one, op, got)
}

func judged(one *line, op string, got seen) verdict {
	switch got.kind {
	case notOffered:
		return verdict{"skip", got.text} // 5
	case crashed:
		return verdict{"fail", fmt.Sprintf("%s\n%s", got.text, difference(one, op, got))} // 3
	}
	mayRefuse := one.Reject != nil || one.OrReject != nil && op == "encode"
	if got.kind == refused && !got.half && mayRefuse {
		return counted(one, op, verdict{"pass", beside(one, got)})
	}
	doubt := ""
	if got.kind == answered && one.Reject == nil {
		right, why := one.expected(op).isGiven(one, op, got.answer, false)
		if right {
			return verdict{"pass", ""}
		}
		doubt = why
	}
	for _, other := range one.Contested {
		if !slices.Contains(other.Ops, op) {
			continue
		}
		if got.kind == refused && other.Refuses != nil && !(other.Refuses == "decode" && got.half) {
			return counted(one, op, chosen(other))
		}
		if got.kind == answered && other.Accepts {
			return chosen(other)
		}
		if got.kind == answered {
			right, why := other.expected(op).isGiven(one, op, got.answer, true)
			if right {
				return chosen(other)
			}
			doubt = cmp.Or(doubt, why)
		}
	}
	if doubt != "" {
		return verdict{"skip", doubt}
	}
	return verdict{"fail", difference(one, op, got)}
}

// counted is the verdict on a refusal: it counts only if its valid twin is accepted. (1)
func counted(one *line, op string, otherwise verdict) verdict {
	if one.Twin == nil || !one.Twin.input().has(op) {
		return otherwise
	}
	if ask(one, op, one.Twin.input()).kind != answered {
		return verdict{"skip", fmt.Sprintf("its valid twin %s was not accepted", one.Twin.ID)}
	}
	return otherwise
}

// chosen is the verdict on the answer of another reading. (4)
func chosen(other reading) verdict {
	for _, ruling := range other.Rulings {
		if implementation.Readings != nil && !slices.Contains(implementation.Readings, ruling) {
			return verdict{"fail", fmt.Sprintf("another reading of %s, which Readings does not name", ruling)}
		}
	}
	return verdict{"contested", strings.Join(other.Rulings, ", ")}
}

// beside says where a refusal differs from the expected one. (2)
func beside(one *line, got seen) string {
	wanted := one.Reject
	if wanted == nil {
		wanted = one.OrReject
	}
	if got.reason == wanted.Reason {
		return ""
	}
	return fmt.Sprintf("refused: %s; expected: %s", got.text, wanted.text())
}

func (one *refusal) text() string {
	if one.Offset == nil {
		return one.Reason
	}
	return fmt.Sprintf("%s at byte %d", one.Reason, *one.Offset)
}

// expectation is the right answer to an op, or that of another reading. What is nil says nothing.
type expectation struct {
	value    json.RawMessage
	bytes    *string
	sends    []json.RawMessage
	closes   bool
	outcome  json.RawMessage
	chooses  json.RawMessage
	breaks   []json.RawMessage
	delivers json.RawMessage
}

func (one *line) expected(op string) expectation {
	wanted := expectation{value: one.Value, bytes: one.Canonical, sends: one.Sends, closes: one.Closes, outcome: one.Outcome}
	wanted.breaks, wanted.delivers = one.Breaks, one.Delivers
	switch op {
	case "lookup":
		wanted.value = one.Values
	case "convert":
		wanted.bytes = one.Gives
	case "negotiate":
		wanted.chooses, _ = json.Marshal(one.Chooses)
	}
	return wanted
}

func (other *reading) expected(string) expectation {
	return expectation{
		other.Value, other.Bytes, other.Sends, other.Closes, other.Outcome, other.Chooses, other.Breaks, other.Delivers,
	}
}

// isGiven tells whether an answer is the expected one; doubt: why that cannot be said. fold: as in manner.
func (wanted expectation) isGiven(one *line, op string, answer any, fold bool) (right bool, doubt string) {
	switch op {
	case "decode":
		return wanted.value != nil && isDecoded(one, wanted.value, answer, fold), ""
	case "lookup":
		return wanted.value != nil && same(parse(wanted.value), answer, manner{fold: fold}, ""), ""
	case "consume":
		given, ok := answer.(Struct)
		return ok && wanted.delivers != nil && isDelivered(wanted.delivers, given, fold), ""
	case "encode", "recode", "convert":
		data, ok := answer.([]byte)
		if !ok || wanted.bytes == nil {
			return false, ""
		}
		return areBytes(one, op, wanted, data, fold)
	case "serve":
		if wanted.sends == nil {
			return false, ""
		}
		end := answer.(conversation)
		problem, doubt := mismatch(wanted.sends, end.sent, one.dialect())
		return problem == "" && doubt == "" && end.closed == wanted.closes, doubt
	case "interpret":
		given, ok := answer.(Struct)
		return ok && wanted.outcome != nil && isOutcome(parse(wanted.outcome).(Struct), given), ""
	case "negotiate":
		given, _ := json.Marshal(answer)
		return wanted.chooses != nil && string(wanted.chooses) == string(given), ""
	}
	return wanted.breaks != nil && (len(wanted.breaks) > 0) == answer, ""
}

// isDelivered tells whether this is what an application has to be given. Types of timestamps may be left out of all records.
func isDelivered(wanted json.RawMessage, answer Struct, fold bool) bool {
	how := manner{fold: fold}
	records, _ := answer["records"].([]any)
	told := slices.ContainsFunc(records, func(record any) bool {
		fields, _ := record.(Struct)
		_, there := fields["timestamp_type"]
		return there
	})
	if !told {
		how.without = []string{"timestamp_type"}
	}
	return same(parse(wanted), answer, how, "")
}

// isOutcome compares what the expected outcome names; the request of a malformed response only if the client tells it.
func isOutcome(expected, answer Struct) bool {
	for name, item := range expected {
		given, told := answer[name]
		if name == "request" && !told && same("malformed", expected["outcome"], manner{}, "") {
			continue
		}
		if !same(item, given, manner{}, name) {
			return false
		}
	}
	return true
}

// isDecoded tells whether this is what Decode has to answer.
func isDecoded(one *line, wanted json.RawMessage, answer any, fold bool) bool {
	how := manner{optional: one.optional(), rebuilt: implementation.Rebuilds[one.Type], fold: fold}
	return same(parse(wanted), withTextKeys(one.Type, answer), how, "")
}

// areBytes tells whether written bytes are the expected ones, or mean the same if that is enough. They are read by the
// implementation's own Decode; where it does not read the expected bytes as it should, nothing can be said. (7, 8)
func areBytes(one *line, op string, from expectation, answer []byte, fold bool) (right bool, doubt string) {
	expected := *from.bytes
	written := hex.EncodeToString(answer)
	if written == expected {
		return true, ""
	}
	rebuilt := implementation.Rebuilds[one.Type]
	replaced := fold && bytes.Contains(octets(expected), []byte("\ufffd")) && bytes.Contains(answer, []byte("\ufffd"))
	if one.Compare != "decoded" && (len(rebuilt) == 0 || op == "convert") && !replaced {
		return false, ""
	}
	form := *one
	if one.As != nil {
		form.ID, form.Type, form.Version = one.As.Dialect+"/", one.As.Type, one.As.Version
	}
	wanted := ask(&form, "decode", input{version: form.Version, bytes: &expected})
	if wanted.kind != answered {
		return false, "other bytes can be right here, and decode does not read the expected ones: " + wanted.text
	}
	if from.value != nil && !isDecoded(one, from.value, wanted.answer, fold) {
		return false, "other bytes can be right here, and decode does not read the expected ones rightly"
	}
	given := ask(&form, "decode", input{version: form.Version, bytes: &written})
	how := manner{optional: one.optional(), without: slices.Concat(rebuilt, derived), fold: fold}
	return given.kind == answered && same(wanted.answer, given.answer, how, ""), ""
}

func difference(one *line, op string, got seen) string {
	wanted, given := "", ""
	switch {
	case one.Reject != nil:
		wanted = fmt.Sprintf("a refusal (%s)", one.Reject.text())
	case op == "decode":
		wanted = show(parse(one.Value))
	case op == "lookup":
		wanted = show(parse(one.Values))
	case op == "consume":
		wanted = show(parse(one.Delivers))
	case op == "serve":
		wanted = fmt.Sprintf("%d answers; the connection is closed then: %v", len(one.Sends), one.Closes)
	case op == "interpret":
		wanted = show(parse(one.Outcome))
	case op == "negotiate":
		chosen, _ := json.Marshal(one.Chooses)
		wanted = string(chosen)
	case op == "evolve":
		wanted = fmt.Sprint(len(one.Breaks) > 0)
	default:
		wanted = cut(*one.expected(op).bytes)
	}
	switch got.kind {
	case refused:
		given = "a refusal: " + got.text
	case crashed:
		given = "a crash"
	default:
		given = show(got.answer)
	}
	asked := op
	if one.Type != "" {
		asked += " " + one.Type
	}
	if one.Version != nil {
		asked += fmt.Sprint(" ", *one.Version)
	}
	switch {
	case op == "encode":
		asked += ": " + show(parse(one.Value))
	case one.Bytes != nil:
		asked += ": " + cut(*one.Bytes)
	}
	if op == "consume" {
		fetch := one.input().fetch()
		asked += fmt.Sprintf("\n  position: %d, %s, aborted: %+v", fetch.Position, fetch.Isolation, fetch.Aborted)
	}
	return fmt.Sprintf("%s\n  %s\n  expected: %s\n  got:      %s\n  source:   %s",
		one.About, asked, wanted, given, strings.Join(append([]string{one.Source}, one.Rulings...), " "))
}
