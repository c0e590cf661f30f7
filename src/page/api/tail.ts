import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { Failure, get, parseExact, type Row } from './api.js'
import { pause } from './pause.js'

/** Callbacks of {@link follow}, and the signal that ends following. */
export interface Following {
  /** `id`: the row's event id. `json`: the row as sent by the service. */
  onRow(row: Row, id: string, json: string): void
  /** Called with a text about the connection when it changes. */
  onState(text: string): void
  /** Called if rows were left out. */
  onGap(): void
  signal: AbortSignal
}

const MIN_RETRY_MS = 1_000
const MAX_RETRY_MS = 30_000

/**
 * Follows new rows. `params` select the rows, as for `GET /api/tail`. Uses fetch rather than EventSource, so that the
 * token is sent in a header. After a lost connection, continues after the last received row. Resolves when `signal` is
 * aborted. Rejects with a Failure if a retry cannot help.
 */
export async function follow(
  params: Record<string, string>,
  { onRow, onState, onGap, signal }: Following,
): Promise<void> {
  let lastEventId: string | undefined
  let retryMs = MIN_RETRY_MS

  function onEvent({ id, event, data }: EventSourceMessage): void {
    if (id !== undefined) lastEventId = id
    if (event === undefined || event === 'message') onRow(parseExact(data) as Row, id ?? '', data)
    else if (event === 'gap') onGap()
  }

  async function read(): Promise<void> {
    const headers: Record<string, string> = { Accept: 'text/event-stream' }
    if (lastEventId !== undefined) headers['Last-Event-ID'] = lastEventId
    const { body } = await get(`api/tail?${new URLSearchParams(params)}`, headers, signal)
    const parser = createParser({ onEvent })
    onState('following')
    retryMs = MIN_RETRY_MS
    const reader = body!.pipeThrough(new TextDecoderStream()).getReader()
    for (let part = await reader.read(); !part.done; part = await reader.read()) parser.feed(part.value)
  }

  while (!signal.aborted) {
    try {
      await read()
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof Failure && error.retryS === undefined) throw error
    }
    onState('reconnecting …')
    await pause(retryMs, signal)
    retryMs = Math.min(2 * retryMs, MAX_RETRY_MS)
  }
}
