// Franz-go behind the line protocol: see README.md in the folder above.
package main

import (
	"maps"

	"wireproof/implementations/go/lines"
)

func wrapper() *lines.Wrapper {
	types := messages()
	for name, found := range primitives {
		types[name] = whole(found)
	}
	types["RequestHeader"] = requestHeader
	maps.Copy(types, records)
	return &lines.Wrapper{
		Name:    "franz-go",
		Version: lines.ModuleVersion("github.com/twmb/franz-go"),
		Types:   types,
		Array:   array,
		Readings: map[string]string{
			"R-K-1": "map", "R-K-11": "other", "R-K-12": "other", "R-K-15": "other", "R-K-19b": "other",
			"R-K-22c": "other", "R-K-22d": "other", "R-K-26": "other",
		},
	}
}

func main() {
	lines.Main(wrapper())
}
