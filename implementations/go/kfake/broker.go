package main

import (
	"bytes"
	"encoding/binary"
	"net"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kversion"

	"wireproof/implementations/go/lines"
)

// Kfake runs in this process, so that what ends it ends this process too. Its connections are made in memory: they show
// when it waits for more bytes, so nothing has to be waited for with a clock.

const sizePrefix = 4

// broker is a cluster of one broker, started by the first question.
type broker struct {
	apis      lines.Apis
	listening *listener
}

// configure keeps the highest version of each api that the broker is to list; kfake has no option for the lowest.
func (broker *broker) configure(apis lines.Apis) error {
	broker.apis, broker.listening = apis, nil
	return nil
}

func (broker *broker) start() error {
	listening := newListener()
	options := []kfake.Opt{
		kfake.NumBrokers(1),
		kfake.ListenFn(func(_, _ string) (net.Listener, error) { return listening, nil }),
	}
	if broker.apis != nil {
		versions := new(kversion.Versions)
		for key, span := range broker.apis {
			versions.SetMaxKeyVersion(key, span[1])
		}
		options = append(options, kfake.MaxVersions(versions))
	}
	if _, err := kfake.NewCluster(options...); err != nil {
		return err
	}
	broker.listening = listening
	return nil
}

// serve is all that the broker sends for these chunks on a fresh connection, and whether it then closes it.
func (broker *broker) serve(chunks [][]byte) ([]byte, bool, error) {
	if broker.listening == nil {
		if err := broker.start(); err != nil {
			return nil, false, err
		}
	}
	connection := broker.listening.dial()
	defer connection.hangUp()
	witness := witnessFor(bytes.Join(chunks, nil))
	var sent, frame []byte
	for _, chunk := range chunks {
		for len(chunk) > 0 {
			piece := chunk[:min(len(chunk), missing(frame))]
			chunk = chunk[len(piece):]
			frame = append(frame, piece...)
			if connection.send(piece) {
				return append(sent, connection.received()...), true, nil
			}
			if missing(frame) > 0 {
				continue
			}
			frame = frame[:0]
			// Requests of a connection are answered in their order, so behind the answer to one more request nothing is
			// to come for the others.
			if connection.send(witness) || connection.await(witness[8:12]) {
				return append(sent, connection.received()...), true, nil
			}
			answers := connection.received()
			sent = append(sent, answers[:len(answers)-lastSize(answers)]...)
		}
	}
	return sent, connection.isClosed(), nil
}

// missing is the number of bytes until the size of a frame is there, or until the frame is.
func missing(frame []byte) int {
	if len(frame) < sizePrefix {
		return sizePrefix - len(frame)
	}
	return sizePrefix + int(binary.BigEndian.Uint32(frame)) - len(frame)
}

// witnessFor is an ApiVersions request, version 0, with a correlation id that stands nowhere in these bytes.
func witnessFor(data []byte) []byte {
	witness := []byte{0, 0, 0, 10, 0, 18, 0, 0, 0, 0, 0, 0, 0xff, 0xff}
	for id := uint32(0x77697470); ; id++ {
		binary.BigEndian.PutUint32(witness[8:12], id)
		if !bytes.Contains(data, witness[8:12]) {
			return witness
		}
	}
}

// lastSize is the size of the last of these frames.
func lastSize(frames []byte) int {
	size := 0
	for len(frames) > 0 {
		size = sizePrefix + int(binary.BigEndian.Uint32(frames))
		frames = frames[size:]
	}
	return size
}
