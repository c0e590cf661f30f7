import { RawJson, type Row, type Value } from '../engine/engine.js'
import { CORS_HEADERS } from './cors.js'

/** Answers hold the logs of one token's owner: nobody on the way may keep them. */
export const JSON_HEADERS = {
  ...CORS_HEADERS,
  'Content-Type': 'application/json; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
} as const

export type HeaderFields = Readonly<Record<string, string>>

/** A JSON answer that is held whole; the length is given, so that HEAD bears it too. */
export function jsonReply(body: string | Uint8Array, status = 200, headers?: HeaderFields): Response {
  const length = typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength
  return new Response(body, { status, headers: { ...JSON_HEADERS, 'Content-Length': String(length), ...headers } })
}

/** Its bytes are exactly as many as they hold; a small Buffer would be part of a shared, larger one. */
const utf8 = new TextEncoder()

function valueJson(value: Value): string {
  return value instanceof RawJson ? value.text : JSON.stringify(value)
}

function rowJson(row: Row): string {
  return `{${Object.keys(row)
    .map((name) => `${JSON.stringify(name)}:${valueJson(row[name]!)}`)
    .join(',')}}`
}

/**
 * `{"result":[row,…]}` in pieces, one a row and one to end it. Letting go of it lets go of the rows. While it waits for
 * a slow reader it holds the next piece only: a row and its texts, several times as large, are out of reach by then.
 */
async function* pieces(rows: AsyncIterable<Row>): AsyncGenerator<Uint8Array, void> {
  const iterator = rows[Symbol.asyncIterator]()
  let before = '{"result":['
  const next = async () => {
    const { done, value } = await iterator.next()
    return done ? undefined : utf8.encode(before + rowJson(value))
  }
  try {
    for (let piece = await next(); piece !== undefined; piece = await next()) {
      yield piece
      before = ','
    }
    yield utf8.encode(before === ',' ? ']}' : `${before}]}`)
  } finally {
    await iterator.return?.()
  }
}

/** The beginning of an answer that is too long to be held, and what follows it. */
export interface Overflow {
  head: Uint8Array
  rest: AsyncGenerator<Uint8Array, void>
}

/**
 * The JSON of all rows. Stops at the first row that passes `limitBytes` and gives that much of it and the rest.
 * Once `signal` is aborted it lets go of the rows and throws the reason.
 */
export async function gather(
  rows: AsyncIterable<Row>,
  limitBytes: number,
  signal: AbortSignal,
): Promise<Uint8Array | Overflow> {
  const held: Uint8Array[] = []
  const rest = pieces(rows)
  let bytes = 0
  try {
    while (bytes <= limitBytes) {
      const { done, value } = await rest.next()
      signal.throwIfAborted()
      if (done) return joined(held, bytes)
      held.push(value)
      bytes += value.byteLength
    }
  } catch (error) {
    await rest.return()
    throw error
  }
  return { head: joined(held, bytes), rest }
}

function joined(held: readonly Uint8Array[], bytes: number): Uint8Array {
  const whole = new Uint8Array(bytes)
  let at = 0
  for (const piece of held) {
    whole.set(piece, at)
    at += piece.byteLength
  }
  return whole
}

/** The JSON of all rows, however long. */
export async function gatherAll(rows: AsyncIterable<Row>, signal: AbortSignal): Promise<Uint8Array> {
  return (await gather(rows, Number.POSITIVE_INFINITY, signal)) as Uint8Array
}

/**
 * An overflow as a body: a row is read when the receiver has taken the one before. A body that breaks must not end as
 * if it were whole: `onFailure` is given a row's failure and either ends the connection or throws.
 */
export function streamBody({ head, rest }: Overflow, onFailure: (error: unknown) => void): ReadableStream<Uint8Array> {
  let pending: Uint8Array | undefined = head
  async function pull(controller: ReadableStreamDefaultController<Uint8Array>) {
    if (pending !== undefined) {
      controller.enqueue(pending)
      pending = undefined
      return
    }
    const { done, value } = await rest.next()
    if (done) controller.close()
    else controller.enqueue(value)
  }
  return new ReadableStream<Uint8Array>(
    {
      pull: (controller) => pull(controller).catch(onFailure),
      async cancel() {
        await rest.return()
      },
    },
    { highWaterMark: 0 },
  )
}
