// Package client asks franz-go's client, kgo, what it makes of a response: it sends the request of a question to a broker
// that is a goroutine here.
package client

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"reflect"
	"strings"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"

	"wireproof/implementations/go/franz-go/codec"
	"wireproof/implementations/go/lines"
)

const (
	sizePrefix  = 4
	apiVersions = 18
	metadata    = 3
)

var malformed = lines.Outcome{"outcome": "malformed"}

// Interpret is the outcome of a request and its response, both with their sizes; a nil response is a closed connection.
func Interpret(request, response []byte) (lines.Outcome, error) {
	asked := headerOf(request)
	message := kmsg.RequestForKey(asked.key)
	if message == nil || asked.version < 0 || message.MaxVersion() < asked.version {
		return nil, lines.NotOfferedf("kmsg has no request of api %d, version %d", asked.key, asked.version)
	}
	message.SetVersion(asked.version)
	versions := new(kversion.Versions)
	versions.SetMaxKeyVersion(asked.key, asked.version)
	if asked.key == apiVersions {
		// The client sends ApiVersions by itself, before the first request on a connection.
		message = kmsg.NewPtrMetadataRequest()
		versions.SetMaxKeyVersion(metadata, 0)
	} else if err := message.ReadFrom(request[sizePrefix+bodyAt(request, message):]); err != nil {
		return nil, lines.NotOfferedf("kmsg does not read this request: %v", err)
	}
	broker := &broker{asked: asked, response: response}
	client, err := kgo.NewClient(
		kgo.SeedBrokers("127.0.0.1:9092"),
		kgo.MaxVersions(versions),
		kgo.DisableClientMetrics(),
		kgo.Dialer(func(context.Context, string, string) (net.Conn, error) { return broker.dialled(), nil }),
	)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	answer, err := client.SeedBrokers()[0].Request(context.Background(), message)
	if asked.key == apiVersions {
		return broker.ofVersions(err), nil
	}
	if err != nil {
		return failed(err, response, message), nil
	}
	return ofCode(answer, message), nil
}

// header is what all request headers begin with.
type header struct {
	key, version  int16
	correlationID uint32
}

func headerOf(frame []byte) header {
	order := binary.BigEndian
	return header{
		int16(order.Uint16(frame[4:])), int16(order.Uint16(frame[6:])), order.Uint32(frame[8:]),
	}
}

// bodyAt is the size of a request's header: a client id, and in flexible versions no tags.
func bodyAt(frame []byte, message kmsg.Request) int {
	size := 10 + max(0, int(int16(binary.BigEndian.Uint16(frame[12:]))))
	if message.IsFlexible() {
		size++
	}
	return size
}

// broker answers the question's request once, and no other one.
type broker struct {
	asked    header
	response []byte
	answered bool
	// next is the request that follows on the same connection.
	next *header
}

func (broker *broker) dialled() net.Conn {
	here, there := net.Pipe()
	go broker.serve(here)
	return there
}

func (broker *broker) serve(connection net.Conn) {
	defer connection.Close()
	got, err := received(connection)
	if err != nil || broker.answered || broker.response == nil {
		return
	}
	broker.answered = true
	answer := renumbered(broker.response, broker.asked, got)
	if _, err := connection.Write(answer); err == nil && isFrame(answer) {
		if next, err := received(connection); err == nil {
			broker.next = &next
		}
	}
}

// received is the header of the next request.
func received(connection net.Conn) (header, error) {
	frame, err := readFrame(connection)
	if err != nil {
		return header{}, err
	}
	return headerOf(frame), nil
}

// readFrame is the next request, with its size.
func readFrame(connection net.Conn) ([]byte, error) {
	frame := make([]byte, sizePrefix)
	if _, err := io.ReadFull(connection, frame); err != nil {
		return nil, err
	}
	frame = append(frame, make([]byte, binary.BigEndian.Uint32(frame))...)
	_, err := io.ReadFull(connection, frame[sizePrefix:])
	return frame, err
}

// renumbered is the response with the client's own number where it has that of the question.
func renumbered(response []byte, asked, got header) []byte {
	if len(response) < sizePrefix+4 {
		return response
	}
	answer := append([]byte(nil), response...)
	id := answer[sizePrefix : sizePrefix+4]
	binary.BigEndian.PutUint32(id, binary.BigEndian.Uint32(id)-asked.correlationID+got.correlationID)
	return answer
}

func isFrame(data []byte) bool {
	return len(data) >= sizePrefix && int(binary.BigEndian.Uint32(data)) == len(data)-sizePrefix
}

// ofVersions is the outcome of the client's own ApiVersions: it shows in the next request, if there is one.
func (broker *broker) ofVersions(err error) lines.Outcome {
	if broker.next != nil && broker.next.key == apiVersions {
		return lines.Outcome{"outcome": "retry", "version": broker.next.version}
	}
	if broker.next != nil || err == nil || strings.Contains(err.Error(), "broker is too old") {
		return lines.Outcome{"outcome": "accepted"} // the list is used, and has no Metadata
	}
	return failed(err, broker.response, kmsg.NewPtrApiVersionsRequest())
}

// failed is the outcome of a request that ended in an error.
func failed(err error, response []byte, message kmsg.Request) lines.Outcome {
	var known *kerr.Error
	switch {
	case response == nil:
		return lines.Outcome{"outcome": "error", "error": nil}
	case errors.As(err, &known):
		return lines.Outcome{"outcome": "error", "error": known.Code}
	case strings.Contains(err.Error(), "UNSUPPORTED_VERSION"):
		return unsupported(message)
	}
	return malformed
}

// ofCode is the outcome by the response's own field ErrorCode, which is what a caller looks at first.
func ofCode(answer kmsg.Response, message kmsg.Request) lines.Outcome {
	field := reflect.ValueOf(answer).Elem().FieldByName("ErrorCode")
	if !field.IsValid() || field.Int() == 0 {
		return lines.Outcome{"outcome": "accepted"}
	}
	if errors.Is(kerr.ErrorForCode(int16(field.Int())), kerr.UnsupportedVersion) {
		return unsupported(message)
	}
	return lines.Outcome{"outcome": "error", "error": field.Int()}
}

func unsupported(message kmsg.Request) lines.Outcome {
	return lines.Outcome{"outcome": "unsupported", "request": codec.APIName(message.Key()) + "Request"}
}
