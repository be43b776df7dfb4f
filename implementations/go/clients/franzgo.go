package main

import (
	"context"

	"github.com/twmb/franz-go/pkg/kgo"
)

// franzGo has a client for both ways: its consumer asks nothing before the first poll.
type franzGo struct{ options []kgo.Opt }

func newFranzGo(address string) client {
	return franzGo{[]kgo.Opt{
		kgo.SeedBrokers(address),
		kgo.DialTimeout(answerLimit),
		kgo.RequestTimeoutOverhead(answerLimit),
		kgo.RetryTimeout(limit),
	}}
}

func (franz franzGo) produce(ctx context.Context) error {
	client, err := kgo.NewClient(append(franz.options,
		kgo.RequiredAcks(kgo.LeaderAck()),
		kgo.DisableIdempotentWrite(), // LeaderAck asks for it
		kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.RecordDeliveryTimeout(answerLimit),
		kgo.ProduceRequestTimeout(answerLimit),
	)...)
	if err != nil {
		return err
	}
	defer client.Close()
	return client.ProduceSync(ctx, &kgo.Record{Topic: topic, Value: []byte(value)}).FirstErr()
}

func (franz franzGo) consume(ctx context.Context) ([]byte, error) {
	from := map[string]map[int32]kgo.Offset{topic: {0: kgo.NewOffset().AtStart()}}
	client, err := kgo.NewClient(append(franz.options, kgo.ConsumePartitions(from))...)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	for {
		fetches := client.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			return nil, err
		}
		for _, record := range fetches.Records() {
			return record.Value, nil
		}
	}
}
