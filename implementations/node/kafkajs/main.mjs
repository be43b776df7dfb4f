import { converse } from '../lines.mjs'
import { wrapper } from './wrapper.mjs'

await converse(wrapper)
