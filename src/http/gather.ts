import { RawJson, type Row, type Value } from '../engine/engine.js'

const BEGIN = '{"result":['
const END = ']}'

/** Its bytes are exactly as many as they hold; a small Buffer would be part of a shared, larger one. */
const utf8 = new TextEncoder()

function valueJson(value: Value): string {
  return value instanceof RawJson ? value.text : JSON.stringify(value)
}

/** Spells the rows of one answer, and their names, which they share, once. */
function createRowJson(): (row: Row) => string {
  const spelt = new Map<string, string>()
  const nameJson = (name: string) => {
    const json = spelt.get(name) ?? `${JSON.stringify(name)}:`
    spelt.set(name, json)
    return json
  }
  return (row) => {
    let json = '{'
    for (const name of Object.keys(row)) {
      if (json !== '{') json += ','
      json += nameJson(name) + valueJson(row[name]!)
    }
    return `${json}}`
  }
}

/** Bytes that come piece by piece. Letting go of them lets go of where they come from. */
export interface Pieces {
  next(): Promise<IteratorResult<Uint8Array, void>>
  return(): Promise<unknown>
}

/** An answer that is too long to be held: its beginning where that is at hand, and what follows it. */
export interface Overflow {
  head: Uint8Array | undefined
  rest: Pieces
}

/**
 * The JSON of all rows, `{"result":[row,…]}`. Stops at the first row that passes `limitBytes` and gives that much of it
 * and the rest. Once `signal` is aborted it lets go of the rows and throws the reason.
 */
export async function gather(
  rows: AsyncIterable<Row>,
  limitBytes: number,
  signal: AbortSignal,
): Promise<Uint8Array | Overflow> {
  const iterator = rows[Symbol.asyncIterator]()
  const rowJson = createRowJson()
  let json = BEGIN
  let bytes = BEGIN.length + END.length
  try {
    for (;;) {
      const { done, value } = await iterator.next()
      signal.throwIfAborted()
      if (done) return utf8.encode(json + END)
      const text = json === BEGIN ? rowJson(value) : `,${rowJson(value)}`
      json += text
      bytes += Buffer.byteLength(text)
      if (bytes > limitBytes) return { head: utf8.encode(json), rest: piecesOf(iterator, rowJson) }
    }
  } catch (error) {
    await iterator.return?.()
    throw error
  }
}

/** The JSON of all rows, however long. */
export async function gatherAll(rows: AsyncIterable<Row>, signal: AbortSignal): Promise<Uint8Array> {
  return (await gather(rows, Number.POSITIVE_INFINITY, signal)) as Uint8Array
}

/**
 * The JSON from the second row on, a piece a row and one to end it. While it waits for a slow reader it holds the next
 * piece only: a row and its texts, several times as large, are out of reach by then.
 */
function piecesOf(rows: AsyncIterator<Row>, rowJson: (row: Row) => string): Pieces {
  let ended = false
  return {
    async next() {
      if (ended) return { done: true, value: undefined }
      const { done, value } = await rows.next()
      ended = done === true
      return { done: false, value: utf8.encode(done ? END : `,${rowJson(value)}`) }
    },
    async return() {
      ended = true
      await rows.return?.()
    },
  }
}
