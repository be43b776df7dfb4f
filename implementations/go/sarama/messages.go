package main

import (
	"github.com/IBM/sarama"

	"wireproof/implementations/go/lines"
)

// messages are some requests and responses whose structs in sarama have the fields of the schemas.
func (peer *peer) messages() map[string]lines.Codec {
	return map[string]lines.Codec{
		"ApiVersionsResponse": {Versions: &lines.Versions{0, 4}, Decode: peer.apiVersionsResponse},
		"HeartbeatRequest":    {Versions: &lines.Versions{0, 4}, Encode: peer.heartbeatRequest},
		"HeartbeatResponse":   {Versions: &lines.Versions{0, 4}, Decode: peer.heartbeatResponse},
		"SyncGroupRequest":    {Versions: &lines.Versions{0, 5}, Encode: peer.syncGroupRequest},
		"SyncGroupResponse":   {Versions: &lines.Versions{0, 5}, Decode: peer.syncGroupResponse},
	}
}

func (peer *peer) apiVersionsResponse(version int, data []byte) (any, error) {
	var found *sarama.ApiVersionsResponse
	// The header of this response has no tags in any version.
	_, err := peer.call(version >= 3, false, data, func(broker *sarama.Broker) (err error) {
		request := &sarama.ApiVersionsRequest{Version: int16(version)}
		found, err = broker.ApiVersions(request)
		return err
	})
	if err != nil {
		return nil, err
	}
	peer.forget()
	keys := make([]any, len(found.ApiKeys))
	for index, key := range found.ApiKeys {
		keys[index] = lines.Struct{
			"ApiKey": int64(key.ApiKey), "MinVersion": int64(key.MinVersion), "MaxVersion": int64(key.MaxVersion),
		}
	}
	shown := lines.Struct{"ErrorCode": int64(found.ErrorCode), "ApiKeys": keys}
	if version >= 1 {
		shown["ThrottleTimeMs"] = int64(found.ThrottleTimeMs)
	}
	if version >= 3 {
		supported := make([]any, len(found.SupportedFeatures))
		for index, one := range found.SupportedFeatures {
			supported[index] = lines.Struct{
				"Name": one.Name, "MinVersion": int64(one.MinVersion), "MaxVersion": int64(one.MaxVersion),
			}
		}
		finalized := make([]any, len(found.FinalizedFeatures))
		for index, one := range found.FinalizedFeatures {
			finalized[index] = lines.Struct{
				"Name":            one.Name,
				"MaxVersionLevel": int64(one.MaxVersionLevel),
				"MinVersionLevel": int64(one.MinVersionLevel),
			}
		}
		shown["SupportedFeatures"] = supported
		shown["FinalizedFeatures"] = finalized
		shown["FinalizedFeaturesEpoch"] = found.FinalizedFeaturesEpoch
	}
	return shown, nil
}

func (peer *peer) heartbeatRequest(version int, value any) ([]byte, error) {
	fields := value.(lines.Struct)
	names := []string{"GroupId", "GenerationId", "MemberId", "GroupInstanceId"}
	if err := lines.OnlyFields(fields, names...); err != nil {
		return nil, err
	}
	request := &sarama.HeartbeatRequest{Version: int16(version)}
	var given lines.Errors
	var err error
	if request.GroupId, err = lines.Text(fields["GroupId"]); err != nil {
		return nil, err
	}
	if request.MemberId, err = lines.Text(fields["MemberId"]); err != nil {
		return nil, err
	}
	request.GenerationId = lines.Field[int32](&given, fields, "GenerationId")
	request.GroupInstanceId = lines.TextOrNil(fields["GroupInstanceId"])
	if given.First != nil {
		return nil, given.First
	}
	flexible := version >= 4
	return peer.call(flexible, flexible, heartbeatAnswer(version), func(broker *sarama.Broker) error {
		_, err := broker.Heartbeat(request)
		return err
	})
}

// heartbeatAnswer is a HeartbeatResponse without an error.
func heartbeatAnswer(version int) []byte {
	switch {
	case version == 0:
		return make([]byte, 2)
	case version < 4:
		return make([]byte, 6)
	}
	return make([]byte, 7)
}

