package wireproof

import (
	"encoding/binary"
	"fmt"
)

// Your implementation: put calls of your library here, and leave out what it does not have. See interface_test.go. As an
// example it has the type VARINT.
var implementation = Implementation{
	Decode: func(form Form, data []byte) (any, error) {
		if form.Dialect != "kafka" || form.Type != "VARINT" {
			return nil, NotOffered(form.Type)
		}
		number, size := binary.Varint(data)
		if size <= 0 || size > 5 || size < len(data) || number != int64(int32(number)) {
			return nil, fmt.Errorf("% x is no VARINT", data)
		}
		return number, nil
	},
	Encode: func(form Form, value any) ([]byte, error) {
		if form.Dialect != "kafka" || form.Type != "VARINT" {
			return nil, NotOffered(form.Type)
		}
		number, ok := value.(int64)
		if !ok || number != int64(int32(number)) {
			return nil, fmt.Errorf("%v is out of the range of a VARINT", value)
		}
		return binary.AppendVarint(nil, number), nil
	},
}
