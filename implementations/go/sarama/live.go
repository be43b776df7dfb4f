package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/IBM/sarama"

	"wireproof/implementations/go/lines"
)

// reporter is what a MockBroker takes for a test.
type reporter struct{}

func (reporter) Error(what ...any)                 { fmt.Fprintln(os.Stderr, what...) }
func (reporter) Errorf(format string, what ...any) { fmt.Fprintf(os.Stderr, format+"\n", what...) }
func (reporter) Helper()                           {}

func (to reporter) Fatal(what ...any) {
	to.Error(what...)
	os.Exit(1)
}

func (to reporter) Fatalf(format string, what ...any) {
	to.Errorf(format, what...)
	os.Exit(1)
}

// announced is what a MockBroker announces by itself, Produce and Fetch, with the two that it does not name: the versions of
// them that sarama's requests call valid.
var announced = []sarama.ApiVersionsResponseKey{
	{ApiKey: 0, MinVersion: 5, MaxVersion: 8},
	{ApiKey: 1, MinVersion: 7, MaxVersion: 11},
	{ApiKey: 3, MinVersion: 0, MaxVersion: 11},
	{ApiKey: 18, MinVersion: 0, MaxVersion: 4},
}

// live is a MockBroker on a port of 127.0.0.1, as the kit starts a broker: it answers one line, and listens until standard
// input ends. It has the answers that sarama has for such a broker, without settings.
func live() error {
	input := bufio.NewReader(os.Stdin)
	if _, err := input.ReadString('\n'); err != nil {
		return nil // nobody asks
	}
	broker := sarama.NewMockBrokerAddr(reporter{}, 1, "127.0.0.1:0")
	defer broker.Close()
	broker.SetHandlerByMap(map[string]sarama.MockResponse{
		"ApiVersionsRequest": sarama.NewMockApiVersionsResponse(reporter{}).SetApiKeys(announced),
		"MetadataRequest": sarama.NewMockMetadataResponse(reporter{}).SetBroker(broker.Addr(), broker.BrokerID()).
			SetController(broker.BrokerID()),
		"ProduceRequest": sarama.NewMockProduceResponse(reporter{}),
		"FetchRequest":   sarama.NewMockFetchResponse(reporter{}, 1),
	})
	said, err := json.Marshal(map[string]any{
		"name":     "sarama's MockBroker",
		"version":  lines.ModuleVersion("github.com/IBM/sarama"),
		"language": "go",
		"dialects": []string{"kafka"},
		"ops":      []string{"serve"},
		"readings": map[string]string{"R-K-7": "other", "R-K-11": "other"},
		"listens":  broker.Addr(),
	})
	if err != nil {
		return err
	}
	fmt.Println(string(said))
	_, err = io.Copy(io.Discard, input)
	return err
}
