// INT32 decode behind the line protocol, in Go without a library: right answers, but at the question `ffffffff` it does
// what its argument names. `says-nothing` describes nothing either.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"syscall"
	"time"
)

const (
	culprit  = "ffffffff"
	mebibyte = 1 << 20
)

type question struct {
	Seq  int    `json:"seq"`
	Op   string `json:"op"`
	Data string `json:"data"`
}

func say(line string) {
	if _, err := fmt.Println(line); err != nil { // nobody reads any more
		os.Exit(4)
	}
}

func hang() {
	if path := os.Getenv("PROGRAMS_HANGING"); path != "" {
		noted, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			panic(err)
		}
		fmt.Fprintln(noted, os.Getpid())
		noted.Close()
	}
	for {
		time.Sleep(time.Minute)
	}
}

func eat() {
	var all [][]byte
	for {
		all = append(all, bytes.Repeat([]byte{1}, mebibyte))
	}
}

var kept string

// shuffle says each pair of answers in reverse.
func shuffle(right string) {
	if kept == "" {
		kept = right
		return
	}
	say(right)
	say(kept)
	kept = ""
}

func misbehave(manner, right string) {
	switch manner {
	case "dies":
		if err := syscall.Kill(os.Getpid(), syscall.SIGABRT); err != nil {
			panic(err)
		}
		for { // not `select {}`: Go would see a deadlock and end by that too, and the two ends may wait for each other
			time.Sleep(time.Minute)
		}
	case "exits":
		os.Exit(3)
	case "panics":
		panic("nobody recovers this")
	case "hangs":
		hang()
	case "eats":
		eat()
	case "floods":
		for range 100 {
			if _, err := os.Stdout.Write(bytes.Repeat([]byte("x"), mebibyte)); err != nil {
				os.Exit(4)
			}
		}
	case "prints":
		say("decoding …")
	case "twice":
		say(right)
		say(right)
	}
}

func main() {
	manner := os.Args[1]
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var asked question
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			panic(err)
		}
		if asked.Op == "describe" {
			if manner == "says-nothing" {
				hang()
			}
			say(`{"name":"unruly","language":"go","ops":["decode"],"types":{"kafka":{"INT32":null}}}`)
			continue
		}
		number, err := strconv.ParseUint(asked.Data, 16, 32)
		if err != nil {
			panic(err)
		}
		right := fmt.Sprintf(`{"seq":%d,"value":%d}`, asked.Seq, int32(number))
		switch {
		case manner == "shuffles":
			shuffle(right)
		case asked.Data == culprit:
			misbehave(manner, right)
		default:
			say(right)
		}
	}
}
