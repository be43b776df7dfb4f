// SPDX-License-Identifier: Apache-2.0. @versions@.
//
// Asks the implementation in a thread of its own. A question that ends the thread, or that has no answer after
// WIREPROOF_TIMEOUT seconds (10), fails alone: the next question is put to a new thread. This file is both sides.

import { isMainThread, parentPort, Worker } from 'node:worker_threads'

const patience = Number(process.env.WIREPROOF_TIMEOUT || 10)

// A question that was not answered; the message says why.
export class Unanswered extends Error {}

export class Thread {
  #worker = null
  #settings = []

  // Pass the settings of a dialect, to this thread and to those after it. Whether the implementation takes them.
  async configure(settings, dialect) {
    const takes = await this.#ask('configure', [settings, dialect])
    if (takes) this.#settings.push([settings, dialect])
    return takes
  }

  // The verdict on a question, as judge() of wireproof.mjs has it.
  async judge(line, op) {
    try {
      return await this.#ask('judge', [line, op])
    } catch (error) {
      if (!(error instanceof Unanswered)) throw error
      return { op, verdict: 'fail', text: `${error.message}\n${line.about}\n  ${op} ${line.type ?? ''}` }
    }
  }

  async #ask(what, args) {
    if (this.#worker === null) {
      this.#worker = new Worker(new URL(import.meta.url))
      this.#worker.unref()
      // Until it is there, what goes wrong is no question's fault: a mistake in implementation.mjs.
      await heard(this.#worker, null)
      for (const one of this.#settings) await this.#put('configure', one)
    }
    return this.#put(what, args)
  }

  async #put(what, args) {
    const worker = this.#worker
    worker.postMessage({ what, args })
    try {
      const { answer, error } = await heard(worker, patience)
      if (error) throw new Error(error)
      return answer
    } catch (error) {
      if (error instanceof Unanswered) {
        this.#worker = null
        await worker.terminate()
      }
      throw error
    }
  }
}

// The next message of a thread. `seconds`: Unanswered is thrown after them, and if the thread ends; null: no limit.
function heard(worker, seconds) {
  return new Promise((resolve, reject) => {
    const end = (settle, value) => {
      clearTimeout(timer)
      for (const [event, listener] of Object.entries(listeners)) worker.off(event, listener)
      settle(value)
    }
    const fail = text => end(reject, new Unanswered(text))
    const listeners = {
      message: message => end(resolve, message),
      error: error => (seconds === null ? end(reject, error) : fail(`it ended the thread: ${error?.message ?? error}`)),
      exit: code => fail(`it ended the thread, exit code ${code}`),
    }
    for (const [event, listener] of Object.entries(listeners)) worker.on(event, listener)
    // The timer also keeps the process alive, which the thread does not.
    const timer = setTimeout(() => fail(`no answer within ${seconds} s`), seconds === null ? 2 ** 31 - 1 : seconds * 1000)
  })
}

if (!isMainThread) {
  const { default: implementation } = await import('./implementation.mjs')
  const { judge } = await import('./wireproof.mjs')
  const actions = {
    judge: (line, op) => judge(implementation, line, op),
    async configure(settings, dialect) {
      if (!implementation.configure) return false
      await implementation.configure(settings, dialect)
      return true
    },
  }
  parentPort.on('message', async ({ what, args }) => {
    try {
      parentPort.postMessage({ answer: await actions[what](...args) })
    } catch (error) {
      parentPort.postMessage({ error: error?.stack ?? String(error) })
    }
  })
  parentPort.postMessage('ready')
}
