// Franz-go behind the line protocol: see README.md in the folder above.
package main

import (
	"wireproof/implementations/go/franz-go/client"
	"wireproof/implementations/go/franz-go/codec"
	"wireproof/implementations/go/lines"
)

func main() {
	wrapper := codec.Wrapper()
	wrapper.Interpret = client.Interpret
	wrapper.Produce = client.Produce
	wrapper.Version = lines.ModuleVersion("github.com/twmb/franz-go")
	lines.Main(wrapper)
}
