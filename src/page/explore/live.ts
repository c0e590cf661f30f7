/** Follows new rows of a query. */
import type { Row } from '../api/api.js'
import { type LogRow, paramsOf, type Query } from '../api/explore.js'
import { follow } from '../api/tail.js'

/** Maximum of rows that wait for a frame. If more rows wait, older rows are left out, and the list is loaded again. */
const MAX_PENDING = 5_000

/** Callbacks while rows are followed. */
export interface LiveEvents {
  /** Called at most once a frame, with rows in order of arrival. */
  onRows(rows: readonly LogRow[]): void
  /** Called if rows were missed. */
  onGap(): void
  /** Called with a text about the connection when it changes. */
  onState(text: string): void
}

/** Follows the rows that match a query, from now on. Resolves when `signal` is aborted. Throws a Failure. */
export function followQuery(query: Query, events: LiveEvents, signal: AbortSignal): Promise<void> {
  let pending: LogRow[] = []
  let late = 0

  function flush(): void {
    const rows = pending
    pending = []
    if (!signal.aborted) events.onRows(rows)
  }

  function onRow(row: Row, id: string, json: string): void {
    if (pending.length === 0) schedule(flush)
    const timestampUs = Number(row.timestamp)
    const known = rankOf(id, timestampUs)
    // A row of the list has the rank as the last member.
    const line = `${json.slice(0, -1)},"rank":${known ?? null}}`
    pending.push({ timestampUs, rank: known ?? ++late * LATE_RANK, id: String(row.id), line })
    if (pending.length > MAX_PENDING) {
      pending.shift()
      events.onGap()
    }
  }

  const { start: _, end: __, ...params } = paramsOf(query)
  return follow(params, { onRow, onState: events.onState, onGap: events.onGap, signal })
}

/**
 * Late rows get multiples of `LATE_RANK` as ranks, below all other ranks: the places among the rows of the same time
 * are unknown.
 */
const LATE_RANK = 1e-9

/** A hidden page has no frames. */
function schedule(run: () => void): void {
  if (document.visibilityState === 'visible') requestAnimationFrame(run)
  else setTimeout(run, 1_000)
}

/**
 * Returns the rank of an event's row. The event's id is the position of the reader, `<timestamp>.<rank>`, and more. A
 * late row does not change the id, which then says nothing of the row: returns undefined.
 */
function rankOf(id: string, timestampUs: number): number | undefined {
  const [, time, rank] = /^(-?\d+)\.(\d+)/.exec(id) ?? []
  return Number(time) === timestampUs ? Number(rank) : undefined
}
