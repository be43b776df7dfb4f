package lines

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
)

// Refusal is a word of the library's, or of Go's types before it, against these bytes or this value.
type Refusal struct {
	// Reason is one of the contract's, or "".
	Reason string
	// Offset is that of the fault, nil where it is not known.
	Offset *int
	// Detail is for a person.
	Detail string
}

func (refusal Refusal) Error() string { return refusal.Detail }

// NotOffered is the reason why the library cannot be asked this.
type NotOffered string

func (reason NotOffered) Error() string { return string(reason) }

// NotOfferedf is a NotOffered with a text as in fmt.Sprintf.
func NotOfferedf(format string, arguments ...any) error {
	return NotOffered(fmt.Sprintf(format, arguments...))
}

// Writing calls the second half of a recode.
func Writing(call func() error) error {
	if err := call(); err != nil {
		return EncodeHalf{err}
	}
	return nil
}

// EncodeHalf is an error in the second half of recode: the bytes were read, but not written again.
type EncodeHalf struct{ Err error }

func (half EncodeHalf) Error() string { return half.Err.Error() }
func (half EncodeHalf) Unwrap() error { return half.Err }

// badQuestion is a line that is no question. It ends the conversation.
type badQuestion struct{ err error }

func (bad badQuestion) Error() string { return bad.err.Error() }

// LeftOver refuses bytes that the library's reader has not read, where it tells how many there are. `size` is that of all.
func LeftOver(size, left int) error {
	if left == 0 {
		return nil
	}
	offset := size - left
	return Refusal{Reason: "trailing-bytes", Offset: &offset, Detail: fmt.Sprintf("%d bytes left over", left)}
}

// panicked is a panic, and where it was.
type panicked struct {
	value any
	frame string
}

func (caught panicked) Error() string { return fmt.Sprint(caught.value) }

// exception is the name of the panic's value's type.
func (caught panicked) exception() string {
	return strings.TrimPrefix(fmt.Sprintf("%T", caught.value), "*")
}

// guarded calls, and returns a panic as an error.
func guarded(call func() error) (err error) {
	defer func() {
		value := recover()
		if value == nil {
			return
		}
		if bad, ok := value.(error); ok && errors.As(bad, new(badQuestion)) {
			panic(value)
		}
		err = panicked{value, topFrame()}
	}()
	return call()
}

// topFrame is "package:function" of the topmost frame that is not Go's own, while a panic is under way.
func topFrame() string {
	counters := make([]uintptr, 64)
	frames := runtime.CallersFrames(counters[:runtime.Callers(3, counters)])
	for {
		frame, more := frames.Next()
		name := frame.Function
		slash := strings.LastIndexByte(name, '/') + 1
		dot := strings.IndexByte(name[slash:], '.')
		// Only packages of Go's own have no dot before the first slash.
		if dot >= 0 && strings.Contains(strings.SplitN(name[:slash], "/", 2)[0], ".") {
			return name[:slash+dot] + ":" + name[slash+dot+1:]
		}
		if !more {
			return ""
		}
	}
}
