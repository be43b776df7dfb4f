// Kfake, franz-go's broker for tests, behind the line protocol: see README.md in the folder above.
package main

import (
	"wireproof/implementations/go/lines"
)

func wrapper() *lines.Wrapper {
	broker := new(broker)
	return &lines.Wrapper{
		Name:      "kfake",
		Version:   lines.ModuleVersion("github.com/twmb/franz-go/pkg/kfake"),
		Serve:     broker.serve,
		Configure: broker.configure,
		Readings:  map[string]string{"R-K-7": "other", "R-K-11": "other", "R-K-15": "other"},
	}
}

func main() {
	lines.Main(wrapper())
}
