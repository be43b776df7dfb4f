// A nullable array of no elements has the count 0. It is written as null, whose count is -1.
const Encoder = require('kafkajs/src/protocol/encoder')

console.log('an empty array is written as', new Encoder().writeNullableArray([]).buffer.toString('hex'))
