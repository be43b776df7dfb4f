// ApiVersions 99: Kafka's brokers answer in version 0, with error 35. Kfake closes the connection.
package main

import (
	"encoding/hex"
	"fmt"
	"io"
	"net"

	"github.com/twmb/franz-go/pkg/kfake"
)

// ask sends a request on a connection of its own, and shows the size of the answer.
func ask(what, address, digits string) {
	request, err := hex.DecodeString(digits)
	if err != nil {
		panic(err)
	}
	connection, err := net.Dial("tcp", address)
	if err != nil {
		panic(err)
	}
	if _, err := connection.Write(request); err != nil {
		panic(err)
	}
	size := make([]byte, 4)
	count, err := io.ReadFull(connection, size)
	fmt.Printf("%s: %d bytes of the answer, %x, %v\n", what, count, size[:count], err)
}

func main() {
	cluster := kfake.MustCluster(kfake.NumBrokers(1))
	address := cluster.ListenAddrs()[0]
	ask("valid", address, "0000000a0012000000000001ffff") // ApiVersions 0
	ask("ApiVersions 99", address, "0000000b0012006300000001ffff00")
}
