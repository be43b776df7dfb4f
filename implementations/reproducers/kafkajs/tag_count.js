// Five bytes announce 2^32-1 tags, and the buffer ends. It should be refused; reading goes round 2^32-1 times.
const Decoder = require('kafkajs/src/protocol/decoder')

new Decoder(Buffer.from('@twin@', 'hex')).readTaggedFields()
console.log('valid: read')
new Decoder(Buffer.from('@bytes@', 'hex')).readTaggedFields()
console.log('invalid: read')
