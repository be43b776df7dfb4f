// An api key that kmsg does not know: kfake calls a method of nil, in a goroutine that nobody can recover.
package main

import (
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"time"

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
	ask("api 999", address, "0000000a03e7000000000001ffff")
	time.Sleep(10 * time.Second) // The connection is closed while the goroutine still unwinds; its panic ends the process.
}
