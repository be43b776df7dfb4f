// Varints from 2^30 on are read as other numbers.
import { Reader } from '@platformatic/kafka'

console.log('2147483646 is read as', Reader.from(Buffer.from('@bytes@', 'hex')).readVarInt())
