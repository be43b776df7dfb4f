package lines

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// toy has an INT8 of its own, a type that panics, and one that is read, but not written again.
func toy() *Wrapper {
	return &Wrapper{
		Name: "toy",
		Types: map[string]Codec{
			"INT8": {
				Decode: func(_ int, data []byte) (any, error) {
					if len(data) == 0 {
						return nil, errors.New("end")
					}
					return int64(int8(data[0])), LeftOver(len(data), len(data)-1)
				},
				Encode: func(_ int, value any) ([]byte, error) {
					number, err := Integer[int8](value)
					return []byte{byte(number)}, err
				},
			},
			"Message": {
				Versions: &Versions{1, 2},
				Recode:   func(int, []byte) ([]byte, error) { panic("all is lost") },
			},
			"OneWay": {
				Decode: func(_ int, data []byte) (any, error) { return data, nil },
				Encode: func(int, any) ([]byte, error) { return nil, errors.New("no") },
			},
			"Same": {
				Decode: func(int, []byte) (any, error) { return nil, nil },
				Encode: func(_ int, value any) ([]byte, error) { return appendValue(nil, value), nil },
			},
		},
		Reason: func(error) string { return "truncated" },
	}
}

func answers(t *testing.T, questions string) []string {
	t.Helper()
	var out strings.Builder
	if err := Converse(toy(), strings.NewReader(questions), &out); err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
}

func TestAnswers(t *testing.T) {
	for name, pair := range map[string][2]string{
		"a value":     {`"op":"decode","type":"INT8","data":"ff"`, `"value":-1}`},
		"bytes":       {`"op":"encode","type":"INT8","value":-1`, `"data":"ff"}`},
		"both halves": {`"op":"recode","type":"INT8","data":"07"`, `"data":"07"}`},
		"a refusal":   {`"op":"decode","type":"INT8","data":""`, `"reject":{"detail":"end","reason":"truncated"}}`},
		"left over": {`"op":"decode","type":"INT8","data":"0102"`,
			`"reject":{"detail":"1 bytes left over","reason":"trailing-bytes","offset":1}}`},
		"out of range": {`"op":"encode","type":"INT8","value":128`,
			`"reject":{"detail":"int8 does not hold 128","reason":"out-of-range"}}`},
		"far out of range": {`"op":"encode","type":"INT8","value":{"int":"9223372036854775808"}`,
			`"reject":{"detail":"int8 does not hold 9223372036854775808","reason":"out-of-range"}}`},
		"null": {`"op":"encode","type":"INT8","value":null`,
			`"reject":{"detail":"int8 holds no null","reason":"null-not-allowed"}}`},
		"a half": {`"op":"recode","type":"OneWay","data":""`,
			`"reject":{"detail":"no","reason":"truncated","half":"encode"}}`},
		"a first half": {`"op":"recode","type":"INT8","data":""`,
			`"reject":{"detail":"end","reason":"truncated","half":"decode"}}`},
		"no type": {`"op":"decode","type":"INT9","data":""`, `"unsupported":"toy has nothing for INT9"}`},
		"no op":   {`"op":"decode","type":"Message","version":1,"data":""`, `"unsupported":"toy has no decode of Message"}`},
		"no version": {`"op":"recode","type":"Message","version":3,"data":""`,
			`"unsupported":"toy has versions 1 to 2 of Message, not 3"}`},
		"null in place of a version": {`"op":"recode","type":"Message","data":""`,
			`"unsupported":"toy has versions 1 to 2 of Message, not null"}`},
		"a lone surrogate": {`"op":"encode","type":"Same","value":"a\ud800"`,
			`"unsupported":"a lone surrogate is no text in Go"}`},
	} {
		t.Run(name, func(t *testing.T) {
			got := answers(t, `{"seq":7,"dialect":"kafka",`+pair[0]+"}\n")
			if want := `{"seq":7,` + pair[1]; got[0] != want {
				t.Errorf("got %s, want %s", got[0], want)
			}
		})
	}
}

