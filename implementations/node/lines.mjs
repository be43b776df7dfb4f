// The line protocol (docs/reference/contract.md): questions on stdin, answers on stdout, a JSON object per line.
//
// A wrapper is an object:
//
//   name, version   of the library
//   types           Map of type → {versions: [lowest, highest] or null, decode?(data, version), encode?(value, version)};
//                   both may return a promise. "ARRAY" stands for all arrays, whose functions get the type in the place
//                   of the version
//   consume?({data, position, isolation, aborted})   what the consumer delivers, as the contract's `delivered`, or a promise
//   readings, rebuilds   as in the contract
//   isOwn(error)    whether an exception is one of the library's own
//
// The lines that a chunk of stdin completes are answered in their order, and written at once.

import { isRefusal, NotOffered, reasonOf, topFrame } from './answers.mjs'
import { plain, shown } from './values.mjs'

const DIALECT = 'kafka'
const OPS = ['decode', 'encode', 'recode']
// So much of answers is kept back at most, in characters.
const FULL = 1 << 16
const EXCERPT = 200

export async function converse(wrapper, input = process.stdin, output = process.stdout) {
  let number = 0
  let waiting = ''
  let begun = []
  const say = async line => {
    number += 1
    let answer = answered(wrapper, read(line, number))
    if (answer instanceof Promise) answer = await answer
    waiting += JSON.stringify(answer) + '\n'
    if (waiting.length > FULL) send()
  }
  const send = () => {
    if (waiting) output.write(waiting)
    waiting = ''
  }
  for await (const chunk of input) {
    let from = 0
    for (let end; (end = chunk.indexOf(10, from)) >= 0; from = end + 1) {
      const piece = chunk.subarray(from, end)
      const said = say(begun.length ? Buffer.concat([...begun, piece]) : piece)
      begun = []
      await said
    }
    if (from < chunk.length) begun.push(chunk.subarray(from))
    send()
  }
  if (begun.length) await say(Buffer.concat(begun))
  send()
}

function read(line, number) {
  let question
  try {
    question = JSON.parse(line.toString())
  } catch {
    question = null
  }
  if (question === null || typeof question !== 'object' || Array.isArray(question)) {
    const excerpt = JSON.stringify(line.toString().slice(0, EXCERPT))
    process.stderr.write(`the conversation broke off: line ${number} is no JSON object: ${excerpt}\n`)
    process.exit(1)
  }
  return question
}

// The answer to a question, or a promise of it where the library gives one. What goes wrong is an answer too.
function answered(wrapper, question) {
  if (question.op === 'describe') return description(wrapper)
  const state = { half: ['encode', 'produce'].includes(question.op) ? 'encode' : 'decode' }
  const failed = error => failure(wrapper, question, state.half, error)
  try {
    const answer = asked(wrapper, question, state)
    return answer instanceof Promise ? answer.catch(failed) : answer
  } catch (error) {
    return failed(error)
  }
}

function asked(wrapper, question, state) {
  const { seq, op, dialect } = question
  if (dialect === DIALECT && op === 'consume' && wrapper.consume) {
    const fetched = { ...plain(question), data: Buffer.from(question.data, 'hex') }
    return then(wrapper.consume(fetched), delivered => ({ seq, delivered: shown(delivered) }))
  }
  const inHex = data => ({ seq, data: data.toString('hex') })
  if (dialect === DIALECT && op === 'produce' && wrapper.produce) return then(wrapper.produce(plain(question)), inHex)
  if (dialect !== DIALECT || !OPS.includes(op)) throw new NotOffered(`no ${op} in the dialect ${dialect}`)
  const { decode, encode, version } = codec(wrapper, question)
  if (op === 'encode') return then(encode(plain(question.value), version), inHex)
  const read = decode(Buffer.from(question.data, 'hex'), version)
  if (op === 'decode') return then(read, value => ({ seq, value: shown(value) }))
  return then(read, value => {
    const json = shown(value)
    state.half = 'encode'
    return then(encode(plain(json), version), inHex)
  })
}

// The functions for a question, and what they are called with.
function codec(wrapper, { op, type, version }) {
  const isArray = type.endsWith('>')
  const found = wrapper.types.get(isArray ? 'ARRAY' : type)
  if (!found) throw new NotOffered(`${wrapper.name} has nothing for ${type}`)
  const { versions, decode, encode } = found
  if (versions && !(versions[0] <= version && version <= versions[1])) {
    throw new NotOffered(`${wrapper.name} has no ${type} ${version}`)
  }
  const missing = [op !== 'encode' && !decode && 'reader', op !== 'decode' && !encode && 'writer'].filter(Boolean)
  if (missing.length) throw new NotOffered(`${wrapper.name} has no ${missing.join(' and no ')} for ${type}`)
  return { decode, encode, version: isArray ? type : version }
}

function then(value, use) {
  return value instanceof Promise ? value.then(use) : use(value)
}

function failure(wrapper, { seq, op }, half, error) {
  if (error instanceof NotOffered) return { seq, unsupported: error.message }
  if (isRefusal(error, half, wrapper.isOwn)) {
    const reject = { reason: reasonOf(error), offset: error.offset, detail: error.message }
    return { seq, reject: op === 'recode' ? { ...reject, half } : reject }
  }
  return { seq, error: String(error), exception: error?.name ?? typeof error, frame: topFrame(error) }
}

function description({ name, version, types, consume, produce, readings, rebuilds }) {
  const offered = [...types].map(([type, { versions, decode, encode }]) => {
    const ops = decode && encode ? null : [decode ? 'decode' : 'encode']
    return [type, ops ? { versions, ops } : versions]
  })
  return {
    name,
    version,
    language: 'javascript',
    dialects: [DIALECT],
    ops: [...OPS, ...(consume ? ['consume'] : []), ...(produce ? ['produce'] : [])],
    types: { [DIALECT]: Object.fromEntries(offered) },
    readings,
    rebuilds,
  }
}
