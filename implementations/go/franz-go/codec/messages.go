package codec

import (
	"github.com/twmb/franz-go/pkg/kmsg"

	"wireproof/implementations/go/lines"
)

// message is what kmsg.Request and kmsg.Response have in common.
type message interface {
	MaxVersion() int16
	SetVersion(version int16)
	ReadFrom(data []byte) error
	AppendTo(dst []byte) []byte
}

// renamed are the messages that Kafka names otherwise, without Request and Response.
var renamed = map[string]string{
	"AllocateProducerIDs":          "AllocateProducerIds",
	"AlterPartitionAssignments":    "AlterPartitionReassignments",
	"AlterUserSCRAMCredentials":    "AlterUserScramCredentials",
	"CreateACLs":                   "CreateAcls",
	"DeleteACLs":                   "DeleteAcls",
	"DescribeACLs":                 "DescribeAcls",
	"DescribeUserSCRAMCredentials": "DescribeUserScramCredentials",
	"InitProducerID":               "InitProducerId",
	"LeaderAndISR":                 "LeaderAndIsr",
	"SASLAuthenticate":             "SaslAuthenticate",
	"SASLHandshake":                "SaslHandshake",
}

// APIName is Kafka's name of an api that kmsg has.
func APIName(key int16) string {
	name := kmsg.NameForKey(key)
	if kafkas, ok := renamed[name]; ok {
		return kafkas
	}
	return name
}

// messages are the bodies of all requests and responses of kmsg, by the names that Kafka has for them.
func messages() map[string]lines.Codec {
	found := map[string]lines.Codec{}
	for key := int16(0); key <= kmsg.MaxKey; key++ {
		if kmsg.RequestForKey(key) == nil {
			continue
		}
		name := APIName(key)
		found[name+"Request"] = recoded(func() message { return kmsg.RequestForKey(key) })
		found[name+"Response"] = recoded(func() message { return kmsg.ResponseForKey(key) })
	}
	return found
}

// recoded is a body's codec. ReadFrom does not tell how much it has read.
func recoded(made func() message) lines.Codec {
	return lines.Codec{
		Versions: &lines.Versions{0, int(made().MaxVersion())},
		Recode: func(version int, data []byte) ([]byte, error) {
			body := made()
			body.SetVersion(int16(version))
			if err := body.ReadFrom(data); err != nil {
				return nil, err
			}
			return body.AppendTo(nil), nil
		},
	}
}

// headed is a request without a body: what kmsg.RequestFormatter writes of it is its header.
type headed struct {
	kmsg.Request
	key, version int16
	flexible     bool
}

func (request headed) Key() int16         { return request.key }
func (request headed) GetVersion() int16  { return request.version }
func (request headed) IsFlexible() bool   { return request.flexible }
func (headed) AppendTo(dst []byte) []byte { return dst }

const sizePrefix = 4

// requestHeader is written by kmsg.RequestFormatter; franz-go is a client, and reads none.
var requestHeader = lines.Codec{
	Versions: &lines.Versions{0, 2},
	Encode: func(version int, value any) ([]byte, error) {
		fields := value.(lines.Struct)
		key, err := lines.Integer[int16](fields["RequestApiKey"])
		if err != nil {
			return nil, err
		}
		apiVersion, err := lines.Integer[int16](fields["RequestApiVersion"])
		if err != nil {
			return nil, err
		}
		correlation, err := lines.Integer[int32](fields["CorrelationId"])
		if err != nil {
			return nil, err
		}
		if tags, _ := fields["_tags"].([]any); len(tags) > 0 {
			return nil, lines.NotOffered("kmsg.RequestFormatter takes no tags")
		}
		names := []string{"RequestApiKey", "RequestApiVersion", "CorrelationId", "ClientId", "_tags"}
		if err := lines.OnlyFields(fields, names...); err != nil {
			return nil, err
		}
		if isOldest := key == 7 && apiVersion == 0; isOldest != (version == 0) {
			return nil, lines.NotOffered("kmsg.RequestFormatter writes header 0 for ControlledShutdown 0, and only for that")
		}
		formatter := kmsg.NewRequestFormatter()
		if id := lines.TextOrNil(fields["ClientId"]); id != nil {
			if version == 0 {
				return nil, lines.NotOffered("kmsg.RequestFormatter drops a client id in silence where header 0 has none")
			}
			formatter = kmsg.NewRequestFormatter(kmsg.FormatterClientID(*id))
		}
		request := headed{key: key, version: apiVersion, flexible: version == 2}
		return formatter.AppendRequest(nil, request, correlation)[sizePrefix:], nil
	},
}
