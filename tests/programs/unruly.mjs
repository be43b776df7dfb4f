// INT32 decode behind the line protocol, in Node.js: right answers, but at the question `ffffffff` it does what its
// argument names. `says-nothing` describes nothing either.

import { appendFileSync } from 'node:fs'

const CULPRIT = 'ffffffff'
const MANNER = process.argv[2]
const MEBIBYTE = 1 << 20

const say = message => process.stdout.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`)

function hang() {
  if (process.env.PROGRAMS_HANGING) appendFileSync(process.env.PROGRAMS_HANGING, `${process.pid}\n`)
  for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
}

const MANNERS = {
  dies: () => process.abort(),
  exits: () => process.exit(3),
  hangs: hang,
  eats: () => {
    for (const all = []; ; ) all.push(new Array(MEBIBYTE).fill(all.length + 0.5))
  },
  floods: () => {
    const piece = Buffer.alloc(MEBIBYTE, 'x')
    for (let count = 0; count < 100; count++) process.stdout.write(piece)
  },
  prints: () => say('decoding …'),
  twice: right => {
    say(right)
    say(right)
  },
  throws: () => Promise.reject(new TypeError('nobody catches this')),
}

// Answers out of order: each pair of them in reverse.
let kept = null
function shuffle(right) {
  if (kept === null) {
    kept = right
    return
  }
  say(right)
  say(kept)
  kept = null
}

function answer({ seq, op, data }) {
  if (op === 'describe') {
    if (MANNER === 'says-nothing') hang()
    say({ name: 'unruly', language: 'javascript', ops: ['decode'], types: { kafka: { INT32: null } } })
    return
  }
  const right = { seq, value: Buffer.from(data ?? '00000000', 'hex').readInt32BE() }
  if (MANNER === 'shuffles') shuffle(right)
  else if (data === CULPRIT) MANNERS[MANNER](right)
  else say(right)
}

let rest = ''
process.stdin.setEncoding('utf8')
for await (const chunk of process.stdin) {
  const lines = (rest + chunk).split('\n')
  rest = lines.pop()
  for (const line of lines) answer(JSON.parse(line))
}
