package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/twmb/franz-go/pkg/kfake"

	"wireproof/implementations/go/lines"
)

// live is kfake on a port of 127.0.0.1, as the kit starts a broker: it answers one line, and listens until standard input
// ends.
func live() error {
	input := bufio.NewReader(os.Stdin)
	if _, err := input.ReadString('\n'); err != nil {
		return nil // nobody asks
	}
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1))
	if err != nil {
		return err
	}
	defer cluster.Close()
	said, err := json.Marshal(map[string]any{
		"name":     "kfake",
		"version":  lines.ModuleVersion("github.com/twmb/franz-go/pkg/kfake"),
		"language": "go",
		"dialects": []string{"kafka"},
		"ops":      []string{"serve"},
		"readings": readings,
		"listens":  cluster.ListenAddrs()[0],
	})
	if err != nil {
		return err
	}
	fmt.Println(string(said))
	_, err = io.Copy(io.Discard, input)
	return err
}
