package main

import (
	"encoding/binary"
	"errors"
	"io"
	"net"

	"github.com/IBM/sarama"
)

// Sarama does not export its codecs. Its Broker writes a request to a connection and reads the response from it, so the
// wrapper is the other end of that connection: it keeps the body of the request, and answers with the body that it was
// given.

const (
	sizePrefix = 4
	// Key, version, correlation id, and the client's id of one byte.
	headerSize = 2 + 2 + 4 + 2 + 1
	clientID   = "c"
)

// peer is the broker's end of a connection.
type peer struct {
	broker *sarama.Broker
	// answer is the body of the next response, request that of the last request.
	answer, request []byte
	// flexible says that both headers end with tags.
	flexible, flexibleAnswer bool
}

// Dial is called by sarama in place of net.Dial.
func (peer *peer) Dial(_, _ string) (net.Conn, error) {
	theirs, ours := net.Pipe()
	go peer.serve(ours)
	return theirs, nil
}

// serve answers each request on a connection until it is closed.
func (peer *peer) serve(connection net.Conn) {
	for {
		frame, err := readFrame(connection)
		if err != nil {
			return
		}
		header := headerSize
		if peer.flexible {
			header++
		}
		peer.request = frame[header:]
		response := append([]byte{}, frame[4:8]...) // the correlation id
		if peer.flexibleAnswer {
			response = append(response, 0)
		}
		response = append(response, peer.answer...)
		whole := append(binary.BigEndian.AppendUint32(nil, uint32(len(response))), response...)
		if _, err := connection.Write(whole); err != nil {
			return
		}
	}
}

// readFrame reads a request, without its size.
func readFrame(connection net.Conn) ([]byte, error) {
	size := make([]byte, sizePrefix)
	if _, err := io.ReadFull(connection, size); err != nil {
		return nil, err
	}
	frame := make([]byte, binary.BigEndian.Uint32(size))
	_, err := io.ReadFull(connection, frame)
	return frame, err
}

// call has sarama send a request and read the answer. It returns the body of the request.
func (peer *peer) call(flexible, flexibleAnswer bool, answer []byte, by func(broker *sarama.Broker) error) ([]byte, error) {
	if peer.broker == nil {
		peer.broker = sarama.NewBroker("broker:9092")
		if err := peer.broker.Open(peer.config()); err != nil {
			return nil, err
		}
	}
	peer.flexible, peer.flexibleAnswer, peer.answer, peer.request = flexible, flexibleAnswer, answer, nil
	defer func() {
		if value := recover(); value != nil {
			peer.broker = nil
			panic(value)
		}
	}()
	if err := by(peer.broker); err != nil {
		peer.forget()
		return peer.request, err
	}
	return peer.request, nil
}

// forget closes the connection: after an error, or an answer that asks for a pause, the next call gets a new one.
func (peer *peer) forget() {
	_ = peer.broker.Close()
	peer.broker = nil
}

func (peer *peer) config() *sarama.Config {
	config := sarama.NewConfig()
	config.ClientID = clientID
	config.Version = sarama.MaxVersion
	config.ApiVersionsRequest = false
	config.Net.Proxy.Enable = true
	config.Net.Proxy.Dialer = peer
	return config
}

// reason is what an error of sarama's says for certain. (ErrInsufficientData also is said of counts that are too large.)
func reason(err error) string {
	if errors.Is(err, sarama.ErrUnsupportedVersion) {
		return "unsupported-version"
	}
	return ""
}
