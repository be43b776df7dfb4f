// An ApiVersionsResponse whose array announces 2^31-1 elements, with six bytes behind the count. Memory is taken for all
// of them, 12 GiB, before the bytes are looked at.
package main

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"

	"github.com/segmentio/kafka-go/protocol"
	"github.com/segmentio/kafka-go/protocol/apiversions"
)

func read(digits string) error {
	body, err := hex.DecodeString(digits)
	if err != nil {
		return err
	}
	frame := binary.BigEndian.AppendUint32(nil, uint32(4+len(body))) // size
	frame = binary.BigEndian.AppendUint32(frame, 1)                  // correlation id
	frame = append(frame, body...)
	_, _, err = protocol.ReadResponse(bytes.NewReader(frame), protocol.ApiVersions, 0)
	return err
}

func main() {
	_ = apiversions.Response{} // its package registers how it is read
	fmt.Println("valid: read", read("@twin@"))
	fmt.Println("invalid: read", read("@bytes@"))
}
