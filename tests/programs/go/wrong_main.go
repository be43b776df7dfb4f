// The wrong codec behind the line protocol.
package main

import (
	"wireproof/implementations/go/lines"
	"wireproof/implementations/go/wrong"
)

func main() { lines.Main(wrong.Wrapper()) }
