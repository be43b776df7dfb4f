// Package codec calls franz-go's codecs: kbin, kmsg, and kgo's reader of record sets.
package codec

import (
	"maps"

	"wireproof/implementations/go/lines"
)

// Wrapper is the library behind the line protocol; the program that is built with it knows its version.
func Wrapper() *lines.Wrapper {
	types := messages()
	for name, found := range primitives {
		types[name] = whole(found)
	}
	types["RequestHeader"] = requestHeader
	maps.Copy(types, records)
	maps.Copy(types, prefixed)
	return &lines.Wrapper{
		Name:    "franz-go",
		Types:   types,
		Array:   array,
		Consume: consume,
		Readings: map[string]string{
			"R-K-1": "map", "R-K-11": "other", "R-K-12": "other", "R-K-15": "other", "R-K-19b": "other",
			"R-K-21": "other", "R-K-22c": "other", "R-K-22d": "other", "R-K-26": "other", "R-K-29": "other",
			"R-K-34": "other", "R-K-39": "before-the-fault", "R-K-59": "other", "R-K-60": "other",
			"R-K-63": "first", "R-K-64": "other",
		},
	}
}
