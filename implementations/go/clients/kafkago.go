package main

import (
	"context"
	"time"

	"github.com/segmentio/kafka-go"
)

type kafkaGo struct{ address string }

func newKafkaGo(address string) client {
	return kafkaGo{address}
}

func (client kafkaGo) produce(ctx context.Context) error {
	writer := &kafka.Writer{
		Addr:         kafka.TCP(client.address),
		Topic:        topic,
		RequiredAcks: kafka.RequireOne,
		MaxAttempts:  3,
		BatchTimeout: time.Millisecond,
		ReadTimeout:  answerLimit,
		WriteTimeout: answerLimit,
		Transport:    &kafka.Transport{DialTimeout: answerLimit},
	}
	return writer.WriteMessages(ctx, kafka.Message{Value: []byte(value)})
}

func (client kafkaGo) consume(ctx context.Context) ([]byte, error) {
	reader := kafka.NewReader(kafka.ReaderConfig{
		Brokers: []string{client.address},
		Topic:   topic,
		Dialer:  &kafka.Dialer{Timeout: answerLimit},
		MaxWait: 500 * time.Millisecond,
	})
	message, err := reader.ReadMessage(ctx)
	return message.Value, err
}
