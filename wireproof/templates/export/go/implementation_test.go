package wireproof

import (
	"encoding/binary"
	"fmt"
)

// Your implementation: put calls of your library here, and leave out what it does not have. See interface_test.go.
var implementation = Implementation{
	Decode: func(form Form, data []byte) (any, error) {
		if form.Dialect != "kafka" || form.Type != "INT16" {
			return nil, NotOffered(form.Type)
		}
		if len(data) != 2 {
			return nil, fmt.Errorf("%d bytes; an INT16 has two", len(data))
		}
		return int64(int16(binary.BigEndian.Uint16(data))), nil
	},
	Encode: func(form Form, value any) ([]byte, error) {
		if form.Dialect != "kafka" || form.Type != "INT16" {
			return nil, NotOffered(form.Type)
		}
		number, ok := value.(int64)
		if !ok || number != int64(int16(number)) {
			return nil, fmt.Errorf("%v is no INT16", value)
		}
		return binary.BigEndian.AppendUint16(nil, uint16(number)), nil
	},
}