func (peer *peer) heartbeatResponse(version int, data []byte) (any, error) {
	var found *sarama.HeartbeatResponse
	flexible := version >= 4
	_, err := peer.call(flexible, flexible, data, func(broker *sarama.Broker) (err error) {
		found, err = broker.Heartbeat(&sarama.HeartbeatRequest{Version: int16(version)})
		return err
	})
	if err != nil {
		return nil, err
	}
	peer.forget()
	shown := lines.Struct{"ErrorCode": int64(found.Err)}
	if version >= 1 {
		shown["ThrottleTimeMs"] = int64(found.ThrottleTime)
	}
	return shown, nil
}

func (peer *peer) syncGroupRequest(version int, value any) ([]byte, error) {
	fields := value.(lines.Struct)
	names := []string{
		"GroupId", "GenerationId", "MemberId", "GroupInstanceId", "ProtocolType", "ProtocolName", "Assignments",
	}
	if err := lines.OnlyFields(fields, names...); err != nil {
		return nil, err
	}
	request := &sarama.SyncGroupRequest{Version: int16(version)}
	var given lines.Errors
	var err error
	if request.GroupId, err = lines.Text(fields["GroupId"]); err != nil {
		return nil, err
	}
	if request.MemberId, err = lines.Text(fields["MemberId"]); err != nil {
		return nil, err
	}
	request.GenerationId = lines.Field[int32](&given, fields, "GenerationId")
	if given.First != nil {
		return nil, given.First
	}
	request.GroupInstanceId = lines.TextOrNil(fields["GroupInstanceId"])
	request.ProtocolType = lines.TextOrNil(fields["ProtocolType"])
	request.ProtocolName = lines.TextOrNil(fields["ProtocolName"])
	assignments, err := lines.Must[[]any](fields["Assignments"])
	if err != nil {
		return nil, err
	}
	for _, item := range assignments {
		one, err := assignment(item.(lines.Struct))
		if err != nil {
			return nil, err
		}
		request.GroupAssignments = append(request.GroupAssignments, one)
	}
	flexible := version >= 4
	return peer.call(flexible, flexible, syncGroupAnswer(version), func(broker *sarama.Broker) error {
		_, err := broker.SyncGroup(request)
		return err
	})
}

func assignment(fields lines.Struct) (made sarama.SyncGroupRequestAssignment, err error) {
	if err = lines.OnlyFields(fields, "MemberId", "Assignment"); err != nil {
		return made, err
	}
	if made.MemberId, err = lines.Text(fields["MemberId"]); err != nil {
		return made, err
	}
	made.Assignment, err = lines.Octets(fields["Assignment"])
	return made, err
}

// syncGroupAnswer is a SyncGroupResponse without an error or an assignment.
func syncGroupAnswer(version int) []byte {
	switch {
	case version == 0:
		return make([]byte, 2+4)
	case version < 4:
		return make([]byte, 4+2+4)
	case version == 4:
		return append(make([]byte, 4+2), 1, 0)
	}
	return append(make([]byte, 4+2), 0, 0, 1, 0)
}

func (peer *peer) syncGroupResponse(version int, data []byte) (any, error) {
	var found *sarama.SyncGroupResponse
	flexible := version >= 4
	_, err := peer.call(flexible, flexible, data, func(broker *sarama.Broker) (err error) {
		found, err = broker.SyncGroup(&sarama.SyncGroupRequest{Version: int16(version)})
		return err
	})
	if err != nil {
		return nil, err
	}
	peer.forget()
	shown := lines.Struct{"ErrorCode": int64(found.Err), "Assignment": shownOctets(found.MemberAssignment)}
	if version >= 1 {
		shown["ThrottleTimeMs"] = int64(found.ThrottleTime)
	}
	if version >= 5 {
		shown["ProtocolType"] = shownText(found.ProtocolType)
		shown["ProtocolName"] = shownText(found.ProtocolName)
	}
	return shown, nil
}

func shownText(text *string) any {
	if text == nil {
		return nil
	}
	return *text
}

func shownOctets(octets []byte) any {
	if octets == nil {
		return nil
	}
	return octets
}
