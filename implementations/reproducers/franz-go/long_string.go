// The length of a STRING is an INT16. 32,769 characters of three bytes have no length; it wraps around.
package main

import (
	"fmt"
	"strings"

	"github.com/twmb/franz-go/pkg/kbin"
)

func main() {
	written := kbin.AppendString(nil, strings.Repeat("\u20ac", 32769))
	fmt.Printf("%d bytes are written with the length %x\n", len(written)-2, written[:2])
}
