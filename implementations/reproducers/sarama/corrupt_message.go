// A message whose own length is too small for its fields. All its bytes are there, so nothing is cut off; still it is taken
// for the cut-off end of the set, and is dropped without an error, with all that follows it.
package main

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"net"

	"github.com/IBM/sarama"
)

// answering is a connection on which each request gets this set of messages in a FetchResponse.
type answering []byte

func (records answering) Dial(_, _ string) (net.Conn, error) {
	theirs, ours := net.Pipe()
	go func() {
		size := make([]byte, 4)
		for {
			if _, err := io.ReadFull(ours, size); err != nil {
				return
			}
			request := make([]byte, binary.BigEndian.Uint32(size))
			if _, err := io.ReadFull(ours, request); err != nil {
				return
			}
			response := append([]byte{}, request[4:8]...)                            // correlation id
			response = append(response, 0, 0, 0, 1, 0, 1, 't', 0, 0, 0, 1)           // one topic, one partition
			response = append(response, make([]byte, 4+2+8)...)                      // partition 0, no error, high watermark
			response = binary.BigEndian.AppendUint32(response, uint32(len(records))) // size of the records
			response = append(response, records...)
			ours.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(response))), response...))
		}
	}()
	return theirs, nil
}

func fetch(what, digits string) {
	records, err := hex.DecodeString(digits)
	if err != nil {
		panic(err)
	}
	config := sarama.NewConfig()
	config.ApiVersionsRequest = false
	config.Net.Proxy.Enable = true
	config.Net.Proxy.Dialer = answering(records)
	broker := sarama.NewBroker("broker:9092")
	if err := broker.Open(config); err != nil {
		panic(err)
	}
	count := 0
	response, err := broker.Fetch(&sarama.FetchRequest{Version: 0})
	if err == nil {
		for _, found := range response.Blocks["t"][0].RecordsSet {
			count += len(found.MsgSet.Messages)
		}
	}
	fmt.Printf("%s: %d messages, error %v\n", what, count, err)
}

func main() {
	fetch("valid", "@twin@")
	fetch("corrupt", "@bytes@")
}
