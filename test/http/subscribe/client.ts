import { parseEvents } from '../../support/events.js'

type Json = Record<string, unknown>

/** The members that the data of events may have. */
interface Data extends Json {
  key?: readonly string[]
  result: readonly Json[]
  upsert: readonly Json[]
  delete: readonly (readonly unknown[])[]
}

/**
 * The state with which a client goes on after a lost connection: rows by their keys, the columns of the keys, the last
 * id.
 */
export interface KeptAnswer {
  rows: ReadonlyMap<string, string>
  key: readonly string[] | undefined
  lastId: string | undefined
}

/** A client that follows a query as docs/subscriptions.md says: it keeps the rows, and applies each event to them. */
export interface FollowingClient {
  /** The rows of the answer, as JSON. */
  rows(): string[]
  /** The events so far. */
  events: readonly { name: string; id: string | undefined; data: Json }[]
  comments: readonly string[]
  retryMs(): number | undefined
  kept(): KeptAnswer
  /** Resolves when the stream has ended or broken. */
  ended: Promise<void>
  leave(): Promise<void>
}

const keyOf = (row: Json, key: readonly string[]) => JSON.stringify(key.map((name) => row[name]))

/** Reads a stream as fast as it comes. */
export function followResponse(response: Response, kept?: KeptAnswer): FollowingClient {
  let [rows, key, lastId] = [new Map(kept?.rows), kept?.key, kept?.lastId]
  let retryMs: number | undefined
  let text = ''
  const events: { name: string; id: string | undefined; data: Json }[] = []
  const comments: string[] = []
  const reader = response.body!.getReader()
  const decoder = new TextDecoder()

  function apply(name: string, data: Data): void {
    if (name === 'snapshot') {
      key = data.key
      rows = new Map()
      for (const row of data.result) rows.set(key ? keyOf(row, key) : `row ${rows.size}`, JSON.stringify(row))
    }
    if (name === 'change') {
      for (const values of data.delete) rows.delete(JSON.stringify(values))
      for (const row of data.upsert) rows.set(keyOf(row, key!), JSON.stringify(row))
    }
  }

  function takeEvents(): void {
    const end = text.lastIndexOf('\n\n') + 2
    const taken = parseEvents(text.slice(0, end))
    text = text.slice(end)
    comments.push(...taken.comments)
    retryMs = taken.retryMs ?? retryMs
    for (const { type, data, lastEventId } of taken.events) {
      events.push({ name: type, id: lastEventId || undefined, data: JSON.parse(data) })
      if (lastEventId) lastId = lastEventId
      apply(type, JSON.parse(data))
    }
  }

  async function read(): Promise<void> {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      text += decoder.decode(value, { stream: true })
      if (text.includes('\n\n')) takeEvents()
    }
  }

  return {
    rows: () => [...rows.values()],
    events,
    comments,
    retryMs: () => retryMs,
    kept: () => ({ rows: new Map(rows), key, lastId }),
    ended: read().catch(() => {}),
    leave: () => reader.cancel().catch(() => {}),
  }
}
