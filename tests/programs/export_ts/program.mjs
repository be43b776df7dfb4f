// The wrapper @wrapper@ as a program that speaks the line protocol.

import { converse } from '@node@/lines.mjs'
import { wrapper } from '@wrapper@'

await converse(wrapper)
