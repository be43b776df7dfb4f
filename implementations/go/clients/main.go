// Clients of Go's libraries, for the kit: `clients LIBRARY ADDRESS` produces a record to the topic "test" at the broker
// ADDRESS, reads it back, and ends with 0 if that worked. Their limits are seconds, so that a run of all scripts is short.
package main

import (
	"context"
	"fmt"
	"os"
	"time"
)

const (
	topic = "test"
	value = "v"
	// limit is how long a client may take to produce, and to consume; answerLimit, how long it waits for an answer.
	limit       = 4 * time.Second
	answerLimit = 2 * time.Second
)

// client is what the program asks of a library.
type client interface {
	// produce returns when the record is acknowledged by partition 0.
	produce(ctx context.Context) error
	// consume returns the value of the first record of partition 0.
	consume(ctx context.Context) ([]byte, error)
}

var clients = map[string]func(address string) client{
	"franz-go": newFranzGo,
	"kafka-go": newKafkaGo,
	"sarama":   newSarama,
}

// within is what a part of the work returns, or an error when its time is up: not every library ends with its context.
func within(part func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- part(ctx) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func run(client client) error {
	if err := within(client.produce); err != nil {
		return fmt.Errorf("produce: %w", err)
	}
	return within(func(ctx context.Context) error {
		found, err := client.consume(ctx)
		if err != nil {
			return fmt.Errorf("consume: %w", err)
		}
		if string(found) != value {
			return fmt.Errorf("consumed %q", found)
		}
		return nil
	})
}

func main() {
	if len(os.Args) != 3 || clients[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: clients franz-go|kafka-go|sarama ADDRESS")
		os.Exit(2)
	}
	if err := run(clients[os.Args[1]](os.Args[2])); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
