// What an answer can be besides a value: a refusal, or that the library does not have it.

// The bytes or the value are refused, by a word of the library's other than an exception.
export class Refusal extends Error {
  constructor(reason, message, offset) {
    super(message)
    this.reason = reason
    this.offset = offset
  }
}

// The library has no function for this, or none that can be told it.
export class NotOffered extends Error {}

// Refuses bytes left over, where the library's reader tells the offset to which it has read. One before the beginning, as
// after a negative length, tells nothing.
export function readToEnd(offset, size) {
  if (offset >= 0 && offset < size) throw new Refusal('trailing-bytes', `${size - offset} bytes left over`, offset)
}

// How Buffer's methods say that bytes are at an end, or that a number does not fit; libraries check nothing before it.
const BUFFER_CODES = new Set(['ERR_OUT_OF_RANGE', 'ERR_BUFFER_OUT_OF_BOUNDS'])

// Whether this exception means "I refuse this". `half`: "decode" or "encode"; `isOwn`: the library's own exceptions. An
// Error that is no subclass counts too, for only code that means to throws it. What JavaScript and Buffer throw counts
// where a library called them: if Buffer says that bytes are at an end, and in writing TypeError and RangeError, by which
// JavaScript says that a value has the wrong form.
export function isRefusal(error, half, isOwn) {
  if (error instanceof Refusal || error?.constructor === Error || isOwn(error)) return true
  const isMeant =
    BUFFER_CODES.has(error?.code) || (half === 'encode' && (error instanceof TypeError || error instanceof RangeError))
  return isMeant && topFrame(error) !== ''
}

// The reason, where the exception's text makes it certain.
export function reasonOf(error) {
  if (error instanceof Refusal) return error.reason
  if (!BUFFER_CODES.has(error.code)) return null
  return error.message.startsWith('The value of "value"') ? 'out-of-range' : 'truncated'
}

// "module:function" of the topmost frame in a library, or "".
export function topFrame(error) {
  for (const line of String(error?.stack).split('\n')) {
    const found = /^\s+at (?:async )?(?:(?:new )?(.+?) (?:\[as [^\]]*\] )?\()?(?:file:\/\/)?([^()]*?):\d+:\d+\)?$/.exec(line)
    if (found?.[2].includes('/node_modules/')) {
      return `${found[2].split('/node_modules/').at(-1)}:${(found[1] ?? '').replace(/^.*\./, '')}`
    }
  }
  return ''
}
