// The names of @platformatic/kafka in responses, where they are not Kafka's own with a lower first letter.

// Message → its names; null is a field that Kafka does not have.
export const NAMES = {
  ApiVersionsResponse: { name: null },
}
