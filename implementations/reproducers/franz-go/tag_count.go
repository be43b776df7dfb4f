// Five bytes announce 2^32-1 tags, and the input ends. ReadTags goes round 2^32-1 times before it refuses them.
package main

import (
	"encoding/hex"
	"fmt"

	"github.com/twmb/franz-go/pkg/kbin"
	"github.com/twmb/franz-go/pkg/kmsg"
)

func read(digits string) error {
	data, err := hex.DecodeString(digits)
	if err != nil {
		return err
	}
	reader := kbin.Reader{Src: data}
	kmsg.ReadTags(&reader)
	return reader.Complete()
}

func main() {
	fmt.Println("valid: read", read("@twin@"))
	fmt.Println("invalid: read", read("@bytes@"))
}
