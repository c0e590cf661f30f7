import { Failure, get, parseExact, type Row } from './api.js'
import { createParser, type EventSourceMessage } from './eventsource-parser.js'

export interface Following {
  onRow(row: Row): void
  /** What there is to be told of the connection; empty while it is fine. */
  onState(text: string): void
  signal: AbortSignal
}

const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 30_000

/**
 * Follows the requests of a project as they arrive. The stream is read by fetch, so that the token stays in a header.
 * After a break it goes on behind the last request that came. Rejects with a Failure that waiting does not mend.
 */
export async function follow(project: string, { onRow, onState, signal }: Following): Promise<void> {
  let lastEventId: string | undefined
  let pauseMs = FIRST_PAUSE_MS

  function take({ id, event, data }: EventSourceMessage): void {
    if (id !== undefined) lastEventId = id
    if (event === undefined || event === 'message') onRow(parseExact(data) as Row)
    else if (event === 'gap') onState('some were missed')
  }

  async function read(): Promise<void> {
    const headers: Record<string, string> = { Accept: 'text/event-stream' }
    if (lastEventId !== undefined) headers['Last-Event-ID'] = lastEventId
    const { body } = await get(`api/tail?${new URLSearchParams({ project })}`, headers, signal)
    const parser = createParser({ onEvent: take })
    onState('following')
    pauseMs = FIRST_PAUSE_MS
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
    onState('connecting again …')
    await pause(pauseMs, signal)
    pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
