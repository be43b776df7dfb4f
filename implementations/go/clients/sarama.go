package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/IBM/sarama"
)

type saramaClient struct {
	address []string
	config  *sarama.Config
}

func newSarama(address string) client {
	config := sarama.NewConfig()
	config.Net.DialTimeout = answerLimit
	config.Net.ReadTimeout = answerLimit
	config.Net.WriteTimeout = answerLimit
	config.Metadata.Timeout = limit
	config.Producer.Partitioner = sarama.NewManualPartitioner
	config.Producer.Return.Successes = true
	config.Producer.Timeout = answerLimit
	config.Consumer.Retry.Backoff = 500 * time.Millisecond
	config.Consumer.Return.Errors = true
	return saramaClient{[]string{address}, config}
}

func (client saramaClient) produce(context.Context) error {
	producer, err := sarama.NewSyncProducer(client.address, client.config)
	if err != nil {
		return err
	}
	_, _, err = producer.SendMessage(&sarama.ProducerMessage{Topic: topic, Value: sarama.StringEncoder(value)})
	return err
}

func (client saramaClient) consume(ctx context.Context) ([]byte, error) {
	consumer, err := sarama.NewConsumer(client.address, client.config)
	if err != nil {
		return nil, err
	}
	partition, err := consumer.ConsumePartition(topic, 0, sarama.OffsetOldest)
	if err != nil {
		return nil, err
	}
	for {
		select {
		case message := <-partition.Messages():
			return message.Value, nil
		case err := <-partition.Errors(): // it tries again by itself
			fmt.Fprintln(os.Stderr, err)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}
