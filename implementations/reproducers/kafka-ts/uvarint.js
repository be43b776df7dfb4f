// The unsigned varint of 2^31 is read as a negative number.
const { Decoder } = require('kafka-ts/dist/utils/decoder')

console.log('2147483648 is read as', new Decoder(Buffer.from('@bytes@', 'hex')).readUVarInt())
