// Sarama by IBM behind the line protocol: see README.md in the folder above.
package main

import (
	"maps"

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
		Reason:  reason,
		Readings: map[string]string{
			"R-K-1": "other", "R-K-22c": "other", "R-K-22d": "other", "R-K-26": "other", "R-K-27": "other",
		},
	}
}

func main() {
	lines.Main(wrapper())
}
