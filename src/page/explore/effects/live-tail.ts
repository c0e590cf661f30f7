/** Follows new rows of a query. */
import type { Row } from '../../api/api.js'
import { failureOf, type LogRow, paramsOf } from '../../api/explore.js'
import { follow } from '../../api/tail.js'
import type { EffectHandlers, Send } from '../model/message.js'
import type { Scopes } from './scopes.js'

/** Maximum of rows that wait for a frame. If more rows wait, older rows are left out, and the list is loaded again. */
const MAX_PENDING = 5_000

/** Returns the handler of following. Rows are sent at most once a frame, in order of arrival. */
export const createTail = (send: Send, { begin }: Scopes): Pick<EffectHandlers, 'follow'> => ({
  follow({ liveId, query }) {
    const signal = begin('live')
    const { start: _, end: __, ...params } = paramsOf(query)
    const onGap = () => send({ kind: 'liveGap', liveId })
    const onRow = collectRows(onGap, (rows) => send({ kind: 'liveRows', liveId, rows }))
    const onState = (text: string) =>
      send(text === 'following' ? { kind: 'liveConnected', liveId } : { kind: 'liveWaiting', liveId, text })
    void follow(params, { onRow, onState, onGap, signal }).catch(
      (error) => signal.aborted || send({ kind: 'liveFailed', liveId, failure: failureOf(error) }),
    )
  },
})

/** Returns a function that takes rows, which `onRows` receives together. */
function collectRows(onGap: () => void, onRows: (rows: readonly LogRow[]) => void) {
  let pending: LogRow[] = []
  let late = 0

  function flush(): void {
    const rows = pending
    pending = []
    onRows(rows)
  }

  return (row: Row, id: string, json: string): void => {
    if (pending.length === 0) schedule(flush)
    const timestampUs = Number(row.timestamp)
    const known = rankOf(id, timestampUs)
    // A row of the list has the rank as the last member.
    const line = `${json.slice(0, -1)},"rank":${known ?? null}}`
    pending.push({ timestampUs, rank: known ?? ++late * LATE_RANK, id: String(row.id), line })
    if (pending.length > MAX_PENDING) {
      pending.shift()
      onGap()
    }
  }
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
