// SPDX-License-Identifier: Apache-2.0. @versions@.

export class Refused extends Error {
  constructor(message: string, where?: { reason?: string | null; offset?: number | null; half?: 'encode' | null })
  reason: string | null
  offset: number | null
  half: 'encode' | null
}
export class NotOffered extends Error {}
export class Float64 {
  constructor(hex: string)
  static of(number: number): Float64
  readonly hex: string
  readonly number: number
}
export class Uuid {
  constructor(text: string)
  readonly text: string
}

/**
 * A value of the protocol. An answer may have a bigint for a number, and a number for a Float64 (the content of a NaN is
 * not compared then); the key of a header may be bytes.
 */
export type Value =
  | number
  | bigint
  | boolean
  | string
  | null
  | Uint8Array
  | Uuid
  | Float64
  | Value[]
  | { [field: string]: Value }

/** What a consumer wants of a partition's records, and the aborted transactions, as a Fetch answer lists them. */
export interface Fetch {
  position: number | bigint
  isolation: 'read_uncommitted' | 'read_committed'
  aborted: { producer_id: number | bigint; first_offset: number | bigint }[]
}

/** A record as an application is given it. The timestamp_type may be left out of all records. */
export type DeliveredRecord = {
  offset: number | bigint
  timestamp: number | bigint
  timestamp_type?: 'create' | 'append' | null
  key: Uint8Array | null
  value: Uint8Array | null
  headers: [string | Uint8Array, Uint8Array | null][]
}

type Answer<T> = T | Promise<T>

/** The ops that an implementation has. Ops that are missing are skipped, and counted. */
export interface Implementation {
  decode?(type: string, version: number | null, bytes: Uint8Array, dialect: string): Answer<Value>
  encode?(type: string, version: number | null, value: Value, dialect: string): Answer<Uint8Array>
  /** By default decode, then encode. Where one of them is missing for a type: NotOffered. */
  recode?(type: string, version: number | null, bytes: Uint8Array, dialect: string): Answer<Uint8Array>
  lookup?(type: string, version: number | null, bytes: Uint8Array, key: string | number, dialect: string): Answer<Value[]>
  negotiate?(
    apiKey: number | null,
    client: [number, number],
    broker: [number, number] | null,
    dialect: string,
  ): Answer<number | null>
  /** The content of a set, written in the format `to`. */
  convert?(type: string, version: number | null, bytes: Uint8Array, to: string, dialect: string): Answer<Uint8Array>
  /** What an application is given of a partition's records, as a Fetch answer holds them, and where it reads on. */
  consume?(bytes: Uint8Array, fetch: Fetch, dialect: string): Answer<{ records: DeliveredRecord[]; position: number | bigint }>
  /** A broker gets these chunks on one connection: what it sends, and whether it then closes the connection. */
  serve?(chunks: Uint8Array[], dialect: string): Answer<{ sent: Uint8Array; closed: boolean }>
  /** A client's outcome: its request got this response; null: the connection was closed. */
  interpret?(request: Uint8Array, response: Uint8Array | null, dialect: string): Answer<{ outcome: string; [member: string]: Value }>
  /** Whether a schema breaks compatibility with an old one (an array: with each of them). */
  evolve?(old: unknown, new_: unknown, dialect: string): Answer<boolean>
  /** Gets a dialect's settings before its questions. Without it, questions that need settings are skipped. */
  configure?(settings: unknown, dialect: string): Answer<void>
  /** The contested rulings of which you chose another reading; readings of others fail. Left out: each is only told. */
  readings?: string[]
  /** By type, fields that the library's writer sets itself: written bytes are compared without them. */
  rebuilds?: { [type: string]: string[] }
  /** Whether an error of the library is a refusal of the input. Others are crashes. */
  isRefusal?(error: unknown): boolean
}

export interface Line {
  id: string
  kind: string
  ops: string[]
  type?: string
  version?: number
  about: string
  [member: string]: unknown
}
export interface Verdict {
  verdict: 'pass' | 'contested' | 'skip' | 'fail'
  text: string
}
export function vectors(folder: string): Iterable<{ file: string; line: Line }>
export function judge(implementation: Implementation, line: Line, op: string): Promise<Verdict>
export interface Manner {
  optional?: Set<string>
  rebuilt?: Set<string>
  without?: Set<string>
  fold?: boolean
}
export function same(expected: Value, answer: Value, how?: Manner): boolean
export function fromJson(json: unknown): Value
export function show(value: Value): string
export function hex(bytes: Uint8Array): string
export function unhex(digits: string): Uint8Array
