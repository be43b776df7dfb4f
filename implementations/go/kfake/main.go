// Kfake, franz-go's broker for tests, behind the line protocol, or on a socket with -listen: see README.md in the folder
// above.
package main

import (
	"fmt"
	"os"

	"wireproof/implementations/go/lines"
)

// readings are the contested rulings of which kfake takes another reading.
var readings = map[string]string{"R-K-7": "other", "R-K-11": "other", "R-K-15": "other"}

func wrapper() *lines.Wrapper {
	broker := new(broker)
	return &lines.Wrapper{
		Name:      "kfake",
		Version:   lines.ModuleVersion("github.com/twmb/franz-go/pkg/kfake"),
		Serve:     broker.serve,
		Configure: broker.configure,
		Readings:  readings,
	}
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == "-listen" {
		if err := live(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	lines.Main(wrapper())
}
