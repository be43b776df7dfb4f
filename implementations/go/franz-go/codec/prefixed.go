package codec

import (
	"github.com/twmb/franz-go/pkg/kmsg"

	"wireproof/implementations/go/lines"
)

// prefixedMessage is a message of kmsg whose version is a part of it.
type prefixedMessage interface {
	ReadFrom(data []byte) error
	AppendTo(dst []byte) []byte
}

// prefixed are the messages that stand behind their version, by the contract's names.
var prefixed = map[string]lines.Codec{
	"VersionPrefixed:ConsumerProtocolAssignment":   prefixedBy(func() prefixedMessage { return new(kmsg.ConsumerMemberAssignment) }),
	"VersionPrefixed:ConsumerProtocolSubscription": prefixedBy(func() prefixedMessage { return new(kmsg.ConsumerMemberMetadata) }),
	"VersionPrefixed:EndTxnMarker":                 prefixedBy(func() prefixedMessage { return new(kmsg.EndTxnMarker) }),
	"VersionPrefixed:GroupMetadataKey":             prefixedBy(func() prefixedMessage { return new(kmsg.GroupMetadataKey) }),
	"VersionPrefixed:GroupMetadataValue":           prefixedBy(func() prefixedMessage { return new(kmsg.GroupMetadataValue) }),
	"VersionPrefixed:OffsetCommitKey":              prefixedBy(func() prefixedMessage { return new(kmsg.OffsetCommitKey) }),
	"VersionPrefixed:OffsetCommitValue":            prefixedBy(func() prefixedMessage { return new(kmsg.OffsetCommitValue) }),
	"VersionPrefixed:TransactionLogKey":            prefixedBy(func() prefixedMessage { return new(kmsg.TxnMetadataKey) }),
	"VersionPrefixed:TransactionLogValue":          prefixedBy(func() prefixedMessage { return new(kmsg.TxnMetadataValue) }),
}

// prefixedBy is the codec of such a message. ReadFrom does not tell how much it has read.
func prefixedBy(made func() prefixedMessage) lines.Codec {
	return lines.Codec{
		Recode: func(_ int, data []byte) ([]byte, error) {
			message := made()
			if err := message.ReadFrom(data); err != nil {
				return nil, err
			}
			return message.AppendTo(nil), nil
		},
	}
}
