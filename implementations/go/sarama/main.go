// Sarama by IBM behind the line protocol, or its MockBroker on a socket with -listen: see README.md in the folder above.
package main

import (
	"fmt"
	"maps"
	"os"

	"github.com/rcrowley/go-metrics"

	"wireproof/implementations/go/lines"
)

func wrapper() *lines.Wrapper {
	metrics.UseNilMetrics = true // else each connection leaves some behind
	peer := new(peer)
	types := peer.messages()
	maps.Copy(types, peer.records())
	return &lines.Wrapper{
		Name:    "sarama",
		Version: lines.ModuleVersion("github.com/IBM/sarama"),
		Types:   types,
		Consume: consume,
		Produce: produce,
		Reason:  reason,
		Readings: map[string]string{
			"R-K-1": "other", "R-K-3": "other", "R-K-22c": "other", "R-K-22d": "other", "R-K-26": "other",
			"R-K-27": "other", "R-K-39": "other", "R-K-45": "other", "R-K-63": "first",
		},
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
