package main

import (
	"bytes"
	"io"
	"net"
	"runtime"
	"sync"
	"time"
)

// listener hands connections to the broker.
type listener struct {
	dialled chan net.Conn
	closed  chan struct{}
	once    sync.Once
}

func newListener() *listener {
	return &listener{dialled: make(chan net.Conn), closed: make(chan struct{})}
}

func (listener *listener) Accept() (net.Conn, error) {
	select {
	case connection := <-listener.dialled:
		return connection, nil
	case <-listener.closed:
		return nil, net.ErrClosed
	}
}

func (listener *listener) Close() error {
	listener.once.Do(func() { close(listener.closed) })
	return nil
}

func (listener *listener) Addr() net.Addr { return address }

func (listener *listener) dial() *connection {
	made := new(connection)
	made.changed.L = &made.lock
	listener.dialled <- made
	return made
}

var address = &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 9092}

// connection is the broker's end of a connection in memory, and what the other end sees of it.
type connection struct {
	lock    sync.Mutex
	changed sync.Cond
	// inbox is what the broker has not read, outbox what it has written.
	inbox, outbox []byte
	// waiting says that the broker waits for bytes; closed, that it has closed the connection; lost, that it is about to
	// end with its process; hungUp, that the other end has closed it.
	waiting, closed, lost, hungUp bool
}

func (connection *connection) Read(to []byte) (int, error) {
	connection.lock.Lock()
	defer connection.lock.Unlock()
	for len(connection.inbox) == 0 {
		if connection.closed || connection.hungUp {
			return 0, io.EOF
		}
		connection.waiting = true
		connection.changed.Broadcast()
		connection.changed.Wait()
	}
	size := copy(to, connection.inbox)
	connection.inbox = connection.inbox[size:]
	return size, nil
}

func (connection *connection) Write(data []byte) (int, error) {
	connection.lock.Lock()
	defer connection.lock.Unlock()
	if connection.closed || connection.hungUp {
		return 0, net.ErrClosed
	}
	connection.outbox = append(connection.outbox, data...)
	connection.changed.Broadcast()
	return len(data), nil
}

// Close closes the broker's end. In a panic of the broker's it is called too, just before the process ends: then the
// connection is not closed, it is lost with the process, and nobody is to answer in that moment.
func (connection *connection) Close() error {
	connection.lock.Lock()
	defer connection.lock.Unlock()
	connection.lost = connection.lost || panicking()
	connection.closed = !connection.lost
	connection.changed.Broadcast()
	return nil
}

// panicking says whether this is a deferred call in a panic.
func panicking() bool {
	counters := make([]uintptr, 64)
	frames := runtime.CallersFrames(counters[:runtime.Callers(2, counters)])
	for {
		frame, more := frames.Next()
		if frame.Function == "runtime.gopanic" {
			return true
		}
		if !more {
			return false
		}
	}
}

func (connection *connection) LocalAddr() net.Addr              { return address }
func (connection *connection) RemoteAddr() net.Addr             { return address }
func (connection *connection) SetDeadline(time.Time) error      { return nil }
func (connection *connection) SetReadDeadline(time.Time) error  { return nil }
func (connection *connection) SetWriteDeadline(time.Time) error { return nil }

// send sends bytes, and waits until the broker has read them and waits for more. True when it closes the connection.
func (connection *connection) send(data []byte) bool {
	connection.lock.Lock()
	defer connection.lock.Unlock()
	connection.inbox = append(connection.inbox, data...)
	connection.waiting = false
	connection.changed.Broadcast()
	for !connection.closed && !connection.waiting {
		connection.changed.Wait()
	}
	return connection.closed
}

// await waits until the broker has sent these bytes. True when it closes the connection instead.
func (connection *connection) await(wanted []byte) bool {
	connection.lock.Lock()
	defer connection.lock.Unlock()
	for !bytes.Contains(connection.outbox, wanted) {
		if connection.closed {
			return true
		}
		connection.changed.Wait()
	}
	return false
}

// received takes what the broker has sent since the last call.
func (connection *connection) received() []byte {
	connection.lock.Lock()
	defer connection.lock.Unlock()
	taken := connection.outbox
	connection.outbox = nil
	return taken
}

func (connection *connection) isClosed() bool {
	connection.lock.Lock()
	defer connection.lock.Unlock()
	return connection.closed
}

func (connection *connection) hangUp() {
	connection.lock.Lock()
	defer connection.lock.Unlock()
	connection.hungUp = true
	connection.changed.Broadcast()
}