func TestServe(t *testing.T) {
	var apis Apis
	var heard []string
	server := &Wrapper{
		Name:      "server",
		Configure: func(wanted Apis) error { apis = wanted; return nil },
		Serve: func(chunks [][]byte) ([]byte, bool, error) {
			for _, chunk := range chunks {
				heard = append(heard, string(chunk))
			}
			return []byte("yes"), len(chunks) > 1, nil
		},
	}
	var out strings.Builder
	questions := `{"seq":0,"op":"describe"}
{"seq":1,"op":"configure","dialect":"kafka","settings":{"apis":{"0":[3,13],"18":[0,5]},"schemas":[]}}
{"seq":2,"op":"serve","dialect":"kafka","chunks":["6869"]}
{"seq":3,"op":"serve","dialect":"kafka","chunks":["","7a"]}
{"seq":4,"op":"serve","dialect":"wire-format","chunks":[]}
`
	if err := Converse(server, strings.NewReader(questions), &out); err != nil {
		t.Fatal(err)
	}
	description, rest, _ := strings.Cut(out.String(), "\n")
	if !strings.Contains(description, `"ops":["serve"]`) {
		t.Errorf("described as %s", description)
	}
	want := `{"seq":1,"ok":true}
{"seq":2,"sent":"796573","closed":false}
{"seq":3,"sent":"796573","closed":true}
{"seq":4,"unsupported":"no serve in the dialect wire-format"}
`
	if rest != want {
		t.Errorf("got %s", rest)
	}
	if !maps.Equal(apis, Apis{0: {3, 13}, 18: {0, 5}}) || !slices.Equal(heard, []string{"hi", "", "z"}) {
		t.Errorf("apis %v, heard %q", apis, heard)
	}
	if got := answers(t, `{"seq":1,"op":"serve","dialect":"kafka","chunks":[]}`)[0]; !strings.Contains(got, "unsupported") {
		t.Errorf("a library without a broker: %s", got)
	}
}

func TestConsume(t *testing.T) {
	var asked Fetched
	consumer := &Wrapper{
		Name: "consumer",
		Consume: func(fetched Fetched) ([]any, int64, error) {
			asked = fetched
			if len(fetched.Data) == 0 {
				return nil, 0, Refusal{Detail: "no data"}
			}
			return []any{Struct{"key": nil}}, 1 << 60, nil
		},
	}
	var out strings.Builder
	questions := `{"seq":0,"op":"describe"}
{"seq":1,"op":"consume","dialect":"kafka","data":"","position":0,"isolation":"read_committed","aborted":[]}
{"seq":2,"op":"consume","dialect":"kip-35-v7","data":"","position":0,"isolation":"read_committed","aborted":[]}
{"seq":3,"op":"consume","dialect":"kafka","data":"0102","position":{"int":"9007199254740992"},"isolation":"read_committed",` +
		`"aborted":[{"producer_id":{"int":"9007199254740993"},"first_offset":4}]}
`
	if err := Converse(consumer, strings.NewReader(questions), &out); err != nil {
		t.Fatal(err)
	}
	description, rest, _ := strings.Cut(out.String(), "\n")
	if !strings.Contains(description, `"ops":["consume"]`) {
		t.Errorf("described as %s", description)
	}
	want := `{"seq":1,"reject":{"detail":"no data"}}
{"seq":2,"unsupported":"no consume in the dialect kip-35-v7"}
{"seq":3,"delivered":{"records":[{"key":null}],"position":{"int":"1152921504606846976"}}}
`
	// A map has no order of its own.
	other := strings.Replace(want, `"records":[{"key":null}],"position":{"int":"1152921504606846976"}`,
		`"position":{"int":"1152921504606846976"},"records":[{"key":null}]`, 1)
	if rest != want && rest != other {
		t.Errorf("got %s", rest)
	}
	expected := Fetched{[]byte{1, 2}, 1 << 53, true, []Aborted{{1<<53 + 1, 4}}}
	if !reflect.DeepEqual(asked, expected) {
		t.Errorf("asked %v", asked)
	}
}

func TestAPanicIsAFailure(t *testing.T) {
	got := answers(t, `{"seq":1,"op":"recode","dialect":"kafka","type":"Message","version":1,"data":""}`)
	var failure struct{ Error, Exception string }
	if err := json.Unmarshal([]byte(got[0]), &failure); err != nil {
		t.Fatal(err)
	}
	if failure.Error != "all is lost" || failure.Exception != "string" {
		t.Errorf("got %s", got[0])
	}
}

