// Kafka-go by Segment behind the line protocol: see README.md in the folder above.
package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"regexp"
	"strings"

	"github.com/segmentio/kafka-go/protocol"

	"wireproof/implementations/go/lines"
)

const sizePrefix = 4

// frame is what is read of a frame: what is written again.
type frame struct {
	version     int16
	correlation int32
	client      string
	message     protocol.Message
}

// read reads a whole frame by the library's reader, from a bufio.Reader as from its connections. Bytes behind the frame
// are left over; those behind the body in the frame are not told.
func read(data []byte, by func(in *bufio.Reader) (frame, error)) (frame, error) {
	behind := bytes.NewReader(data)
	in := bufio.NewReader(behind)
	found, err := by(in)
	if err != nil {
		return found, err
	}
	return found, lines.LeftOver(len(data), in.Buffered()+behind.Len())
}

func readRequest(in *bufio.Reader) (frame, error) {
	version, correlation, client, message, err := protocol.ReadRequest(in)
	return frame{version, correlation, client, message}, err
}

func writeRequest(found frame) ([]byte, error) {
	return written(func(out *bytes.Buffer) error {
		return protocol.WriteRequest(out, found.version, found.correlation, found.client, found.message)
	})
}

func responseReader(key protocol.ApiKey, version int16) func(*bufio.Reader) (frame, error) {
	return func(in *bufio.Reader) (frame, error) {
		correlation, message, err := protocol.ReadResponse(in, key, version)
		return frame{version: version, correlation: correlation, message: message}, err
	}
}

func writeResponse(found frame) ([]byte, error) {
	return written(func(out *bytes.Buffer) error {
		return protocol.WriteResponse(out, found.version, found.correlation, found.message)
	})
}

func written(write func(out *bytes.Buffer) error) ([]byte, error) {
	var out bytes.Buffer
	if err := lines.Writing(func() error { return write(&out) }); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// framed is a body in a frame with this header.
func framed(header, body []byte) []byte {
	size := binary.BigEndian.AppendUint32(nil, uint32(len(header)+len(body)))
	return append(append(size, header...), body...)
}

// requestBody is the codec of a body, in a frame that is made around it and taken off again.
func requestBody(key protocol.ApiKey, flexible int16) lines.Codec {
	return lines.Codec{
		Versions: versionsOf(key),
		Judges:   true,
		Recode: func(version int, body []byte) ([]byte, error) {
			header := binary.BigEndian.AppendUint16(nil, uint16(key))
			header = binary.BigEndian.AppendUint16(header, uint16(version))
			header = append(header, 0, 0, 0, 0, 0, 1, 'c')
			if int16(version) >= flexible {
				header = append(header, 0)
			}
			found, err := read(framed(header, body), readRequest)
			if err != nil {
				return nil, err
			}
			out, err := writeRequest(found)
			if err != nil {
				return nil, err
			}
			return out[sizePrefix+len(header):], nil
		},
	}
}

func responseBody(key protocol.ApiKey, flexible int16) lines.Codec {
	return lines.Codec{
		Versions: versionsOf(key),
		Judges:   true,
		Recode: func(version int, body []byte) ([]byte, error) {
			header := []byte{0, 0, 0, 0}
			if int16(version) >= flexible {
				header = append(header, 0)
			}
			found, err := read(framed(header, body), responseReader(key, int16(version)))
			if err != nil {
				return nil, err
			}
			out, err := writeResponse(found)
			if err != nil {
				return nil, err
			}
			return out[sizePrefix+len(header):], nil
		},
	}
}

func versionsOf(key protocol.ApiKey) *lines.Versions {
	return &lines.Versions{int(key.MinVersion()), int(key.MaxVersion())}
}

func requestFrame() lines.Codec {
	return lines.Codec{Recode: func(_ int, data []byte) ([]byte, error) {
		found, err := read(data, readRequest)
		if err != nil {
			return nil, err
		}
		return writeRequest(found)
	}}
}

func responseFrame(key protocol.ApiKey) lines.Codec {
	return lines.Codec{
		Versions: versionsOf(key),
		Judges:   true,
		Recode: func(version int, data []byte) ([]byte, error) {
			found, err := read(data, responseReader(key, int16(version)))
			if err != nil {
				return nil, err
			}
			return writeResponse(found)
		},
	}
}

// wrapper leaves out the two bodies with records in them: kafka-go reads these, and the contract says that they are any
// bytes.
func wrapper() *lines.Wrapper {
	types := map[string]lines.Codec{"RequestFrame": requestFrame()}
	for key, flexible := range flexibleFrom {
		if key != protocol.Produce {
			types[key.String()+"Request"] = requestBody(key, flexible)
		}
		if key != protocol.Fetch {
			types[key.String()+"Response"] = responseBody(key, flexible)
			types["ResponseFrame:"+key.String()] = responseFrame(key)
		}
	}
	return &lines.Wrapper{
		Name:    "kafka-go",
		Version: lines.ModuleVersion("github.com/segmentio/kafka-go"),
		Types:   types,
		Consume: consume,
		Produce: produced,
		Readings: map[string]string{
			"R-K-15": "other", "R-K-29": "other", "R-K-37": "other", "R-K-38": "other", "R-K-39": "before-the-fault",
			"R-K-42": "other", "R-K-60": "other",
		},
		Reason: reason,
	}
}

// reason is what an error says for certain.
func reason(err error) string {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return "truncated"
	}
	if strings.HasPrefix(err.Error(), "unsupported api key: ") {
		return "unknown-api"
	}
	if unsupportedVersion.MatchString(err.Error()) {
		return "unsupported-version"
	}
	return ""
}

var unsupportedVersion = regexp.MustCompile(`^unsupported \w+ version: `)

func main() {
	lines.Main(wrapper())
}