func TestValuesComeBackAsTheyWere(t *testing.T) {
	for _, value := range []string{
		`null`, `true`, `-9007199254740991`, `{"int":"9007199254740992"}`, `{"int":"-9223372036854775808"}`,
		`"a"`, `"\u2028\ufffd😀"`, `{"hex":"00ff"}`, `{"hex":""}`, `[[1],[]]`, `{"name":[null]}`,
		`{"float64":"7ff8000000000001"}`, `{"uuid":"00010203-0405-0607-0809-0a0b0c0d0e0f"}`,
	} {
		parsed, err := parseValue(json.RawMessage(value))
		if err != nil {
			t.Fatal(err)
		}
		again, err := parseValue(appendValue(nil, parsed))
		if err != nil {
			t.Fatal(err)
		}
		if got, want := string(appendValue(nil, again)), string(appendValue(nil, parsed)); got != want {
			t.Errorf("%s: got %s, want %s", value, got, want)
		}
		if got := string(appendValue(nil, parsed)); value[0] == '{' && got != value {
			t.Errorf("got %s, want %s", got, value)
		}
	}
}

func TestLoneSurrogates(t *testing.T) {
	for text, lone := range map[string]bool{
		`"\ud83d\ude00"`: false, `"\ud83d"`: true, `"\ude00\ud83d"`: true, `"\\ud83d"`: false, `"\ufffd"`: false,
		`"\ud83da"`: true, `"\ud83d\n"`: true,
	} {
		if got := hasLoneSurrogate([]byte(text)); got != lone {
			t.Errorf("%s: got %v", text, got)
		}
	}
}

func TestBytesThatAreNoTextShowWithReplacements(t *testing.T) {
	if got := string(appendValue(nil, "a\xff\xfe")); got != `"a\ufffd\ufffd"` {
		t.Errorf("got %s", got)
	}
}

// An answer comes while others are still to be found.
func TestSlowAnswersAreNotKeptBack(t *testing.T) {
	last := make(chan bool)
	slow := &Wrapper{Consume: func(fetched Fetched) ([]any, int64, error) {
		if fetched.Position == 0 {
			time.Sleep(patience)
		} else {
			<-last
		}
		return nil, fetched.Position, nil
	}}
	out, written := io.Pipe()
	question := `{"seq":1,"op":"consume","dialect":"kafka","data":"","position":%d,"aborted":[]}` + "\n"
	questions := fmt.Sprintf(question+question, 0, 1)
	go func() { _ = Converse(slow, strings.NewReader(questions), written) }()
	came := make(chan int)
	go func() {
		size, _ := out.Read(make([]byte, 1000))
		came <- size
	}()
	select {
	case <-came:
	case <-time.After(10 * time.Second):
		t.Error("no answer")
	}
	close(last)
}

func TestALineThatIsNoQuestion(t *testing.T) {
	for _, line := range []string{"[]", `{"seq":1`, `{"seq":1,"op":"decode","dialect":"kafka","type":"INT8","data":"0g"}`} {
		var out strings.Builder
		err := Converse(toy(), strings.NewReader(`{"op":"describe"}`+"\n"+line+"\n"), &out)
		if err == nil || !strings.HasPrefix(err.Error(), "the conversation broke off: line 2: ") {
			t.Errorf("%s: got %v", line, err)
		}
		if strings.Count(out.String(), "\n") != 1 {
			t.Errorf("%s: answered %s", line, out.String())
		}
	}
}

// An answer comes although a part of the next question is there already.
func TestAnswersAreNotKeptBack(t *testing.T) {
	in, questions := io.Pipe()
	out, written := io.Pipe()
	go func() { _ = Converse(toy(), in, written) }()
	go func() {
		_, _ = questions.Write([]byte(`{"seq":1,"op":"decode","dialect":"kafka","type":"INT8","data":"05"}` + "\n" + `{"seq":2`))
	}()
	came := make(chan string)
	go func() {
		answer := make([]byte, 100)
		size, _ := out.Read(answer)
		came <- string(answer[:size])
	}()
	select {
	case answer := <-came:
		if answer != `{"seq":1,"value":5}`+"\n" {
			t.Errorf("got %q", answer)
		}
	case <-time.After(30 * time.Second):
		t.Error("no answer")
	}
}
